/** Reports many writes: counts on stdout, the first failures on stderr, and the failure that the command throws. */
import type { Outcome } from '../client/bulk.ts';
import { allFailed, Failure, type FailureOptions } from '../core/errors.ts';
import { type Column, headingOf } from '../output/column.ts';
import type { Context } from './context.ts';

/** The colours of the outcomes of writes. */
export const outcomeTones: Column['tones'] = {
  created: 'green',
  updated: 'green',
  revoked: 'green',
  restored: 'green',
  archived: 'green',
  deleted: 'green',
  unchanged: 'dim',
  skipped: 'yellow',
  not_tried: 'yellow',
  failed: 'red',
};

/** The colours of how something differs from before. */
export const changeTones: Column['tones'] = {
  added: 'green',
  created: 'green',
  changed: 'yellow',
  restated: 'yellow',
  different: 'yellow',
  removed: 'red',
  deleted: 'red',
  archived: 'dim',
  unchanged: 'dim',
  unknown: 'dim',
};

interface Ending extends Pick<FailureOptions, 'hint' | 'details'> {
  /** Whether anything was written, or is as it should be. */
  some: boolean;
  failures: readonly Failure[];
  /** `2 of 5 entries could not be updated`. */
  says: string;
}

/** Interrupted, partial when something was done, else the class that all failures share. */
export function failureOf({ some, failures, says, hint, details }: Ending): Failure {
  const interrupted = failures.some(({ kind }) => kind === 'interrupted');
  if (interrupted) return new Failure('interrupted', `interrupted: ${says}`, { hint, details });
  if (some || failures.length === 0) return new Failure('partial', says, { hint, details });
  return allFailed(failures, says, { hint, details });
}

const doneKinds = ['created', 'updated', 'archived', 'deleted'] as const;
export type DoneKind = (typeof doneKinds)[number];
export type CountKind = DoneKind | 'unchanged' | 'skipped' | 'failed' | 'not_tried';
export type Counts = Record<CountKind, number>;

export function countColumns(kinds: readonly CountKind[]): Column<Counts>[] {
  return kinds.map((key) => ({ key, heading: headingOf(key), type: 'integer', get: (counts) => counts[key] }));
}

/** A write that failed: what messages call it, and what the details of the error name it by. */
interface Named {
  name: string;
  details: Record<string, unknown>;
}

interface Failed extends Named {
  failure: Failure;
}

/** The numbers of failures in warnings and in details. */
const maxNames = 10;
const detailed = 100;

/** The lines of the first failures, and how many more there are. */
export function failureLines<F>(failures: readonly F[], count: number, lineOf: (failure: F) => string): string[] {
  const lines = failures.slice(0, maxNames).map(lineOf);
  return count > maxNames ? [...lines, `and ${count - maxNames} more`] : lines;
}

/** The writes of one command, as they end. */
export class Tally {
  readonly counts: Counts = {
    created: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    archived: 0,
    deleted: 0,
    failed: 0,
    not_tried: 0,
  };
  /** The first ones, and the first of each kind. */
  private readonly failed: Failed[] = [];

  /** @param named called for a failed write only */
  add(kind: DoneKind, outcome: Outcome<unknown>, named: () => Named): void {
    if (outcome.is === 'done') this.counts[kind] += 1;
    // A request that was cancelled before it was sent is not done; of one that was sent nobody knows.
    else if (outcome.is === 'notTried' || (outcome.failure.kind === 'interrupted' && outcome.failure.retryable)) {
      this.counts.not_tried += 1;
    } else {
      this.counts.failed += 1;
      const { failure } = outcome;
      const isNew = this.failed.length < detailed || this.failed.every((known) => known.failure.kind !== failure.kind);
      if (isNew) this.failed.push({ ...named(), failure });
    }
  }

  /** Whether everything so far was done. */
  get complete(): boolean {
    return this.counts.failed + this.counts.not_tried === 0;
  }

  warn({ out }: Context): void {
    for (const line of this.lines()) out.warn(line);
  }

  private lines(): string[] {
    return failureLines(this.failed, this.counts.failed, ({ name, failure }) => {
      const isOpen = failure.kind === 'interrupted' || failure.kind === 'tryLater';
      return `${name} ${isOpen ? 'may not have been' : 'was not'} written: ${failure.message}`;
    });
  }

  /** The failure to throw once the counts are printed. */
  verdict({ runtime, settings }: Context, hint: string): Failure | undefined {
    if (this.complete) return undefined;
    const { failed, not_tried: left } = this.counts;
    const done = doneKinds.reduce((sum, kind) => sum + this.counts[kind], 0);
    const counts = `${done} of ${done + failed + left} writes were done, ${failed} failed`;
    const says = `${counts}${left > 0 ? `, ${left} were not tried` : ''}`;
    if (runtime.signal.aborted) return new Failure('interrupted', `interrupted: ${says}`, { hint });
    const failures = this.failed.map(({ failure }) => failure);
    const details = this.failed.slice(0, detailed).map(({ details: which, failure: { code, message, status } }) => ({
      ...which,
      code,
      message,
      status,
    }));
    const failure = failureOf({ some: done > 0, failures, says, hint, details });
    // --quiet shows no warnings.
    return settings.quiet ? failure.with({ lines: this.lines() }) : failure;
  }
}
