/** Rows of any table: read in order, as JSON text, inserted, and updated where they differ. */
import type { Engine } from './engine.ts';
import { CompiledQuery, type Kysely, type QueryResult, type RawBuilder, sql } from './kysely.ts';
import { type Database, type Db, type SqlValue, tables } from './schema.ts';

/** Rows in memory at once. */
const batch = 2000;

interface Selection {
  /** Columns that together differ in every row; default: the primary key. */
  order?: readonly string[];
  /** Values that columns have. */
  where?: Row;
  /** Rows of one batch. */
  limit?: number;
}

/** All rows in order, in batches. */
export async function* rowsOf(
  db: Db,
  table: keyof Database,
  { order = tables[table].key, where = {}, limit = batch }: Selection = {},
): AsyncGenerator<Row[]> {
  let after: Row | undefined;
  for (;;) {
    let query = anyTable(db)
      .selectFrom(table as string)
      .selectAll()
      .limit(limit);
    for (const [column, value = null] of Object.entries(where)) query = query.where(column, '=', value);
    for (const column of order) query = query.orderBy(column);
    if (after) {
      const last = after;
      const columns = sql.join(order.map((column) => sql.ref(column)));
      const values = sql.join(order.map((column) => last[column] ?? null));
      query = query.where(sql<boolean>`(${columns}) > (${values})`);
    }
    const rows: Row[] = await query.execute();
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    after = rows.at(-1);
  }
}

/** A row of any table. An undefined column gets a default at an insert and is unchanged by an update. */
export type Row = Record<string, SqlValue | undefined>;

/** The rows with these values, in order of the columns. */
export async function findRows<T extends keyof Database>(
  db: Db,
  table: T,
  where: Partial<Database[T]>,
  ...order: string[]
): Promise<Database[T][]> {
  let query = anyTable(db)
    .selectFrom(table as string)
    .selectAll();
  for (const [column, value] of Object.entries<SqlValue | undefined>(where)) {
    query = query.where(column, '=', value ?? null);
  }
  for (const column of order) query = query.orderBy(column);
  return (await query.execute()) as Database[T][];
}

/** The row with these values; undefined when there is none. */
export async function findRow<T extends keyof Database>(
  db: Db,
  table: T,
  where: Partial<Database[T]>,
): Promise<Database[T] | undefined> {
  const [row] = await findRows(db, table, where);
  return row;
}

interface Upsert {
  table: keyof Database;
  /** The columns that identify a row. */
  key: readonly string[];
  rows: readonly Row[];
  /** The defaults of a new row; must cover every column that is not nullable. */
  fresh(row: Row): Row;
  /** The defaults of a changed row (`updated_at`). */
  changed?(row: Row): Row;
  /** The error for a row with the key of a previous one, or with another id than the table has. */
  refuse(index: number, reason: string): Error;
}

export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
}

export interface Upserted extends Counts {
  /** The rows as they are in the table now, in the order of the plan. */
  rows: Row[];
}

/** A table whose columns are known only at run time. */
type Tables = Kysely<{ [table: string]: Record<string, SqlValue> }>;

/** The database for queries of tables by name. */
function anyTable(db: Db): Tables {
  return db.withTables<{ [table: string]: Record<string, SqlValue> }>();
}

/** Both engines accept more parameters than this in one statement. */
const maxParameters = 8_000;
const maxRows = 200;

export async function upsert(db: Db, plan: Upsert): Promise<Upserted> {
  const untyped = anyTable(db);
  const table: string = plan.table;
  const keyOf = (row: Row) => JSON.stringify(plan.key.map((column) => row[column] ?? null));
  const before = await readExisting(untyped, plan, keyOf);
  const result: Upserted = { created: 0, updated: 0, unchanged: 0, rows: [] };
  const inserts: Row[] = [];
  const names = new Set<string>();
  for (const [index, row] of plan.rows.entries()) {
    const key = keyOf(row);
    if (names.has(key)) throw plan.refuse(index, 'is repeated');
    names.add(key);
    const old = before.get(key);
    if (!old) {
      const whole = definedColumns({ ...plan.fresh(row), ...definedColumns(row) });
      inserts.push(whole);
      result.created += 1;
      result.rows.push(whole);
      continue;
    }
    const changes = Object.fromEntries(
      Object.entries(definedColumns(row)).filter(([column, value]) => !same(old[column], value)),
    );
    for (const id of ['id', 'report_id']) {
      if (changes[id] !== undefined)
        throw plan.refuse(index, `has the id ${old[id]} in the database, not ${changes[id]}`);
    }
    if (Object.keys(changes).length > 0) {
      const set = { ...definedColumns(plan.changed?.(row) ?? {}), ...changes } as Record<string, SqlValue>;
      let query = untyped.updateTable(table).set(set);
      for (const column of plan.key) query = query.where(column, '=', old[column] as SqlValue);
      await query.execute();
      result.updated += 1;
      result.rows.push({ ...old, ...set });
    } else {
      result.unchanged += 1;
      result.rows.push(old);
    }
  }
  await insertRows(db, plan.table, inserts);
  return result;
}

/** Inserts rows, a missing column being null, many to a statement. */
export async function insertRows(db: Db, table: keyof Database, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(tables[table].columns);
  const step = Math.min(maxRows, Math.floor(maxParameters / columns.length));
  for (let from = 0; from < rows.length; from += step) {
    const part = rows.slice(from, from + step);
    const parameters = part.flatMap((row) => columns.map((column) => row[column] ?? null));
    const compile = () => {
      const row = Object.fromEntries(columns.map((column) => [column, null]));
      const values = part.map(() => row);
      return anyTable(db)
        .insertInto(table as string)
        .values(values)
        .compile();
    };
    await runCompiled(db, { name: `insert ${part.length} ${table}`, compile, parameters });
  }
}

const compiled = new WeakMap<object, Map<string, string>>();

/** Runs a statement whose text is compiled once for each database, because compiling it takes longer than running it. */
export function runCompiled<R>(
  db: Db,
  { name, compile, parameters }: { name: string; compile(): CompiledQuery; parameters: readonly SqlValue[] },
): Promise<QueryResult<R>> {
  const { adapter } = db.getExecutor();
  const texts = compiled.get(adapter) ?? new Map<string, string>();
  compiled.set(adapter, texts);
  const text = texts.get(name) ?? compile().sql;
  texts.set(name, text);
  return db.executeQuery<R>(CompiledQuery.raw(text, [...parameters]));
}

/** The rows of the table that may have the key of a planned one. */
async function readExisting(
  untyped: Tables,
  { table, key, rows }: Upsert,
  keyOf: (row: Row) => string,
): Promise<Map<string, Row>> {
  const stored = new Map<string, Row>();
  for (let from = 0; from < rows.length; from += maxRows) {
    const part = rows.slice(from, from + maxRows);
    let query = untyped.selectFrom(table as string).selectAll();
    for (const column of key) {
      query = query.where(column, 'in', [...new Set(part.map((row) => row[column] ?? null))]);
    }
    for (const row of await query.execute()) stored.set(keyOf(row), row);
  }
  return stored;
}

/** The row without its undefined columns. */
function definedColumns(row: Row): Record<string, SqlValue> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Record<string, SqlValue>;
}

/** PostgreSQL returns big integers as text. */
function same(a: SqlValue | undefined, b: SqlValue): boolean {
  return a === b || (a != null && b !== null && String(a) === String(b));
}

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
    .map(([name, { json }]) => `"${name}":' || ${valueText(engine, `${alias}."${name}"`, json)}`);
  const others = Object.entries(more).map(([name, value]) => sql` || ${sql.lit(`,"${name}":`)} || ${value}`);
  return sql`${sql.raw(`'{${fields.join(" || ',")}`)}${sql.join(others, sql``)} || '}'`;
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
