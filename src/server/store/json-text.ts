/** Rows as JSON text, as the API sends them: the database makes it, and nobody parses it. */
import type { Engine } from './engine.ts';
import { type RawBuilder, sql } from './kysely.ts';

export type JsonSql = RawBuilder<string>;

/** The kind of a column: `text` may be null, `flag` is 0 or 1, `json` is JSON already. */
type JsonKind = 'text' | 'integer' | 'flag' | 'json';

export type JsonColumns<Name extends string = string> = Readonly<Record<Name, JsonKind>>;

/** One object with columns of a row, which has this name in the statement, and then with further fields. */
export function objectText(
  engine: Engine,
  row: string,
  columns: JsonColumns,
  more: Record<string, JsonSql> = {},
): JsonSql {
  const fields = Object.entries(columns).map(([name, kind]): [string, JsonSql] => [
    name,
    valueText(engine, `${row}."${name}"`, kind),
  ]);
  const parts = [...fields, ...Object.entries(more)].map(
    ([name, value], index) => sql`${sql.lit(`${index === 0 ? '{' : ','}"${name}":`)} || ${value}`,
  );
  return sql`${sql.join(parts, sql` || `)} || '}'`;
}

function valueText(engine: Engine, column: string, kind: JsonKind): JsonSql {
  switch (kind) {
    case 'text':
      return sql.raw(engine.quoted(column));
    case 'integer':
      return sql.raw(`cast(${column} as text)`);
    case 'flag':
      return sql.raw(`case ${column} when 1 then 'true' else 'false' end`);
    case 'json':
      return sql.raw(column);
  }
}

/** The array of all values of the column `json`, in their order. */
export const jsonArray = sql.raw<string>(`'[' || coalesce(string_agg(json, ','), '') || ']'`);

/** An array of the `json` of the rows, in their order. */
export function arrayText(rows: RawBuilder<unknown>): JsonSql {
  return sql`(select ${jsonArray} from (${rows}) items)`;
}
