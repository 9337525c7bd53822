/** The versions of points, read in batches. */
import { versions } from '../contract/metrics.ts';
import { formatPeriod, type PeriodType, parsePeriod, periodTypes } from '../core/periods.ts';
import type { Point, PointRange, Version } from '../domain/history/versions.ts';
import { type Expression, type SqlBool, sql } from '../server/store/kysely.ts';
import type { Names } from './names.ts';
import { type Columns, readColumns, scopeName } from './point-rows.ts';
import type { MirrorDb, MirrorTables } from './tables.ts';

interface Source {
  db: MirrorDb;
  names: Names;
  version<T>(row: { seen_from: number; seen_to: number | null }, value: T): Version<T>;
}

/** Points that came and went together. */
export type Run = MirrorTables['mirror_points'];

/** Rows that are read at once: each has many points. */
const batch = 200;

/** @param within the condition of the time */
export async function* pointsOf(
  source: Source,
  companyId: string,
  of: PointRange,
  within: Expression<SqlBool> | undefined,
): AsyncGenerator<Version<Point>> {
  const { names } = source;
  const metrics = of.metricIds && new Set(of.metricIds.flatMap((metric) => names.find('metric', metric) ?? []));
  if (metrics?.size === 0) return;
  for (const grain of of.periodType === undefined ? periodTypes : [of.periodType]) {
    const scope = names.find('scope', scopeName(companyId, grain));
    if (scope === undefined) continue;
    const [from, to] = [of.from, of.to].map((text) => indexOf(text, grain));
    const requested = of.versions?.map((version) => (versions as readonly string[]).indexOf(version));
    for await (const group of runsOf(source.db, { scope, from, to, versions: requested, order: of.order }, within)) {
      const [{ period, version }] = group;
      const periodKey = formatPeriod({ type: grain, index: period });
      for (const { row, columns, at } of inOrder(group, metrics)) {
        yield source.version(row, {
          companyId,
          metricId: names.text(columns.metrics[at] ?? 0),
          periodType: grain,
          periodKey,
          version: versions[version] ?? '',
          value: columns.values[at] ?? null,
          source: columns.sources[at] ?? null,
          updatedAt: columns.updated[at] ?? null,
        });
      }
    }
  }
}

interface Place {
  row: Run;
  columns: Columns;
  at: number;
}

/** The points of one period and version, by metric and time. */
function inOrder(group: readonly Run[], metrics: ReadonlySet<number> | undefined): Place[] {
  const places = group.flatMap((row): Place[] => {
    const columns = readColumns(row.body);
    return columns.metrics.flatMap((metric, at) => (metrics?.has(metric) === false ? [] : [{ row, columns, at }]));
  });
  const metricOf = ({ columns, at }: Place) => columns.metrics[at] ?? 0;
  return places.sort((a, b) => metricOf(a) - metricOf(b) || a.row.seen_from - b.row.seen_from);
}

interface RunRange {
  scope: number;
  /** The first and the last period. */
  from?: number | undefined;
  to?: number | undefined;
  versions?: readonly number[] | undefined;
  order?: 'asc' | 'desc' | undefined;
}

/** The rows of each period and version. */
export async function* runsOf(
  db: MirrorDb,
  { scope, from, to, versions: some, order = 'asc' }: RunRange,
  within: Expression<SqlBool> | undefined,
): AsyncGenerator<[Run, ...Run[]]> {
  let query = db.selectFrom('mirror_points').selectAll().where('scope', '=', scope);
  if (within) query = query.where(within);
  if (some) query = query.where('version', 'in', some);
  if (from !== undefined) query = query.where('period', '>=', from);
  if (to !== undefined) query = query.where('period', '<=', to);
  query = query.orderBy('period', order).orderBy('version').orderBy('seen_from').orderBy('seen_to').limit(batch);
  let group: [Run, ...Run[]] | undefined;
  for (let after: Run | undefined; ; ) {
    const rows = await (after === undefined ? query : query.where(beyond(after, order))).execute();
    for (const row of rows) {
      if (group && group[0].period === row.period && group[0].version === row.version) group.push(row);
      else {
        if (group) yield group;
        group = [row];
      }
    }
    after = rows.at(-1);
    if (rows.length < batch || after === undefined) break;
  }
  if (group) yield group;
}

function beyond({ period, version, seen_from, seen_to }: Run, order: 'asc' | 'desc'): Expression<SqlBool> {
  if (order === 'asc') {
    return sql<SqlBool>`(period, version, seen_from, seen_to) > (${period}, ${version}, ${seen_from}, ${seen_to})`;
  }
  return sql<SqlBool>`period <= ${period} and
    (period < ${period} or (version, seen_from, seen_to) > (${version}, ${seen_from}, ${seen_to}))`;
}

function indexOf(text: string | undefined, grain: PeriodType): number | undefined {
  const period = parsePeriod(text ?? '');
  return period?.type === grain ? period.index : undefined;
}
