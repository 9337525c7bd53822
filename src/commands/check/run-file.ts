/** One run of checks: every list, series and grant set is read once, whatever the number of checks that look at it. */

import type { Context } from '../../cli/context.ts';
import { type Failure, isForgivable } from '../../core/errors.ts';
import type { CheckSection } from '../../domain/checks/check-file.ts';
import type { CheckResult, CheckSpec, Outcome } from '../../domain/checks/model.ts';
import { type GroupResult, type RunOptions, subjectOf } from './group.ts';
import { readGrantChecks } from './read-grants.ts';
import { readListChecks } from './read-lists.ts';
import { readMetricChecks } from './read-metrics.ts';

export interface Run {
  results: CheckResult[];
  aggregates: Record<string, Record<string, number>>;
  /** The first reason for which data could not be read. */
  unreadable?: Failure;
}

/** As many reads at once as an API is glad to answer. */
const concurrency = 4;

export async function runChecks(ctx: Context, sections: readonly CheckSection[], options: RunOptions): Promise<Run> {
  const groups = new Map<string, CheckSection[]>();
  for (const section of sections) {
    const key = section.subject === 'list' ? `list ${section.label}` : `${section.subject} ${section.company ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), section]);
  }
  const found = new Map<CheckSpec, Outcome>();
  const run: Run = { results: [], aggregates: {} };
  const waiting = [...groups.values()];
  const worker = async (): Promise<void> => {
    for (let group = waiting.shift(); group; group = waiting.shift()) await runGroup(ctx, group, options, found, run);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  for (const section of sections) {
    for (const spec of section.checks) {
      const outcome = found.get(spec);
      if (outcome) run.results.push({ spec, subject: subjectOf(section), ...outcome });
    }
  }
  return run;
}

async function runGroup(
  ctx: Context,
  group: readonly CheckSection[],
  options: RunOptions,
  found: Map<CheckSpec, Outcome>,
  run: Run,
): Promise<void> {
  const [first] = group;
  if (!first) return;
  const specs = group.flatMap((section) => section.checks);
  try {
    const { outcomes, aggregates } = await readGroup(ctx, group, first, options);
    for (const [spec, outcome] of outcomes) found.set(spec, outcome);
    if (Object.keys(aggregates).length > 0) run.aggregates[subjectOf(first)] = aggregates;
  } catch (error) {
    if (!isForgivable(error)) throw error;
    const missing = first.subject === 'list' && error.kind === 'notFound';
    for (const spec of specs) found.set(spec, unread(spec, error, missing));
    // That a list is missing is an answer where the file asks for just that, and an unread list everywhere else.
    if (!missing || specs.some((spec) => !asksExistence(spec))) run.unreadable ??= error;
  }
}

function readGroup(
  ctx: Context,
  group: readonly CheckSection[],
  first: CheckSection,
  options: RunOptions,
): Promise<GroupResult> {
  if (first.subject === 'list') return readListChecks(ctx, first.label, group, options);
  if (first.subject === 'metrics') return readMetricChecks(ctx, group, options);
  return readGrantChecks(ctx, group, options);
}

const asksExistence = (spec: CheckSpec): boolean => spec.expect.trim() === 'exists';

function unread(spec: CheckSpec, error: Failure, missing: boolean): Outcome {
  const answer = missing && asksExistence(spec);
  return {
    status: answer ? 'fail' : 'error',
    observed: error.message,
    threshold: spec.expect,
    failed: 0,
    findings: [],
  };
}
