/** Rows as JSON text, as the API sends them: the database makes it, and nobody parses it. */
import type { Engine } from './engine.ts';
import { type RawBuilder, sql } from './kysely.ts';
import { type Database, tables } from './schema.ts';

type JsonSql = RawBuilder<string>;

/** The columns of a table and then further fields as one object. The row has the alias in the statement. */
export function objectText(
  engine: Engine,
  table: keyof Database,
  alias: string,
  more: Record<string, JsonSql> = {},
): JsonSql {
  const fields = Object.entries(tables[table].columns)
    .filter(([, { json }]) => json !== 'none')
    .map(([name, { json }]): [string, JsonSql] => [name, sql.raw(valueText(engine, `${alias}."${name}"`, json))]);
  const parts = [...fields, ...Object.entries(more)].map(
    ([name, value], index) => sql`${sql.lit(`${index === 0 ? '{' : ','}"${name}":`)} || ${value}`,
  );
  return sql`${sql.join(parts, sql` || `)} || '}'`;
}

function valueText(engine: Engine, column: string, kind: string | undefined): string {
  switch (kind) {
    case 'integer':
      return `cast(${column} as text)`;
    case 'flag':
      return `case ${column} when 1 then 'true' else 'false' end`;
    case 'json':
      return column;
    default:
      return engine.quoted(column);
  }
}

/** The array of all values of the column `json`, in their order. */
export const jsonArray = sql.raw<string>(`'[' || coalesce(string_agg(json, ','), '') || ']'`);

/** An array of the `json` of the rows, in their order. */
export function arrayText(rows: RawBuilder<unknown>): JsonSql {
  return sql`(select ${jsonArray} from (${rows}) items)`;
}
