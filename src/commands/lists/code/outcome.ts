/** What writes to lists end with: counts on stdout, failures on stderr, and the exit code. */

import type { Context } from '../../../cli/context.ts';
import { Failure } from '../../../core/errors.ts';
import type { Column } from '../../../output/column.ts';

const kinds = ['created', 'updated', 'unchanged', 'skipped', 'deleted', 'failed', 'not_tried'] as const;
export type Counts = Record<(typeof kinds)[number], number>;

export const countColumns: readonly Column<Counts>[] = kinds.map((key) => ({
  key,
  type: 'integer',
  get: (counts) => counts[key],
}));

/** Failures that are named one by one. */
const named = 10;

/** The writes of one command, as they end. */
export interface Tally {
  readonly counts: Counts;
  readonly failures: { name: string; failure: Failure }[];
  /** True after a failure that every further write would meet. */
  stopped: boolean;
  /** Runs one write. @returns whether it was done; a failure is kept, and named on stderr */
  attempt(name: string, kind: 'created' | 'updated' | 'deleted', write: () => Promise<void>): Promise<boolean>;
  /** What to throw once the counts have been printed. */
  verdict(hint: string): Failure | undefined;
}

/** As many failures in a row as may come from a server that does not answer, before the rest is left. */
const patience = 5;

export function tallyOf(ctx: Context): Tally {
  const counts = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Counts;
  const failures: Tally['failures'] = [];
  let unanswered = 0;
  return {
    counts,
    failures,
    stopped: false,
    async attempt(name, kind, write) {
      if (this.stopped || ctx.runtime.signal.aborted) {
        counts.not_tried += 1;
        return false;
      }
      try {
        await write();
        counts[kind] += 1;
        unanswered = 0;
        return true;
      } catch (error) {
        if (!(error instanceof Failure) || error.kind === 'bug') throw error;
        unanswered = error.kind === 'tryLater' ? unanswered + 1 : 0;
        this.stopped ||= error.kind === 'credential' || error.kind === 'interrupted' || unanswered >= patience;
        if (error.kind === 'interrupted') {
          counts.not_tried += 1;
          return false;
        }
        counts.failed += 1;
        failures.push({ name, failure: error });
        if (failures.length <= named) ctx.out.warn(`${name} was not written: ${error.message}`);
        return false;
      }
    },
    verdict: (hint) => verdict(ctx, counts, failures, hint),
  };
}

function verdict(ctx: Context, counts: Counts, failures: Tally['failures'], hint: string): Failure | undefined {
  const done = counts.created + counts.updated + counts.deleted;
  const { failed, not_tried: left } = counts;
  if (failed + left === 0) return undefined;
  const says = `${done} of ${done + failed + left} writes were done, ${failed} failed${left > 0 ? `, ${left} were not tried` : ''}`;
  if (ctx.runtime.signal.aborted) return new Failure('interrupted', `interrupted: ${says}`, { hint });
  const details = failures.slice(0, 100).map(({ name, failure: { code, message, status } }) => ({
    target: name,
    code,
    message,
    status,
  }));
  const [first] = failures;
  if (done > 0 || first === undefined) return new Failure('partial', says, { hint, details });
  const { kind, message, status, request } = first.failure;
  const shared = failures.every(({ failure }) => failure.kind === kind) ? kind : 'rejected';
  return new Failure(shared, `${says}: ${message}`, { hint, details, status, request });
}
