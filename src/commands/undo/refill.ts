/**
 * What goes into something that was made anew: attributes and entries of a list, values of an attribute. What is there
 * already, from an undo that was broken off, is left as it is.
 */
import type { Client } from '../../client/client.ts';
import type { Thing } from '../../client/undo/seen.ts';
import { operations } from '../../contract/index.ts';
import { limiter } from '../../core/concurrency.ts';
import { Failure } from '../../core/errors.ts';
import { keyOf } from '../../domain/list-code/copy.ts';
import { attributeAgain, entryAgain, isBlank } from '../../domain/undo/undo.ts';

export interface Refilled {
  /** What is not as it was, though nothing is missing. */
  notes: string[];
  /** What is missing; undefined: nothing. */
  missing?: string;
}

export interface Refill {
  client: Client;
  listId: string;
  /** Old ids, in lower case, to new ones. */
  ids: Map<string, string>;
  /** It was begun before, so that it is looked at first. */
  begun: boolean;
}

const inFlight = 4;

/** Attributes and entries of a list that was made anew. */
export async function fillList(refill: Refill, before: Thing): Promise<Refilled> {
  const { client, listId, ids } = refill;
  const params = { listId };
  const attributes = thingsIn(Object(before.list).list_attributes);
  const entries = thingsIn(before.entries);
  const slugs = new Map<string, string>();
  const there = refill.begun ? thingsIn((await client.call(operations.getList, { params })).list_attributes) : [];
  for (const attribute of attributes) {
    const at = there.findIndex((one) => one.name === attribute.name && one.attribute_type === attribute.attribute_type);
    // Required only at the end: entries from before it was may lack the value.
    const { is_required: _, ...body } = attributeAgain(attribute);
    const made =
      there.splice(at, at < 0 ? 0 : 1)[0] ??
      (await attempt(async () => client.call(operations.createAttribute, { params, body: body as never })));
    if (made instanceof Failure) {
      return { notes: [], missing: `the attribute "${attribute.name}" and all after it: ${made.message}` };
    }
    slugs.set(String(attribute.slug), String(made?.slug ?? attribute.slug));
    if (made?.id !== undefined) ids.set(lower(attribute.id), String(made.id));
  }
  const failures = await fillEntries(refill, entries, slugs);
  if (failures.length > 0) return { notes: [], missing: lost(failures, entries.length, 'entry', 'entries') };
  for (const attribute of attributes) {
    const id = ids.get(lower(attribute.id));
    if (attribute.is_required !== true || id === undefined) continue;
    const done = await attempt(() =>
      client.call(operations.updateAttribute, { params, body: { id, is_required: true } }),
    );
    if (done instanceof Failure) {
      return { notes: [], missing: `that the attribute "${attribute.name}" is required: ${done.message}` };
    }
  }
  const renamed = [...slugs].filter(([old, made]) => old !== made).map(([old, made]) => `${old} is now ${made}`);
  return { notes: renamed };
}

async function fillEntries(
  { client, listId, ids, begun }: Refill,
  entries: readonly Thing[],
  slugs: ReadonlyMap<string, string>,
): Promise<Failure[]> {
  const known = new Map<string, string[]>();
  for (const entry of begun ? await entriesOf(client, listId) : []) {
    known.set(keyOf(entry), [...(known.get(keyOf(entry)) ?? []), String(entry.id)]);
  }
  const slot = limiter(inFlight);
  const results = await Promise.all(
    entries.map((entry) => {
      const again = entryAgain(entry);
      const values = Object.entries(Object(again.values) as Thing).flatMap(([slug, value]) =>
        slugs.has(slug) ? [[slugs.get(slug) ?? slug, value] as const] : [],
      );
      const body = { ...again, values: Object.fromEntries(values) };
      const same = known.get(keyOf(body))?.shift();
      if (same !== undefined) {
        ids.set(lower(entry.id), same);
        return undefined;
      }
      return slot(() =>
        attempt(async () => {
          const made = await client.call(operations.createEntry, { params: { listId }, body: body as never });
          if (made?.id !== undefined) ids.set(lower(entry.id), made.id);
        }),
      );
    }),
  );
  return results.filter((result) => result instanceof Failure);
}

/** The values of an attribute that was made anew, into the entries that had them. */
export async function fillValues(
  { client, listId, ids, begun }: Refill,
  slug: string,
  values: readonly [unknown, unknown][],
): Promise<Refilled> {
  // What an entry got since is not ours.
  const filled = new Set(
    (begun ? await entriesOf(client, listId) : [])
      .filter((entry) => !isBlank(Object(entry.values)[slug]))
      .map(({ id }) => lower(id)),
  );
  const slot = limiter(inFlight);
  const results = await Promise.all(
    values.map(([old, value]) => {
      const id = ids.get(lower(old)) ?? String(old);
      if (filled.has(lower(id))) return undefined;
      const body = { id, values: { [slug]: value } };
      return slot(() =>
        attempt(() => client.call(operations.updateEntry, { params: { listId }, body: body as never })),
      );
    }),
  );
  const failures = results.filter((result) => result instanceof Failure);
  return { notes: [], ...(failures.length > 0 && { missing: lost(failures, values.length, 'value', 'values') }) };
}

async function entriesOf(client: Client, listId: string): Promise<Thing[]> {
  const found: Thing[] = [];
  const pages = client.pages(operations.listEntries, { params: { listId }, query: { archived: true } });
  for await (const page of pages) found.push(...(page as unknown as Thing[]));
  return found;
}

/** What an interrupt cuts short is not tried further; every other failure is one of this request alone. */
async function attempt<T>(call: () => Promise<T>): Promise<T | Failure> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'bug' && error.kind !== 'interrupted') return error;
    throw error;
  }
}

function lost(failures: readonly Failure[], all: number, one: string, many: string): string {
  const [first] = failures;
  return `${failures.length} of ${all === 1 ? `1 ${one}` : `${all} ${many}`}: ${first?.message}`;
}

function thingsIn(value: unknown): Thing[] {
  return Array.isArray(value) ? [...(value as Thing[])] : [];
}

function lower(id: unknown): string {
  return String(id).toLowerCase();
}
