/** A mirror, open for reading: its versions come in batches, because a history may have millions of them. */
import { parseJson } from '../core/json.ts';
import type { History, Resource, ResourceKind, Revision, SyncScope, VersionRange } from '../domain/history/versions.ts';
import { type MirrorDatabase, mirrorFailure, noSyncYet, openExisting, readMeta } from './database.ts';
import { idBytes, readEntry, readShape, type Shape } from './entries.ts';
import { Names } from './names.ts';
import { pointsOf } from './points.ts';
import { batches, type MirrorTables, never, query, type Value } from './tables.ts';

/** Rows that are read at once. */
const batch = 2000;

export async function historyOf(mirror: MirrorDatabase, close: () => Promise<void>): Promise<History> {
  const { db } = mirror;
  const names = await Names.read(db);
  const first = Number((await readMeta(db, 'first_sync')) ?? 1);
  const all = await query<MirrorTables['mirror_syncs']>(db, 'select * from mirror_syncs order by number');
  const seenAt = new Map(all.map(({ number, seen_at }) => [number, seen_at]));
  const shapes = new Map<number, Shape | undefined>();

  const shapeOf = (number: number): Shape | undefined => {
    if (!shapes.has(number)) shapes.set(number, readShape(names.text(number)));
    return shapes.get(number);
  };

  const version = <T>(row: { seen_from: number; seen_to: number | null }, value: T): Revision<T> => ({
    seenFrom: seenAt.get(row.seen_from) ?? '',
    ...(row.seen_to === null || row.seen_to === never ? {} : { seenTo: seenAt.get(row.seen_to) ?? '' }),
    value,
  });

  /** The condition of a range. */
  const within = ({ at, changedSince, changedUntil }: VersionRange): string => {
    if (at !== undefined) return `(seen_from <= ${at} and (seen_to is null or seen_to > ${at}))`;
    if (changedSince === undefined) return 'true';
    const since = all.find((sync) => sync.seen_at > changedSince)?.number;
    if (since === undefined) return 'false';
    const isLater = (sync: { seen_at: string }) => changedUntil !== undefined && sync.seen_at > changedUntil;
    const until = all.find(isLater)?.number ?? never;
    return `((seen_from >= ${since} and seen_from < ${until}) or (seen_to >= ${since} and seen_to < ${until}))`;
  };

  const history: History = {
    api: await readMeta(db, 'api'),

    syncs: () =>
      Promise.resolve(all.flatMap((s) => (s.number < first ? [] : [{ number: s.number, seenAt: s.seen_at }]))),

    async *resources(kind: ResourceKind, { owner, id, ...range } = {}) {
      const conditions = [`kind = ? and ${within(range)}`];
      const values: Value[] = [kind];
      for (const [column, value] of Object.entries({ owner, id })) {
        if (value === undefined) continue;
        conditions.push(`${column} = ?`);
        values.push(value);
      }
      const select = `select * from mirror_resources where ${conditions.join(' and ')}`;
      const order = `order by owner, id, seen_from limit ${batch}`;
      const pages = batches<MirrorTables['mirror_resources']>(batch, (after) => {
        if (after === undefined) return query(db, `${select} ${order}`, values);
        const beyond = '(owner, id, seen_from) > (?, ?, ?)';
        return query(db, `${select} and ${beyond} ${order}`, [...values, after.owner, after.id, after.seen_from]);
      });
      for await (const rows of pages) {
        for (const row of rows) {
          const body = parseJson(row.body) as Resource['body'];
          yield version(row, { kind, owner: row.owner, id: row.id, body });
        }
      }
    },

    async *entries(listId, { id, ...range } = {}) {
      const list = names.find('list', listId);
      if (list === undefined) return;
      const values: Value[] = [list, ...(id === undefined ? [] : [idBytes(id)])];
      const key = range.at !== undefined && id === undefined ? 'position, id, seen_from' : 'id, seen_from';
      const select = `select * from mirror_entries where list = ?${id === undefined ? '' : ' and id = ?'} and ${within(range)}`;
      const order = `order by ${key} limit ${batch}`;
      const pages = batches<MirrorTables['mirror_entries']>(batch, (after) => {
        if (after === undefined) return query(db, `${select} ${order}`, values);
        const last = [...(key.startsWith('position') ? [after.position] : []), after.id, after.seen_from];
        const beyond = `(${key}) > (${last.map(() => '?').join(', ')})`;
        return query(db, `${select} and ${beyond} ${order}`, [...values, ...last]);
      });
      for await (const rows of pages) {
        for (const row of rows) {
          yield version(row, readEntry(listId, { ...row, position: Number(row.position) }, shapeOf(row.shape)));
        }
      }
    },

    async entryCount(listId, at) {
      const rows = await query<{ archived: number | null; n: number }>(
        db,
        `select archived, count(*) as n from mirror_entries where list = ? and ${within({ at })} group by archived`,
        [names.find('list', listId) ?? 0],
      );
      const of = (archived: number) => Number(rows.find((row) => row.archived === archived)?.n ?? 0);
      return { current: of(0), archived: of(1), all: rows.reduce((sum, { n }) => sum + Number(n), 0) };
    },

    points: (companyId, of = {}) => pointsOf({ db, names, version }, companyId, of, within(of)),

    async parts() {
      const rows = await query<MirrorTables['mirror_parts']>(db, 'select * from mirror_parts');
      return rows.map(({ part, owner, first_sync, stale_sync }) => {
        return { part, owner, firstSync: first_sync ?? undefined, staleSync: stale_sync ?? undefined };
      });
    },

    scopes: () => Promise.resolve(all.map(({ number, asked }) => ({ ...(JSON.parse(asked) as SyncScope), number }))),

    close,
  };
  return withFailures(mirror, history);
}

/** The same history, whose errors are failures that name the mirror. */
function withFailures(mirror: MirrorDatabase, history: History): History {
  const guarded = async function* <T>(rows: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* rows;
    } catch (error) {
      throw mirrorFailure(mirror, error);
    }
  };
  return {
    ...history,
    resources: (kind, of) => guarded(history.resources(kind, of)),
    entries: (listId, of) => guarded(history.entries(listId, of)),
    points: (companyId, of) => guarded(history.points(companyId, of)),
  };
}

/**
 * Opens the mirror in a folder. All reads see the state of this moment, whatever is synced meanwhile.
 * @throws notFound when there is none or it has no completed sync; usage for one that cannot be read
 */
export async function openHistory(folder: string): Promise<History> {
  const mirror = await openExisting(folder);
  try {
    const tx = await mirror.db
      .startTransaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute();
    const history = await historyOf({ ...mirror, db: tx }, async () => {
      await tx.rollback().execute();
      await mirror.close();
    });
    if ((await history.syncs()).length > 0) return history;
    await history.close();
  } catch (error) {
    await mirror.close();
    throw mirrorFailure(mirror, error);
  }
  throw noSyncYet(folder);
}
