/** What became of each action of a plan, a byte for each that was done. */
import type { Outcome } from '../../../client/bulk.ts';
import { Failure, type FailureKind, type FailureOptions } from '../../../core/errors.ts';
import { Spool } from '../../../core/spool.ts';

const [notTried, done, failed] = [0, 1, 2];

type Kept = Pick<Failure, 'kind' | 'message'> & Pick<FailureOptions, 'status' | 'code' | 'request' | 'retryable'>;

export class Outcomes {
  private readonly states: Uint8Array;
  /** Places among the failures, by action. */
  private readonly places = new Map<number, number>();
  private readonly failures = new Spool<Kept>();

  constructor(count: number, before: Iterable<number> = []) {
    this.states = new Uint8Array(count);
    for (const index of before) this.states[index] = done;
  }

  set(index: number, outcome: Outcome<unknown>): void {
    this.states[index] = outcome.is === 'done' ? done : outcome.is === 'failed' ? failed : notTried;
    if (outcome.is !== 'failed') return;
    const { kind, message, status, code, request, retryable } = outcome.failure;
    this.places.set(index, this.failures.length);
    this.failures.push({ kind, message, status, code, request, retryable });
  }

  at(index: number): Outcome<undefined> {
    const state = this.states[index];
    if (state === done) return { is: 'done', value: undefined };
    const kept = state === failed ? this.failures.at(this.places.get(index) ?? -1) : undefined;
    if (!kept) return { is: 'notTried' };
    const { kind, message, ...options } = kept;
    return { is: 'failed', failure: new Failure(kind as FailureKind, message, options) };
  }

  isDone(index: number): boolean {
    return this.states[index] === done;
  }

  get areDone(): boolean {
    return this.states.every((state) => state === done);
  }

  get hasFailure(): boolean {
    return this.places.size > 0;
  }
}
