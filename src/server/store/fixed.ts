/**
 * Queries that are always the same but for their values: built and compiled once for each engine. Building one anew
 * takes several times as long as running it.
 */
import type { CompiledQuery } from './kysely.ts';
import type { Db, SqlValue } from './schema.ts';

interface Compilable<R> {
  compile(): CompiledQuery<R>;
}

/** Where a value goes. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** `value.id` stands for what the query is given as `id`. */
const slots: unknown = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

/**
 * The values must be used as they are handed in, none of them looked at: they are known only when the query runs.
 * @returns a function that runs the query and gives its rows
 */
export function fixed<V extends object, R>(
  build: (db: Db, value: V) => Compilable<R>,
): (db: Db, values: V & Readonly<Record<keyof V, SqlValue>>) => Promise<R[]> {
  const compiled = new WeakMap<object, CompiledQuery<R>>();
  return async (db, values) => {
    const engine = engineOf(db);
    let query = compiled.get(engine);
    if (query === undefined) {
      query = build(db, slots as V).compile();
      compiled.set(engine, query);
    }
    const parameters = query.parameters.map((one) => (one instanceof Slot ? Reflect.get(values, one.name) : one));
    return (await db.executeQuery<R>({ ...query, parameters })).rows;
  };
}

/** Transactions share it with the database that they are of. */
export function engineOf(db: Db): object {
  return db.getExecutor().adapter;
}
