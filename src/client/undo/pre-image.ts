/** What a write is about to replace, as far as it was fetched, or is fetched for this. */

import { listEntries } from '../../contract/entry-operations.ts';
import { getList } from '../../contract/list-operations.ts';
import type { Operation } from '../../contract/operation.ts';
import { totalCountHeader } from '../../contract/operation.ts';
import { isSkippable } from '../../core/errors.ts';
import { type Thing, thingOf } from '../../domain/undo/undo.ts';
import type { Client } from '../client.ts';
import type { Fetched, Given } from './fetched.ts';

/** What is read of the list so that a write can be undone: nothing, lists of up to 5,000 entries, or any list. */
export type Effort = 'none' | 'small' | 'any';

interface PreImage {
  before?: unknown;
  why?: string | undefined;
}

const smallList = 5000;
const notRead = 'the previous state was not read; --keep-undo reads it';

/**
 * Finds pre-images through `client`, which records in `fetched` all that it reads. What was fetched before is given at once,
 * so that requests are sent in the order of the calls.
 */
export function preImages(client: Client, fetched: Fetched, effort: Effort) {
  const lists = new Map<string, Promise<void>>();
  const complete = new Map<string, Promise<string | undefined>>();

  const once = <T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> => {
    const found = known.get(key) ?? read();
    known.set(key, found);
    return found;
  };
  const readList = (listId: string) =>
    once(lists, listId, async () => {
      await client.call(getList, { params: { listId } });
    });
  /** Gives why the entries were not read. */
  const readEntries = (listId: string) =>
    once(complete, listId, async () => {
      if (effort === 'small' && (await countOf(client, listId)) > smallList) {
        return `the list has more than ${smallList} entries; --keep-undo reads them all`;
      }
      for await (const _ of client.pages(listEntries, { params: { listId }, query: { archived: true } }));
      return undefined;
    });
  const readAnd = async (op: Operation, input: Given, needs: Needs): Promise<PreImage> => {
    const listId = String(input.params?.listId);
    try {
      if (needs.list) await readList(listId);
      const why = needs.entries ? await readEntries(listId) : undefined;
      const { before, why: missing } = lookUp(op, input, fetched);
      return before === undefined ? { why: why ?? missing ?? 'the list did not show it' } : { before };
    } catch (error) {
      // With --keep-undo nothing is written that cannot be undone.
      if (!isSkippable(error) || effort === 'any') throw error;
      return { why: `the previous state could not be read: ${error.message}` };
    }
  };

  return (op: Operation | undefined, input: Given): PreImage | Promise<PreImage> => {
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

/** What was fetched of the thing, or what has to be fetched for it. */
function lookUp(op: Operation, { params, query, body }: Given, fetched: Fetched): PreImage & { needs?: Needs } {
  const listId = String(params?.listId ?? '');
  const changed = String(thingOf(body).id).toLowerCase();
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
      const attribute = attributesOf(list).find((one) => String(one.id).toLowerCase() === id);
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

/** The fields that the body changes, with their previous values and the name of the thing. */
export function partOf(thing: Thing, body: unknown): Thing {
  const fields = Object.entries(thingOf(body)).map(([name, given]): [string, unknown] => {
    const was = Object.hasOwn(thing, name) ? thing[name] : undefined;
    if (name !== 'values' || typeof given !== 'object' || given === null) return [name, was ?? null];
    const values = thingOf(was);
    const slugs = Object.keys(given).map((slug) => [slug, Object.hasOwn(values, slug) ? values[slug] : null] as const);
    return [name, Object.fromEntries(slugs)];
  });
  const { id, title, name, slug } = thing;
  return { ...withoutEmpty({ id, title, name, slug }), ...Object.fromEntries(fields) };
}

async function countOf(client: Client, listId: string): Promise<number> {
  const query = { archived: true, limit: 1, withTotal: true };
  const { headers } = await client.send(listEntries, { params: { listId }, query });
  const total = headers[totalCountHeader]?.trim() ?? '';
  return /^\d+$/.test(total) ? Number(total) : Number.POSITIVE_INFINITY;
}

function attributesOf(list: Thing | undefined): Thing[] {
  return Array.isArray(list?.list_attributes) ? list.list_attributes : [];
}

/** Ids of entries with the value that goes with the attribute. */
function valuesOf(entries: readonly Thing[], { slug }: Thing): [unknown, unknown][] {
  return entries.flatMap(({ id, values }): [unknown, unknown][] => {
    const own = thingOf(values);
    const value = Object.hasOwn(own, String(slug)) ? own[String(slug)] : undefined;
    return value === null || value === undefined ? [] : [[id, value]];
  });
}

function withoutEmpty(thing: Thing): Thing {
  return Object.fromEntries(Object.entries(thing).filter(([, value]) => value !== undefined));
}
