/** The state of one moment in a mirror: what its answers are made of. */
import type { MetricDefinition } from '../../contract/metrics.ts';
import type { Operation } from '../../contract/operation.ts';
import { Failure } from '../../core/errors.ts';
import { Reads, type ResourceKey } from '../../domain/history/reads.ts';
import { instantOf } from '../../domain/history/steps.ts';
import type { History, Part, Resource, ResourceKind, Sync, SyncScope } from '../../domain/history/versions.ts';
import type { Call } from '../../server/handlers/handler.ts';

export interface Company {
  id: string;
  name: string | undefined;
  currency: string | undefined;
}

/** A call of the API, without the database that it usually goes to. */
export type PastCall<O extends Operation = Operation> = Omit<Call<O>, 'store'>;

export class State {
  private readonly kept = new Map<string, Promise<Resource[]>>();
  private readonly scope: Promise<{ parts: readonly Part[] | undefined; syncs: readonly SyncScope[] | undefined }>;
  private reads: Promise<Reads> | undefined;
  /** What was looked at, because each page of an answer asks for it. */
  private readonly looked = new Set<string>();

  constructor(
    readonly history: History,
    /** The newest sync that is not after the moment. */
    readonly sync: Sync,
    readonly companies: readonly Company[],
    /** Says something once, whatever is asked for twice. */
    readonly warn: (text: string) => void,
  ) {
    const untilThen = async () => (await history.scopes?.())?.filter(({ number }) => number <= sync.number);
    this.scope = Promise.all([history.parts?.(), untilThen()]).then(([parts, syncs]) => ({
      parts: parts?.length === 0 ? undefined : parts,
      syncs,
    }));
    this.scope.catch(() => {});
  }

  /** What there was of a kind, by owner and id. Read once. */
  resources(kind: ResourceKind, owner: string): Promise<Resource[]> {
    const key = `${kind} ${owner}`;
    const known = this.kept.get(key);
    if (known) return known;
    const found = all(this.history, kind, { at: this.sync.number, owner });
    this.kept.set(key, found);
    return found;
  }

  async one(kind: ResourceKind, owner: string, id: string): Promise<Resource | undefined> {
    return (await this.resources(kind, owner)).find((resource) => resource.id === id);
  }

  /**
   * Looks whether the syncs until then read a part of the API, and says when what they have is older than the sync.
   * @throws notFound when none did
   */
  async requirePart(part: string, owner: string, what: string): Promise<void> {
    const { parts } = await this.scope;
    if (parts === undefined) return;
    const found = parts.find((row) => row.part === part && row.owner === owner);
    // A part of a list that was deleted later is not listed any more.
    if (found === undefined && part === 'entries') return;
    if (found?.firstSync === undefined || found.firstSync > this.sync.number) throw notKept(what);
    if (found.staleSync === undefined || found.staleSync > this.sync.number) return;
    this.warn(`${what} could not be read by the newest sync: this is the state of an earlier one`);
  }

  /** Says which of the things, by name, the sync of this moment did not read, and when one did. */
  async sayOlder(things: ReadonlyMap<string, ResourceKey>): Promise<void> {
    const key = [...things.keys()].join();
    if (this.looked.has(key)) return;
    this.looked.add(key);
    const { syncs = [] } = await this.scope;
    if (syncs.every(({ lists, metrics }) => lists === undefined && metrics === undefined)) return;
    this.reads ??= this.readsUntilThen();
    const reads = await this.reads;
    const now = instantOf(this.sync.seenAt) ?? 0;
    const older = new Map<number, string[]>();
    for (const [name, resource] of things) {
      const last = reads.times(resource).before(now + 1);
      if (last !== undefined && last < now) older.set(last, [...(older.get(last) ?? []), name]);
    }
    for (const [time, names] of older) {
      this.warn(`${listed(names)}: last read by the sync of ${new Date(time).toISOString()}, and by no later one`);
    }
  }

  private async readsUntilThen(): Promise<Reads> {
    const syncs = await this.history.syncs();
    return Reads.of(
      this.history,
      syncs.filter(({ number }) => number <= this.sync.number),
    );
  }

  /** The words that syncs named of a kind; undefined: one of them asked for all. */
  async narrowedTo(kind: 'lists' | 'metrics'): Promise<ReadonlySet<string> | undefined> {
    const { syncs } = await this.scope;
    if (syncs === undefined || syncs.some((sync) => sync[kind] === undefined)) return undefined;
    return new Set(syncs.flatMap((sync) => sync[kind] ?? []));
  }

  /** The earliest period of series that syncs asked for; undefined: all. */
  async narrowedFrom(): Promise<string | undefined> {
    const { syncs = [] } = await this.scope;
    const from = syncs.filter(({ metrics }) => metrics?.length !== 0).map((sync) => sync.from);
    return from.includes(undefined) ? undefined : from.sort()[0];
  }

  /** In the order of the catalog. */
  async definitions(companyId: string): Promise<MetricDefinition[]> {
    const company = await this.one('company', companyId, companyId);
    const order = new Map(((company?.body.metricIds ?? []) as string[]).map((id, at) => [id, at]));
    const placeOf = ({ metricId }: MetricDefinition) => order.get(metricId) ?? order.size;
    const found = (await this.resources('definition', companyId)).map(bodyOf<MetricDefinition>);
    return found.sort((a, b) => placeOf(a) - placeOf(b));
  }

  /** A company says its name in what it published. */
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
    throw notKept(id === undefined ? 'a company' : `the company ${id}`);
  }
}

/** Those that syncs were asked for, whatever could be read of them. */
export async function companiesOf(history: History, sync: Sync): Promise<Company[]> {
  const found = new Map<string, Company>();
  for (const { number, companies = [] } of (await history.scopes?.()) ?? []) {
    if (number > sync.number) break;
    for (const id of companies) found.set(id, { id, name: undefined, currency: undefined });
  }
  for (const { id, body } of await all(history, 'company', { at: sync.number })) {
    found.set(id, { id, name: textOf(body.name), currency: textOf(body.currency) });
  }
  return [...found.values()];
}

async function all(history: History, kind: ResourceKind, of: { at: number; owner?: string }): Promise<Resource[]> {
  const resources: Resource[] = [];
  for await (const { value } of history.resources(kind, of)) resources.push(value);
  return resources;
}

const mostNamed = 5;

function listed(names: readonly string[]): string {
  return names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ', …' : '');
}

/** The body of a resource as the contract describes it: a sync keeps what the API answered. */
export function bodyOf<T>({ body }: Resource): T {
  return body as T;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What no sync asked for is not an empty answer. */
export function notKept(what: string): Failure {
  return new Failure('notFound', `the mirror does not hold ${what}`, {
    hint: 'see what it holds with `comem mirror status`; `comem mirror sync` reads more',
    code: 'not_mirrored',
  });
}

/** By one field and then another, as texts or numbers. */
export function inOrderOf(...fields: readonly string[]) {
  return ({ body: a }: Resource, { body: b }: Resource): number => {
    for (const field of fields) {
      const [x, y] = [a[field], b[field]] as [string | number, string | number];
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  };
}
