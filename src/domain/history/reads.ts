/** Finds the syncs that read a resource. A narrowed sync, or one that could not read the part, tells nothing of it. */
import { endMonth, parsePeriod, startMonth } from '../../core/periods.ts';
import { SyncTimes } from './steps.ts';
import type { Asked, History, Point, ResourceKind, Sync } from './versions.ts';

/** A resource, as far as it decides whether a sync read it. */
export interface Thing {
  /** The part of the API that has it, and whose it is: `entries` of a list, `catalog` of a company. */
  part: string;
  owner: string;
  /** The id of the list that it is, or is in. */
  list?: string | undefined;
  metric?: string | undefined;
  period?: string | undefined;
}

/** The thing that a point is. */
export function pointThing({ companyId, metricId, periodKey, version }: Point): Thing {
  return { part: version === 'actual' ? 'series' : 'plans', owner: companyId, metric: metricId, period: periodKey };
}

/** The thing that a resource is; those of which a sync may leave none out are of their kind only. */
export function resourceThing(kind: ResourceKind, owner: string, id: string): Thing {
  if (kind === 'list') return { part: 'lists', owner, list: id };
  if (kind === 'attribute') return { part: 'entries', owner, list: owner };
  if (kind === 'definition') return { part: 'catalog', owner, metric: id };
  // A publication is of another company than those that were asked for.
  return { part: kind === 'grant' ? 'grants' : kind, owner: kind === 'snapshot' ? '' : owner };
}

export class Reads {
  private readonly known = new Map<string, SyncTimes>();

  private constructor(
    private readonly syncs: readonly Sync[],
    private readonly asked: ReadonlyMap<number, Asked>,
    /** All names of lists, and their companies. */
    private readonly lists: ReadonlyMap<string, { names: Set<string>; company: string }>,
  ) {}

  static async of(history: History, syncs: readonly Sync[]): Promise<Reads> {
    const asked = new Map(((await history.asked?.()) ?? []).map((each) => [each.number, each]));
    const lists = new Map<string, { names: Set<string>; company: string }>();
    for await (const { value } of history.resources('list')) {
      const { id, owner, body } = value;
      const names = lists.get(id)?.names ?? new Set([id]);
      for (const name of [body.slug, body.name]) if (typeof name === 'string') names.add(name);
      lists.set(id, { names, company: owner });
    }
    return new Reads(syncs, asked, lists);
  }

  /** The times of the syncs that read it. */
  times(thing: Thing): SyncTimes {
    const numbers = this.syncs.filter(({ number }) => this.isRead(thing, this.asked.get(number)));
    const key = numbers.map(({ number }) => number).join();
    const times = this.known.get(key) ?? new SyncTimes(numbers);
    this.known.set(key, times);
    return times;
  }

  private isRead({ part, owner, list, metric, period }: Thing, asked: Asked | undefined): boolean {
    if (!asked) return true;
    const found = list === undefined ? undefined : this.lists.get(list);
    const company = found?.company ?? owner;
    if (company !== '' && asked.companies && !asked.companies.includes(company)) return false;
    if (found && asked.lists && !asked.lists.some((word) => found.names.has(word))) return false;
    if (metric !== undefined && asked.metrics && !asked.metrics.includes(metric)) return false;
    if (isBefore(period, asked.from)) return false;
    const parts = [`${part} ${owner}`, ...(found ? [`lists ${company}`] : [])];
    return !asked.unread?.some((each) => parts.includes(each));
  }
}

function isBefore(period: string | undefined, from: string | undefined): boolean {
  const [own, first] = [parsePeriod(period ?? ''), parsePeriod(from ?? '')];
  return own !== undefined && first !== undefined && endMonth(own) < startMonth(first);
}
