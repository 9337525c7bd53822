import type { operations } from '../../contract/index.ts';
import type { LoopStepResult } from '../../contract/lists.ts';
import { invalid } from '../model/failure.ts';
import { loopOf, queueStep } from '../store/lists.ts';
import { requireEntry } from './entries.ts';
import type { Handler } from './handler.ts';
import { requireList } from './lists.ts';

/** How long a step stays queued. Computed when it is read: no timer, and the same in every process. */
const stepMs = 2000;

export const stepEntry: Handler<typeof operations.stepEntry> = async (call) => {
  const { params, body, store: database } = call;
  const { dryRun } = body;
  if (dryRun !== undefined && typeof dryRun !== 'boolean')
    throw invalid({ path: 'dryRun', message: 'must be a boolean' });
  // The machine's clock, even when the API's is fixed: a step must end.
  const now = Date.now();
  const doneBefore = new Date(now - stepMs).toISOString();
  return database.write(async (db) => {
    await requireList(db, call);
    const entry = await requireEntry(db, params.listId, params.entryId);
    const loop = await loopOf(db, entry.id);
    const queued = loop !== undefined && loop.queued_at > doneBefore;
    const done = (loop?.steps ?? 0) - Number(queued);
    const state = { state: queued ? 'queued' : 'idle', ...(done > 0 && { note: doneNote(done) }) };
    const reason = entry.archived ? 'The entry is archived' : queued ? 'A step is already queued' : undefined;
    if (reason !== undefined) return refusal(reason, state, entry.archived, dryRun === true);
    if (dryRun === true) {
      return { status: 200, body: { queued: false, canStep: true, ...state, nextAction: 'step', reason: 'Dry run' } };
    }
    if (!(await queueStep(db, entry.id, new Date(now).toISOString(), doneBefore))) {
      return refusal('A step is already queued', { ...state, state: 'queued' }, false, false);
    }
    return { body: { queued: true, canStep: true, ...state, state: 'queued', nextAction: 'wait' } };
  }, params.listId);
};

/** A dry run is not an error: it answers what would happen. */
function refusal(reason: string, state: LoopStepResult, archived: boolean, dryRun: boolean) {
  const step = { queued: false, canStep: false, ...state, nextAction: archived ? 'unarchive' : 'wait', reason };
  return dryRun ? { status: 200, body: step } : { status: 409, body: { ...step, error: reason } };
}

function doneNote(steps: number): string {
  return steps === 1 ? '1 step is done' : `${steps} steps are done`;
}
