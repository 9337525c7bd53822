/** The state of a mirror at one moment, from which requests are answered. */
import type { MetricDefinition } from '../../contract/metrics.ts';
import type { Operation } from '../../contract/operation.ts';
import { Failure } from '../../core/errors.ts';
import { textOf } from '../../core/json.ts';
import { minuteOfTime } from '../../core/periods.ts';
import type { ResourceKey } from '../../domain/history/reads.ts';
import { instantOf } from '../../domain/history/steps.ts';
import type { Part, Resource, ResourceKind, SyncScope } from '../../domain/history/versions.ts';
import type { Call } from '../../server/handlers/handler.ts';
import type { StateAt } from './state-at.ts';

export interface Company {
  id: string;
  name: string | undefined;
  currency: string | undefined;
}

/** A call of the API, without the database that it usually goes to. */
export type PastCall<O extends Operation = Operation> = Omit<Call<O>, 'store'>;

export class State {
  private readonly cache = new Map<string, Promise<Resource[]>>();
  private readonly scope: Promise<{ parts: readonly Part[] | undefined; syncs: readonly SyncScope[] | undefined }>;
  /** Resources whose age was checked: each page of an answer asks for the same ones. */
  private readonly checked = new Set<string>();

  constructor(
    readonly at: StateAt,
    readonly companies: readonly Company[],
    /** Prints each text once. */
    readonly warn: (text: string) => void,
  ) {
    const { history, sync } = at;
    const untilThen = async () => (await history.scopes?.())?.filter(({ number }) => number <= sync.number);
    this.scope = Promise.all([history.parts?.(), untilThen()]).then(([parts, syncs]) => ({
      parts: parts?.length === 0 ? undefined : parts,
      syncs,
    }));
    this.scope.catch(() => {});
  }

  /** The resources of a kind that an owner had. Read once. */
  resources(kind: ResourceKind, owner: string): Promise<Resource[]> {
    const key = `${kind} ${owner}`;
    const reading = this.cache.get(key) ?? this.at.resources(kind, owner);
    this.cache.set(key, reading);
    return reading;
  }

  async resource(kind: ResourceKind, owner: string, id: string): Promise<Resource | undefined> {
    return (await this.resources(kind, owner)).find((resource) => resource.id === id);
  }

  /**
   * Warns of a part of the API that only an earlier sync could read; `name` is its name in messages.
   * @throws notFound when no sync read it
   */
  async requirePart(part: string, owner: string, name: string): Promise<void> {
    const { parts } = await this.scope;
    if (parts === undefined) return;
    const row = parts.find((each) => each.part === part && each.owner === owner);
    // A list that was deleted later has no row.
    if (row === undefined && part === 'entries') return;
    if (row?.firstSync === undefined || row.firstSync > this.at.sync.number) throw notMirrored(name);
    if (row.staleSync === undefined || row.staleSync > this.at.sync.number) return;
    this.warn(`${name} could not be read by the newest sync: this is the state of an earlier one`);
  }

  /** Warns of the resources, by name, that only an earlier sync read. */
  async warnOfOlder(resources: ReadonlyMap<string, ResourceKey>): Promise<void> {
    const key = [...resources.keys()].join();
    if (this.checked.has(key)) return;
    this.checked.add(key);
    const { syncs = [] } = await this.scope;
    if (syncs.every(({ lists, metrics }) => lists === undefined && metrics === undefined)) return;
    const reads = await this.at.reads();
    const now = instantOf(this.at.sync.seenAt) ?? 0;
    const older = new Map<number, string[]>();
    for (const [name, resource] of resources) {
      const last = reads.times(resource).before(now + 1);
      if (last !== undefined && last < now) older.set(last, [...(older.get(last) ?? []), name]);
    }
    for (const [time, names] of older) {
      this.warn(`${listNames(names)}: last read by the sync of ${minuteOfTime(time)}, and by no later one`);
    }
  }

  /** The names to which all syncs were narrowed; undefined: one of them read all. */
  async narrowedTo(kind: 'lists' | 'metrics'): Promise<ReadonlySet<string> | undefined> {
    const { syncs } = await this.scope;
    if (syncs === undefined || syncs.some((sync) => sync[kind] === undefined)) return undefined;
    return new Set(syncs.flatMap((sync) => sync[kind] ?? []));
  }

  /** The first period of series that syncs read; undefined: all periods. */
  async narrowedFrom(): Promise<string | undefined> {
    const { syncs = [] } = await this.scope;
    const from = syncs.filter(({ metrics }) => metrics?.length !== 0).map((sync) => sync.from);
    return from.includes(undefined) ? undefined : from.sort()[0];
  }

  async definitions(companyId: string): Promise<MetricDefinition[]> {
    const company = await this.resource('company', companyId, companyId);
    const order = new Map(((company?.body.metricIds ?? []) as string[]).map((id, at) => [id, at]));
    const rank = ({ metricId }: MetricDefinition) => order.get(metricId) ?? order.size;
    const definitions = (await this.resources('definition', companyId)).map(bodyOf<MetricDefinition>);
    return definitions.sort((a, b) => rank(a) - rank(b));
  }

  /** Names of companies by id, also of those that published to them. */
  async names(): Promise<ReadonlyMap<string, string>> {
    const names = new Map(this.companies.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name] as const])));
    for (const { id: reader } of this.companies) {
      for (const { id, body } of await this.resources('published', reader)) {
        const name = textOf((body as { company?: { name?: unknown } }).company?.name);
        if (name !== undefined) names.set(id, name);
      }
    }
    return names;
  }

  requireCompany(id: string | undefined): Company {
    const match = this.companies.find((company) => company.id === id);
    if (match) return match;
    throw notMirrored(id === undefined ? 'a company' : `the company ${id}`);
  }
}

/** The companies of the syncs, readable or not. */
export async function companiesOf(at: StateAt): Promise<Company[]> {
  const byId = new Map<string, Company>();
  for (const { number, companies = [] } of (await at.history.scopes?.()) ?? []) {
    if (number > at.sync.number) break;
    for (const id of companies) byId.set(id, { id, name: undefined, currency: undefined });
  }
  for (const { id, body } of await at.resources('company')) {
    byId.set(id, { id, name: textOf(body.name), currency: textOf(body.currency) });
  }
  return [...byId.values()];
}

const maxNames = 5;

function listNames(names: readonly string[]): string {
  return names.slice(0, maxNames).join(', ') + (names.length > maxNames ? ', …' : '');
}

/** The body of a resource as the contract describes it: a mirror holds the answers of the API. */
export function bodyOf<T>({ body }: Resource): T {
  return body as T;
}

/** The failure for data that no sync read: an empty answer would say that there was none. */
export function notMirrored(name: string): Failure {
  return new Failure('notFound', `the mirror does not hold ${name}`, {
    hint: 'see what it holds with `comem mirror status`; `comem mirror sync` reads more',
    code: 'not_mirrored',
  });
}

/** Compares resources by one field, then by the next. */
export function inOrderOf(...fields: readonly string[]) {
  return ({ body: a }: Resource, { body: b }: Resource): number => {
    for (const field of fields) {
      const [x, y] = [a[field], b[field]] as [string | number, string | number];
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  };
}
