/** Pre-images: the previous state of the resources that a write changes. */

import { listEntries, updateEntry } from '../contract/entry-operations.ts';
import { getList } from '../contract/list-operations.ts';
import type { Input, Operation, Unwrapped } from '../contract/operation.ts';
import { Failure, isSkippable } from '../core/errors.ts';
import { isObject, propertyOf, stringifyJson } from '../core/json.ts';
import { type JsonObject, objectOf } from '../domain/undo.ts';
import type { Reply } from './answer.ts';
import type { Client } from './client.ts';
import { totalOf } from './paging.ts';

/** Reads for undo: none, only lists of up to 5,000 entries, or any list. */
export type Effort = 'none' | 'small' | 'any';

interface PreImage {
  before?: unknown;
  why?: string | undefined;
}

const smallList = 5000;
const notRead = 'the previous state was not read; --keep-undo reads it';

/**
 * Finds pre-images through `client`, which records in `fetched` all that it reads. A known pre-image is given synchronously,
 * so that requests are sent in the order of the calls.
 */
export function preImages(client: Client, fetched: ReadState, effort: Effort) {
  const lists = new Map<string, Promise<void>>();
  const complete = new Map<string, Promise<string | undefined>>();

  const once = <T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> => {
    const reading = known.get(key) ?? read();
    known.set(key, reading);
    return reading;
  };
  const readList = (listId: string) =>
    once(lists, listId, async () => {
      await client.call(getList, { params: { listId } });
    });
  /** @returns the reason why the entries were not read */
  const readEntries = (listId: string) =>
    once(complete, listId, async () => {
      if (effort === 'small' && (await countOf(client, listId)) > smallList) {
        return `the list has more than ${smallList} entries; --keep-undo reads them all`;
      }
      for await (const _ of client.pages(listEntries, { params: { listId }, query: { archived: true } }));
      return undefined;
    });
  const readAnd = async (op: Operation, input: OperationInput, needs: Needs): Promise<PreImage> => {
    const listId = String(input.params?.listId);
    try {
      if (needs.list) await readList(listId);
      const why = needs.entries ? await readEntries(listId) : undefined;
      const { before, why: missing } = lookUp(op, input, fetched);
      return before === undefined ? { why: why ?? missing ?? 'the list did not show it' } : { before };
    } catch (error) {
      // --keep-undo promises that every write can be undone.
      if (!isSkippable(error) || effort === 'any') throw error;
      return { why: `the previous state could not be read: ${error.message}` };
    }
  };

  return (op: Operation | undefined, input: OperationInput): PreImage | Promise<PreImage> => {
    if (!op) return { why: 'comem does not know what this request changes' };
    const { before, why, needs } = lookUp(op, input, fetched);
    if (before !== undefined) return { before };
    if (!needs) return { why };
    return effort === 'none' ? { why: notRead } : readAnd(op, input, needs);
  };
}

interface Needs {
  list?: boolean;
  entries?: boolean;
}

/** The known pre-image, or the reads that it needs. */
function lookUp(
  op: Operation,
  { params, query, body }: OperationInput,
  fetched: ReadState,
): PreImage & { needs?: Needs } {
  const listId = String(params?.listId ?? '');
  const changed = String(objectOf(body).id).toLowerCase();
  switch (op.id) {
    case 'updateEntry': {
      const entry = fetched.entry(listId, changed);
      return entry ? { before: partOf(entry, body) } : { needs: { entries: true } };
    }
    case 'deleteEntry': {
      const before = fetched.entry(listId, String(query?.entryId));
      return before ? { before } : { needs: { entries: true } };
    }
    case 'updateList': {
      const list = fetched.summary(listId);
      return list ? { before: partOf(list, body) } : { needs: { list: true } };
    }
    case 'deleteList': {
      const list = fetched.list(listId);
      if (list && fetched.isComplete(listId)) return { before: { list, entries: fetched.entries(listId) } };
      return { needs: { list: !list, entries: true } };
    }
    case 'updateAttribute':
    case 'deleteAttribute': {
      const list = fetched.list(listId);
      if (!list) return { needs: { list: true, entries: op.id === 'deleteAttribute' } };
      const id = op.id === 'updateAttribute' ? changed : String(query?.attributeId).toLowerCase();
      const attribute = attributesOf(list).find((item) => String(item.id).toLowerCase() === id);
      if (!attribute) return { why: 'the list did not show it' };
      if (op.id === 'updateAttribute') return { before: partOf(attribute, body) };
      if (!fetched.isComplete(listId)) return { needs: { entries: true } };
      return { before: { attribute, values: valuesOf(fetched.entries(listId), attribute) } };
    }
    case 'revokeGrant': {
      const before = fetched.grant(String(params?.id));
      return before ? { before } : { why: 'a revocation cannot be reverted' };
    }
    default:
      return { why: 'comem does not know what this request changes' };
  }
}

/** The previous values of the fields that the body changes, and the name of the resource. */
function partOf(resource: JsonObject, body: unknown): JsonObject {
  const fields = Object.entries(objectOf(body)).map(([name, value]): [string, unknown] => {
    const was = propertyOf(resource, name);
    if (name !== 'values' || typeof value !== 'object' || value === null) return [name, was ?? null];
    const values = objectOf(was);
    const slugs = Object.keys(value).map((slug) => [slug, propertyOf(values, slug) ?? null] as const);
    return [name, Object.fromEntries(slugs)];
  });
  const names = ['id', 'title', 'name', 'slug'].filter((name) => resource[name] !== undefined);
  return Object.fromEntries([...names.map((name) => [name, resource[name]]), ...fields]);
}

async function countOf(client: Client, listId: string): Promise<number> {
  const query = { archived: true, limit: 1, withTotal: true };
  const { headers } = await client.send(listEntries, { params: { listId }, query });
  return totalOf(headers) ?? Number.POSITIVE_INFINITY;
}

function attributesOf(list: JsonObject | undefined): JsonObject[] {
  return Array.isArray(list?.list_attributes) ? list.list_attributes : [];
}

/** Ids of entries with the value that goes with the attribute. */
function valuesOf(entries: readonly JsonObject[], { slug }: JsonObject): [unknown, unknown][] {
  return entries.flatMap(({ id, values }): [unknown, unknown][] => {
    const value = propertyOf(objectOf(values), String(slug));
    return value === null || value === undefined ? [] : [[id, value]];
  });
}

/** The input of an operation, without its own types. */
export interface OperationInput {
  params?: JsonObject;
  query?: JsonObject;
  body?: unknown;
}

type ReadState = ReturnType<typeof createReadState>;

/** The resources that answers showed, as far as they are known. */
export function createReadState() {
  const lists = new Map<string, JsonObject>();
  const entries = new Map<string, Map<string, JsonObject>>();
  const grants = new Map<string, JsonObject>();
  const complete = new Set<string>();

  const keep = (into: Map<string, JsonObject>, data: unknown) => {
    for (const resource of Array.isArray(data) ? data : [data]) {
      const id = idOf(resource);
      if (id !== undefined) into.set(id, { ...into.get(id), ...(resource as JsonObject) });
    }
  };
  const entriesIn = (listId: string) => {
    const known = entries.get(listId) ?? new Map<string, JsonObject>();
    entries.set(listId, known);
    return known;
  };
  const setAttributes = (listId: string, list_attributes: JsonObject[]) => {
    const list = lists.get(listId);
    if (list?.list_attributes !== undefined) lists.set(listId, { ...list, list_attributes });
  };

  return {
    take(op: Operation, input: OperationInput, data: unknown) {
      const listId = lowerCase(input.params?.listId);
      const query = input.query ?? {};
      switch (op.id) {
        case 'listLists':
        case 'createList':
        case 'getList':
        case 'updateList':
          return keep(lists, data);
        case 'createAttribute':
          return setAttributes(listId, [
            ...attributesOf(lists.get(listId)),
            ...(idOf(data) ? [data as JsonObject] : []),
          ]);
        case 'updateAttribute':
          return setAttributes(
            listId,
            attributesOf(lists.get(listId)).map((item) =>
              idOf(item) === idOf(data) ? { ...item, ...(data as JsonObject) } : item,
            ),
          );
        case 'deleteAttribute':
          return setAttributes(
            listId,
            attributesOf(lists.get(listId)).filter((item) => idOf(item) !== lowerCase(query.attributeId)),
          );
        case 'listEntries':
          // A saved view may show less of an entry than there is.
          if (query.viewId === undefined) keep(entriesIn(listId), data);
          return;
        case 'createEntry':
          // An import creates any number of entries, and changes none of them.
          complete.delete(listId);
          return;
        case 'updateEntry':
          return keep(entriesIn(listId), data);
        case 'deleteEntry':
          entriesIn(listId).delete(lowerCase(query.entryId));
          return;
        case 'listGrants':
        case 'revokeGrant':
          return keep(grants, data);
      }
    },
    /** Marks the entries of a list as complete. */
    takeAll: (listId: string) => void complete.add(listId.toLowerCase()),
    isComplete: (listId: string) => complete.has(listId.toLowerCase()),
    /** A list that was fetched with its attributes. */
    list(listId: string): JsonObject | undefined {
      const list = lists.get(listId.toLowerCase());
      return list?.list_attributes === undefined ? undefined : list;
    },
    /** A list as any answer showed it, perhaps without attributes. */
    summary: (listId: string) => lists.get(listId.toLowerCase()),
    entry: (listId: string, id: string) => entries.get(listId.toLowerCase())?.get(id.toLowerCase()),
    entries: (listId: string) => [...(entries.get(listId.toLowerCase())?.values() ?? [])],
    grant: (id: string) => grants.get(id.toLowerCase()),
  };
}

function idOf(resource: unknown): string | undefined {
  const { id } = objectOf(resource);
  return typeof id === 'string' ? id.toLowerCase() : undefined;
}

function lowerCase(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

type Update = Input<typeof updateEntry>;
type Answer = Reply<Unwrapped<typeof updateEntry>>;

/** Sends a change of an entry so that its other values stay. */
export function keepValues(client: Pick<Client, 'send'>, fetched: ReadState, warn: (text: string) => void) {
  /** Set once the server has dropped values. */
  let replaces = false;
  let warned = false;

  const warnOnce = (text: string) => {
    if (!warned) warn(text);
    warned = true;
  };

  async function restore(input: Update, values: JsonObject, lost: JsonObject): Promise<Answer> {
    warnOnce('this server replaces all values of a changed entry; the other values are restored');
    try {
      return await client.send(updateEntry, withValues(input, values));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const left = `the server dropped other values of entry ${changedId(input)}, and they could not be restored`;
      throw new Failure(error.kind, `${left}: ${error.message}`, {
        hint: `they were ${stringifyJson(lost)}`,
        status: error.status,
        request: error.request,
        retryable: false,
      });
    }
  }

  return async (input: Update): Promise<Answer> => {
    const listId = String(input.params?.listId);
    const { values } = objectOf(input.body);
    if (!isObject(values)) return client.send(updateEntry, input);
    const before = fetched.entry(listId, changedId(input))?.values;
    const all = isObject(before) ? { ...before, ...values } : undefined;
    const answer = await client.send(updateEntry, replaces && all ? withValues(input, all) : input);
    const after = answer.data?.values;
    if (!isObject(after)) return answer;
    if (all === undefined) {
      if (mayHaveLost(after, values, fetched.list(listId)?.list_attributes)) {
        warnOnce(
          `the server shows only the values of entry ${changedId(input)} that were sent; if it had others, the server replaced them (--keep-undo reads them first and restores them)`,
        );
      }
      return answer;
    }
    const lost = Object.entries(objectOf(before)).filter(
      ([slug, value]) => !isEmpty(value) && !Object.hasOwn(values, slug) && isEmpty(propertyOf(after, slug)),
    );
    if (lost.length === 0) return answer;
    replaces = true;
    return restore(input, all, Object.fromEntries(lost));
  };
}

/** Whether the answer shows no other values although the list has attributes for them. */
function mayHaveLost(after: JsonObject, sent: JsonObject, attributes: unknown): boolean {
  const isOther = (slug: unknown) => typeof slug === 'string' && !Object.hasOwn(sent, slug);
  const slugs = Array.isArray(attributes) ? attributes.map((attribute: { slug?: unknown }) => attribute.slug) : [];
  return slugs.some(isOther) && !Object.keys(after).some((slug) => isOther(slug) && !isEmpty(after[slug]));
}

function withValues(input: Update, values: JsonObject): Update {
  return { ...input, body: { id: changedId(input), ...input.body, values } };
}

function changedId({ body }: Update): string {
  return String(objectOf(body).id);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
