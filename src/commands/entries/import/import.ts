/** The steps of `entries import`: read, plan, confirm, send, report. */

import { defaultConcurrency, planned } from '../../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../../cli/context.ts';
import { checkWritable, writePlanFile } from '../../../cli/plan-file.ts';
import { blocking } from '../../../cli/runtime.ts';
import { refuseRaw } from '../../../cli/show.ts';
import { createAttribute } from '../../../contract/list-operations.ts';
import { usage } from '../../../core/errors.ts';
import { formatOfName } from '../../../domain/import/file.ts';
import { readList } from '../../lists/read.ts';
import { type ImportFlags, importFlags } from './flags.ts';
import {
  beginJournal,
  continueJournal,
  findJournal,
  hasJournal,
  type UnfinishedImport,
  whileLocked,
} from './journal.ts';
import { makePlan } from './plan.ts';
import { hashOf, type List, readSource } from './read.ts';
import { importColumns, Outcomes, planLines, reportImport } from './report.ts';
import { callOf, sendPlan } from './send.ts';
import { planText, readPlan, requireUnchanged, type StoredPlan } from './stored-plan.ts';

/** A plan and its identity: the same file with the same decisions for the same list is the same import. */
interface PlanSource {
  identity: string;
  plan(): Promise<StoredPlan>;
}

export async function importEntries(
  ctx: Context,
  target: string,
  file: string | undefined,
  flags: ImportFlags,
): Promise<void> {
  refuseRaw(ctx, 'it sends a request for each row');
  if (!(await ctx.out.check(importColumns))) return;
  checkFlags(file, flags);
  await checkWritable(ctx, { '--failed': flags.failed, '--plan-out': flags.planOut });
  // Rows are in files, and what indexes them stays.
  ctx.runtime.keepHeapSmall?.();
  const list = await readList(ctx, target);
  const source =
    flags.plan === undefined ? await fromFile(ctx, list, file ?? '-', flags) : await fromPlan(ctx, list, flags.plan);
  const run = () => planAndWrite(ctx, list, source, flags);
  // Locked before the list is read: what another run writes meanwhile would not be noticed.
  await (ctx.settings.dryRun || flags.planOut !== undefined ? run() : whileLocked(ctx, source.identity, run));
}

/** The flags that a plan does not contain. */
const executionFlags: ReadonlySet<string> = new Set(['plan', 'planOut', 'resume', 'failed', 'concurrency']);

/** The flags that decide what a plan contains, in the order of help. */
function planFlags(flags: ImportFlags): [string, unknown][] {
  return Object.keys(importFlags).flatMap((name): [string, unknown][] => {
    const value = flags[name as keyof ImportFlags];
    return value === undefined || executionFlags.has(name) ? [] : [[name, value]];
  });
}

function checkFlags(file: string | undefined, flags: ImportFlags): void {
  if (flags.failed !== undefined && formatOfName(flags.failed) === 'xlsx') {
    throw usage('--failed writes text, not a workbook', 'name a file that ends in .csv, .tsv or .ndjson');
  }
  if (flags.plan === undefined && file === undefined)
    throw usage('FILE is missing: name a file of rows, or - for stdin');
  if (flags.planOut !== undefined && (flags.plan !== undefined || flags.resume)) {
    throw usage('--plan-out makes a new plan and cannot go with --plan or --resume');
  }
  if (flags.plan === undefined) return;
  if (file !== undefined) throw usage('--plan holds the rows already, so FILE must not be given with it');
  const [[name] = []] = planFlags(flags);
  if (name !== undefined) throw usage(`--plan is executed as it was reviewed, so --${kebab(name)} has no effect`);
}

async function fromFile(ctx: Context, list: List, file: string, flags: ImportFlags): Promise<PlanSource> {
  const source = await readSource(ctx, file, flags);
  return {
    identity: identityOf(ctx, list, source.hash, planFlags(flags)),
    plan: () => makePlan(ctx, list, source, flags),
  };
}

async function fromPlan(ctx: Context, list: List, file: string): Promise<PlanSource> {
  const { plan, hash } = await blocking(ctx.runtime, () => readPlan(ctx, file, list));
  return {
    identity: identityOf(ctx, list, hash, 'plan'),
    async plan() {
      await requireUnchanged(ctx, file, plan, list);
      return plan;
    },
  };
}

function identityOf(ctx: Context, list: List, hash: string, decisions: unknown): string {
  return hashOf([JSON.stringify([ctx.settings.baseUrl.value, list.id.toLowerCase(), hash, decisions])]);
}

async function planAndWrite(ctx: Context, list: List, source: PlanSource, flags: ImportFlags): Promise<void> {
  const { identity } = source;
  const before = await earlierRun(ctx, identity, flags);
  const plan = before?.plan ?? (await source.plan());
  const lines = await blocking(ctx.runtime, () => planLines(plan, list.list_attributes ?? []));
  for (const line of lines) ctx.out.note(line);
  if (before) ctx.out.note(`  ${before.done.size} of ${plan.actions.length} writes are already done.`);
  if (flags.planOut !== undefined) {
    await writePlanFile(ctx, flags.planOut, plan, planText(plan, 1));
    ctx.out.note(`The plan is in ${flags.planOut}; nothing was written. Execute it with --plan ${flags.planOut}.`);
    return;
  }
  await ctx.prepare(callsOf(plan, before), `Write this to the list "${list.name ?? list.id}"?`);
  const outcomes = new Outcomes(plan.actions.length, before?.done);
  if (!outcomes.areDone || plan.attributes.length > 0) {
    const journal = before ? continueJournal(ctx, identity) : await beginJournal(ctx, identity, plan);
    let isFinished = false;
    try {
      const concurrency = flags.concurrency ?? defaultConcurrency;
      await sendPlan(ctx, { plan, journal, concurrency, outcomes, done: before?.done, sent: before?.sent });
      isFinished = outcomes.areDone;
    } finally {
      ctx.out.progress(undefined);
      journal.close(isFinished);
    }
  }
  await reportImport(ctx, plan, outcomes, flags.failed);
}

/**
 * With --resume, the plan of an earlier run and what was done of it. If that run left nothing (it was finished, or was
 * killed before its first write) the import gets a new plan: the keys say which rows exist already.
 */
async function earlierRun(ctx: Context, identity: string, flags: ImportFlags): Promise<UnfinishedImport | undefined> {
  if (flags.resume) {
    const before = await findJournal(ctx, identity);
    if (!before) ctx.out.note('No unfinished import with this file and these flags: this is a new plan.');
    return before;
  }
  if (flags.plan === undefined && hasJournal(ctx, identity)) {
    ctx.out.note(
      'An earlier import of this file was not finished. This is a new plan; --resume continues the old one.',
    );
  }
  return undefined;
}

/** Everything that remains to be sent, for `--dry-run` and the guard rails. */
function* callsOf(plan: StoredPlan, before: UnfinishedImport | undefined): Generator<PlannedCall> {
  const params = { listId: plan.list.id };
  if (!before) {
    for (const { slug: _, odd: __, ...body } of plan.attributes) yield planned(createAttribute, { params, body });
  }
  let index = 0;
  for (const action of plan.actions) {
    if (!before?.done.has(index)) yield callOf(plan.list.id, action);
    index += 1;
  }
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
