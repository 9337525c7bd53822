/**
 * The tables of a mirror.
 *
 * A version is seen from the sync `seen_from` until the sync `seen_to`, which no longer read it; null: it is current.
 * Rows are small, because there are many: ids are their 16 bytes, texts that repeat are numbers of `mirror_names`, an
 * entry is the array of its values, whose keys are a name too, and points that came and went together are one row.
 */
import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../core/json.ts';
import { CompiledQuery, type Kysely } from '../server/store/kysely.ts';
import type { Database } from '../server/store/schema.ts';

export const schemaVersion = 2;

/** Rows of the tables of the same names. */
export interface MirrorTables {
  mirror_syncs: { number: number; seen_at: string; asked: string; counts: string };
  mirror_parts: {
    part: string;
    owner: string;
    first_sync: number | null;
    read_sync: number | null;
    stale_sync: number | null;
    reason: string | null;
  };
  mirror_resources: Lifetime & { kind: string; owner: string; id: string; body: string };
  mirror_names: { number: number; kind: NameKind; text: string };
  mirror_entries: Lifetime & { id: Uint8Array; position: number; shape: number; body: string };
  mirror_points: { period: number; version: number; seen_from: number; seen_to: number; body: string };
}

/** In the place of null where `seen_to` is part of a key. */
export const never = 2 ** 31 - 1;

interface Lifetime {
  seen_from: number;
  seen_to: number | null;
}

/** `scope`: the company and grain of a series; `shape`: the keys of an entry. */
export type NameKind = 'list' | 'shape' | 'scope' | 'metric';

export type MirrorDb = Kysely<Database>;

const schema = [
  // `schema_version`, `api` (where the data comes from), `first_sync` (the oldest whose state is kept).
  'create table mirror_meta (key text primary key, value text not null)',
  // `asked` is the JSON of the scope, `counts` that of `Changes`.
  `create table mirror_syncs (
    number integer primary key,
    began_at text not null,
    seen_at text not null,
    asked text not null,
    counts text not null
  )`,
  // The first and the last sync that read a part of the API completely, and the one since which it cannot be read.
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
  // Hashes of the pages of a list by their number: unchanged pages are not compared row by row.
  `create table mirror_prints (
    name integer not null,
    place integer not null,
    print text not null,
    primary key (name, place)
  ) without rowid`,
  `create table mirror_names (number integer primary key, kind text not null, text text not null)`,
  // Not clustered: ids come in no order. `archived` is apart, so that entries are counted without their bodies.
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
  // The points of one period and version with the same syncs; the body is the JSON of their columns (points.ts).
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
  for (const statement of schema) await query(db, statement);
}

/** Counts of a sync: resources read, added, changed, deleted. */
export interface Changes {
  read: number;
  added: number;
  changed: number;
  deleted: number;
}

export const noChanges = (): Changes => ({ read: 0, added: 0, changed: 0, deleted: 0 });

/** `3 added, 1 changed, 0 deleted`. */
export function changesText({ added, changed, deleted }: Changes): string {
  return `${added} added, ${changed} changed, ${deleted} deleted`;
}

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
const maxParameters = 2_000;

/** Runs a statement whose parameters are question marks. */
export async function query<Row>(db: MirrorDb, text: string, parameters: readonly Value[] = []): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows;
}

/**
 * Inserts rows, many to a statement.
 * @param shared columns that are the same in all rows
 * @param values of the other columns, row after row
 */
export async function insertRows(
  db: MirrorDb,
  table: string,
  shared: Readonly<Record<string, number | null>>,
  columns: readonly string[],
  values: readonly Value[],
): Promise<void> {
  const names = [...columns, ...Object.keys(shared)].join(', ');
  const row = `(${[...columns.map(() => '?'), ...Object.values(shared)].map(String).join(', ')})`;
  const step = Math.floor(maxParameters / columns.length) * columns.length;
  for (let from = 0; from < values.length; from += step) {
    const part = values.slice(from, from + step);
    const rows = Array.from({ length: part.length / columns.length }, () => row).join(', ');
    await query(db, `insert into ${table} (${names}) values ${rows}`, part);
  }
}
