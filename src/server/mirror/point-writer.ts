/** The series of one company in one grain, in the order of periods, against the current points. */
import { type Version, versions } from '../../contract/metrics.ts';
import { Failure } from '../../core/errors.ts';
import { type PeriodType, parsePeriod } from '../../core/periods.ts';
import { type Changes, noChanges } from './changes.ts';
import { scopeName } from './history.ts';
import type { Names } from './names.ts';
import type { Statements } from './statements.ts';
import type { MirrorDb, MirrorTables } from './tables.ts';

/** What is read of a series. */
export interface PointScope {
  companyId: string;
  periodType: PeriodType;
  versions: readonly Version[];
  /** The first period; undefined: all. */
  from?: number | undefined;
  /** Undefined: all. */
  metricIds?: readonly string[] | undefined;
}

/** A point as it was read. */
export interface ReadPoint {
  metricId: string;
  periodKey: string;
  version: string;
  value: string | null;
  source: string | null;
  updatedAt: string | null;
}

interface Parts {
  db: MirrorDb;
  statements: Statements;
  names: Names;
  sync: number;
  scope: PointScope;
}

type Row = Pick<MirrorTables['mirror_points'], 'period' | 'version' | 'metric' | 'value' | 'source' | 'updated_at'>;

const columns = [
  'scope',
  'period',
  'version',
  'metric',
  'seen_from',
  'seen_to',
  'value',
  'source',
  'updated_at',
] as const;

/** Points that are compared at once, and current ones that are read at once. */
const batch = 5000;
const mostRows = 20_000;

/** Later than every period. */
const last = 1_000_000;

export class PointWriter {
  private readonly changes = noChanges();
  private readonly scope: number;
  private readonly metrics: ReadonlySet<number> | undefined;
  private readonly version: readonly number[];
  /** Up to which period everything has been compared. */
  private done: number;
  private period: number;
  private waiting = new Map<number, Row>();

  constructor(private readonly parts: Parts) {
    const { names, scope } = parts;
    this.scope = names.of('scope', scopeName(scope.companyId, scope.periodType));
    this.metrics = scope.metricIds && new Set(scope.metricIds.map((metric) => names.of('metric', metric)));
    this.version = scope.versions.map((version) => versions.indexOf(version));
    this.done = (scope.from ?? 0) - 1;
    this.period = this.done;
  }

  /** Takes points, whose periods never go back. @throws rejected for an order that no series has */
  async page(points: readonly ReadPoint[]): Promise<void> {
    const { names, scope } = this.parts;
    for (const { metricId, periodKey, version, value, source, updatedAt } of points) {
      const period = parsePeriod(periodKey);
      const place = versions.indexOf(version as Version);
      if (period?.type !== scope.periodType || place < 0) {
        throw broken(`the series has the period "${periodKey}" (${version}), which was not asked for`);
      }
      if (period.index < this.period) throw broken(`the period ${periodKey} came after a later one`);
      if (period.index > this.period) {
        if (this.waiting.size >= batch) await this.compare(this.period);
        this.period = period.index;
      }
      const row = {
        period: period.index,
        version: place,
        metric: names.of('metric', metricId),
        value,
        source: source === null ? null : names.of('source', source),
        updated_at: updatedAt,
      };
      const key = keyOf(row);
      if (this.waiting.has(key)) throw broken(`the ${version} of ${metricId} in ${periodKey} came twice`);
      this.waiting.set(key, row);
    }
    this.changes.read += points.length;
  }

  async finish(): Promise<Changes> {
    await this.compare(last);
    return this.changes;
  }

  /** All points up to the period have come. */
  private async compare(to: number): Promise<void> {
    while (this.done < to) {
      const current = await this.current(to, mostRows);
      const [some, end] = [current[0]?.period, current.at(-1)?.period];
      if (current.length < mostRows || some === undefined || end === undefined) await this.compareWith(current, to);
      // The last period may have more points than were read.
      else if (some < end)
        await this.compareWith(
          current.filter(({ period }) => period < end),
          end - 1,
        );
      else await this.compareWith(await this.current(end), end);
    }
  }

  private current(to: number, limit?: number): Promise<Row[]> {
    const { db, statements } = this.parts;
    const all = () =>
      db
        .selectFrom('mirror_points')
        .select(['period', 'version', 'metric', 'value', 'source', 'updated_at'])
        .where('scope', '=', this.scope)
        .where('period', '>', this.done)
        .where('period', '<=', to)
        .where('seen_to', 'is', null);
    const range = [this.scope, this.done, to];
    if (limit === undefined) return statements.run<Row>('current points', all, range);
    const some = () => all().orderBy('period').limit(limit);
    return statements.run<Row>('some current points', some, [...range, limit]);
  }

  private async compareWith(current: readonly Row[], to: number): Promise<void> {
    const { statements, sync } = this.parts;
    const ended: Row[] = [];
    const fresh: Row[] = [];
    for (const row of current) {
      const key = keyOf(row);
      const found = this.waiting.get(key);
      if (found === undefined) {
        if (!this.isAsked(row)) continue;
        this.changes.deleted += 1;
        ended.push(row);
        continue;
      }
      this.waiting.delete(key);
      if (row.value === found.value && row.source === found.source && row.updated_at === found.updated_at) continue;
      this.changes.changed += 1;
      ended.push(row);
      fresh.push(found);
    }
    for (const [key, row] of this.waiting) {
      if (row.period > to) continue;
      this.changes.added += 1;
      fresh.push(row);
      this.waiting.delete(key);
    }
    this.done = to;
    for (const row of ended) await this.end(row);
    await statements.insert(
      'mirror_points',
      columns,
      fresh.map((row) => [
        ...[this.scope, row.period, row.version, row.metric, sync, null],
        ...[row.value, row.source, row.updated_at],
      ]),
    );
  }

  private isAsked({ metric, version }: Row): boolean {
    return this.version.includes(version) && (this.metrics?.has(metric) ?? true);
  }

  private async end({ period, version, metric }: Row): Promise<void> {
    const { db, statements, sync } = this.parts;
    await statements.run(
      'end point',
      () =>
        db
          .updateTable('mirror_points')
          .set({ seen_to: sync })
          .where('scope', '=', this.scope)
          .where('period', '=', period)
          .where('version', '=', version)
          .where('metric', '=', metric)
          .where('seen_to', 'is', null),
      [sync, this.scope, period, version, metric],
    );
  }
}

function broken(says: string): Failure {
  return new Failure('rejected', says, { code: 'broken_paging' });
}

/** A number of its own for each point: there are fewer than a million metrics. */
function keyOf({ period, version, metric }: Row): number {
  return ((period + 1) * versions.length + version) * 2 ** 20 + metric;
}
