/** Statements that only differ in their values: built once, which takes longer than running them. */
import type { CompiledQuery, Kysely } from '../store/kysely.ts';
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

  /** Inserts rows whose values are in the order of the columns. */
  async insert<T extends keyof MirrorTables & string>(
    table: T,
    columns: readonly (keyof MirrorTables[T] & string)[],
    rows: readonly (readonly Value[])[],
  ): Promise<void> {
    const step = Math.floor(mostParameters / columns.length);
    const shape = Object.fromEntries(columns.map((column) => [column, null]));
    for (let from = 0; from < rows.length; from += step) {
      const part = rows.slice(from, from + step);
      const many = part.length;
      await this.run(
        `insert ${table} ${many}`,
        () =>
          tables(this.db)
            .insertInto(table)
            .values(Array.from({ length: many }, () => shape)),
        part.flat(),
      );
    }
  }
}

/** The database for statements about tables by name. */
function tables(db: MirrorDb) {
  return db as Kysely<unknown> as Kysely<Record<string, Record<string, Value>>>;
}
