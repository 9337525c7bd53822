/** One write for each of several targets, in their order. */

import type { Operation, Unwrapped } from '../contract/operation.ts';
import { allFailed, Failure } from '../core/errors.ts';
import type { Context, PlannedCall } from './context.ts';

export interface BulkCall<O extends Operation> extends PlannedCall<O> {
  /** What messages call the target. */
  name: string;
}

export interface BulkResult<O extends Operation> {
  done: Unwrapped<O>[];
  /** What to throw once the rows that were done have been printed; undefined when all were. */
  failure: Failure | undefined;
}

/**
 * Sends the calls one after the other, each failure named on stderr and kept from stopping the rest. A credential that
 * is refused and an interrupt stop at once: the rest would meet the same. `verb` is the past participle for messages.
 */
export async function bulk<O extends Operation>(
  ctx: Context,
  calls: readonly BulkCall<O>[],
  verb: string,
  question?: string,
): Promise<BulkResult<O>> {
  await ctx.prepare(calls, question);
  const client = await ctx.client();
  const done: Unwrapped<O>[] = [];
  const failed: { name: string; failure: Failure }[] = [];
  for (const { op, input, name } of calls) {
    try {
      done.push(await client.call(op, input));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'bug') throw error;
      failed.push({ name, failure: error });
      if (calls.length > 1) ctx.out.warn(`${name} was not ${verb}: ${error.message}`);
      if (error.kind === 'credential' || error.kind === 'interrupted') break;
    }
  }
  return { done, failure: verdict(calls.length, done.length, failed, verb) };
}

function verdict(
  all: number,
  done: number,
  failed: readonly { name: string; failure: Failure }[],
  verb: string,
): Failure | undefined {
  const [first] = failed;
  if (first === undefined) return undefined;
  if (all === 1) return first.failure;
  const details = failed.map(({ name, failure }) => ({
    target: name,
    code: failure.code,
    message: failure.message,
    status: failure.status,
  }));
  const left = all - done - failed.length;
  const counts = `${done} of ${all} were ${verb}, ${failed.length} failed${left > 0 ? `, ${left} were not tried` : ''}`;
  const hint = `failed: ${failed.map(({ name }) => name).join(', ')}`;
  if (done > 0) return new Failure('partial', counts, { hint, details });
  const failures = failed.map(({ failure }) => failure);
  return allFailed(failures, `none of ${all} were ${verb}`, { hint, details });
}
