/** A run of checks from the command line: file, run, baseline, reports, exit code. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonOf } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { issues } from '../../contract/validate.ts';
import { limiter } from '../../core/concurrency.ts';
import { Failure, Finished, isSkippable, usage } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import type { CheckSection } from '../../domain/checks/check-file.ts';
import {
  type Aggregates,
  type Baseline,
  BaselineSchema,
  baselineOf,
  type CheckResult,
  type CheckSpec,
  defaultFindings,
  type Outcome,
  outcome,
  type Severity,
  withBaseline,
} from '../../domain/checks/model.ts';
import { readCheckFile, withTags } from './check-file.ts';
import { counts, reportTargets, summary, verdict, writeComplete, writeReports } from './reports.ts';
import { notRun, type Run, type SectionGroup, sectionReaders, subjectOf } from './sections.ts';

interface CheckFlags {
  only?: readonly string[];
  report?: readonly string[];
  failOn?: string;
  maxFindings?: number;
  baseline?: string;
  updateBaseline?: boolean;
}

export async function checkFile(ctx: Context, file: string, flags: CheckFlags): Promise<void> {
  const sections = withTags(await readCheckFile(ctx, file), flags.only);
  await check(ctx, file, sections, flags);
}

/** Runs sections and reports them as `name`. @throws Failure when the run did not pass */
export async function check(
  ctx: Context,
  name: string,
  sections: readonly CheckSection[],
  flags: CheckFlags,
): Promise<void> {
  if (flags.updateBaseline && !flags.baseline) throw usage('--update-baseline needs --baseline FILE');
  const targets = reportTargets(ctx, flags.report);
  const baseline =
    flags.baseline === undefined ? undefined : await readBaseline(ctx, flags.baseline, flags.updateBaseline ?? false);
  const startedAt = new Date(ctx.runtime.now());
  const begun = performance.now();
  // A baseline must know every finding, not the first few.
  const cap = baseline || flags.updateBaseline ? Number.POSITIVE_INFINITY : (flags.maxFindings ?? defaultFindings);
  const aggregates: Aggregates = {};
  const run = await runChecks(ctx, sections, { cap, baseline, outcomes: new Map(), aggregates });
  if (flags.updateBaseline && flags.baseline !== undefined && !run.unreadable) {
    const now = baselineOf(run.results, aggregates, baseline);
    await writeComplete(ctx, flags.baseline, `${stringifyJson(now, 2)}\n`);
    const kept = baseline ? '; new failures are not in it: delete the file first to accept them' : '';
    ctx.out.note(`Updated the baseline ${flags.baseline}${kept}.`);
    // A check without a baseline has one from now on.
    const known = ({ lacks }: Outcome) => (lacks === 'baseline' ? { known: true } : {});
    run.results = withBaseline(run.results, baseline ?? now).map((result) => ({ ...result, ...known(result) }));
  } else if (baseline) run.results = withBaseline(run.results, baseline);
  const results = run.results.map((result) => ({
    ...result,
    findings: result.findings.slice(0, flags.maxFindings ?? defaultFindings),
  }));
  await writeReports(ctx, targets, {
    file: name,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - begun),
    profile: ctx.settings.profile.value,
    results: results,
  });
  const isOnScreen =
    ctx.runtime.terminal.stdoutIsTTY && targets.some((target) => target.format === 'table' && !target.file);
  judge(run, (flags.failOn as Severity | undefined) ?? 'error', isOnScreen && ctx.settings.out === undefined);
}

/** Undefined if the file does not exist yet and this run writes it. */
async function readBaseline(ctx: Context, file: string, mayBeMissing: boolean): Promise<Baseline | undefined> {
  if (mayBeMissing && !existsSync(resolve(ctx.runtime.cwd, file))) return undefined;
  const value = jsonOf(file, await ctx.readArgument(`@${file}`));
  const [issue] = issues(BaselineSchema, value);
  if (issue)
    throw usage(`${file} is not a baseline: ${issue.path} ${issue.message}`, 'write one with --update-baseline');
  return value as Baseline;
}

interface Results {
  results: CheckResult[];
  /** The first reason for which data could not be read. */
  unreadable: Failure | undefined;
}

/** Groups that are read at the same time. */
const concurrency = 4;

/** Reads every list, series and grant set once, whatever the number of checks that look at it. */
async function runChecks(ctx: Context, sections: readonly CheckSection[], run: Run): Promise<Results> {
  const groups = new Map<string, SectionGroup>();
  for (const section of sections) {
    const key = section.subject === 'list' ? `list ${section.label}` : `${section.subject} ${section.company ?? ''}`;
    const group = groups.get(key);
    groups.set(key, group ? [...group, section] : [section]);
  }
  const limited = limiter(concurrency);
  const failures = await Promise.all([...groups.values()].map((group) => limited(() => runGroup(ctx, group, run))));
  const results = sections.flatMap((section) =>
    section.checks.flatMap((spec) => {
      const outcome = run.outcomes.get(spec);
      return outcome ? [{ spec, subject: subjectOf(section), part: section.part, ...outcome }] : [];
    }),
  );
  return { results, unreadable: failures.find((failure) => failure !== undefined) };
}

/** @returns why the data could not be read */
async function runGroup(ctx: Context, group: SectionGroup, run: Run): Promise<Failure | undefined> {
  const [{ subject }] = group;
  try {
    // A list of another company must not change the company of groups that are read at the same time.
    await sectionReaders[subject](ctx.withSettings(), group, run);
    return undefined;
  } catch (error) {
    if (!isSkippable(error)) throw error;
    const missing = subject === 'list' && error.kind === 'notFound';
    const specs = group.flatMap((section) => section.checks);
    for (const spec of specs) if (!run.outcomes.has(spec)) run.outcomes.set(spec, unread(spec, error, missing));
    // A missing list is the answer to a check of its existence, and an unread list to any other.
    return !missing || specs.some((spec) => !asksExistence(spec)) ? error : undefined;
  }
}

const asksExistence = (spec: CheckSpec): boolean => spec.expect.trim() === 'exists';

function unread(spec: CheckSpec, error: Failure, missing: boolean): Outcome {
  return missing && asksExistence(spec) ? outcome(false, error.message, spec.expect) : notRun(spec, error);
}

/** The most reasons that a message names. */
const mostReasons = 5;

/**
 * Throws when the run did not pass: first the reason why data could not be read, since a check that
 * could not run is never a pass, then `no` for checks that failed.
 */
function judge({ results, unreadable }: Results, failOn: Severity, isOnScreen: boolean): void {
  if (unreadable) {
    const missed = results.filter((result) => verdict(result) === 'error');
    const reasons = new Map<string, number>();
    // What could not be read decides about the exit code.
    const unread = missed.filter(({ lacks }) => lacks === undefined);
    for (const { observed } of [...unread, ...missed.filter((result) => !unread.includes(result))])
      reasons.set(observed, (reasons.get(observed) ?? 0) + 1);
    const [only, ...others] = [...reasons].map(([reason, count]) => `${reason} (${count})`);
    const why = others.length === 0 ? unreadable.message : [only, ...others].slice(0, mostReasons).join('; ');
    const says = `${missed.length} of ${results.length} checks could not run: ${why}`;
    const { hint, status, details, request, retryable } = unreadable;
    throw new Failure(unreadable.kind, says, { hint, status, details, request, retryable, cause: unreadable });
  }
  const totals = counts(results);
  const failed = totals.fail + totals.error + (failOn === 'warn' ? totals.warn : 0);
  // The last line of the report has the same counts.
  if (failed > 0 && isOnScreen) throw new Finished(1);
  const lacked = new Set(results.filter((result) => verdict(result) === 'error').map(({ lacks }) => lacks));
  const isInline = results.every(({ spec }) => spec.line === undefined);
  const hint = [
    ...(lacked.has('baseline') ? ['write a baseline first: --baseline FILE --update-baseline'] : []),
    ...(lacked.has('rows')
      ? [`${isInline ? '--allow-empty' : '`allow-empty: true` in the section'} lets a check find nothing`]
      : []),
  ].join('; ');
  if (failed > 0) {
    const code = 'check_failed';
    throw new Failure('no', `checks failed: ${summary(results)}`, { code, ...(hint && { hint }) });
  }
}
