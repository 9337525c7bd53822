/**
 * What goes into something that was created again: attributes and entries of a list, values of an attribute. What
 * exists already, from an interrupted undo, stays as it is.
 */
import { bulkOf } from '../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../cli/context.ts';
import type { Send } from '../../client/bulk.ts';
import { creation, sendOnce } from '../../client/creation.ts';
import { createEntry, listEntries, updateEntry } from '../../contract/entry-operations.ts';
import { createAttribute, getList, updateAttribute } from '../../contract/list-operations.ts';
import { Failure } from '../../core/errors.ts';
import { keyOf } from '../../domain/list-code/copy.ts';
import { attributeToRecreate, entryToRecreate } from '../../domain/undo/recreate.ts';
import { isBlank, type Thing, thingOf } from '../../domain/undo/undo.ts';

interface Refilled {
  /** What differs from before, though nothing is missing. */
  notes: string[];
  /** What is missing, if anything. */
  missing?: string;
}

interface Refill {
  ctx: Context;
  listId: string;
  /** Old ids, in lower case, to new ones. */
  ids: Map<string, string>;
  /** An earlier undo began it: what exists is read first. */
  begun: boolean;
}

/** Attributes and entries of a list that was created again. */
export async function fillList(refill: Refill, before: Thing): Promise<Refilled> {
  const { ctx, listId, ids } = refill;
  const client = await ctx.client();
  const params = { listId };
  const attributes = thingsIn(thingOf(before.list).list_attributes);
  const entries = thingsIn(before.entries);
  const slugs = new Map<string, string>();
  const there = refill.begun ? thingsIn((await client.call(getList, { params })).list_attributes) : [];
  const known = new Set(there.map(({ id }) => lower(id)));
  const { retries } = ctx.settings;
  const options = { retries: retries.value, random: ctx.runtime.random, signal: ctx.runtime.signal };
  for (const attribute of attributes) {
    const at = there.findIndex((one) => one.name === attribute.name && one.attribute_type === attribute.attribute_type);
    // Required only at the end: entries from before it was may lack the value.
    const { is_required: _, ...body } = attributeToRecreate(attribute);
    const made =
      there.splice(at, at < 0 ? 0 : 1)[0] ??
      (await attempt(() =>
        sendOnce(options, creation(client, { op: createAttribute, input: { params, body } }, known)),
      ));
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
    const done = await attempt(() => client.call(updateAttribute, { params, body: { id, is_required: true } }));
    if (done instanceof Failure) {
      return { notes: [], missing: `that the attribute "${attribute.name}" is required: ${done.message}` };
    }
  }
  const renamed = [...slugs].filter(([old, made]) => old !== made).map(([old, made]) => `${old} is now ${made}`);
  return { notes: renamed };
}

async function fillEntries(
  { ctx, listId, ids, begun }: Refill,
  entries: readonly Thing[],
  slugs: ReadonlyMap<string, string>,
): Promise<Failure[]> {
  const there = begun ? await entriesOf(ctx, listId) : [];
  const same = new Map<string, string[]>();
  for (const entry of there) same.set(keyOf(entry), [...(same.get(keyOf(entry)) ?? []), String(entry.id)]);
  const known = new Set(there.map(({ id }) => lower(id)));
  const client = await ctx.client();
  const steps = entries.flatMap((entry) => {
    const again = entryToRecreate(entry);
    const values = Object.entries(thingOf(again.values)).flatMap(([slug, value]) =>
      slugs.has(slug) ? [[slugs.get(slug) ?? slug, value] as const] : [],
    );
    const body = { ...again, values: Object.fromEntries(values) };
    const id = same.get(keyOf(body))?.shift();
    if (id !== undefined) {
      ids.set(lower(entry.id), id);
      return [];
    }
    const { send, find } = creation(client, { op: createEntry, input: { params: { listId }, body } }, known);
    const created = (made: Thing | undefined) => {
      if (typeof made?.id === 'string') ids.set(lower(entry.id), made.id);
      return made;
    };
    return {
      chain: keyOf(body),
      send: async () => created(await send()),
      find: async () => created(await find()),
    };
  });
  return failuresOf(ctx, steps);
}

/** The values of an attribute that was created again, into the entries that had them. */
export async function fillValues(
  { ctx, listId, ids, begun }: Refill,
  slug: string,
  values: readonly [unknown, unknown][],
): Promise<Refilled> {
  // A value that an entry got since is not touched.
  const filled = new Set(
    (begun ? await entriesOf(ctx, listId) : [])
      .filter((entry) => !isBlank(thingOf(entry.values)[slug]))
      .map(({ id }) => lower(id)),
  );
  const sends = values.flatMap(([old, value]) => {
    const id = ids.get(lower(old)) ?? String(old);
    if (filled.has(lower(id))) return [];
    const body = { id, values: { [slug]: value } };
    return { send: () => call(ctx, { op: updateEntry, input: { params: { listId }, body } }) };
  });
  const failures = await failuresOf(ctx, sends);
  return { notes: [], ...(failures.length > 0 && { missing: lost(failures, values.length, 'value', 'values') }) };
}

/** What did not succeed of many requests. @throws interrupted */
async function failuresOf(ctx: Context, steps: readonly Send<unknown>[]): Promise<Failure[]> {
  const outcomes = await bulkOf(ctx).run(steps).ended;
  const failures = outcomes.flatMap((outcome) => {
    if (outcome.is === 'done') return [];
    return (outcome.is === 'failed' ? outcome.failure : outcome.why) ?? [];
  });
  const interrupted = failures.find(({ kind }) => kind === 'interrupted');
  if (interrupted) throw interrupted;
  return failures;
}

async function call(ctx: Context, { op, input }: PlannedCall): Promise<unknown> {
  return (await ctx.client()).call(op, input);
}

async function entriesOf(ctx: Context, listId: string): Promise<Thing[]> {
  const client = await ctx.client();
  const found: Thing[] = [];
  const pages = client.pages(listEntries, { params: { listId }, query: { archived: true } });
  for await (const page of pages) found.push(...page.map(thingOf));
  return found;
}

/** An interrupt ends everything; any other failure belongs to this request only. */
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
  return Array.isArray(value) ? value.map(thingOf) : [];
}

function lower(id: unknown): string {
  return String(id).toLowerCase();
}
