/** A run of checks from the command line: file, run, baseline, reports, exit code. */

import type { Context } from '../../cli/context.ts';
import { issues } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { type Baseline, BaselineSchema, baselineOf, withBaseline } from '../../domain/checks/baseline.ts';
import type { CheckSection } from '../../domain/checks/check-file.ts';
import { defaultFindings, type Severity } from '../../domain/checks/model.ts';
import { readCheckFile, withTags } from './check-file.ts';
import { judge } from './judge.ts';
import { reportTargets, writeReports, writeWhole } from './reports/write.ts';
import { runChecks } from './run-file.ts';

export interface CheckFlags {
  only?: readonly string[];
  report?: readonly string[];
  failOn?: string;
  maxFindings?: number;
  baseline?: string;
  updateBaseline?: boolean;
}

export async function checkFile(ctx: Context, file: string, flags: CheckFlags): Promise<void> {
  if (flags.updateBaseline && !flags.baseline) throw usage('--update-baseline needs --baseline FILE');
  const sections = withTags(await readCheckFile(ctx, file), flags.only);
  await check(ctx, file, sections, flags);
}

/** Runs sections and reports them as `name`. @throws Failure when the run is no pass */
export async function check(
  ctx: Context,
  name: string,
  sections: readonly CheckSection[],
  flags: CheckFlags,
): Promise<void> {
  const targets = reportTargets(ctx, flags.report);
  const baseline =
    flags.baseline === undefined ? undefined : await readBaseline(ctx, flags.baseline, flags.updateBaseline ?? false);
  const startedAt = new Date(ctx.runtime.now());
  const begun = performance.now();
  // A baseline must know every finding, not the first few.
  const cap = baseline || flags.updateBaseline ? Number.POSITIVE_INFINITY : (flags.maxFindings ?? defaultFindings);
  const run = await runChecks(ctx, sections, { cap, baseline });
  if (flags.updateBaseline && flags.baseline !== undefined && !run.unreadable) {
    const text = `${JSON.stringify(baselineOf(run.results, run.aggregates), null, 2)}\n`;
    await writeWhole(ctx, flags.baseline, text);
    ctx.out.note(`The baseline ${flags.baseline} now holds what was found.`);
    run.results = withBaseline(run.results, baselineOf(run.results, run.aggregates));
  } else if (baseline) run.results = withBaseline(run.results, baseline);
  const shown = run.results.map((result) => ({
    ...result,
    findings: result.findings.slice(0, flags.maxFindings ?? defaultFindings),
  }));
  await writeReports(ctx, targets, {
    file: name,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - begun),
    profile: ctx.settings.profile.value,
    results: shown,
  });
  judge(run, (flags.failOn as Severity | undefined) ?? 'error');
}

async function readBaseline(ctx: Context, file: string, mayBeMissing: boolean): Promise<Baseline | undefined> {
  const text = await ctx.readArgument(`@${file}`).catch((error: unknown) => {
    if (mayBeMissing && error instanceof Error && error.message.startsWith('there is no file')) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const value = parseJson(text);
  const [issue] = issues(BaselineSchema, value);
  if (issue) throw usage(`${file} is no baseline: ${issue.path} ${issue.message}`, 'write one with --update-baseline');
  return value as Baseline;
}
