/** Reports on a mirror: its content, age and stale parts. */
import type { SyncScope } from '../domain/history/versions.ts';
import { mirrorFailure, openExisting, readMeta } from './database.ts';
import { Names } from './names.ts';
import { type Changes, type MirrorDb, type MirrorTables, never, query } from './tables.ts';

export interface MirrorPart {
  part: string;
  owner: string;
  /** The number of the last sync that read it. */
  readSync: number | null;
  readAt: string | null;
  staleSince: string | null;
  reason: string | null;
  current: number;
  versions: number;
}

export async function mirrorStatus(folder: string) {
  const mirror = await openExisting(folder);
  try {
    const { db } = mirror;
    const syncs = await query<MirrorTables['mirror_syncs']>(db, 'select * from mirror_syncs order by number');
    const timeOf = (sync: number | null) => syncs.find(({ number }) => number === sync)?.seen_at ?? null;
    const first = Number((await readMeta(db, 'first_sync')) ?? 1);
    const remaining = syncs.filter(({ number }) => number >= first);
    const counts = await countsOf(db);
    const rows = await query<MirrorTables['mirror_parts']>(db, 'select * from mirror_parts order by part, owner');
    const parts = rows.map(
      (row): MirrorPart => ({
        part: row.part,
        owner: row.owner,
        readSync: row.read_sync,
        reason: row.reason,
        readAt: timeOf(row.read_sync),
        staleSince: timeOf(row.stale_sync),
        // Publications belong to their publisher, the second of two owners.
        ...(counts.get(`${row.part} ${row.owner.split(' ').at(-1)}`) ?? { current: 0, versions: 0 }),
      }),
    );
    const all = [...counts.values()];
    const [size] = await query<{ bytes: number }>(
      db,
      'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
    );
    return {
      api: (await readMeta(db, 'api')) ?? '',
      syncs: remaining.length,
      firstAt: remaining[0]?.seen_at ?? null,
      lastAt: remaining.at(-1)?.seen_at ?? null,
      lastSync: remaining.at(-1)?.number ?? 0,
      /** What the last sync read and changed. */
      lastCounts: JSON.parse(remaining.at(-1)?.counts ?? '{}') as Changes,
      asked: JSON.parse(syncs.at(-1)?.asked ?? '{}') as SyncScope,
      bytes: Number(size?.bytes),
      current: all.reduce((sum, { current }) => sum + current, 0),
      versions: all.reduce((sum, { versions }) => sum + versions, 0),
      parts,
    };
  } catch (error) {
    throw mirrorFailure(mirror, error);
  } finally {
    await mirror.close();
  }
}

/** Counts by part and owner: entries by list, points by company, other resources by kind and owner. */
async function countsOf(db: MirrorDb): Promise<Map<string, { current: number; versions: number }>> {
  const names = await Names.read(db);
  const counts = new Map<string, { current: number; versions: number }>();
  const add = (key: string, current: unknown, versions: unknown) => {
    const sum = counts.get(key) ?? { current: 0, versions: 0 };
    counts.set(key, { current: sum.current + Number(current), versions: sum.versions + Number(versions) });
  };
  const entries = await query<{ list: number; n: number; ended: number }>(
    db,
    'select list, count(*) as n, count(seen_to) as ended from mirror_entries group by list',
  );
  for (const { list, n, ended } of entries) add(`entries ${names.text(list)}`, n - ended, n);
  const points = await query<{ scope: number; n: number; ended: number }>(
    db,
    `select scope, sum(points) as n, sum(iif(seen_to = ${never}, 0, points)) as ended from mirror_points group by scope`,
  );
  for (const { scope, n, ended } of points) {
    const [company = '', grain] = names.text(scope).split(' ');
    add(`${grain === 'month' ? 'series' : 'plans'} ${company}`, Number(n) - Number(ended), n);
  }
  const others = await query<{ kind: string; owner: string; n: number; ended: number }>(
    db,
    'select kind, owner, count(*) as n, count(seen_to) as ended from mirror_resources group by kind, owner',
  );
  for (const { kind, owner, n, ended } of others) {
    const part = partOfKind[kind];
    if (part !== undefined) add(`${part} ${owner}`, n - ended, n);
  }
  return counts;
}

const partOfKind: Readonly<Record<string, string>> = {
  list: 'lists',
  definition: 'catalog',
  live: 'live',
  grant: 'grants',
  preferences: 'preferences',
  snapshot: 'published',
};
