/** What was there at a moment between two syncs: the versions of the earlier one, and what the API dates until then. */
import type { CustomListEntry } from '../../contract/lists.ts';
import {
  entriesKey,
  entryRules,
  pointRules,
  Reads,
  resourceRules,
  resourceVersions,
} from '../../domain/history/reads.ts';
import { instantOf, type Step, type StepRules, stepsUntil } from '../../domain/history/steps.ts';
import type {
  EntryCount,
  History,
  Point,
  PointRange,
  Resource,
  ResourceKind,
  Revision,
  Sync,
} from '../../domain/history/versions.ts';

type ChangesByKey<T> = ReadonlyMap<string, Step<T>>;

export class StateAt {
  private known: Promise<Reads> | undefined;
  private readonly changedEntries = new Map<string, Promise<ChangesByKey<CustomListEntry>>>();

  constructor(
    readonly history: History,
    /** The newest sync that is not after the moment. */
    readonly sync: Sync,
    /** Milliseconds since 1970; undefined: that of the sync. */
    private readonly moment: number | undefined,
  ) {}

  /** Which syncs read what. */
  reads(): Promise<Reads> {
    this.known ??= this.history.syncs().then((syncs) => Reads.of(this.history, syncs));
    return this.known;
  }

  async resources(kind: ResourceKind, owner?: string): Promise<Resource[]> {
    const range = owner === undefined ? {} : { owner };
    const versions = this.history.resources(kind, { ...range, at: this.sync.number });
    const rules = resourceRules(kind, await this.reads());
    const changes = await this.changes(rules, (since) => resourceVersions(this.history, kind, { ...range, ...since }));
    const resources: Resource[] = [];
    for await (const { value } of versions) if (!changes.has(rules.keyOf(value))) resources.push(value);
    return [...resources, ...valuesOf(changes)];
  }

  /** Entries by position. */
  async *entries(listId: string): AsyncGenerator<CustomListEntry> {
    const changes = await this.entryChanges(listId);
    const positionOf = ({ position }: CustomListEntry) => Number(position ?? 0);
    yield* mergeInOrder(
      omitChanged(this.history.entries(listId, { at: this.sync.number }), changes, ({ id }) => String(id)),
      valuesOf(changes),
      (a, b) => positionOf(a) - positionOf(b),
    );
  }

  async entryCount(listId: string): Promise<EntryCount | undefined> {
    const count = await this.history.entryCount?.(listId, this.sync.number);
    if (count === undefined) return undefined;
    const sum = { ...count };
    const add = (entry: CustomListEntry | undefined, difference: number) => {
      if (entry === undefined) return;
      sum.all += difference;
      if (entry.archived === true) sum.archived += difference;
      else if (entry.archived === false) sum.current += difference;
    };
    for (const { before, after } of (await this.entryChanges(listId)).values()) {
      add(before, -1);
      add(after, 1);
    }
    return sum;
  }

  /** Points by period and version. */
  async *points(companyId: string, range: PointRange): AsyncGenerator<Point> {
    const rules = pointRules(await this.reads());
    const changes = await this.changes(rules, (since) => this.history.points(companyId, { ...range, ...since }));
    const [before, after] = range.order === 'desc' ? [1, -1] : [-1, 1];
    // Periods of one grain, and versions, have the order of their texts.
    const compare = (a: Point, b: Point) => {
      if (a.periodKey !== b.periodKey) return a.periodKey < b.periodKey ? before : after;
      return a.version === b.version ? 0 : a.version < b.version ? -1 : 1;
    };
    const versions = this.history.points(companyId, { ...range, at: this.sync.number });
    yield* mergeInOrder(omitChanged(versions, changes, rules.keyOf), valuesOf(changes), compare);
  }

  private entryChanges(listId: string): Promise<ChangesByKey<CustomListEntry>> {
    const known = this.changedEntries.get(listId) ?? this.readEntryChanges(listId);
    this.changedEntries.set(listId, known);
    return known;
  }

  private async readEntryChanges(listId: string): Promise<ChangesByKey<CustomListEntry>> {
    const rules = entryRules(listId, await this.reads());
    const times = (await this.reads()).times(entriesKey(listId));
    const next = times.after(instantOf(this.sync.seenAt) ?? 0);
    if (next === undefined) return new Map();
    const changedUntil = new Date(next).toISOString();
    return this.changes(rules, (since) => this.history.entries(listId, { ...since, changedUntil }));
  }

  /** What the API dates between the sync and the moment, by key. */
  private async changes<T>(
    rules: StepRules<T>,
    read: (since: { changedSince: string }) => AsyncIterable<Revision<T>>,
  ): Promise<ChangesByKey<T>> {
    const changes = new Map<string, Step<T>>();
    const { seenAt } = this.sync;
    if (this.moment === undefined || this.moment <= (instantOf(seenAt) ?? 0)) return changes;
    for await (const step of stepsUntil(read({ changedSince: seenAt }), rules, this.moment)) {
      if (step.seen > seenAt && step.after !== undefined) changes.set(rules.keyOf(step.after), step);
    }
    return changes;
  }
}

function valuesOf<T>(changes: ChangesByKey<T>): T[] {
  return [...changes.values()].flatMap(({ after }) => (after === undefined ? [] : [after]));
}

async function* omitChanged<T>(
  versions: AsyncIterable<Revision<T>>,
  changes: ChangesByKey<T>,
  keyOf: (value: T) => string,
): AsyncGenerator<T> {
  for await (const { value } of versions) if (!changes.has(keyOf(value))) yield value;
}

/** Values in order, with others among them. */
async function* mergeInOrder<T>(
  values: AsyncIterable<T>,
  others: readonly T[],
  compare: (a: T, b: T) => number,
): AsyncGenerator<T> {
  const rest = others.toSorted(compare);
  let next = 0;
  for await (const value of values) {
    for (let other = rest[next]; other !== undefined && compare(other, value) < 0; other = rest[next]) {
      yield other;
      next += 1;
    }
    yield value;
  }
  yield* rest.slice(next);
}
