/** `entries import`: read file → match columns → type cells → compare with the list → plan → send → report. */

import type { Context } from '../../../cli/context.ts';
import { longName } from '../../../cli/define.ts';
import { checkWritable } from '../../../cli/plan-file.ts';
import { blocking } from '../../../cli/runtime.ts';
import { refuseRaw } from '../../../cli/show.ts';
import { shellWord } from '../../../cli/words.ts';
import { usage } from '../../../core/errors.ts';
import { typeCells } from '../../../domain/import/cells.ts';
import { formatOfName, otherFormat } from '../../../domain/import/file.ts';
import { readList } from '../../lists/read.ts';
import { cellHint, readingOptions, refuse } from './cells.ts';
import { type ImportFlags, importFlags } from './flags.ts';
import { findJournal, hasJournal, type UnfinishedImport, whileLocked } from './journal.ts';
import { mappingsOf, matchFile, withEmptyCells } from './match.ts';
import { compareRows, makePlan, readPlan, requireUnchanged, type StoredPlan, writePlan } from './plan.ts';
import { hashOf, type List, readSource, type Source, withLabels } from './read.ts';
import {
  failedFormat,
  importColumns,
  outcomesOf,
  planLines,
  refusedLines,
  reportImport,
  totalLines,
} from './report.ts';
import { callsOf, sendPlan } from './send.ts';

export async function importEntries(
  ctx: Context,
  target: string,
  file: string | undefined,
  flags: ImportFlags,
): Promise<void> {
  refuseRaw(ctx, 'it sends a request for each row');
  if (!(await ctx.out.check(importColumns))) return;
  checkFlags(target, file, flags);
  await checkWritable(ctx, { '--failed': flags.failed, '--plan-out': flags.planOut });
  // An import holds its rows and the entries of the list.
  ctx.runtime.keepHeapSmall?.({ isYoungSmall: false });
  const list = await readList(ctx, target);
  const { plan: planName } = flags;
  const source =
    planName === undefined
      ? await readSource(ctx, file ?? '-', flags)
      : await blocking(ctx.runtime, () => readPlan(ctx, planName, list));
  // The same file with the same decisions for the same list is the same import.
  const decisions = planName === undefined ? planFlags(flags) : 'plan';
  const identity = hashOf([
    JSON.stringify([ctx.settings.baseUrl.value, list.id.toLowerCase(), source.hash, decisions]),
  ]);
  const run = async () => {
    const earlier = await earlierRun(ctx, identity, flags);
    if (!earlier && 'plan' in source) await requireUnchanged(ctx, `--plan ${planName}`, source.plan, list);
    const plan = earlier?.plan ?? ('plan' in source ? source.plan : await planFile(ctx, list, source, flags));
    if (flags.failed !== undefined) failedFormat(flags.failed, plan.source.json);
    const lines = await blocking(ctx.runtime, () => planLines(plan, list.list_attributes ?? []));
    for (const line of [...lines, ...refusedLines(plan)]) ctx.out.note(line);
    if (flags.planOut !== undefined) return keepPlan(ctx, flags.planOut, plan);
    if (earlier) ctx.out.note(`  ${earlier.done.size} of ${plan.actions.length} writes are already done.`);
    await ctx.prepare(
      callsOf(plan, list.list_attributes ?? [], earlier),
      `Write this to the list "${list.name ?? list.id}"?`,
    );
    const outcomes = outcomesOf(plan.actions.length, earlier?.done);
    await sendPlan(ctx, { plan, identity, earlier, outcomes });
    await reportImport(ctx, plan, outcomes, flags.failed);
  };
  // The lock precedes reading the list, so that two runs cannot plan the same writes.
  await (ctx.settings.dryRun || flags.planOut !== undefined ? run() : whileLocked(ctx, identity, run));
}

/** The steps from a file that was read to its plan. Nothing is written. */
async function planFile(ctx: Context, list: List, read: Source, flags: ImportFlags): Promise<StoredPlan> {
  const mappings = mappingsOf(flags.map);
  const source = withEmptyCells(await withLabels(ctx, list.id, withColumns(read, flags)), mappings);
  const { name, table } = source;
  const reading = readingOptions(ctx, table, flags);
  const match = await matchFile(ctx, source, list.list_attributes ?? [], { ...flags, mappings }, reading);
  const typed = await blocking(ctx.runtime, () => typeCells(table, match, reading));
  for (const text of [...match.warnings, ...typed.notes]) ctx.out.note(text);
  const columnIssues = [...match.issues, ...typed.columnIssues];
  if (columnIssues.length > 0) {
    // Report the problems of cells together with those of columns.
    await blocking(ctx.runtime, () => {
      for (const _ of typed.rows);
    });
    const hint =
      flags.onError === 'skip'
        ? '--on-error skip leaves out rows, and these columns are wrong in every row'
        : cellHint(typed.issues, flags, match.unknown);
    refuse([...table.issues, ...columnIssues, ...typed.issues], name, table, hint);
  }
  const comparison = await compareRows(ctx, list, source, match, typed, flags);
  const plan = await makePlan(ctx, list, { ...source, ...typed }, match, comparison, flags);
  if (typed.placeholders !== undefined) ctx.out.note(typed.placeholders);
  const { issues } = comparison;
  if (issues.length === 0 || (flags.onError === 'skip' && plan.refused.length > 0)) return plan;
  for (const line of totalLines(plan)) ctx.out.note(line);
  const hint = flags.onError === 'skip' ? notSkipped : cellHint(issues, flags, match.unknown);
  refuse(issues, name, table, hint);
  return plan;
}

/** An empty array has no columns, so no key can be missing. */
function withColumns(source: Source, { key = 'title' }: ImportFlags): Source {
  const { json, headers, rows } = source.table;
  if (!json || headers.length > 0 || rows.length > 0) return source;
  return { ...source, table: { ...source.table, headers: [key] } };
}

async function keepPlan(ctx: Context, file: string, plan: StoredPlan): Promise<void> {
  await writePlan(ctx, file, plan);
  ctx.out.note(`The plan is in ${file}; nothing was written. Execute it with --plan ${file}.`);
}

const notSkipped = 'no row would be left, or a problem is not that of one row, so --on-error skip leaves none out';

/** The flags that a plan does not contain. */
const executionFlags: ReadonlySet<string> = new Set(['plan', 'planOut', 'resume', 'failed']);

/** The flags that decide what a plan contains, in the order of help. */
function planFlags(flags: ImportFlags): [string, unknown][] {
  return Object.keys(importFlags).flatMap((name): [string, unknown][] => {
    const value = flags[name as keyof ImportFlags];
    return value === undefined || executionFlags.has(name) ? [] : [[name, value]];
  });
}

function checkFlags(target: string, file: string | undefined, flags: ImportFlags): void {
  const { plan, planOut, resume, failed, mode, prune, onError } = flags;
  if (failed !== undefined && (otherFormat(failed) !== undefined || formatOfName(failed) === 'xlsx')) {
    throw usage('--failed writes text, not a workbook', 'name a file that ends in .csv, .tsv or .ndjson');
  }
  if (plan === undefined && file === undefined) {
    const isFile = formatOfName(target) !== undefined;
    throw isFile
      ? usage(`LIST is missing: ${target} is a file`, `write \`comem entries import LIST ${shellWord(target)}\``)
      : usage('FILE is missing: name a file of rows, or - for stdin');
  }
  if (planOut !== undefined && (plan !== undefined || resume)) {
    throw usage('--plan-out makes a new plan and cannot be used with --plan or --resume');
  }
  if (plan !== undefined) {
    if (file !== undefined) throw usage('--plan holds the rows already, so FILE must not be given with it');
    const [[name] = []] = planFlags(flags);
    if (name !== undefined) throw usage(`--plan is executed as it was reviewed, so ${longName(name)} has no effect`);
  }
  if (prune && mode !== 'sync') throw usage('--prune deletes what the file lacks, and needs --mode sync');
  if (onError === 'skip' && mode === 'sync') {
    throw usage('--on-error skip leaves rows out, and --mode sync would remove their entries', 'use --mode upsert');
  }
}

/**
 * With --resume, the plan and progress of an earlier run. If there is no journal (the run finished, or was killed before
 * its first write), the import gets a new plan; keys identify the rows that exist.
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
