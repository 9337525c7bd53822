/** The steps that undo a run: entries several at a time, lists and attributes one by one. */

import { bulkOf, type RowStep } from '../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../cli/context.ts';
import { amount } from '../../cli/words.ts';
import type { Send } from '../../client/bulk.ts';
import { creation, isFindable, pause, sendOnce, settleMs } from '../../client/creation.ts';
import type { NewId, UndoMarks } from '../../config/history.ts';
import { createEntry, listEntries, updateEntry } from '../../contract/entry-operations.ts';
import { createAttribute, getList, updateAttribute } from '../../contract/list-operations.ts';
import { Failure } from '../../core/errors.ts';
import { isEnded } from '../../domain/grants.ts';
import { keyOf } from '../../domain/list-code/copy.ts';
import {
  attributeToRecreate,
  creationKey,
  entryToRecreate,
  isBlank,
  isCreation,
  type JsonObject,
  lower,
  objectOf,
} from '../../domain/undo.ts';
import type { UndoStep } from './plan.ts';

export interface UndoRow {
  write: number;
  what: string;
  outcome: UndoStep['outcome'] | 'partly' | 'failed';
  /** The id of the restored or re-created resource. */
  id: string | null;
  error: string | null;
}

/** The new ids of re-created resources by their old ids, in lower case. */
class NewIds extends Map<string, string> {
  private unmarked: NewId[] = [];

  override set(old: string, created: string): this {
    this.unmarked.push([old, created]);
    return super.set(old, created);
  }

  /** From earlier undos. */
  know(ids: ReadonlyMap<string, string>): void {
    for (const [old, created] of ids) super.set(old, created);
  }

  /** Those that no earlier call returned. */
  fresh(): NewId[] {
    return this.unmarked.splice(0);
  }
}

/** A row for each step of the plan. `marks` opens the journal when the first step has ended. */
export function undoSteps(
  ctx: Context,
  steps: readonly UndoStep[],
  known: ReadonlyMap<string, string>,
  marks: () => UndoMarks,
): RowStep<UndoRow>[] {
  const ids = new NewIds();
  ids.know(known);
  const chains = chainsOf(steps);
  let pausing: Promise<void> | undefined;
  /** Requests of an earlier process may still be on their way. */
  const settle = () => {
    pausing ??= pause(settleMs, ctx.runtime.signal);
    return pausing;
  };
  return steps.map((step): RowStep<UndoRow> => {
    const { n: write, what, outcome, error = null, call } = step;
    const row = { write, what, id: null };
    if (!call && !step.created && outcome !== 'unchanged') {
      return { row, outcome, reason: error };
    }
    const ofEntry = ['createEntry', 'updateEntry', 'deleteEntry'].includes(step.write.op ?? '');
    const chain = chains.get(entryOf(step)) ?? entryOf(step);
    return {
      row,
      ...(call && { call }),
      step: {
        ...(ofEntry ? { chain } : { alone: true }),
        async send() {
          const { resource, by } = step.created ?? {};
          if (resource && by) await noteCreated(ctx, step, by, resource, ids);
          if (!call) {
            marks().undone(write, ids.fresh());
            return { outcome, id: resource ? String(resource.id) : null, error };
          }
          const { id, notes, missing } = await send({ ctx, step, call, marks, ids, settle });
          if (missing !== undefined) return { outcome: 'partly', id, error: `without ${missing}` };
          marks().undone(write, ids.fresh());
          return { outcome, id, error: notes.length > 0 ? notes.join('; ') : error };
        },
      },
    };
  });
}

/**
 * The writes of one entry are reverted one after the other, and so are creations of the same content, which could not
 * be told apart.
 */
function chainsOf(steps: readonly UndoStep[]): Map<string, string> {
  return new Map(
    steps.flatMap((step) => {
      const { call } = step;
      return call?.op.id === 'createEntry' ? [[entryOf(step), creationKey({ op: call.op.id, ...call.input })]] : [];
    }),
  );
}

function entryOf({ write }: UndoStep): string {
  return String(write.created?.id ?? write.query?.entryId ?? objectOf(write.body).id).toLowerCase();
}

const idNames = new Set(['id', 'listId', 'entryId', 'attributeId']);

/** A re-created resource has a new id; earlier writes name the old one. */
function withNewIds({ op, input }: PlannedCall, ids: ReadonlyMap<string, string>): PlannedCall {
  const renamed = (value: unknown) => ids.get(lower(value)) ?? value;
  const within = (resource: unknown) =>
    Object.fromEntries(
      Object.entries(objectOf(resource)).map(([name, value]) => [name, idNames.has(name) ? renamed(value) : value]),
    );
  const { params, query, body } = input;
  return {
    op,
    input: {
      ...(params && { params: within(params) }),
      ...(query && { query: within(query) }),
      ...(body !== undefined && { body: within(body) }),
    },
  };
}

/** Notes that the deleted resource was created again. */
async function noteCreated(ctx: Context, { write }: UndoStep, by: PlannedCall, resource: JsonObject, ids: NewIds) {
  (await ctx.client()).answered?.(by.op, by.input, resource);
  const old = deletedId(write);
  if (old !== undefined) ids.set(lower(old), String(resource.id));
}

function deletedId({ op, params, query }: UndoStep['write']): unknown {
  return op === 'deleteList' ? params?.listId : (query?.entryId ?? query?.attributeId);
}

interface Sending {
  ctx: Context;
  step: UndoStep;
  call: PlannedCall;
  marks: () => UndoMarks;
  ids: NewIds;
  /** Resolves when no request of an earlier process is on its way. */
  settle(): Promise<void>;
}

/** Sends a request; one that creates something again is not repeated before it is known that nothing came of it. */
async function sendCall({ ctx, step, call, ids, settle }: Sending): Promise<unknown> {
  const client = await ctx.client();
  const { op, input } = withNewIds(call, ids);
  if (!step.known || !isFindable(op)) return client.call(op, input);
  if (step.sentBefore) await settle();
  const once = creation(client, { op, input }, step.known);
  return sendOnce(retriesOf(ctx), { ...once, sentBefore: step.sentBefore ?? false });
}

function retriesOf({ settings, runtime: { random, signal } }: Context) {
  return { retries: settings.retries.value, random, signal };
}

async function send(sending: Sending) {
  const { ctx, step, call, marks, ids } = sending;
  const { op, input } = withNewIds(call, ids);
  const { write } = step;
  const created = objectOf(await sendCall(sending));
  if (isCreation(write)) {
    if (op.id !== 'revokeGrant' || isEnded(created)) return { id: null, notes: [] };
    throw new Failure('rejected', 'the server answered the revocation, but the grant is still active');
  }
  const begun = op.method === 'PATCH';
  const id = typeof created.id === 'string' ? created.id : null;
  const recreates = write.op === 'deleteList' || write.op === 'deleteAttribute';
  if (!recreates || !begun) checkConfig(objectOf(input.body), created);
  const old = deletedId(write);
  if (old !== undefined && id !== null) ids.set(lower(old), id);
  if (!recreates || id === null) return { id, notes: [] };
  if (begun) await sending.settle();
  // Until it is complete, also when this process is killed.
  marks().halfway(write.n, { id, missing: 'the part that an interrupted undo did not reach' }, ids.fresh());
  const before = objectOf(write.before);
  const listId = write.op === 'deleteList' ? id : String(objectOf(input.params).listId);
  const refill = { ctx, listId, ids, begun };
  const values: [unknown, unknown][] = Array.isArray(before.values) ? before.values : [];
  const { notes, missing } =
    write.op === 'deleteList' ? await fillList(refill, before) : await fillValues(refill, String(created.slug), values);
  if (missing !== undefined) marks().halfway(write.n, { id, missing }, ids.fresh());
  return { id, notes, missing };
}

/** The API clears no bound and no currency: a PATCH that added one cannot be reverted completely. */
function checkConfig(sent: JsonObject, created: JsonObject): void {
  if (sent.id === undefined || sent.config === undefined || created.config === undefined) return;
  const remaining = Object.keys(objectOf(created.config)).filter((name) => !Object.hasOwn(objectOf(sent.config), name));
  if (remaining.length === 0) return;
  throw new Failure('rejected', `the rest was reverted, but the API cannot remove ${remaining.join(', ')} again`);
}

interface Refilled {
  /** Differences that lose nothing. */
  notes: string[];
  /** The missing part, if any. */
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
async function fillList(refill: Refill, before: JsonObject): Promise<Refilled> {
  const { ctx, listId, ids } = refill;
  const client = await ctx.client();
  const params = { listId };
  const attributes = objectsIn(objectOf(before.list).list_attributes);
  const entries = objectsIn(before.entries);
  const slugs = new Map<string, string>();
  const there = refill.begun ? objectsIn((await client.call(getList, { params })).list_attributes) : [];
  const known = new Set(there.map(({ id }) => lower(id)));
  for (const attribute of attributes) {
    const at = there.findIndex(
      ({ name, attribute_type }) => name === attribute.name && attribute_type === attribute.attribute_type,
    );
    // Required only at the end: entries from before it was may lack the value.
    const { is_required: _, ...body } = attributeToRecreate(attribute);
    const created =
      there.splice(at, at < 0 ? 0 : 1)[0] ??
      (await attempt(() =>
        sendOnce(retriesOf(ctx), creation(client, { op: createAttribute, input: { params, body } }, known)),
      ));
    if (created instanceof Failure) {
      return { notes: [], missing: `the attribute "${attribute.name}" and all after it: ${created.message}` };
    }
    slugs.set(String(attribute.slug), String(created?.slug ?? attribute.slug));
    if (created?.id !== undefined) ids.set(lower(attribute.id), String(created.id));
  }
  const failures = await fillEntries(refill, entries, slugs);
  if (failures.length > 0) return { notes: [], missing: lost(failures, amount(entries.length, 'entry', 'entries')) };
  for (const attribute of attributes) {
    const id = ids.get(lower(attribute.id));
    if (attribute.is_required !== true || id === undefined) continue;
    const done = await attempt(() => client.call(updateAttribute, { params, body: { id, is_required: true } }));
    if (done instanceof Failure) {
      return { notes: [], missing: `that the attribute "${attribute.name}" is required: ${done.message}` };
    }
  }
  const renamed = [...slugs]
    .filter(([old, created]) => old !== created)
    .map(([old, created]) => `${old} is now ${created}`);
  return { notes: renamed };
}

async function fillEntries(
  { ctx, listId, ids, begun }: Refill,
  entries: readonly JsonObject[],
  slugs: ReadonlyMap<string, string>,
): Promise<Failure[]> {
  const there = begun ? await entriesOf(ctx, listId) : [];
  const same = new Map<string, string[]>();
  for (const entry of there) same.set(keyOf(entry), [...(same.get(keyOf(entry)) ?? []), String(entry.id)]);
  const known = new Set(there.map(({ id }) => lower(id)));
  const client = await ctx.client();
  const steps = entries.flatMap((entry) => {
    const again = entryToRecreate(entry);
    const values = Object.entries(objectOf(again.values)).flatMap(([slug, value]) =>
      slugs.has(slug) ? [[slugs.get(slug) ?? slug, value] as const] : [],
    );
    const body = { ...again, values: Object.fromEntries(values) };
    const id = same.get(keyOf(body))?.shift();
    if (id !== undefined) {
      ids.set(lower(entry.id), id);
      return [];
    }
    const { send, find } = creation(client, { op: createEntry, input: { params: { listId }, body } }, known);
    const noteId = (resource: JsonObject | undefined) => {
      if (typeof resource?.id === 'string') ids.set(lower(entry.id), resource.id);
      return resource;
    };
    return { chain: keyOf(body), send: async () => noteId(await send()), find: async () => noteId(await find()) };
  });
  return failuresOf(ctx, steps);
}

/** The values of an attribute that was created again, into the entries that had them. */
async function fillValues(
  { ctx, listId, ids, begun }: Refill,
  slug: string,
  values: readonly [unknown, unknown][],
): Promise<Refilled> {
  // A value that an entry got since is not touched.
  const filled = new Set(
    (begun ? await entriesOf(ctx, listId) : [])
      .filter((entry) => !isBlank(objectOf(entry.values)[slug]))
      .map(({ id }) => lower(id)),
  );
  const client = await ctx.client();
  const sends = values.flatMap(([old, value]) => {
    const id = ids.get(lower(old)) ?? String(old);
    if (filled.has(lower(id))) return [];
    const body = { id, values: { [slug]: value } };
    return { send: () => client.call(updateEntry, { params: { listId }, body }) };
  });
  const failures = await failuresOf(ctx, sends);
  return {
    notes: [],
    ...(failures.length > 0 && { missing: lost(failures, amount(values.length, 'value', 'values')) }),
  };
}

/** The failures of many requests. @throws interrupted */
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

async function entriesOf(ctx: Context, listId: string): Promise<JsonObject[]> {
  const client = await ctx.client();
  const entries: JsonObject[] = [];
  const pages = client.pages(listEntries, { params: { listId }, query: { archived: true } });
  for await (const page of pages) entries.push(...page.map(objectOf));
  return entries;
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

function lost(failures: readonly Failure[], count: string): string {
  return `${failures.length} of ${count}: ${failures[0]?.message}`;
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
