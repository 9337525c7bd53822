/** Queries that are compiled once for each engine: building one takes several times as long as running it. */
import type { Engine } from './engine.ts';
import type { CompiledQuery } from './kysely.ts';
import type { Db, SqlValue } from './schema.ts';

interface Compilable<R> {
  compile(): CompiledQuery<R>;
}

/** Stands for a value that is known when the query runs. */
class Parameter {
  constructor(readonly name: string) {}
}

/**
 * @param names the parameters of the query
 * @param build must use the values as they are, without looking at them
 * @returns a function that runs the query and gives its rows
 */
export function compiledQuery<V extends object, R>(
  names: readonly (keyof V & string)[],
  build: (db: Db, value: V) => Compilable<R>,
): (db: Db, values: V & Readonly<Record<keyof V, SqlValue>>) => Promise<R[]> {
  const parameters = Object.fromEntries<unknown>(names.map((name) => [name, new Parameter(name)])) as V;
  const compiled = new WeakMap<Engine, CompiledQuery<R>>();
  return async (db, values) => {
    const engine = engineOf(db);
    let query = compiled.get(engine);
    if (query === undefined) {
      query = build(db, parameters).compile();
      compiled.set(engine, query);
    }
    const bound = query.parameters.map((value) =>
      value instanceof Parameter ? Reflect.get(values, value.name) : value,
    );
    return (await db.executeQuery<R>({ ...query, parameters: bound })).rows;
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
