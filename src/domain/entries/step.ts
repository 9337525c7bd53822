/** What the answer of a loop step means, read from its body (docs/api.md, "Step results"). */
import type { LoopStepResult } from '../../contract/lists.ts';
import { Failure } from '../../core/errors.ts';

/** The failure of a step that was neither queued nor can be taken; undefined when it was or can. */
export function refusedStep(result: LoopStepResult): Failure | undefined {
  if (result.queued === true || result.canStep === true) return undefined;
  const { error, reason, note, state } = result;
  const says = [error, reason, note].find((text) => typeof text === 'string' && text !== '');
  return new Failure('no', `no step was queued: ${says ?? 'the server gives no reason'}`, {
    hint: state === undefined ? undefined : `the entry's state is ${state}`,
    code: 'step_refused',
  });
}
