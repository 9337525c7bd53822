/** What an import ends with: counts on stdout, failures on stderr, and the exit code. */

import type { Context } from '../../../cli/context.ts';
import { Failure } from '../../../core/errors.ts';
import type { ImportAction } from '../../../domain/import/plan.ts';
import type { Column } from '../../../output/column.ts';
import { nameOf } from './describe.ts';
import type { Outcomes } from './execute.ts';
import type { StoredPlan } from './stored-plan.ts';

const kinds = ['created', 'updated', 'unchanged', 'skipped', 'archived', 'deleted', 'failed', 'not_tried'] as const;
export type Counts = Record<(typeof kinds)[number], number>;

export const countColumns: readonly Column<Counts>[] = kinds.map((key) => ({
  key,
  type: 'integer',
  get: (counts) => counts[key],
}));

/** Failures that are named one by one; the journal and `--failed` have them all. */
const named = 10;

export function countsOf(plan: StoredPlan, { done, failed }: Outcomes): Counts {
  const of = (kind: ImportAction['do']) =>
    plan.actions.filter((one, index) => one.do === kind && done.has(index)).length;
  return {
    created: of('create'),
    updated: of('update'),
    unchanged: plan.unchanged,
    skipped: plan.skipped,
    archived: of('archive'),
    deleted: of('delete'),
    failed: failed.size,
    not_tried: plan.actions.length - done.size - failed.size,
  };
}

/** `503 created, 0 updated, …`; what happens seldom is named only when it did. */
export function countsText(counts: Counts): string {
  const seldom = ['archived', 'deleted', 'not_tried'];
  return `${kinds
    .filter((kind) => counts[kind] > 0 || !seldom.includes(kind))
    .map((kind) => `${counts[kind]} ${kind.replace('_', ' ')}`)
    .join(', ')}.`;
}

/** Names the first failures on stderr. */
export function warnOfFailures(ctx: Context, plan: StoredPlan, { failed }: Outcomes): void {
  for (const [index, { message }] of [...failed].slice(0, named)) {
    const action = plan.actions[index];
    if (action !== undefined) ctx.out.warn(`${nameOf(action, plan)} was not written: ${message}`);
  }
  if (failed.size > named) ctx.out.warn(`and ${failed.size - named} more`);
}

/** What to throw when not everything was done: exit 7, or the class that all failures share. */
export function verdict(
  ctx: Context,
  plan: StoredPlan,
  { done, failed }: Outcomes,
  failedFile: string | undefined,
): Failure | undefined {
  const all = plan.actions.length;
  if (done.size === all) return undefined;
  const left = all - done.size - failed.size;
  const kept = failedFile === undefined ? '' : `${failedFile} holds what is left; `;
  const hint = `${kept}the same command with --resume goes on`;
  const counts = `${done.size} of ${all} writes were done, ${failed.size} failed${left > 0 ? `, ${left} were not tried` : ''}`;
  if (ctx.runtime.signal.aborted) return new Failure('interrupted', `interrupted: ${counts}`, { hint });
  const failures = [...failed];
  const [first] = failures;
  const details = failures.slice(0, 100).map(([index, { code, message, status }]) => {
    const action = plan.actions[index];
    return {
      ...(action && 'row' in action ? { line: action.line, key: action.key } : { id: action?.id }),
      code,
      message,
      status,
    };
  });
  if (done.size > 0 || first === undefined) return new Failure('partial', counts, { hint, details });
  const [, { kind, message, status, request }] = first;
  const shared = failures.every(([, failure]) => failure.kind === kind) ? kind : 'rejected';
  return new Failure(shared, `${counts}: ${message}`, { hint, details, status, request });
}
