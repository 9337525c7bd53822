/** The steps that undo a run: entries several at a time, lists and attributes one by one. */

import type { RowStep } from '../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../cli/context.ts';
import { creation, isFindable, pause, sendOnce, settleMs } from '../../client/creation.ts';
import type { NewId, UndoMarks } from '../../config/history.ts';
import { Failure } from '../../core/errors.ts';
import { isEnded } from '../../domain/grants/grants.ts';
import { creationKey, isCreation, type Thing, thingOf } from '../../domain/undo/undo.ts';
import { fillList, fillValues } from './refill.ts';
import type { UndoStep } from './step.ts';

export interface UndoRow {
  write: number;
  what: string;
  outcome: UndoStep['outcome'] | 'partly' | 'failed';
  /** Of what was restored or created again. */
  id: string | null;
  error: string | null;
}

/** Old ids, in lower case, to those of what was created in their place. */
class NewIds extends Map<string, string> {
  private unmarked: NewId[] = [];

  override set(old: string, made: string): this {
    this.unmarked.push([old, made]);
    return super.set(old, made);
  }

  /** From earlier undos. */
  know(ids: ReadonlyMap<string, string>): void {
    for (const [old, made] of ids) super.set(old, made);
  }

  /** Those that were not asked for before. */
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
  let settled: Promise<void> | undefined;
  /** What an earlier process sent may still be on its way. */
  const settle = () => {
    settled ??= pause(settleMs, ctx.runtime.signal);
    return settled;
  };
  return steps.map((step): RowStep<UndoRow> => {
    const { n: write, what, outcome, error = null, call } = step;
    const row = { write, what, id: null };
    if (!call && !step.created && outcome !== 'unchanged') {
      return { row, step: { outcome: { is: 'done', value: { outcome, error } } } };
    }
    const ofEntry = ['createEntry', 'updateEntry', 'deleteEntry'].includes(step.write.op ?? '');
    const chain = chains.get(entryOf(step)) ?? entryOf(step);
    return {
      row,
      ...(call && { call }),
      step: {
        ...(ofEntry ? { chain } : { alone: true }),
        async send() {
          const { thing, by } = step.created ?? {};
          if (thing && by) await noteCreated(ctx, step, by, thing, ids);
          if (!call) {
            marks().undone(write, ids.fresh());
            return { outcome, id: thing ? String(thing.id) : null, error };
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
  return String(write.made?.id ?? write.query?.entryId ?? thingOf(write.body).id).toLowerCase();
}

const idNames = new Set(['id', 'listId', 'entryId', 'attributeId']);

/** What was created again has a new id; the writes before it name the old one. */
function withNewIds({ op, input }: PlannedCall, ids: ReadonlyMap<string, string>): PlannedCall {
  const renamed = (value: unknown) => ids.get(String(value).toLowerCase()) ?? value;
  const within = (thing: unknown) =>
    Object.fromEntries(
      Object.entries(thingOf(thing)).map(([name, value]) => [name, idNames.has(name) ? renamed(value) : value]),
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

/** In place of what was deleted there is something already. */
async function noteCreated(ctx: Context, { write }: UndoStep, by: PlannedCall, thing: Thing, ids: NewIds) {
  (await ctx.client()).answered?.(by.op, by.input, thing);
  const old = deletedId(write);
  if (old !== undefined) ids.set(String(old).toLowerCase(), String(thing.id));
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
  const options = { retries: ctx.settings.retries.value, random: ctx.runtime.random, signal: ctx.runtime.signal };
  const once = creation(client, { op, input }, step.known);
  return sendOnce(options, { ...once, sentBefore: step.sentBefore ?? false });
}

async function send(sending: Sending) {
  const { ctx, step, call, marks, ids } = sending;
  const { op, input } = withNewIds(call, ids);
  const { write } = step;
  const made = thingOf(await sendCall(sending));
  if (isCreation(write)) {
    if (op.id !== 'revokeGrant' || isEnded(made)) return { id: null, notes: [] };
    throw new Failure('rejected', 'the server answered the revocation, but the grant is still active');
  }
  const begun = op.method === 'PATCH';
  const id = typeof made.id === 'string' ? made.id : null;
  const recreates = write.op === 'deleteList' || write.op === 'deleteAttribute';
  if (!recreates || !begun) checkConfig(thingOf(input.body), made);
  const old = deletedId(write);
  if (old !== undefined && id !== null) ids.set(String(old).toLowerCase(), id);
  if (!recreates || id === null) return { id, notes: [] };
  if (begun) await sending.settle();
  // Until it is complete, also when this process is killed.
  marks().halfway(write.n, { id, missing: 'the part that an interrupted undo did not reach' }, ids.fresh());
  const before = thingOf(write.before);
  const listId = write.op === 'deleteList' ? id : String(thingOf(input.params).listId);
  const refill = { ctx, listId, ids, begun };
  const values: [unknown, unknown][] = Array.isArray(before.values) ? before.values : [];
  const { notes, missing } =
    write.op === 'deleteList' ? await fillList(refill, before) : await fillValues(refill, String(made.slug), values);
  if (missing !== undefined) marks().halfway(write.n, { id, missing }, ids.fresh());
  return { id, notes, missing };
}

/** The API clears no bound and no currency: a PATCH that added one cannot be reverted completely. */
function checkConfig(sent: Thing, made: Thing): void {
  if (sent.id === undefined || sent.config === undefined || made.config === undefined) return;
  const kept = Object.keys(thingOf(made.config)).filter((name) => !Object.hasOwn(thingOf(sent.config), name));
  if (kept.length === 0) return;
  throw new Failure('rejected', `the rest was reverted, but the API cannot remove ${kept.join(', ')} again`);
}
