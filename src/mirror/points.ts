/** Points of series in a mirror: their rows, and the comparison of a read series with the current points. */
import { type MetricObservation, type Version, versions } from '../contract/metrics.ts';
import { Failure } from '../core/errors.ts';
import { formatPeriod, type PeriodType, parsePeriod, periodTypes } from '../core/periods.ts';
import type { PointRange, Revision as PointVersion, Point as SeriesPoint } from '../domain/history/versions.ts';
import type { Names } from './names.ts';
import {
  batches,
  type Changes,
  insertRows,
  type MirrorDb,
  type MirrorTables,
  never,
  noChanges,
  query,
  type Value,
} from './tables.ts';

/** The name of a scope: the series of one company in one grain. */
function scopeName(companyId: string, periodType: string): string {
  return `${companyId} ${periodType}`;
}

/** The part of a series that is read. */
export interface PointScope {
  companyId: string;
  periodType: PeriodType;
  versions: readonly Version[];
  /** The first period; undefined: all. */
  from?: number | undefined;
  /** Undefined: all. */
  metricIds?: readonly string[] | undefined;
}

export type ReadPoint = Pick<MetricObservation, 'metricId' | 'periodKey' | 'version' | 'source' | 'updatedAt'> & {
  value?: MetricObservation['value'] | string;
};

/** Points of one period and version in columns, which take a tenth of what objects do. */
interface Block {
  period: number;
  version: number;
  /** Numbers of names. */
  metrics: number[];
  values: (string | null)[];
  sources: (string | null)[];
  updated: (string | null)[];
}

type Columns = Omit<Block, 'period' | 'version'>;

function noPoints(): Columns {
  return { metrics: [], values: [], sources: [], updated: [] };
}

/** Adds the point at a place of other columns. */
function copyPoint(to: Columns, from: Columns, at: number): void {
  to.metrics.push(from.metrics[at] ?? 0);
  to.values.push(from.values[at] ?? null);
  to.sources.push(from.sources[at] ?? null);
  to.updated.push(from.updated[at] ?? null);
}

/** The columns as JSON; a column of one repeated text is that text. */
function textOf({ metrics, values, sources, updated }: Columns): string {
  return JSON.stringify([metrics, values, shortenTexts(sources), shortenTexts(updated)]);
}

function readColumns(body: string): Columns {
  const [metrics, values, sources, updated] = JSON.parse(body) as [number[], (string | null)[], Short, Short];
  return { metrics, values, sources: whole(sources, metrics.length), updated: whole(updated, metrics.length) };
}

type Short = string | null | (string | null)[];

function shortenTexts(texts: readonly (string | null)[]): Short {
  const [first = null] = texts;
  return texts.every((text) => text === first) ? first : [...texts];
}

function whole(texts: Short, count: number): (string | null)[] {
  return Array.isArray(texts) ? texts : Array.from({ length: count }, () => texts);
}

/** The rank of a block in the order of its scope. */
function rankOf(period: number, version: number): number {
  return period * versions.length + version;
}

function brokenMirror(says: string): Failure {
  return new Failure('rejected', says, { code: 'broken_paging' });
}

interface Source {
  db: MirrorDb;
  names: Names;
  version<T>(row: { seen_from: number; seen_to: number | null }, value: T): PointVersion<T>;
}

/** Points of one period and version with the same syncs. */
type Run = MirrorTables['mirror_points'];

/** Rows that are read at once: each has many points. */
const readAtOnce = 200;

/** @param within the condition of the time */
export async function* pointsOf(
  source: Source,
  companyId: string,
  of: PointRange,
  within: string,
): AsyncGenerator<PointVersion<SeriesPoint>> {
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

/** The position of a point in the columns of a row. */
interface StoredPoint {
  row: Run;
  columns: Columns;
  at: number;
}

/** The points of one period and version, by metric and time. */
function inOrder(group: readonly Run[], metrics: ReadonlySet<number> | undefined): StoredPoint[] {
  const points = group.flatMap((row): StoredPoint[] => {
    const columns = readColumns(row.body);
    return columns.metrics.flatMap((metric, at) => (metrics?.has(metric) === false ? [] : [{ row, columns, at }]));
  });
  const metricOf = ({ columns, at }: StoredPoint) => columns.metrics[at] ?? 0;
  return points.sort((a, b) => metricOf(a) - metricOf(b) || a.row.seen_from - b.row.seen_from);
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
async function* runsOf(
  db: MirrorDb,
  { scope, from, to, versions: some, order = 'asc' }: RunRange,
  within: string,
): AsyncGenerator<[Run, ...Run[]]> {
  const direction = order === 'asc' ? '>' : '<';
  const conditions = [
    `scope = ${scope} and ${within}`,
    ...(some ? [`version in (${some.join(', ')})`] : []),
    ...(from === undefined ? [] : [`period >= ${from}`]),
    ...(to === undefined ? [] : [`period <= ${to}`]),
  ];
  const pages = batches<Run>(readAtOnce, (after) => {
    const beyond = `period ${direction}= ? and (period ${direction} ? or (version, seen_from, seen_to) > (?, ?, ?))`;
    const condition = [...conditions, ...(after ? [beyond] : [])].join(' and ');
    const parameters = after && [after.period, after.period, after.version, after.seen_from, after.seen_to];
    return query(
      db,
      `select period, version, seen_from, seen_to, body from mirror_points where ${condition}
      order by period ${order}, version, seen_from, seen_to limit ${readAtOnce}`,
      parameters,
    );
  });
  let group: [Run, ...Run[]] | undefined;
  for await (const rows of pages) {
    for (const row of rows) {
      if (group && group[0].period === row.period && group[0].version === row.version) group.push(row);
      else {
        if (group) yield group;
        group = [row];
      }
    }
  }
  if (group) yield group;
}

function indexOf(text: string | undefined, grain: PeriodType): number | undefined {
  const period = parsePeriod(text ?? '');
  return period?.type === grain ? period.index : undefined;
}

interface Parts {
  db: MirrorDb;
  names: Names;
  sync: number;
  scope: PointScope;
}

const comparedAtOnce = 5000;

/** Later than every period. */
const last = 1_000_000;

export class PointWriter {
  private readonly changes = noChanges();
  private readonly scope: number;
  private readonly metrics: ReadonlySet<number> | undefined;
  private readonly version: readonly number[];
  private readonly numbers = new Map<string, number>();
  /** The last period that was compared. */
  private comparedTo: number;
  private period: number;
  private blocks = new Map<number, Block>();
  private waiting = 0;
  private newest: { key: string; version: string; block: Block } | undefined;

  constructor(private readonly parts: Parts) {
    const { names, scope } = parts;
    this.scope = names.of('scope', scopeName(scope.companyId, scope.periodType));
    this.metrics = scope.metricIds && new Set(scope.metricIds.map((metric) => names.of('metric', metric)));
    this.version = scope.versions.map((version) => versions.indexOf(version));
    this.comparedTo = (scope.from ?? 0) - 1;
    this.period = this.comparedTo;
  }

  /** Takes points, whose periods never go back. @throws rejected for an order that no series has */
  async page(points: readonly ReadPoint[]): Promise<void> {
    for (const point of points) {
      const block = this.blockOf(point) ?? (await this.open(point));
      block.metrics.push(this.numberOf(point.metricId));
      block.values.push(point.value == null ? null : String(point.value));
      block.sources.push(point.source ?? null);
      block.updated.push(point.updatedAt ?? null);
    }
    this.waiting += points.length;
    this.changes.read += points.length;
  }

  async finish(): Promise<Changes> {
    await this.compareUntil(last);
    return this.changes;
  }

  private numberOf(metricId: string): number {
    const known = this.numbers.get(metricId);
    if (known !== undefined) return known;
    const number = this.parts.names.of('metric', metricId);
    this.numbers.set(metricId, number);
    return number;
  }

  /** The block that the point before was in, where it is the same. */
  private blockOf({ periodKey, version }: ReadPoint): Block | undefined {
    return periodKey === this.newest?.key && version === this.newest.version ? this.newest.block : undefined;
  }

  private async open({ periodKey, version }: ReadPoint): Promise<Block> {
    const period = parsePeriod(periodKey);
    const rank = versions.indexOf(version as Version);
    if (period?.type !== this.parts.scope.periodType || rank < 0) {
      throw brokenMirror(`the series has the period "${periodKey}" (${version}), which was not requested`);
    }
    const { index } = period;
    if (index < this.period) throw brokenMirror(`the period ${periodKey} came after a later one`);
    if (index > this.period) {
      if (this.waiting >= comparedAtOnce) await this.compareUntil(this.period);
      this.period = index;
    }
    const known = this.blocks.get(rankOf(index, rank));
    const block = known ?? { period: index, version: rank, ...noPoints() };
    this.blocks.set(rankOf(index, rank), block);
    this.newest = { key: periodKey, version, block };
    return block;
  }

  /** Compares all points up to a period, which are complete. */
  private async compareUntil(to: number): Promise<void> {
    const fresh: Value[] = [];
    const range = { scope: this.scope, from: this.comparedTo + 1, to };
    for await (const runs of runsOf(this.parts.db, range, `seen_to = ${never}`)) {
      const [{ period, version }] = runs;
      const key = rankOf(period, version);
      const block = this.blocks.get(key);
      this.blocks.delete(key);
      if (block === undefined && !this.version.includes(version)) continue;
      await this.compare(runs, block ?? { period, version, ...noPoints() }, fresh);
    }
    for (const block of this.blocks.values()) await this.compare([], block, fresh);
    this.blocks.clear();
    this.newest = undefined;
    this.waiting = 0;
    this.comparedTo = to;
    const shared = { scope: this.scope, seen_from: this.parts.sync, seen_to: never };
    await insertRows(this.parts.db, 'mirror_points', shared, ['period', 'version', 'points', 'body'], fresh);
  }

  /** Ends points that differ or are gone, and adds new ones to `fresh`. */
  private async compare(runs: readonly Run[], block: Block, fresh: Value[]): Promise<void> {
    const { period, version } = block;
    const [only] = runs;
    if (only && runs.length === 1 && only.body === textOf(block)) return;
    const places = new Map(block.metrics.map((metric, at) => [metric, at]));
    if (places.size < block.metrics.length) throw this.repeated(block);
    for (const run of runs) await this.compareRun(run, block, places);
    if (places.size === 0) return;
    const added = noPoints();
    for (const at of places.values()) copyPoint(added, block, at);
    fresh.push(period, version, places.size, textOf(added));
    this.changes.added += places.size;
  }

  /** Removes unchanged points from `places`. Changed ones are counted here, and not as added. */
  private async compareRun(run: Run, block: Block, places: Map<number, number>): Promise<void> {
    const before = readColumns(run.body);
    const [current, ended] = [noPoints(), noPoints()];
    for (const [index, metric] of before.metrics.entries()) {
      const at = places.get(metric);
      const isSame = at === undefined ? !this.isInScope(metric, run.version) : isSamePoint(before, index, block, at);
      copyPoint(isSame ? current : ended, before, index);
      if (at === undefined) this.changes.deleted += isSame ? 0 : 1;
      else if (isSame) places.delete(metric);
      else {
        this.changes.changed += 1;
        this.changes.added -= 1;
      }
    }
    if (ended.metrics.length > 0) await this.end(run, current, ended);
  }

  private isInScope(metric: number, version: number): boolean {
    return this.version.includes(version) && (this.metrics?.has(metric) ?? true);
  }

  /** Splits a row into its current and its ended points. */
  private async end(run: Run, current: Columns, ended: Columns): Promise<void> {
    const { db, sync } = this.parts;
    const { period, version, seen_from } = run;
    const count = current.metrics.length;
    if (count === 0) {
      await this.change(run, { seen_to: sync });
      return;
    }
    await this.change(run, { points: count, body: textOf(current) });
    await insertRows(
      db,
      'mirror_points',
      { scope: this.scope, seen_to: sync },
      ['period', 'version', 'seen_from', 'points', 'body'],
      [period, version, seen_from, ended.metrics.length, textOf(ended)],
    );
  }

  private async change(run: Run, to: Record<string, string | number>): Promise<void> {
    const set = Object.keys(to).map((column) => `${column} = ?`);
    await query(
      this.parts.db,
      `update mirror_points set ${set.join(', ')}
      where scope = ? and period = ? and version = ? and seen_from = ? and seen_to = ?`,
      [...Object.values(to), this.scope, run.period, run.version, run.seen_from, never],
    );
  }

  private repeated({ metrics, period }: Block): Error {
    const { names, scope } = this.parts;
    const metric = metrics.find((id, at) => metrics.indexOf(id) < at) ?? 0;
    const key = formatPeriod({ type: scope.periodType, index: period });
    return brokenMirror(`${names.text(metric)} in ${key} came twice`);
  }
}

function isSamePoint(a: Columns, at: number, b: Columns, to: number): boolean {
  return a.values[at] === b.values[to] && a.sources[at] === b.sources[to] && a.updated[at] === b.updated[to];
}
