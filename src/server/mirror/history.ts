/** The versions of a mirror, read in batches: a history may have millions of them. */
import { versions } from '../../contract/metrics.ts';
import { parseJson } from '../../core/json.ts';
import { formatPeriod, type PeriodType } from '../../core/periods.ts';
import type { Asked, History, Resource, ResourceKind, Version, VersionRange } from '../../domain/history/versions.ts';
import { type Expression, type SqlBool, sql } from '../store/kysely.ts';
import { type MirrorDatabase, mirrorFailure, readMeta } from './database.ts';
import { asBytes, idBytes, readEntry, readShape, type Shape } from './entry-rows.ts';
import { Names } from './names.ts';

/** Rows that are read at once. */
const batch = 2000;

/** The name of a scope: the series of one company in one grain. */
export function scopeName(companyId: string, periodType: string): string {
  return `${companyId} ${periodType}`;
}

export async function historyOf(mirror: MirrorDatabase, close: () => Promise<void>): Promise<History> {
  const { db } = mirror;
  const names = await Names.read(db);
  const first = Number((await readMeta(db, 'first_sync')) ?? 1);
  const all = await db.selectFrom('mirror_syncs').select(['number', 'seen_at', 'asked']).orderBy('number').execute();
  const seenAt = new Map(all.map(({ number, seen_at }) => [number, seen_at]));
  const shapes = new Map<number, Shape | undefined>();

  const shapeOf = (number: number): Shape | undefined => {
    if (!shapes.has(number)) shapes.set(number, readShape(names.text(number)));
    return shapes.get(number);
  };

  const version = <T>(row: { seen_from: number; seen_to: number | null }, value: T): Version<T> => ({
    seenFrom: seenAt.get(row.seen_from) ?? '',
    ...(row.seen_to === null ? {} : { seenTo: seenAt.get(row.seen_to) ?? '' }),
    value,
  });

  /** The condition of a range; undefined for all versions. */
  const within = ({ at, changedSince }: VersionRange): Expression<SqlBool> | undefined => {
    if (at !== undefined) return sql<SqlBool>`(seen_from <= ${at} and (seen_to is null or seen_to > ${at}))`;
    if (changedSince === undefined) return undefined;
    const since = all.find((sync) => sync.seen_at > changedSince)?.number;
    if (since === undefined) return sql<SqlBool>`1 = 0`;
    return sql<SqlBool>`(seen_from >= ${since} or seen_to >= ${since})`;
  };

  const history: History = {
    api: await readMeta(db, 'api'),

    syncs: () =>
      Promise.resolve(all.flatMap((s) => (s.number < first ? [] : [{ number: s.number, seenAt: s.seen_at }]))),

    async *resources(kind: ResourceKind, { owner, id, ...range } = {}) {
      const range_ = within(range);
      let query = db.selectFrom('mirror_resources').selectAll().where('kind', '=', kind);
      if (owner !== undefined) query = query.where('owner', '=', owner);
      if (id !== undefined) query = query.where('id', '=', id);
      if (range_) query = query.where(range_);
      query = query.orderBy('owner').orderBy('id').orderBy('seen_from').limit(batch);
      let after: { owner: string; id: string; seen_from: number } | undefined;
      for (;;) {
        const rows = await (after === undefined
          ? query
          : query.where(sql<SqlBool>`(owner, id, seen_from) > (${after.owner}, ${after.id}, ${after.seen_from})`)
        ).execute();
        for (const row of rows) {
          const body = parseJson(row.body) as Resource['body'];
          yield version(row, { kind, owner: row.owner, id: row.id, body });
        }
        after = rows.at(-1);
        if (rows.length < batch || after === undefined) return;
      }
    },

    async *entries(listId, { id, ...range } = {}) {
      const list = names.find('list', listId);
      if (list === undefined) return;
      const range_ = within(range);
      let query = db.selectFrom('mirror_entries').selectAll().where('list', '=', list);
      if (id !== undefined) query = query.where('id', '=', idBytes(id));
      if (range_) query = query.where(range_);
      const byPosition = range.at !== undefined && id === undefined;
      if (byPosition) query = query.orderBy('position');
      query = query.orderBy('id').orderBy('seen_from').limit(batch);
      let after: { position: number; id: Uint8Array; seen_from: number } | undefined;
      for (;;) {
        const beyond =
          after &&
          (byPosition
            ? sql<SqlBool>`(position, id, seen_from) > (${after.position}, ${asBytes(after.id)}, ${after.seen_from})`
            : sql<SqlBool>`(id, seen_from) > (${asBytes(after.id)}, ${after.seen_from})`);
        const rows = await (beyond === undefined ? query : query.where(beyond)).execute();
        for (const row of rows) {
          yield version(row, readEntry(listId, { ...row, position: Number(row.position) }, shapeOf(row.shape)));
        }
        after = rows.at(-1);
        if (rows.length < batch || after === undefined) return;
      }
    },

    async *points(companyId, { metricIds, ...range } = {}) {
      const range_ = within(range);
      for (const grain of ['month', 'quarter', 'year'] as const satisfies readonly PeriodType[]) {
        const scope = names.find('scope', scopeName(companyId, grain));
        if (scope === undefined) continue;
        let query = db.selectFrom('mirror_points').selectAll().where('scope', '=', scope);
        if (metricIds) {
          const metrics = metricIds.flatMap((metric) => names.find('metric', metric) ?? []);
          if (metrics.length === 0) return;
          query = query.where('metric', 'in', metrics);
        }
        if (range_) query = query.where(range_);
        query = query.orderBy('period').orderBy('version').orderBy('metric').orderBy('seen_from').limit(batch);
        let after: { period: number; version: number; metric: number; seen_from: number } | undefined;
        for (;;) {
          const beyond =
            after &&
            sql<SqlBool>`(period, version, metric, seen_from) >
              (${after.period}, ${after.version}, ${after.metric}, ${after.seen_from})`;
          const rows = await (beyond === undefined ? query : query.where(beyond)).execute();
          for (const row of rows) {
            yield version(row, {
              companyId,
              metricId: names.text(row.metric),
              periodType: grain,
              periodKey: formatPeriod({ type: grain, index: row.period }),
              version: versions[row.version] ?? '',
              value: row.value,
              source: row.source === null ? null : names.text(row.source),
              updatedAt: row.updated_at,
            });
          }
          after = rows.at(-1);
          if (rows.length < batch || after === undefined) break;
        }
      }
    },

    async parts() {
      const rows = await db.selectFrom('mirror_parts').selectAll().execute();
      return rows.map(({ part, owner, first_sync, stale_sync }) => ({
        ...{ part, owner, firstSync: first_sync ?? undefined, staleSync: stale_sync ?? undefined },
      }));
    },

    asked: () => Promise.resolve(all.map(({ number, asked }) => ({ ...(JSON.parse(asked) as Asked), number }))),

    close,
  };
  return worded(mirror, history);
}

/** The same history, whose failures say what is wrong with the mirror. */
function worded(mirror: MirrorDatabase, history: History): History {
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
