/** Rows as JSON text, as the API sends them: the database makes it, and nobody parses it. */
import type { Engine } from './engine.ts';
import { type RawBuilder, sql } from './kysely.ts';

/** `text` may be null; `flag` is 0 or 1; `json` is JSON already. */
export type JsonColumns<Name extends string = string> = Readonly<Record<Name, 'text' | 'integer' | 'flag' | 'json'>>;

/** One object with the columns of a row, which has this name in the statement. */
export function objectText(engine: Engine, row: string, columns: JsonColumns): RawBuilder<string> {
  const fields = Object.entries(columns).map(([name, type], index) => {
    const column = `${row}."${name}"`;
    const value = {
      text: engine.quoted(column),
      integer: `cast(${column} as text)`,
      flag: `case ${column} when 1 then 'true' else 'false' end`,
      json: column,
    }[type];
    return `'${index === 0 ? '{' : ','}"${name}":' || ${value}`;
  });
  return sql.raw(`${fields.join(' || ')} || '}'`);
}
