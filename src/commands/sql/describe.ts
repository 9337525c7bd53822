/** `--tables` and `--schema`. */
import type { Context } from '../../cli/context.ts';
import { usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import type { Column } from '../../output/column.ts';
import type { Output } from '../../output/output.ts';
import { type SqlTable, sqlName } from './columns.ts';
import type { SqlTables } from './tables.ts';

interface ColumnRow {
  table: string;
  column: string;
  type: string;
  holds: string;
  unit: string | undefined;
}

const tableColumns: Column<SqlTable>[] = [
  { key: 'table', heading: 'Table', get: ({ name }) => name },
  { key: 'rows', heading: 'Rows', wraps: true, get: ({ says }) => says },
];

const columnColumns: Column<ColumnRow>[] = [
  { key: 'table', heading: 'Table', get: (row) => row.table },
  { key: 'column', heading: 'Column', get: (row) => row.column },
  { key: 'type', heading: 'Type', get: (row) => row.type },
  { key: 'holds', heading: 'Holds', wraps: true, get: (row) => row.holds },
  { key: 'unit', heading: 'Unit', get: (row) => row.unit },
];

export async function showTables({ out }: { out: Output }, tables: SqlTables): Promise<void> {
  const rows = await tables.all();
  await out.rows(rows, tableColumns, {
    json: ({ name, says }) => ({ table: name, rows: says }),
    id: ({ name }) => name,
  });
}

/** @param words names of tables; none: all */
export async function showSchema(ctx: { out: Context['out'] }, tables: SqlTables, written = ''): Promise<void> {
  const words = written.split(/[\s,;]+/).filter((word) => word !== '');
  const chosen =
    words.length === 0 ? await tables.all() : await Promise.all(words.map((word) => tableNamed(tables, word)));
  const rows: ColumnRow[] = [];
  for (const table of chosen) {
    const { columns, renamed } = await table.open();
    for (const text of renamed) ctx.out.note(`${table.name}: ${text}`);
    rows.push(
      ...columns.map(({ name, type, holds, unit, items }) => {
        return { table: table.name, column: name, type, holds: items ? 'list' : holds, unit };
      }),
    );
  }
  await ctx.out.rows(rows, columnColumns, { id: ({ table, column }) => `${table}.${column}` });
}

async function tableNamed(tables: SqlTables, name: string): Promise<SqlTable> {
  const table = await tables.find(sqlName(name.replace(/^"(.*)"$/, '$1')));
  if (table) return table;
  const near = nearest(name, tables.known());
  throw usage(`unknown table "${name}"`, near === undefined ? tables.hint() : `did you mean ${near}?`);
}
