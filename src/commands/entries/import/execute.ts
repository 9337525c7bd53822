/** The writes of a plan: attributes first, then the rows, several in flight, removals after everything else is done. */

import { bulkOf, planned, progressOf } from '../../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../../cli/context.ts';
import type { Outcome, Step } from '../../../client/bulk.ts';
import { pause, sendOnce, settleMs } from '../../../client/once.ts';
import { createEntry, deleteEntry, listEntries, updateEntry } from '../../../contract/entry-operations.ts';
import { createAttribute, getList } from '../../../contract/list-operations.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import type { KeyTarget } from '../../../domain/import/columns.ts';
import type { NewAttribute } from '../../../domain/import/infer.ts';
import { type EntryBody, entryKey, type ImportAction } from '../../../domain/import/plan.ts';
import { type CreatedAttributes, matchCreated, resolveValues } from '../../../domain/import/resolve-values.ts';
import type { Journal } from './journal.ts';
import type { StoredPlan } from './stored-plan.ts';

interface Execution {
  plan: StoredPlan;
  journal: Journal;
  concurrency: number;
  /** Actions that an earlier run finished. */
  done?: ReadonlySet<number> | undefined;
  /** Creates that an earlier run sent. */
  sent?: ReadonlySet<number> | undefined;
}

/** This many failures in a row of a server that does not answer leave the rest for later. */
const patience = 20;

/** The outcome of each action. @throws failures that do not belong to a row, such as a journal that cannot be written */
export async function execute(ctx: Context, execution: Execution): Promise<Outcome<unknown>[]> {
  const { plan, journal, concurrency, done, sent } = execution;
  const created = await addAttributes(ctx, plan.list.id, plan.attributes);
  const outcomes = plan.actions.map((_, index): Outcome<unknown> => {
    return done?.has(index) ? { is: 'done', value: undefined } : { is: 'notTried' };
  });
  const repeated = new Set<number>();
  const tick = progressOf(ctx, 'Importing', plan.actions.length, done?.size);
  const bulk = bulkOf(ctx, { concurrency, patience: Math.max(patience, 2 * concurrency) });
  const run = (indices: readonly number[]) => {
    const steps = indices.map((index) => stepOf(ctx, execution, created, index, repeated));
    return bulk.run(steps, (at, outcome) => {
      const index = indices[at] as number;
      outcomes[index] = outcome;
      if (outcome.is === 'done') journal.done(index);
      else if (outcome.is === 'failed' && outcome.failure.kind !== 'interrupted') journal.failed(index);
      tick(outcome.is === 'failed');
    }).ended;
  };
  const todo = plan.actions.flatMap((action, index) => (outcomes[index]?.is === 'done' ? [] : [{ action, index }]));
  const rows = todo.filter(({ action }) => 'row' in action).map(({ index }) => index);
  const began = performance.now();
  await run(rows.filter((index) => !sent?.has(index)));
  // What a killed run had sent may still be on its way into the list; it is looked up last.
  const unsure = rows.filter((index) => sent?.has(index));
  const left = settleMs - (performance.now() - began);
  if (unsure.length > 0 && left > 0 && !bulk.stopped) {
    await pause(left, ctx.runtime.signal).catch(() => undefined);
  }
  await run(unsure);
  // An entry that could not be written under its new key must not disappear under its old one.
  const isBroken = outcomes.some(({ is }) => is === 'failed');
  if (!isBroken) await run(todo.filter(({ action }) => !('row' in action)).map(({ index }) => index));
  if (!bulk.stopped) await warnOfTwins(ctx, plan, created, repeated);
  return outcomes;
}

function stepOf(
  ctx: Context,
  { plan, journal, sent }: Execution,
  created: CreatedAttributes,
  index: number,
  repeated: Set<number>,
): Step<unknown> {
  const action = plan.actions[index] as ImportAction;
  const { op, input } = callOf(plan.list.id, action, created);
  const send = async () => (await ctx.client()).call(op, input);
  if (action.do !== 'create') return { send };
  const key = realKey(plan.key, created);
  return {
    sentBefore: sent?.has(index) ?? false,
    async send() {
      journal.sent(index);
      return send();
    },
    find: async () => (await entriesWith(ctx, plan.list.id, key, action))[0],
    onRepeat: () => void repeated.add(index),
  };
}

/** Adds the attributes that the list does not have, in their order and each once, and gives the attributes that exist then. */
async function addAttributes(
  ctx: Context,
  listId: string,
  wanted: readonly NewAttribute[],
): Promise<CreatedAttributes> {
  if (wanted.length === 0) return new Map();
  const client = await ctx.client();
  const read = async (): Promise<readonly Attribute[]> =>
    (await client.call(getList, { params: { listId } })).list_attributes ?? [];
  const named = (attributes: readonly Attribute[], name: string) => attributes.find((one) => one.name === name);
  // Some exist already when an import is resumed.
  const before = await read();
  const { random, signal } = ctx.runtime;
  for (const { slug: _, odd: __, ...body } of wanted) {
    if (named(before, body.name)) continue;
    ctx.out.progress(`Adding the attribute "${body.name}"`);
    await sendOnce<unknown>(
      { retries: ctx.settings.retries.value, random, signal },
      {
        send: () => client.call(createAttribute, { params: { listId }, body }),
        find: async () => named(await read(), body.name),
      },
    );
  }
  ctx.out.progress(undefined);
  return matchCreated(wanted, await read());
}

/** One planned write as a call of the API. */
export function callOf(listId: string, action: ImportAction, created: CreatedAttributes = new Map()): PlannedCall {
  const params = { listId };
  switch (action.do) {
    case 'create':
      return planned(createEntry, { params, body: withCreated(action.body, created) });
    case 'update':
      return planned(updateEntry, { params, body: { id: action.id, ...withCreated(action.body, created) } });
    case 'archive':
      return planned(updateEntry, { params, body: { id: action.id, archived: true } });
    case 'delete':
      return planned(deleteEntry, { params, query: { entryId: action.id } });
  }
}

function withCreated<B extends EntryBody>(body: B, created: CreatedAttributes): B {
  if (body.values === undefined || created.size === 0) return body;
  return { ...body, values: resolveValues(body.values, created) };
}

/** The entries with the key of a row. The API searches titles, and the row has one. */
async function entriesWith(
  ctx: Context,
  listId: string,
  key: KeyTarget,
  { key: wanted, title }: { key: string; title: string },
): Promise<string[]> {
  const client = await ctx.client();
  const found: string[] = [];
  const query = { archived: true, search: title };
  for await (const page of client.pages(listEntries, { params: { listId }, query })) {
    for (const entry of page) if (entryKey(entry, key) === wanted) found.push(entry.id ?? '');
  }
  return found;
}

/** A server that carries out a request long after its time-out can still create a second entry; then it is named. */
async function warnOfTwins(
  ctx: Context,
  plan: StoredPlan,
  created: CreatedAttributes,
  repeated: ReadonlySet<number>,
): Promise<void> {
  const key = realKey(plan.key, created);
  for (const index of repeated) {
    const action = plan.actions[index];
    if (action?.do !== 'create') continue;
    const ids = await entriesWith(ctx, plan.list.id, key, action);
    if (ids.length > 1) {
      ctx.out.warn(`the list has "${action.title}" ${ids.length} times, after a late answer: ${ids.join(', ')}`);
    }
  }
}

function realKey(key: KeyTarget, created: CreatedAttributes): KeyTarget {
  const slug = key.field === 'value' ? created.get(key.slug)?.slug : undefined;
  return slug === undefined ? key : { field: 'value', slug };
}
