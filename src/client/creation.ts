/**
 * Writes without an answer. The server may have carried out a POST, and a second one may create a second resource: what
 * the first would have created is looked for before it is sent again.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { listEntries } from '../contract/entry-operations.ts';
import { getList, listLists } from '../contract/list-operations.ts';
import { listGrants } from '../contract/metric-operations.ts';
import type { Input, Operation } from '../contract/operation.ts';
import { Failure } from '../core/errors.ts';
import { readInstant } from '../core/periods.ts';
import { type JsonObject, objectOf, type Written } from '../domain/undo.ts';
import type { Client } from './client.ts';
import { differences } from './proof.ts';

/** The server may still be working on a request that timed out: wait so long before looking. */
export const settleMs = 1000;
const firstWaitMs = 100;
const maxWaitMs = 5000;

export interface OnceOptions {
  retries: number;
  /** In [0, 1). */
  random(): number;
  signal?: AbortSignal;
}

interface OnceRequest<T> {
  send(): Promise<T>;
  find(): Promise<T | undefined>;
  sentBefore?: boolean;
}

/** Sends until it is known to be done. @throws the last failure */
export async function sendOnce<T>({ retries, random, signal }: OnceOptions, once: OnceRequest<T>): Promise<T> {
  const { send, find, sentBefore } = once;
  if (sentBefore) {
    const created = await find();
    if (created !== undefined) return created;
  }
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      // The server has answered, although without proof, so the request is not sent again.
      const isUnproven = error instanceof Failure && error.code === 'unproven_write';
      const isUnknown = error instanceof Failure && error.kind === 'tryLater' && !error.retryable;
      if (!isUnproven && !isUnknown) throw error;
      if (error.code === 'timeout') await pause(settleMs, signal);
      const created = await find();
      if (created !== undefined) return created;
      if (isUnproven || attempt >= retries) throw error;
      const most = Math.min(maxWaitMs, firstWaitMs * 2 ** attempt);
      await pause(most / 2 + (most / 2) * random(), signal);
    }
  }
}

/** @throws interrupted */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {
    throw new Failure('interrupted', 'interrupted while waiting');
  });
}

type Creation = Pick<Written, 'op' | 'body'>;

/** A creation that was sent and not answered. */
interface Unanswered extends Creation {
  /** The start of its run. */
  at: string;
  /** The time of the request; runs of earlier versions have none. */
  sentAt?: string | undefined;
}

export type CreationMatch =
  | { is: 'absent' }
  | { is: 'present'; resource: JsonObject }
  /** One of these may be the created resource. */
  | { is: 'unclear'; candidates: readonly JsonObject[] };

interface CreationSearch {
  resources: Iterable<JsonObject>;
  /** Ids, in lower case, of what other writes created or deleted. */
  claimed: ReadonlySet<string>;
  /** The number of creations of the same content without an answer. */
  count: number;
}

/** A request that nobody waits for any more is carried out by then; clocks differ by less. */
const maxDelayMs = 10 * 60_000;

/**
 * Finds what a creation created: it has the content, the time and the user of the run, and no other write created it.
 * Another person may have created an equal resource: one of another time or user may be theirs.
 */
export function matchCreated(sent: Unanswered, { resources, claimed, count }: CreationSearch): CreationMatch {
  // Servers may write times without milliseconds.
  const since = Math.floor((readInstant(sent.at) ?? 0) / 1000) * 1000;
  const until = (readInstant(sent.sentAt ?? '') ?? Number.POSITIVE_INFINITY) + maxDelayMs;
  const same: JsonObject[] = [];
  const alike: JsonObject[] = [];
  const users = new Set<unknown>();
  for (const candidate of resources) {
    if (claimed.has(String(candidate.id).toLowerCase())) {
      if (candidate.created_by) users.add(candidate.created_by);
      continue;
    }
    const created = createdAt(candidate);
    if (created !== undefined && created < since) continue;
    if (isSameContent(sent, candidate)) same.push(candidate);
    else if (isAlike(sent, candidate)) alike.push(candidate);
  }
  const isOurs = (candidate: JsonObject): boolean => {
    const created = createdAt(candidate);
    const isUser = !candidate.created_by || users.size === 0 || users.has(candidate.created_by);
    // A resource without a time may be older than the run.
    return created !== undefined && created <= until && isUser;
  };
  const [first] = same;
  if (first && same.length <= count && same.every(isOurs)) return { is: 'present', resource: first };
  const candidates = [...same, ...alike];
  return candidates.length > 0 ? { is: 'unclear', candidates } : { is: 'absent' };
}

function createdAt({ created_at }: JsonObject): number | undefined {
  return typeof created_at === 'string' ? readInstant(created_at) : undefined;
}

/** Fields that identify what an operation creates. A server may change others. */
const identifyingFields: Record<string, readonly string[]> = {
  createEntry: ['title', 'values', 'linked_entity_type', 'linked_entity_id'],
  createAttribute: ['name', 'attribute_type'],
  createList: ['name'],
  instantiateTemplate: ['name'],
  createGrant: ['recipient_company_id', 'recipient_user_id', 'metric_ids', 'include_historical', 'expires_at'],
};

/** Whether the resource has the content that was sent. */
function isSameContent({ op, body }: Creation, resource: JsonObject): boolean {
  const sent = objectOf(body);
  const names = (identifyingFields[op ?? ''] ?? []).filter((name) => sent[name] !== undefined && sent[name] !== null);
  return names.length > 0 && names.every((name) => differences(name, sent[name], resource[name]).length === 0);
}

/** Whether the resource may be the created one after an edit: it has the name, or the values and the position. */
function isAlike({ op, body }: Creation, resource: JsonObject): boolean {
  if (op === 'createGrant') return false;
  const sent = objectOf(body);
  const name = sent.title ?? sent.name;
  if (name !== undefined && differences('name', name, resource.title ?? resource.name).length === 0) return true;
  const { position, values } = sent;
  return (
    position !== undefined &&
    position === resource.position &&
    Object.keys(objectOf(values)).length > 0 &&
    differences('values', values, resource.values).length === 0
  );
}

/** Whether what it creates can be found again by its content. */
export function isFindable({ id }: Operation): boolean {
  return id === 'createEntry' || id === 'createAttribute' || id === 'createList';
}

/** A longer title would not fit into the address of a request. */
const maxSearchLength = 200;

/**
 * Two creations of the same content must not be in flight together: they could not be told apart.
 * @param known ids, in lower case, of what this creation did not create; what it creates is added
 */
export function creation(
  client: Client,
  { op, input }: { op: Operation; input: Input<Operation> },
  known: Set<string>,
): Pick<OnceRequest<JsonObject>, 'send' | 'find'> {
  const created = (resource: JsonObject) => {
    known.add(String(resource.id).toLowerCase());
    return resource;
  };
  return {
    send: async () => created(objectOf(await client.call(op, input))),
    async find() {
      for await (const candidate of candidatesLike(client, op, input)) {
        if (known.has(String(candidate.id).toLowerCase()) || !isSameContent({ op: op.id, body: input.body }, candidate))
          continue;
        client.answered?.(op, input, candidate);
        return created(candidate);
      }
      return undefined;
    },
  };
}

/**
 * Finds the resource of a creation or a change without an answer.
 * @param sentAt ISO 8601
 * @returns undefined if it was not carried out, cannot be told from others, or cannot be looked up
 */
export async function findWritten(
  client: Client,
  { op, input }: { op: Operation; input: Input<Operation> },
  sentAt: string,
): Promise<JsonObject | undefined> {
  if (!readable.has(op.id)) return undefined;
  const resources: JsonObject[] = [];
  for await (const candidate of candidatesLike(client, op, input)) resources.push(candidate);
  const body = objectOf(input.body);
  if (op.method === 'POST') {
    const search = { resources, claimed: new Set<string>(), count: 1 };
    const match = matchCreated({ op: op.id, body, at: sentAt, sentAt }, search);
    return match.is === 'present' ? match.resource : undefined;
  }
  const id = String(body.id ?? objectOf(input.params).listId);
  const fields = Object.entries(body).filter(([name]) => name !== 'id');
  return resources.find(
    (resource) =>
      String(resource.id).toLowerCase() === id.toLowerCase() &&
      fields.every(([name, value]) => differences(name, value, resource[name]).length === 0),
  );
}

/** Operations whose resource the API can be asked for. */
const readable: ReadonlySet<string> = new Set([
  ...['createEntry', 'createAttribute', 'createList', 'createGrant'],
  ...['updateEntry', 'updateAttribute', 'updateList'],
]);

/** Reads the resources among which the written one would be. */
async function* candidatesLike(
  client: Client,
  op: Operation,
  { params, body }: Input<Operation>,
): AsyncGenerator<JsonObject> {
  const listId = String(objectOf(params).listId);
  if (op.id === 'createList') yield* await client.call(listLists);
  else if (op.id === 'createGrant') yield* await client.call(listGrants);
  else if (op.id === 'updateList') yield { ...(await client.call(getList, { params: { listId } })) };
  else if (op.id === 'createAttribute' || op.id === 'updateAttribute') {
    yield* (await client.call(getList, { params: { listId } })).list_attributes ?? [];
  } else {
    const title = op.id === 'createEntry' ? String(objectOf(body).title ?? '').trim() : '';
    const search = title === '' || title.length > maxSearchLength ? {} : { search: title };
    const pages = client.pages(listEntries, {
      params: { listId },
      query: { archived: true, ...search },
    });
    for await (const page of pages) yield* page;
  }
}
