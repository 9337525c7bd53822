/**
 * The tables of a mirror.
 *
 * A version is seen from the sync `seen_from` until the sync `seen_to`, which no longer read it; null: it is current.
 * Rows are small, because there are many: ids are their 16 bytes, texts that repeat are numbers of `mirror_names`, an
 * entry is the array of its values, whose keys are a name too, and points that came and went together are one row.
 */
import { type Kysely, sql } from '../server/store/kysely.ts';

export const schemaVersion = 2;

export interface MirrorTables {
  /** `schema_version`, `api` (where the data comes from), `first_sync` (the oldest whose state is kept; earlier versions could remove older ones). */
  mirror_meta: { key: string; value: string };
  mirror_syncs: {
    number: number;
    began_at: string;
    seen_at: string;
    /** JSON: what narrowed it. */
    asked: string;
    /** JSON: rows read, added, changed and deleted. */
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
  mirror_resources: Seen & { kind: string; owner: string; id: string; body: string };
  /** Hashes of the pages of a list by their number, so that what did not change is not compared row by row. */
  mirror_prints: { name: number; place: number; print: string };
  mirror_names: { number: number; kind: NameKind; text: string };
  mirror_entries: Seen & {
    list: number;
    id: Uint8Array;
    position: number;
    /** 1: archived, 0: not; so that entries are counted without their bodies. */
    archived: number | null;
    shape: number;
    body: string;
  };
  /** The points of one period and version that were seen from one sync to another. */
  mirror_points: {
    scope: number;
    period: number;
    /** By its place in `versions` of the contract. */
    version: number;
    seen_from: number;
    /** `never`: they are current. */
    seen_to: number;
    /** The number of points. */
    points: number;
    /** JSON: see point-rows.ts. */
    body: string;
  };
}

/** In the place of null where `seen_to` is part of a key. */
export const never = 2 ** 31 - 1;

interface Seen {
  seen_from: number;
  seen_to: number | null;
}

/** `scope`: the company and grain of a series; `shape`: the keys of an entry. */
export type NameKind = 'list' | 'shape' | 'scope' | 'metric';

export type MirrorDb = Kysely<MirrorTables>;

/** Creates every table. In a transaction. */
export async function createTables({ schema }: MirrorDb): Promise<void> {
  const clustered = sql.raw('without rowid');
  await schema
    .createTable('mirror_meta')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  await schema
    .createTable('mirror_syncs')
    .addColumn('number', 'integer', (c) => c.primaryKey())
    .addColumn('began_at', 'text', (c) => c.notNull())
    .addColumn('seen_at', 'text', (c) => c.notNull())
    .addColumn('asked', 'text', (c) => c.notNull())
    .addColumn('counts', 'text', (c) => c.notNull())
    .execute();
  await schema
    .createTable('mirror_parts')
    .addColumn('part', 'text', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('first_sync', 'integer')
    .addColumn('read_sync', 'integer')
    .addColumn('stale_sync', 'integer')
    .addColumn('reason', 'text')
    .addPrimaryKeyConstraint('mirror_parts_key', ['part', 'owner'])
    .execute();
  await schema
    .createTable('mirror_resources')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('seen_from', 'integer', (c) => c.notNull())
    .addColumn('seen_to', 'integer')
    .addColumn('body', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('mirror_resources_key', ['kind', 'owner', 'id', 'seen_from'])
    .modifyEnd(clustered)
    .execute();
  await schema
    .createTable('mirror_prints')
    .addColumn('name', 'integer', (c) => c.notNull())
    .addColumn('place', 'integer', (c) => c.notNull())
    .addColumn('print', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('mirror_prints_key', ['name', 'place'])
    .modifyEnd(clustered)
    .execute();
  await schema
    .createTable('mirror_names')
    .addColumn('number', 'integer', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .execute();
  // Not clustered: ids come in no order, and the rows of 200,000 entries are more than the cache holds. Their keys are not.
  await schema
    .createTable('mirror_entries')
    .addColumn('list', 'integer', (c) => c.notNull())
    .addColumn('id', sql.raw('blob'), (c) => c.notNull())
    .addColumn('seen_from', 'integer', (c) => c.notNull())
    .addColumn('seen_to', 'integer')
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('archived', 'integer')
    .addColumn('shape', 'integer', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('mirror_entries_key', ['list', 'id', 'seen_from'])
    .execute();
  await schema
    .createIndex('mirror_entries_order')
    .on('mirror_entries')
    .columns(['list', 'position', 'id', 'seen_from', 'seen_to', 'archived'])
    .execute();
  await schema
    .createTable('mirror_points')
    .addColumn('scope', 'integer', (c) => c.notNull())
    .addColumn('period', 'integer', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('seen_from', 'integer', (c) => c.notNull())
    .addColumn('seen_to', 'integer', (c) => c.notNull())
    .addColumn('points', 'integer', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('mirror_points_key', ['scope', 'period', 'version', 'seen_from', 'seen_to'])
    .modifyEnd(clustered)
    .execute();
}
