/** Statements that only differ in their values: built once, which takes longer than running them. */
import { type CompiledQuery, type Kysely, sql } from '../server/store/kysely.ts';
import type { MirrorDb, MirrorTables } from './tables.ts';

export type Value = string | number | null | Uint8Array;

/** Both engines accept more parameters than this in one statement. */
const mostParameters = 2_000;

export class Statements {
  private readonly compiled = new Map<string, CompiledQuery>();

  constructor(private readonly db: MirrorDb) {}

  /** Runs a query that has the values as its only parameters, in their order. */
  async run<R>(name: string, build: () => { compile(): CompiledQuery<R> }, values: readonly Value[]): Promise<R[]> {
    let query = this.compiled.get(name);
    if (query === undefined) {
      query = build().compile();
      this.compiled.set(name, query);
    }
    const { rows } = await this.db.executeQuery<R>({ ...(query as CompiledQuery<R>), parameters: values });
    return rows;
  }

  /**
   * Inserts rows that share some columns, which are the same whenever this is called for the table.
   * @param values of the other columns, row after row
   */
  async insert<T extends keyof MirrorTables & string>(
    table: T,
    shared: Readonly<Record<string, number | null>>,
    columns: readonly (keyof MirrorTables[T] & string)[],
    values: readonly Value[],
  ): Promise<void> {
    const constants = Object.entries(shared).map(([column, value]) => [column, sql.lit(value)] as const);
    const shape = Object.fromEntries([...columns.map((column) => [column, null] as const), ...constants]);
    const step = Math.floor(mostParameters / columns.length) * columns.length;
    for (let from = 0; from < values.length; from += step) {
      const part = values.slice(from, from + step);
      const many = part.length / columns.length;
      await this.run(
        `insert ${table} ${many} ${JSON.stringify(shared)}`,
        () =>
          tables(this.db)
            .insertInto(table as string)
            .values(Array.from({ length: many }, () => shape)),
        part,
      );
    }
  }
}

/** The database for statements about tables by name. */
function tables(db: MirrorDb) {
  return db as Kysely<unknown> as Kysely<Record<string, Record<string, Value>>>;
}
