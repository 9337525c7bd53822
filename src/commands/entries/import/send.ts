/** Sends a plan: attributes first, then rows concurrently, and removals last. */

import { bulkOf, planCall, progressOf } from '../../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../../cli/context.ts';
import type { Outcome, Step } from '../../../client/bulk.ts';
import { creation, pause, sendOnce, settleMs } from '../../../client/creation.ts';
import { createEntry, deleteEntry, listEntries, updateEntry } from '../../../contract/entry-operations.ts';
import { createAttribute, getList, updateAttribute } from '../../../contract/list-operations.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import type { KeyTarget } from '../../../domain/import/columns.ts';
import type { AddedOptions } from '../../../domain/import/infer.ts';
import {
  type CreatedAttributes,
  type EntryBody,
  entryKey,
  type ImportAction,
  matchCreated,
  resolveValues,
} from '../../../domain/import/plan.ts';
import { beginJournal, continueJournal, type Journal, type UnfinishedImport } from './journal.ts';
import type { StoredPlan } from './plan.ts';
import { bareOutcome, type Outcomes } from './report.ts';

interface Execution {
  plan: StoredPlan;
  identity: string;
  /** The journal of an earlier run of the same import. */
  earlier: UnfinishedImport | undefined;
  /** Filled as writes finish. */
  outcomes: Outcomes;
}

/** Sends the actions that are not done yet. @throws failures that do not belong to a row, such as a journal that cannot be written */
export async function sendPlan(ctx: Context, execution: Execution): Promise<void> {
  const { plan, identity, earlier, outcomes } = execution;
  if (outcomes.every(isDone) && plan.attributes.length === 0 && plan.options === undefined) return;
  const journal = earlier ? continueJournal(ctx, identity) : await beginJournal(ctx, identity, plan);
  let isFinished = false;
  try {
    await sendActions(ctx, execution, journal);
    isFinished = outcomes.every(isDone);
  } finally {
    ctx.out.progress(undefined);
    journal.close(isFinished);
  }
}

/** The import stops after this many unanswered writes in a row. */
const patience = 20;

/** Most writes in memory at once. */
const blockSize = 1000;

async function sendActions(ctx: Context, execution: Execution, journal: Journal): Promise<void> {
  const { plan, outcomes, earlier } = execution;
  const { concurrency } = ctx.settings;
  const sent: ReadonlySet<number> = earlier?.sent ?? new Set();
  const created = await changeAttributes(ctx, plan);
  const tick = progressOf(ctx, 'Importing', plan.actions.length, earlier?.done.size);
  const bulk = bulkOf(ctx, { patience: Math.max(patience, 2 * concurrency) });
  const sendBlock = (block: readonly [number, ImportAction][]) => {
    const steps = block.map(([index, action]) =>
      actionStep(ctx, plan, { index, action, created, journal, sentBefore: sent.has(index) }),
    );
    return bulk.run(steps, (at, outcome) => {
      const [index] = block[at] as [number, ImportAction];
      outcomes[index] = bareOutcome(outcome);
      if (outcome.is === 'done') journal.done(index);
      tick(outcome.is === 'failed');
    }).ended;
  };
  const sendWhere = async (fits: (action: ImportAction, index: number) => boolean) => {
    let block: [number, ImportAction][] = [];
    let index = 0;
    for (const action of plan.actions) {
      if (!isDone(outcomes[index]) && fits(action, index)) block.push([index, action]);
      index += 1;
      if (block.length < blockSize && index < plan.actions.length) continue;
      await sendBlock(block);
      if (bulk.stopped) return;
      block = [];
    }
  };
  const start = performance.now();
  await sendWhere((action, index) => 'line' in action && !sent.has(index));
  // Creates of a killed run may still arrive, so they are looked up last.
  if ([...sent].some((index) => !isDone(outcomes[index])) && !bulk.stopped) {
    const rest = settleMs - (performance.now() - start);
    if (rest > 0) await pause(rest, ctx.runtime.signal).catch(() => undefined);
    await sendWhere((action, index) => 'line' in action && sent.has(index));
  }
  // Removals wait until every row is written: a failed row may be an entry under its old key.
  if (plan.mode === 'sync' && !outcomes.some((outcome) => outcome.is === 'failed') && !bulk.stopped)
    await sendWhere((action) => !('line' in action));
}

function isDone(outcome: Outcome<unknown> | undefined): boolean {
  return outcome?.is === 'done';
}

interface ActionParts {
  index: number;
  action: ImportAction;
  created: CreatedAttributes;
  journal: Journal;
  /** An earlier run sent it. */
  sentBefore: boolean;
}

function actionStep(ctx: Context, plan: StoredPlan, parts: ActionParts): Step<unknown> {
  const { index, action, created, journal, sentBefore } = parts;
  const { op, input } = callOf(plan.list.id, action, created);
  const send = async () => (await ctx.client()).call(op, input);
  if (action.do !== 'create') return { send };
  const key = realKey(plan.key, created);
  return {
    sentBefore,
    async send() {
      journal.sent(index);
      return send();
    },
    async find() {
      const [entry] = await entriesWith(ctx, plan.list.id, key, action);
      if (entry) (await ctx.client()).answered?.(op, input, entry);
      return entry?.id;
    },
  };
}

/** Creates missing attributes and options, and returns the changed attributes as the server stored them. */
async function changeAttributes(
  ctx: Context,
  { list, attributes, options = [] }: StoredPlan,
): Promise<CreatedAttributes> {
  if (attributes.length + options.length === 0) return new Map();
  const client = await ctx.client();
  const params = { listId: list.id };
  const read = async (): Promise<readonly Attribute[]> =>
    (await client.call(getList, { params })).list_attributes ?? [];
  // A resumed import has created some of them.
  const before = await read();
  const known = new Set(before.map(({ id }) => String(id).toLowerCase()));
  const { random, signal } = ctx.runtime;
  for (const { slug: _, ...body } of attributes) {
    if (before.some(({ name }) => name === body.name)) continue;
    ctx.out.progress(`Adding the attribute "${body.name}"`);
    const call = { op: createAttribute, input: { params, body } };
    await sendOnce({ retries: ctx.settings.retries.value, random, signal }, creation(client, call, known));
  }
  for (const added of options) {
    const body = optionsBody(added, before);
    if (body) await client.call(updateAttribute, { params, body });
  }
  ctx.out.progress(undefined);
  const after = await read();
  const changed = after.flatMap((attribute): [string, Attribute][] =>
    options.some(({ slug }) => slug === attribute.slug) ? [[attribute.slug ?? '', attribute]] : [],
  );
  return new Map([...matchCreated(attributes, after), ...changed]);
}

/** The body that adds the missing options; undefined if there is none. The config is sent whole: servers may replace it. */
function optionsBody({ slug, labels }: AddedOptions, attributes: readonly Attribute[]) {
  const { id, config } = attributes.find((attribute) => attribute.slug === slug) ?? {};
  const options = (config?.options ?? []).map((option) => ({ ...option, label: option.label ?? option.id ?? '' }));
  const missing = labels.filter((label) => options.every((option) => option.label !== label));
  if (id === undefined || missing.length === 0) return undefined;
  return { id, config: { ...config, options: [...options, ...missing.map((label) => ({ label }))] } };
}

/** All remaining requests, for `--dry-run` and the confirmation. */
export function* callsOf(
  plan: StoredPlan,
  attributes: readonly Attribute[],
  earlier: UnfinishedImport | undefined,
): Generator<PlannedCall> {
  const params = { listId: plan.list.id };
  if (!earlier) {
    for (const { slug: _, ...body } of plan.attributes) yield planCall(createAttribute, { params, body });
    for (const added of plan.options ?? []) {
      const body = optionsBody(added, attributes);
      if (body) yield planCall(updateAttribute, { params, body });
    }
  }
  let index = 0;
  for (const action of plan.actions) {
    if (!earlier?.done.has(index)) yield callOf(plan.list.id, action);
    index += 1;
  }
}

/** The API call of one planned write. */
function callOf(listId: string, action: ImportAction, created: CreatedAttributes = new Map()): PlannedCall {
  const params = { listId };
  switch (action.do) {
    case 'create':
      return planCall(createEntry, { params, body: withCreated(action.body, created) });
    case 'update':
      return planCall(updateEntry, { params, body: { id: action.id, ...withCreated(action.body, created) } });
    case 'archive':
      return planCall(updateEntry, { params, body: { id: action.id, archived: true } });
    case 'delete':
      return planCall(deleteEntry, { params, query: { entryId: action.id } });
  }
}

function withCreated<B extends EntryBody>(body: B, created: CreatedAttributes): B {
  if (body.values === undefined || created.size === 0) return body;
  return { ...body, values: resolveValues(body.values, created) };
}

/** Finds entries by the key of a row, among those with its title: the API searches titles only. */
async function entriesWith(
  ctx: Context,
  listId: string,
  key: KeyTarget,
  { key: wanted, title }: { key: string; title: string },
): Promise<CustomListEntry[]> {
  const client = await ctx.client();
  const matches: CustomListEntry[] = [];
  const query = { archived: true, search: title };
  for await (const page of client.pages(listEntries, { params: { listId }, query })) {
    for (const entry of page) if (entryKey(entry, key) === wanted) matches.push(entry);
  }
  return matches;
}

function realKey(key: KeyTarget, created: CreatedAttributes): KeyTarget {
  const slug = key.field === 'value' ? created.get(key.slug)?.slug : undefined;
  return slug === undefined ? key : { field: 'value', slug };
}
