/** `entries import`: read, plan, show, ask, write, count. */

import { defaultConcurrency, planned } from '../../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../../cli/context.ts';
import { checkWritable, writePlanFile } from '../../../cli/plan-file.ts';
import { blocking } from '../../../cli/runtime.ts';
import { refuseRaw } from '../../../cli/show.ts';
import { createAttribute } from '../../../contract/list-operations.ts';
import { usage } from '../../../core/errors.ts';
import { formatOfName } from '../../../domain/import/file.ts';
import { readList } from '../../lists/read.ts';
import { Outcomes, importColumns, planLines, reportImport } from './report.ts';
import { callOf, execute } from './send.ts';
import type { ImportFlags } from './flags.ts';
import { beginJournal, continueJournal, type Found, findJournal, hasJournal, whileLocked } from './journal.ts';
import { makePlan } from './plan.ts';
import { hashOf, type List, readSource } from './read.ts';
import { planText, readPlan, requireUnchanged, type StoredPlan } from './stored-plan.ts';

/** What the flags say about an import, before the list is read. */
interface Asked {
  identity: string;
  plan(): Promise<StoredPlan>;
}

/** A plan that is ready to be executed, and what an earlier run did of it. */
interface Ready {
  plan: StoredPlan;
  identity: string;
  before?: Found | undefined;
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
  // Rows and entries are in files, and what indexes them stays.
  ctx.runtime.keepHeapSmall?.();
  const list = await readList(ctx, target);
  const asked =
    flags.plan === undefined ? await fromFile(ctx, list, file ?? '-', flags) : await fromPlan(ctx, list, flags.plan);
  const run = () => planAndWrite(ctx, list, asked, flags);
  // Locked before the list is read: what another run writes meanwhile would not be noticed.
  await (ctx.settings.dryRun || flags.planOut !== undefined ? run() : whileLocked(ctx, asked.identity, run));
}

async function planAndWrite(ctx: Context, list: List, { identity, plan: make }: Asked, flags: ImportFlags) {
  const before = flags.resume ? await resumable(ctx, identity) : undefined;
  if (!flags.resume && flags.plan === undefined && hasJournal(ctx, identity)) {
    ctx.out.note(
      'An earlier import of this file was not finished. This is a new plan; --resume continues the old one.',
    );
  }
  const plan = before?.plan ?? (await make());
  const lines = await blocking(ctx.runtime, () => planLines(plan, list.list_attributes ?? []));
  for (const line of lines) ctx.out.note(line);
  if (before) ctx.out.note(`  ${before.done.size} of ${plan.actions.length} writes are already done.`);
  if (flags.planOut !== undefined) {
    await writePlanFile(ctx, flags.planOut, plan, planText(plan, 1));
    ctx.out.note(`The plan is in ${flags.planOut}; nothing was written. Execute it with --plan ${flags.planOut}.`);
    return;
  }
  await ctx.prepare(callsOf(plan, before), `Write this to the list "${list.name ?? list.id}"?`);
  await carryOut(ctx, { plan, identity, before }, flags);
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
  const decided = (
    [
      'key',
      'mode',
      'prune',
      'map',
      'empty',
      'createAttrs',
      'type',
      'format',
      'encoding',
      'tsvEscapes',
      'header',
      'sheet',
      'locale',
      'decimal',
      'thousands',
      'dateFormat',
      'noTrim',
      'onError',
    ] as const
  ).find((name) => flags[name] !== undefined);
  if (decided !== undefined) throw usage(`--plan is executed as it was reviewed, so --${kebab(decided)} has no effect`);
}

async function fromFile(ctx: Context, list: List, file: string, flags: ImportFlags): Promise<Asked> {
  const source = await readSource(ctx, file, flags);
  const { key, mode, prune, map, empty, createAttrs, type, tsvEscapes, header } = flags;
  const decided = [
    key ?? 'title',
    mode ?? 'upsert',
    prune ?? false,
    map ?? [],
    empty ?? 'clear',
    createAttrs ?? false,
    type ?? [],
    ...(tsvEscapes === undefined && header === undefined ? [] : [tsvEscapes ?? null, header ?? null]),
    ...readAs(flags),
  ];
  return {
    identity: identityOf(ctx, list, source.hash, decided),
    plan: () => makePlan(ctx, list, source, flags),
  };
}

/** The flags that say how cells are read, those that are given. */
function readAs({ sheet, locale, decimal, thousands, dateFormat, noTrim, onError }: ImportFlags): unknown[] {
  const given = Object.entries({ sheet, locale, decimal, thousands, dateFormat, noTrim, onError });
  const said = given.filter(([, value]) => value !== undefined);
  return said.length === 0 ? [] : [Object.fromEntries(said)];
}

async function fromPlan(ctx: Context, list: List, file: string): Promise<Asked> {
  const { plan, hash } = await blocking(ctx.runtime, () => readPlan(ctx, file, list));
  return {
    identity: identityOf(ctx, list, hash, 'plan'),
    async plan() {
      await requireUnchanged(ctx, file, plan, list);
      return plan;
    },
  };
}

/**
 * What an earlier run left. If it left nothing (it was done, or was killed before its first write) the import gets a
 * new plan: the keys say which rows exist already.
 */
async function resumable(ctx: Context, identity: string): Promise<Found | undefined> {
  const before = await findJournal(ctx, identity);
  if (!before) ctx.out.note('No unfinished import with this file and these flags: this is a new plan.');
  return before;
}

/** The same file with the same decisions for the same list is the same import. */
function identityOf(ctx: Context, list: List, hash: string, decided: unknown): string {
  return hashOf([JSON.stringify([ctx.settings.baseUrl.value, list.id.toLowerCase(), hash, decided])]);
}

/** Everything that remains to be sent, for `--dry-run` and the guard rails. */
function* callsOf(plan: StoredPlan, before: Found | undefined): Generator<PlannedCall> {
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

async function carryOut(ctx: Context, { plan, identity, before }: Ready, flags: ImportFlags): Promise<void> {
  const { done, sent } = before ?? {};
  const outcomes = new Outcomes(plan.actions.length, done);
  if (plan.actions.length > (done?.size ?? 0) || plan.attributes.length > 0) {
    const journal = before ? continueJournal(ctx, identity) : await beginJournal(ctx, identity, plan);
    let finished = false;
    try {
      const concurrency = flags.concurrency ?? defaultConcurrency;
      await execute(ctx, { plan, journal, concurrency, outcomes, done, sent });
      finished = outcomes.areDone;
    } finally {
      ctx.out.progress(undefined);
      journal.close(finished);
    }
  }
  await reportImport(ctx, plan, outcomes, flags.failed);
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
