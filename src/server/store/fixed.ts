/**
 * Queries that only differ in their values: built and compiled once for each engine. Building one takes several times
 * as long as running it.
 */
import type { Engine } from './engine.ts';
import type { CompiledQuery } from './kysely.ts';
import type { Db, SqlValue } from './schema.ts';

interface Compilable<R> {
  compile(): CompiledQuery<R>;
}

/** The place of a value. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** `value.id` is the place of what the query is given as `id`. */
const slots: unknown = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

/**
 * The query must use the values as they are passed in, without looking at them: they are known only when it runs.
 * @returns a function that runs the query and gives its rows
 */
export function fixed<V extends object, R>(
  build: (db: Db, value: V) => Compilable<R>,
): (db: Db, values: V & Readonly<Record<keyof V, SqlValue>>) => Promise<R[]> {
  const compiled = new WeakMap<Engine, CompiledQuery<R>>();
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

const engines = new WeakMap<Db, Engine>();

/** Notes the engine of a database or transaction, which kysely does not tell. */
export function withEngine(db: Db, engine: Engine): Db {
  engines.set(db, engine);
  return db;
}

/** @throws TypeError for a database that the store did not open */
export function engineOf(db: Db): Engine {
  const engine = engines.get(db);
  if (engine === undefined) throw new TypeError('the database was not opened by the store');
  return engine;
}
