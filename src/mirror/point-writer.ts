/** The series of one company in one grain, in the order of periods, against the current points. */
import { type Version, versions } from '../contract/metrics.ts';
import { formatPeriod, parsePeriod } from '../core/periods.ts';
import { type SqlBool, sql } from '../server/store/kysely.ts';
import { type Changes, noChanges } from './changes.ts';
import type { Names } from './names.ts';
import {
  type Block,
  broken,
  type Columns,
  copyPoint,
  noPoints,
  type PointScope,
  placeOf,
  type ReadPoint,
  readColumns,
  scopeName,
  textOf,
} from './point-rows.ts';
import { type Run, runsOf } from './points.ts';
import type { Statements, Value } from './statements.ts';
import { type MirrorDb, never } from './tables.ts';

interface Parts {
  db: MirrorDb;
  statements: Statements;
  names: Names;
  sync: number;
  scope: PointScope;
}

/** Points that are compared at once. */
const batch = 5000;

/** Later than every period. */
const last = 1_000_000;

export class PointWriter {
  private readonly changes = noChanges();
  private readonly scope: number;
  private readonly metrics: ReadonlySet<number> | undefined;
  private readonly version: readonly number[];
  private readonly numbers = new Map<string, number>();
  /** Up to which period everything has been compared. */
  private done: number;
  private period: number;
  private blocks = new Map<number, Block>();
  private held = 0;
  private newest: { key: string; version: string; block: Block } | undefined;

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
    for (const point of points) {
      const block = this.blockOf(point) ?? (await this.open(point));
      block.metrics.push(this.numberOf(point.metricId));
      block.values.push(point.value == null ? null : String(point.value));
      block.sources.push(point.source ?? null);
      block.updated.push(point.updatedAt ?? null);
    }
    this.held += points.length;
    this.changes.read += points.length;
  }

  async finish(): Promise<Changes> {
    await this.settle(last);
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
      throw broken(`the series has the period "${periodKey}" (${version}), which was not asked for`);
    }
    const { index } = period;
    if (index < this.period) throw broken(`the period ${periodKey} came after a later one`);
    if (index > this.period) {
      if (this.held >= batch) await this.settle(this.period);
      this.period = index;
    }
    const known = this.blocks.get(placeOf(index, rank));
    const block = known ?? { period: index, version: rank, ...noPoints() };
    this.blocks.set(placeOf(index, rank), block);
    this.newest = { key: periodKey, version, block };
    return block;
  }

  /** All points up to the period have come. */
  private async settle(to: number): Promise<void> {
    const fresh: Value[] = [];
    const range = { scope: this.scope, from: this.done + 1, to };
    for await (const runs of runsOf(this.parts.db, range, sql<SqlBool>`seen_to = ${never}`)) {
      const [{ period, version }] = runs;
      const key = placeOf(period, version);
      const block = this.blocks.get(key);
      this.blocks.delete(key);
      if (block === undefined && !this.version.includes(version)) continue;
      await this.compare(runs, block ?? { period, version, ...noPoints() }, fresh);
    }
    for (const block of this.blocks.values()) await this.compare([], block, fresh);
    this.blocks.clear();
    this.newest = undefined;
    this.held = 0;
    this.done = to;
    const shared = { scope: this.scope, seen_from: this.parts.sync, seen_to: never };
    await this.parts.statements.insert('mirror_points', shared, ['period', 'version', 'points', 'body'], fresh);
  }

  /** Ends what is not what came, and adds to `fresh` what came new. */
  private async compare(runs: readonly Run[], block: Block, fresh: Value[]): Promise<void> {
    const { period, version } = block;
    const [only] = runs;
    if (only && runs.length === 1 && only.body === textOf(block)) return;
    const places = new Map(block.metrics.map((metric, at) => [metric, at]));
    if (places.size < block.metrics.length) throw this.twice(block);
    for (const run of runs) await this.compareRun(run, block, places);
    if (places.size === 0) return;
    const added = noPoints();
    for (const at of places.values()) copyPoint(added, block, at);
    fresh.push(period, version, places.size, textOf(added));
    this.changes.added += places.size;
  }

  /** What is left of `places` is not as the current points say. Counts changed ones as if they had not been added. */
  private async compareRun(run: Run, block: Block, places: Map<number, number>): Promise<void> {
    const before = readColumns(run.body);
    const [current, ended] = [noPoints(), noPoints()];
    for (const [index, metric] of before.metrics.entries()) {
      const at = places.get(metric);
      const isSame = at === undefined ? !this.isAsked(metric, run.version) : isSamePoint(before, index, block, at);
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

  private isAsked(metric: number, version: number): boolean {
    return this.version.includes(version) && (this.metrics?.has(metric) ?? true);
  }

  /** Some points of a row are not current any more. */
  private async end(run: Run, current: Columns, ended: Columns): Promise<void> {
    const { statements, sync } = this.parts;
    const { period, version, seen_from } = run;
    const count = current.metrics.length;
    if (count === 0) {
      await this.change(run, { seen_to: sync });
      return;
    }
    await this.change(run, { points: count, body: textOf(current) });
    await statements.insert(
      'mirror_points',
      { scope: this.scope, seen_to: sync },
      ['period', 'version', 'seen_from', 'points', 'body'],
      [period, version, seen_from, ended.metrics.length, textOf(ended)],
    );
  }

  private async change({ period, version, seen_from }: Run, to: Record<string, string | number>): Promise<void> {
    const { db, statements } = this.parts;
    await statements.run(
      `change points ${Object.keys(to).join()}`,
      () =>
        db
          .updateTable('mirror_points')
          .set(to)
          .where('scope', '=', this.scope)
          .where('period', '=', period)
          .where('version', '=', version)
          .where('seen_from', '=', seen_from)
          .where('seen_to', '=', never),
      [...Object.values(to), this.scope, period, version, seen_from, never],
    );
  }

  private twice({ metrics, period }: Block): Error {
    const { names, scope } = this.parts;
    const metric = metrics.find((id, at) => metrics.indexOf(id) < at) ?? 0;
    const key = formatPeriod({ type: scope.periodType, index: period });
    return broken(`${names.text(metric)} in ${key} came twice`);
  }
}

function isSamePoint(a: Columns, at: number, b: Columns, to: number): boolean {
  return a.values[at] === b.values[to] && a.sources[at] === b.sources[to] && a.updated[at] === b.updated[to];
}
