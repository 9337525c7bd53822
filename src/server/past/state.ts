/** The state of one moment in a mirror: what its answers are made of. */
import type { MetricDefinition } from '../../contract/metrics.ts';
import type { Operation } from '../../contract/operation.ts';
import { Failure } from '../../core/errors.ts';
import type { History, Resource, ResourceKind, Sync } from '../../domain/history/versions.ts';
import type { Call } from '../handlers/handler.ts';

export interface Company {
  id: string;
  name: string | undefined;
  currency: string | undefined;
}

/** A call of the API, without the database that it usually goes to. */
export type PastCall<O extends Operation = Operation> = Omit<Call<O>, 'store'>;

export class State {
  private readonly kept = new Map<string, Promise<Resource[]>>();

  constructor(
    readonly history: History,
    /** The newest sync that is not after the moment. */
    readonly sync: Sync,
    readonly companies: readonly Company[],
    /** Says something once, whatever is asked for twice. */
    readonly warn: (text: string) => void,
  ) {}

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

  /** @throws notFound when the syncs until then did not read this part of the API; says when it is older than the sync */
  async requirePart(part: string, owner: string, what: string): Promise<void> {
    const reads = await this.history.parts?.();
    if (reads === undefined) return;
    const read = reads.find((each) => each.part === part && each.owner === owner);
    if (read?.firstSync === undefined || read.firstSync > this.sync.number) throw notKept(what);
    if (read.staleSync === undefined || read.staleSync > this.sync.number) return;
    this.warn(`${what} could not be read by the newest syncs: this is how it was before`);
  }

  async definitions(companyId: string): Promise<MetricDefinition[]> {
    const found = await this.resources('definition', companyId);
    const placed = found.map(bodyOf<MetricDefinition & { position?: number }>);
    return placed
      .map((each, at) => ({ each, place: each.position ?? at }))
      .sort((a, b) => a.place - b.place)
      .map(({ each: { position: _, ...definition } }) => definition);
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
    const found = this.companies.find((company) => company.id === id);
    if (found) return found;
    throw notKept(id === undefined ? 'a company' : `the company ${id}`);
  }
}

export async function companiesOf(history: History, sync: Sync): Promise<Company[]> {
  const found = await all(history, 'company', { at: sync.number });
  return found.map(({ id, body }) => ({
    id,
    name: textOf(body.name),
    currency: textOf(body.currency),
  }));
}

async function all(history: History, kind: ResourceKind, of: { at: number; owner?: string }): Promise<Resource[]> {
  const found: Resource[] = [];
  for await (const { value } of history.resources(kind, of)) found.push(value);
  return found;
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
