/**
 * Executes many writes: concurrency, order, when to give up, and the outcome of each. Requests are plain functions
 * here.
 */
import { Failure, wrongCompany } from '../core/errors.ts';
import { type OnceOptions, sendOnce } from './creation.ts';

/** The outcome of a step. `why` is the failure that ended the run. */
export type Outcome<T> =
  | { is: 'done'; value: T }
  | { is: 'failed'; failure: Failure }
  | { is: 'notTried'; why?: Failure | undefined };

export interface Send<T> {
  send(): Promise<T>;
  /**
   * Finds what a request without an answer created; only if there is nothing is the step sent again. Without it
   * such a request has failed.
   */
  find?(): Promise<T | undefined>;
  /** An earlier process may have sent it: it is looked for first. */
  sentBefore?: boolean;
  /** Steps of one chain are sent one after the other. */
  chain?: string;
  /** Starts when all steps before it have ended; those after it start when it has ended. */
  alone?: boolean;
  /** Whether the step is to be sent; called when its turn comes. */
  ready?(): boolean;
  /** Looks up the outcome after a failure. `sent` resolves when all steps are sent. */
  verify?(failure: Failure, sent: Promise<void>): Promise<Outcome<T>>;
}

/** A step to send, or the outcome of one that needs no request. */
export type Step<T> = Send<T> | { outcome: Outcome<T> };

export interface BulkOptions extends OnceOptions {
  concurrency: number;
  /** This many failures in a row of a server that does not answer end the run. Default: any number is tolerated. */
  patience?: number;
  /** Failures that end the command at once instead of counting for a step. Default: `isLocal`. */
  isFatal?(failure: Failure): boolean;
}

/** Running steps: their outcomes in the order of the steps, each as soon as it is known. */
interface Running<T> extends AsyncIterable<Outcome<T>> {
  /** All outcomes, once every step has ended. @throws the fatal failure */
  readonly ended: Promise<Outcome<T>[]>;
}

export type Bulk = ReturnType<typeof createBulk>;

/** A failure of this machine or this call, such as a full disk under a journal, is not a failure of a step. */
function isLocal({ kind, code }: Failure): boolean {
  return kind === 'usage' && code !== 'invalid_input';
}

export function createBulk(options: BulkOptions) {
  const { concurrency, signal, patience = Number.POSITIVE_INFINITY, isFatal = isLocal } = options;
  let why: Failure | undefined;
  let fatal = false;
  let unanswered = 0;

  const stopping = (): Failure | undefined => {
    if (signal?.aborted) why ??= new Failure('interrupted', 'interrupted');
    return why;
  };

  /** Every other step would fail in the same way. */
  const judge = (failure: Failure) => {
    unanswered = failure.kind === 'tryLater' ? unanswered + 1 : 0;
    const ends =
      failure.kind === 'credential' ||
      failure.kind === 'interrupted' ||
      failure.code === 'ignored_fields' ||
      failure.code === wrongCompany ||
      unanswered >= patience;
    // What the interruption did to a request is not the reason of those that were not sent.
    if (ends) why ??= failure.kind === 'interrupted' ? new Failure('interrupted', 'interrupted') : failure;
  };

  const attempt = async <T>(step: Send<T>): Promise<Outcome<T>> => {
    const reason = stopping();
    if (fatal || reason) return { is: 'notTried', why: reason };
    if (step.ready && !step.ready()) return { is: 'notTried' };
    try {
      const value = await (step.find ? sendOnce(options, { ...step, find: step.find }) : step.send());
      unanswered = 0;
      return { is: 'done', value };
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'bug' || isFatal(error)) throw error;
      judge(error);
      return { is: 'failed', failure: error };
    }
  };

  return {
    /** Whether the run has stopped: after a refused credential, an interruption, or too many missing answers. */
    get stopped(): boolean {
      return fatal || stopping() !== undefined;
    },
    /**
     * Starts the steps, also if nobody reads the outcomes. A reason to stop one run stops all later ones.
     * @param onOutcome called for each step that was sent, as it ends; what it throws is fatal
     */
    run<T>(steps: readonly Step<T>[], onOutcome?: (index: number, outcome: Outcome<T>) => void): Running<T> {
      const end = (error: unknown) => {
        fatal = true;
        throw error;
      };
      return start(steps, concurrency, {
        send: (step) => attempt(step).catch(end),
        async settle(index, step, outcome, sent) {
          try {
            const verifiedOutcome = outcome.is === 'failed' ? await verifyStep(step, outcome, sent) : outcome;
            if (verifiedOutcome.is !== 'notTried') onOutcome?.(index, verifiedOutcome);
            return verifiedOutcome;
          } catch (error) {
            return end(error);
          }
        },
      });
    },
  };
}

/** Looks up the outcome of a step; one that cannot be looked up has failed. */
async function verifyStep<T>(
  step: Send<T>,
  outcome: { is: 'failed'; failure: Failure },
  sent: Promise<void>,
): Promise<Outcome<T>> {
  if (!step.verify) return outcome;
  try {
    return await step.verify(outcome.failure, sent);
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'bug') return outcome;
    throw error;
  }
}

interface Work<T> {
  /** Within a slot. */
  send(step: Send<T>): Promise<Outcome<T>>;
  /** After the slot is free again. */
  settle(index: number, step: Send<T>, outcome: Outcome<T>, sent: Promise<void>): Promise<Outcome<T>>;
}

/** Sends the steps: as many at once as there are slots, chains in sequence, and some steps alone. */
function start<T>(steps: readonly Step<T>[], slots: number, work: Work<T>): Running<T> {
  const outcomes: Promise<Outcome<T>>[] = [];
  let wake: (() => void)[] = [];

  /** Resolves when the step is sent. Its outcome may take longer. */
  const send = async (index: number): Promise<void> => {
    const step = steps[index] as Step<T>;
    const sending = 'outcome' in step ? Promise.resolve(step.outcome) : work.send(step);
    const outcome = 'outcome' in step ? sending : sending.then((result) => work.settle(index, step, result, sent));
    outcome.catch(() => undefined);
    outcomes[index] = outcome;
    for (const resume of wake) resume();
    wake = [];
    await sending.catch(() => undefined);
  };

  const sendRange = async (from: number, to: number): Promise<void> => {
    /** The steps of each chain in progress. */
    const chains = new Map<string | undefined, number[]>();
    let next = from;
    const sendNext = async () => {
      while (next < to) {
        const index = next;
        next += 1;
        const { chain } = steps[index] as Partial<Send<T>>;
        if (chain !== undefined && chains.get(chain)?.push(index)) continue;
        const chained = [index];
        if (chain !== undefined) chains.set(chain, chained);
        // Further steps of the chain are added meanwhile.
        for (const each of chained) await send(each);
        chains.delete(chain);
      }
    };
    await Promise.all(Array.from({ length: slots }, sendNext));
  };

  const sendAll = async (): Promise<void> => {
    let from = 0;
    for (const [index, step] of steps.entries()) {
      if (!('alone' in step && step.alone)) continue;
      await sendRange(from, index);
      await send(index);
      from = index + 1;
    }
    await sendRange(from, steps.length);
  };

  // Begins after `sent` can be named.
  const sent: Promise<void> = Promise.resolve().then(sendAll);
  const ended = sent.then(async () => {
    // Steps in flight are awaited, also after a fatal one.
    await Promise.allSettled(outcomes);
    return Promise.all(outcomes);
  });
  ended.catch(() => undefined);
  return {
    ended,
    async *[Symbol.asyncIterator]() {
      for (let index = 0; index < steps.length; index += 1) {
        while (outcomes[index] === undefined) await new Promise<void>((resolve) => wake.push(resolve));
        yield outcomes[index] as Promise<Outcome<T>>;
      }
    },
  };
}
