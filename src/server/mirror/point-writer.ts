/** The series of one company in one grain, in the order of periods, against the current points. */
import { type Version, versions } from '../../contract/metrics.ts';
import { parsePeriod } from '../../core/periods.ts';
import { type Changes, noChanges } from './changes.ts';
import { scopeName } from './history.ts';
import type { Names } from './names.ts';
import { type Block, broken, keyOf, type PointScope, placeOf, type ReadPoint, type Row } from './point-rows.ts';
import { Prints, printOf } from './prints.ts';
import type { Statements, Value } from './statements.ts';
import type { MirrorDb } from './tables.ts';

interface Parts {
  db: MirrorDb;
  statements: Statements;
  names: Names;
  sync: number;
  /** Every point is compared, whatever the prints say. */
  thorough: boolean;
  scope: PointScope;
}

const columns = ['period', 'version', 'metric', 'value', 'source', 'updated_at'] as const;

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
  private blocks = new Map<number, Block>();
  private held = 0;
  private waiting = new Map<number, Row>();
  private readonly prints: Prints;
  private newest: { key: string; version: string; block: Block } | undefined;

  constructor(private readonly parts: Parts) {
    const { names, scope } = parts;
    this.scope = names.of('scope', scopeName(scope.companyId, scope.periodType));
    this.metrics = scope.metricIds && new Set(scope.metricIds.map((metric) => names.of('metric', metric)));
    this.version = scope.versions.map((version) => versions.indexOf(version));
    this.done = (scope.from ?? 0) - 1;
    this.period = this.done;
    this.prints = new Prints(parts, this.scope);
  }

  /** Takes points, whose periods never go back. @throws rejected for an order that no series has */
  async page(points: readonly ReadPoint[]): Promise<void> {
    for (const point of points) {
      const block = this.blockOf(point) ?? (await this.open(point));
      block.points.push(point);
      block.text += `${point.metricId} ${point.value} ${point.source} ${point.updatedAt}\n`;
    }
    this.held += points.length;
    this.changes.read += points.length;
  }

  async finish(): Promise<Changes> {
    await this.settle(last);
    return this.changes;
  }

  /** The block that the point before was in, where it is the same. */
  private blockOf({ periodKey, version }: ReadPoint): Block | undefined {
    return periodKey === this.newest?.key && version === this.newest.version ? this.newest.block : undefined;
  }

  private async open({ periodKey, version }: ReadPoint): Promise<Block> {
    const period = parsePeriod(periodKey);
    const place = versions.indexOf(version as Version);
    if (period?.type !== this.parts.scope.periodType || place < 0) {
      throw broken(`the series has the period "${periodKey}" (${version}), which was not asked for`);
    }
    const { index } = period;
    if (index < this.period) throw broken(`the period ${periodKey} came after a later one`);
    if (index > this.period) {
      if (this.held >= batch) await this.settle(this.period);
      this.period = index;
    }
    const known = this.blocks.get(placeOf(index, place));
    const block = known ?? { period: index, version: place, points: [], text: '' };
    this.blocks.set(placeOf(index, place), block);
    this.newest = { key: periodKey, version, block };
    return block;
  }

  /** All points up to the period have come: nothing is done where they are what the previous sync read. */
  private async settle(to: number): Promise<void> {
    const { names, scope, thorough } = this.parts;
    const all = await this.prints.read(placeOf(this.done + 1, 0) - 1, placeOf(to + 1, 0) - 1);
    const before = [...all].filter(([place]) => this.version.includes(place % versions.length));
    const whole = scope.metricIds === undefined;
    const now = new Map([...this.blocks].map(([place, { text }]) => [place, printOf(text)]));
    const isSame = whole && before.length === now.size && before.every(([place, print]) => now.get(place) === print);
    if (isSame && !thorough && now.size > 0) {
      this.done = to;
      this.blocks.clear();
      this.held = 0;
      return;
    }
    for (const { period, version, points } of this.blocks.values()) {
      for (const { metricId, value, source, updatedAt, periodKey } of points) {
        const metric = names.of('metric', metricId);
        const kept = source === null ? null : names.of('source', source);
        const row = { period, version, metric, value, source: kept, updated_at: updatedAt };
        const key = keyOf(row);
        if (this.waiting.has(key)) throw broken(`${metricId} in ${periodKey} came twice`);
        this.waiting.set(key, row);
      }
    }
    this.blocks.clear();
    this.held = 0;
    await this.compare(to);
    if (isSame) return;
    const old = new Map(before);
    // What was read of some metrics says nothing of the others: no print is equal to an empty one.
    const blank = new Map([...old.keys(), ...now.keys()].map((place) => [place, '']));
    await this.prints.replace(old.keys(), whole ? now : blank);
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
    const values: Value[] = [];
    for (const { period, version, metric, value, source, updated_at } of fresh) {
      values.push(period, version, metric, value, source, updated_at);
    }
    const shared = { scope: this.scope, seen_from: sync, seen_to: null };
    await statements.insert('mirror_points', shared, columns, values);
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
