import { expect, it } from 'vitest';
import { refusedStep } from '../../../src/commands/entries/bulk.ts';

it.each([[{ queued: true, canStep: true }], [{ queued: true }], [{ queued: false, canStep: true }]])(
  '%j is no refusal',
  (step) => {
    expect(refusedStep(step)).toBeUndefined();
  },
);

it.each([
  [{ queued: false, canStep: false, error: 'busy', reason: 'r' }, /busy/],
  [{ queued: false, canStep: false, reason: 'archived', state: 'idle' }, /archived/],
  [{ queued: false, note: 'done' }, /done/],
  [{ state: 'idle' }, /gives no reason/],
  [{ error: '', reason: 'archived' }, /archived/],
])('%j is refused', (step, says) => {
  expect(refusedStep(step)).toMatchObject({ kind: 'no', message: expect.stringMatching(says) });
});

it('tells the state of the entry where the answer has it', () => {
  expect(refusedStep({ state: 'idle' })?.hint).toBe("the entry's state is idle");
  expect(refusedStep({ note: 'done' })?.hint).toBeUndefined();
});
