/** The writes of a plan: several in flight, each row once, removals after everything else is done. */

import { sendOnce, settleMs } from '../../../cli/ambiguous.ts';
import type { Context } from '../../../cli/context.ts';
import { sleep } from '../../../client/retry.ts';
import { createEntry, listEntries } from '../../../contract/entry-operations.ts';
import { Failure } from '../../../core/errors.ts';
import type { KeyTarget } from '../../../domain/import/columns.ts';
import { entryKey, type ImportAction } from '../../../domain/import/plan.ts';
import type { Realised } from '../../../domain/import/realise.ts';
import { callOf } from './entry-calls.ts';
import type { Journal } from './journal.ts';
import type { StoredPlan } from './stored-plan.ts';

export interface Execution {
  plan: StoredPlan;
  journal: Journal;
  created: Realised;
  concurrency: number;
  /** Actions that an earlier run finished. */
  done?: ReadonlySet<number>;
  /** Creates that an earlier run sent. */
  sent?: ReadonlySet<number>;
  /** Told after each action. */
  onStep(outcomes: Outcomes): void;
}

/** What became of each action; those that are in neither were not tried. */
export interface Outcomes {
  done: Set<number>;
  failed: Map<number, Failure>;
}

/** As many rows in a row as may fail on a server that does not answer, before the rest is left for later. */
const patience = 20;

export async function execute(ctx: Context, execution: Execution): Promise<Outcomes> {
  const { plan, journal, concurrency } = execution;
  const outcomes: Outcomes = { done: new Set(execution.done), failed: new Map() };
  const repeated: number[] = [];
  let unanswered = 0;
  let stopped = false;

  const step = async (index: number): Promise<void> => {
    const action = plan.actions[index];
    if (action === undefined) return;
    try {
      await perform(ctx, execution, action, index, () => repeated.push(index));
      journal.done(index);
      outcomes.done.add(index);
      unanswered = 0;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'bug' || isOurs(error)) {
        stopped = true;
        throw error;
      }
      // An interrupt is nobody's failure: the row is simply not done.
      if (error.kind !== 'interrupted') {
        outcomes.failed.set(index, error);
        journal.failed(index);
      }
      unanswered = error.kind === 'tryLater' ? unanswered + 1 : 0;
      // The rest would meet the same.
      stopped ||=
        error.kind === 'interrupted' ||
        error.kind === 'credential' ||
        unanswered >= Math.max(patience, 2 * concurrency);
    }
    execution.onStep(outcomes);
  };

  const todo = plan.actions.flatMap((_, index) => (outcomes.done.has(index) ? [] : [index]));
  const isRemoval = (index: number) => !('row' in (plan.actions[index] ?? {}));
  const halted = () => stopped || ctx.runtime.signal.aborted;
  const began = performance.now();
  const isSent = (index: number) => execution.sent?.has(index) ?? false;
  const rows = todo.filter((index) => !isRemoval(index));
  const unsure = rows.filter(isSent);
  const inTurn = (indices: readonly number[]) => inLanes(indices, concurrency, step, halted);
  await inTurn(rows.filter((index) => !isSent(index)));
  // What a killed run had sent may still be on its way into the list; it is looked up last.
  const wait = settleMs - (performance.now() - began);
  if (unsure.length > 0 && wait > 0 && !halted()) await sleep(wait, ctx.runtime.signal).catch(() => undefined);
  await inTurn(unsure);
  // What could not be written under its new key must not go away under its old one.
  if (outcomes.failed.size === 0) await inTurn(todo.filter(isRemoval));
  if (!halted()) await warnOfTwins(ctx, execution, repeated);
  return outcomes;
}

/** A failure of this machine, such as a full disk under the journal, is no failure of a row. */
function isOurs(error: Failure): boolean {
  return error.kind === 'usage' && error.code !== 'invalid_input';
}

/** Starts them in their order, so many at a time. */
async function inLanes(
  indices: readonly number[],
  lanes: number,
  step: (index: number) => Promise<void>,
  halted: () => boolean,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < indices.length && !halted()) {
      const index = indices[next] as number;
      next += 1;
      await step(index);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(lanes, indices.length) }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function perform(
  ctx: Context,
  { plan, journal, created, sent }: Execution,
  action: ImportAction,
  index: number,
  onRepeat: () => void,
): Promise<void> {
  const client = await ctx.client();
  const { op, input } = callOf(plan.list.id, action, created);
  if (action.do !== 'create') {
    await client.call(op, input);
    return;
  }
  const key = realKey(plan.key, created);
  await sendOnce<unknown>(ctx, {
    sentBefore: sent?.has(index),
    send: async () => {
      journal.sent(index);
      return (await client.call(createEntry, input)) ?? {};
    },
    look: async () => (await entriesWith(ctx, plan.list.id, key, action))[0],
    onRepeat,
  });
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

/** A server that takes a request long after it was given up can still make a second entry; then it is named. */
async function warnOfTwins(ctx: Context, { plan, created }: Execution, repeated: readonly number[]): Promise<void> {
  const key = realKey(plan.key, created);
  for (const index of new Set(repeated)) {
    const action = plan.actions[index];
    if (action?.do !== 'create') continue;
    const ids = await entriesWith(ctx, plan.list.id, key, action);
    if (ids.length > 1) {
      ctx.out.warn(
        `"${action.title}" stands in the list ${ids.length} times, after an answer came late: ${ids.join(', ')}`,
      );
    }
  }
}

function realKey(key: KeyTarget, created: Realised): KeyTarget {
  const slug = key.field === 'value' ? created.get(key.slug)?.slug : undefined;
  return slug === undefined ? key : { field: 'value', slug };
}
