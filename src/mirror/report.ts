/** Reports on a mirror: its content, age and stale parts, and what `prune` would remove. */
import type { Asked } from '../domain/history/versions.ts';
import { sql } from '../server/store/kysely.ts';
import { onlyWriter } from './begin.ts';
import { mirrorFailure, openExisting, readMeta, serverDb, tidied, writeMeta } from './database.ts';
import { Names } from './names.ts';
import { type MirrorDb, never } from './tables.ts';

export interface MirrorPart {
  part: string;
  owner: string;
  /** The number of the last sync that read it. */
  readSync: number | null;
  readAt: string | null;
  staleSince: string | null;
  reason: string | null;
  /** Current things and all versions of entries and series; null for other parts. */
  current: number | null;
  versions: number | null;
}

interface MirrorStatus {
  api: string;
  syncs: number;
  firstAt: string | null;
  lastAt: string | null;
  lastSync: number;
  /** The scope of the last sync. */
  asked: Asked;
  bytes: number;
  current: number;
  versions: number;
  parts: MirrorPart[];
}

export async function mirrorStatus(folder: string): Promise<MirrorStatus> {
  const mirror = await openExisting(folder);
  try {
    const { db, engine } = mirror;
    const syncs = await db.selectFrom('mirror_syncs').select(['number', 'seen_at']).orderBy('number').execute();
    const newest = await db
      .selectFrom('mirror_syncs')
      .select('asked')
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst();
    const timeOf = (sync: number | null) => syncs.find(({ number }) => number === sync)?.seen_at ?? null;
    const first = Number((await readMeta(db, 'first_sync')) ?? 1);
    const remaining = syncs.filter(({ number }) => number >= first);
    const counts = await countsOf(db);
    const rows = await db.selectFrom('mirror_parts').selectAll().orderBy('part').orderBy('owner').execute();
    const parts = rows.map((row) => ({
      ...{ part: row.part, owner: row.owner, readSync: row.read_sync, reason: row.reason },
      ...{ readAt: timeOf(row.read_sync), staleSince: timeOf(row.stale_sync) },
      ...(counts.get(`${row.part} ${row.owner}`) ?? { current: null, versions: null }),
    }));
    const all = [...counts.values()];
    return {
      api: (await readMeta(db, 'api')) ?? '',
      syncs: remaining.length,
      firstAt: remaining[0]?.seen_at ?? null,
      lastAt: remaining.at(-1)?.seen_at ?? null,
      lastSync: remaining.at(-1)?.number ?? 0,
      asked: JSON.parse(newest?.asked ?? '{}') as Asked,
      bytes: await engine.size(serverDb(db)),
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
  const { rows: entries } = await sql<{ list: number; n: number; ended: number }>`
    select list, count(*) as n, count(seen_to) as ended from mirror_entries group by list`.execute(db);
  for (const { list, n, ended } of entries) add(`entries ${names.text(list)}`, n - ended, n);
  const { rows: points } = await sql<{ scope: number; n: number; ended: number }>`
    select scope, sum(points) as n, sum(case when seen_to = ${never} then 0 else points end) as ended
    from mirror_points group by scope`.execute(db);
  for (const { scope, n, ended } of points) {
    const [company = '', grain] = names.text(scope).split(' ');
    add(`${grain === 'month' ? 'series' : 'plans'} ${company}`, Number(n) - Number(ended), n);
  }
  const { rows: others } = await sql<{ kind: string; owner: string; n: number; ended: number }>`
    select kind, owner, count(*) as n, count(seen_to) as ended from mirror_resources group by kind, owner`.execute(db);
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
};

export interface Pruned {
  /** The first sync whose state is kept, by number and time. */
  firstSync: number;
  firstAt: string;
  entries: number;
  points: number;
  others: number;
}

/** The versions that ended before the moment: what is removed, or would be. Undefined: the mirror is not that old. */
export async function prune(
  folder: string,
  before: Date,
  confirm: (pruned: Pruned) => Promise<void>,
): Promise<(Pruned & { untidy: string | undefined }) | undefined> {
  const mirror = await openExisting(folder);
  try {
    // Asked before the lock is taken, which a question would hold for long.
    const removable = await prunable(mirror.db, before);
    if (removable === undefined) return undefined;
    await confirm(removable);
    const tx = await onlyWriter(mirror);
    try {
      const pruned = (await prunable(tx, before)) ?? removable;
      for (const table of ['mirror_entries', 'mirror_points', 'mirror_resources'] as const) {
        await tx.deleteFrom(table).where('seen_to', '<=', pruned.firstSync).execute();
      }
      await writeMeta(tx, 'first_sync', String(pruned.firstSync));
      await tx.commit().execute();
      return { ...pruned, untidy: await tidied(mirror, 'compact') };
    } catch (error) {
      if (!tx.isCommitted) await tx.rollback().execute();
      throw error;
    }
  } catch (error) {
    throw mirrorFailure(mirror, error);
  } finally {
    await mirror.close();
  }
}

async function prunable(db: MirrorDb, before: Date): Promise<Pruned | undefined> {
  const at = before.toISOString();
  // The state at that moment is kept: it is that of the last sync until then.
  const row = await db
    .selectFrom('mirror_syncs')
    .select(['number', 'seen_at'])
    .where('seen_at', '<=', at)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  const first = Number((await readMeta(db, 'first_sync')) ?? 1);
  if (row === undefined || row.number <= first) return undefined;
  const count = async (table: 'mirror_entries' | 'mirror_resources') => {
    const { n } = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('seen_to', '<=', row.number)
      .executeTakeFirstOrThrow();
    return Number(n);
  };
  const { points } = await db
    .selectFrom('mirror_points')
    .select((eb) => eb.fn.sum<number | null>('points').as('points'))
    .where('seen_to', '<=', row.number)
    .executeTakeFirstOrThrow();
  return {
    firstSync: row.number,
    firstAt: row.seen_at,
    entries: await count('mirror_entries'),
    points: Number(points ?? 0),
    others: await count('mirror_resources'),
  };
}
