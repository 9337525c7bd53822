/**
 * The tables of a mirror.
 *
 * A version is seen from the sync `seen_from` until the sync `seen_to`, which no longer read it; null: it is current.
 * Rows are small, because there are many: ids are their 16 bytes, texts that repeat are numbers of `mirror_names`, an
 * entry is the array of its values, whose keys are a name too, and points that came and went together are one row.
 */
import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../core/json.ts';
import { type CompiledQuery, type Kysely, sql } from '../server/store/kysely.ts';

export const schemaVersion = 2;

export interface MirrorTables {
  /** `schema_version`, `api` (where the data comes from), `first_sync` (the oldest whose state is kept; earlier versions could remove older ones). */
  mirror_meta: { key: string; value: string };
  mirror_syncs: {
    number: number;
    began_at: string;
    seen_at: string;
    /** JSON of its scope. */
    asked: string;
    /** JSON of `Changes`. */
    counts: string;
  };
  /** What was last read of each part of the API: `entries` of a list, `series` of a company … */
  mirror_parts: {
    part: string;
    owner: string;
    /** The first sync that read it completely; null: none. */
    first_sync: number | null;
    /** The last sync that read it completely; null: none. */
    read_sync: number | null;
    /** The sync since which it cannot be read; null: it can. */
    stale_sync: number | null;
    reason: string | null;
  };
  mirror_resources: Lifetime & { kind: string; owner: string; id: string; body: string };
  /** Hashes of the pages of a list by their number: unchanged pages are not compared row by row. */
  mirror_prints: { name: number; place: number; print: string };
  mirror_names: { number: number; kind: NameKind; text: string };
  mirror_entries: Lifetime & {
    list: number;
    id: Uint8Array;
    position: number;
    /** 1: archived, 0: not; so that entries are counted without their bodies. */
    archived: number | null;
    shape: number;
    body: string;
  };
  /** The points of one period and version with the same first and last sync. */
  mirror_points: {
    scope: number;
    period: number;
    /** By its place in `versions` of the contract. */
    version: number;
    seen_from: number;
    /** `never`: they are current. */
    seen_to: number;
    points: number;
    /** JSON of the columns: see points.ts. */
    body: string;
  };
}

/** In the place of null where `seen_to` is part of a key. */
export const never = 2 ** 31 - 1;

interface Lifetime {
  seen_from: number;
  seen_to: number | null;
}

/** `scope`: the company and grain of a series; `shape`: the keys of an entry. */
export type NameKind = 'list' | 'shape' | 'scope' | 'metric';

export type MirrorDb = Kysely<MirrorTables>;

/** Entries are not clustered: their ids come in no order, and 200,000 rows are more than the cache holds. */
const schema = [
  `create table mirror_meta (key text primary key, value text not null)`,
  `create table mirror_syncs (
    number integer primary key,
    began_at text not null,
    seen_at text not null,
    asked text not null,
    counts text not null
  )`,
  `create table mirror_parts (
    part text not null,
    owner text not null,
    first_sync integer,
    read_sync integer,
    stale_sync integer,
    reason text,
    primary key (part, owner)
  )`,
  `create table mirror_resources (
    kind text not null,
    owner text not null,
    id text not null,
    seen_from integer not null,
    seen_to integer,
    body text not null,
    primary key (kind, owner, id, seen_from)
  ) without rowid`,
  `create table mirror_prints (
    name integer not null,
    place integer not null,
    print text not null,
    primary key (name, place)
  ) without rowid`,
  `create table mirror_names (number integer primary key, kind text not null, text text not null)`,
  `create table mirror_entries (
    list integer not null,
    id blob not null,
    seen_from integer not null,
    seen_to integer,
    position bigint not null,
    archived integer,
    shape integer not null,
    body text not null,
    primary key (list, id, seen_from)
  )`,
  `create index mirror_entries_order on mirror_entries (list, position, id, seen_from, seen_to, archived)`,
  `create table mirror_points (
    scope integer not null,
    period integer not null,
    version integer not null,
    seen_from integer not null,
    seen_to integer not null,
    points integer not null,
    body text not null,
    primary key (scope, period, version, seen_from, seen_to)
  ) without rowid`,
];

/** Creates every table. In a transaction. */
export async function createTables(db: MirrorDb): Promise<void> {
  for (const statement of schema) await sql.raw(statement).execute(db);
}

/** Counts of a sync: resources read, added, changed, deleted. */
export interface Changes {
  read: number;
  added: number;
  changed: number;
  deleted: number;
}

export const noChanges = (): Changes => ({ read: 0, added: 0, changed: 0, deleted: 0 });

export function addChanges(sum: Changes, more: Changes): void {
  for (const key of ['read', 'added', 'changed', 'deleted'] as const) sum[key] += more[key];
}

/** Whether two JSON texts are equal, whatever the order of their keys. */
export function sameBody(a: string, b: string): boolean {
  return a === b || (a.length === b.length && isDeepStrictEqual(parseJson(a), parseJson(b)));
}

/** Rows in batches, each read after the last row of the one before. */
export async function* batches<Row>(
  size: number,
  read: (after: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after: Row | undefined; ; ) {
    const rows = await read(after);
    yield rows;
    after = rows.at(-1);
    if (rows.length < size || after === undefined) return;
  }
}

export type Value = string | number | null | Uint8Array;

/** SQLite accepts more parameters than this in one statement. */
const mostParameters = 2_000;

/** Statements by name, each compiled once: that takes longer than running one. */
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
