/** Sends what undoing a run comes to, in order; entries several at a time, lists and attributes alone. */

import type { PlannedCall } from '../../cli/context.ts';
import type { Client } from '../../client/client.ts';
import type { Thing } from '../../client/undo/seen.ts';
import type { NewId, UndoMarks } from '../../config/history.ts';
import { limiter } from '../../core/concurrency.ts';
import { Failure } from '../../core/errors.ts';
import type { UndoStep } from './plan.ts';
import { fillList, fillValues } from './refill.ts';

export interface UndoRow {
  write: number;
  what: string;
  outcome: UndoStep['outcome'] | 'partly' | 'failed';
  /** Of what was restored or made anew. */
  id: string | null;
  error: string | null;
}

export interface Undone {
  row: UndoRow;
  failure?: Failure;
}

const inFlight = 4;

/** Old ids, in lower case, to those of what was made in their place. */
class NewIds extends Map<string, string> {
  private unmarked: NewId[] = [];

  override set(old: string, made: string): this {
    this.unmarked.push([old, made]);
    return super.set(old, made);
  }

  /** From earlier undos. */
  know(ids: ReadonlyMap<string, string>): void {
    for (const [old, made] of ids) super.set(old, made);
  }

  /** Those that were not asked for before. */
  fresh(): NewId[] {
    return this.unmarked.splice(0);
  }
}

/** The results in the order of the steps. */
export async function execute(
  client: Client,
  steps: readonly UndoStep[],
  { ids: known, marks }: { ids: ReadonlyMap<string, string>; marks: UndoMarks },
  progress: (done: number) => void,
): Promise<Undone[]> {
  const slot = limiter(inFlight);
  const ids = new NewIds();
  ids.know(known);
  const chains = new Map<string, Promise<unknown>>();
  const results: Promise<Undone>[] = [];
  let done = 0;
  let stopped: Failure | undefined;
  const run = async (step: UndoStep): Promise<Undone> => {
    const { n: write, what, outcome, error = null } = step;
    if (!step.call) {
      if (outcome === 'unchanged') marks.undone(write);
      return { row: { write, what, outcome, id: null, error } };
    }
    if (stopped) return { row: { write, what, outcome: 'skipped', id: null, error: `not tried: ${stopped.message}` } };
    try {
      const { id, notes, missing } = await send(client, step, step.call, marks, ids);
      if (missing !== undefined) {
        return { row: { write, what, outcome: 'partly', id, error: `without ${missing}` } };
      }
      marks.undone(write, ids.fresh());
      return { row: { write, what, outcome, id, error: notes.length > 0 ? notes.join('; ') : error } };
    } catch (failure) {
      if (!(failure instanceof Failure) || failure.kind === 'bug') throw failure;
      if (failure.kind === 'credential' || failure.kind === 'interrupted') stopped ??= failure;
      return { row: { write, what, outcome: 'failed', id: null, error: failure.message }, failure };
    } finally {
      done += 1;
      progress(done);
    }
  };
  for (const step of steps) {
    const ofEntry = step.write.op === 'updateEntry' || step.write.op === 'deleteEntry';
    if (!ofEntry) {
      await ended(results);
      results.push(Promise.resolve(await run(step)));
      continue;
    }
    // What was done to one entry is taken back one after the other.
    const key = entryOf(step);
    const before = chains.get(key) ?? Promise.resolve();
    const result = before.then(() => slot(() => run(step)));
    chains.set(key, result);
    results.push(result);
  }
  return ended(results);
}

/** Waits for all of them, also when one throws: what is under way is still to be marked. */
async function ended<T>(results: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(results);
  return Promise.all(results);
}

function entryOf({ write }: UndoStep): string {
  return String(write.query?.entryId ?? (Object(write.body) as Thing).id).toLowerCase();
}

/** What was made anew has a new id, and writes before it meant the old one. */
function withNewIds({ op, input }: PlannedCall, ids: ReadonlyMap<string, string>): PlannedCall {
  const renamed = (value: unknown) => ids.get(String(value).toLowerCase()) ?? value;
  const params = Object(input.params) as Thing;
  const body = Object(input.body) as Thing;
  return {
    op,
    input: {
      ...input,
      ...(params.listId === undefined ? {} : { params: { ...params, listId: renamed(params.listId) } }),
      ...(body.id === undefined ? { body } : { body: { ...body, id: renamed(body.id) } }),
    },
  } as unknown as PlannedCall;
}

async function send(client: Client, step: UndoStep, call: PlannedCall, marks: UndoMarks, ids: NewIds) {
  const { op, input } = withNewIds(call, ids);
  const { write } = step;
  const made = Object(await client.call(op, input)) as Thing;
  const begun = op.method === 'PATCH';
  const id = typeof made.id === 'string' ? made.id : null;
  const makesAnew = write.op === 'deleteList' || write.op === 'deleteAttribute';
  if (!makesAnew || !begun) checkConfig(Object(input.body) as Thing, made);
  const old = write.op === 'deleteList' ? write.params?.listId : (write.query?.entryId ?? write.query?.attributeId);
  if (old !== undefined && id !== null) ids.set(String(old).toLowerCase(), id);
  if (!makesAnew || id === null) return { id, notes: [] };
  // Until it is whole, also when this process is killed.
  marks.halfway(write.n, { id, missing: 'what an undo that was broken off did not come to' }, ids.fresh());
  const before = Object(write.before) as Thing;
  const listId = write.op === 'deleteList' ? id : String((Object(input.params) as Thing).listId);
  const refill = { client, listId, ids, begun };
  const values = Array.isArray(before.values) ? (before.values as [unknown, unknown][]) : [];
  const { notes, missing } =
    write.op === 'deleteList' ? await fillList(refill, before) : await fillValues(refill, String(made.slug), values);
  if (missing !== undefined) marks.halfway(write.n, { id, missing }, ids.fresh());
  return { id, notes, missing };
}

/** The API clears no bound and no currency: a PATCH that added one cannot be taken back whole. */
function checkConfig(sent: Thing, made: Thing): void {
  if (sent.id === undefined || sent.config === undefined || made.config === undefined) return;
  const kept = Object.keys(Object(made.config)).filter((name) => !Object.hasOwn(Object(sent.config), name));
  if (kept.length === 0) return;
  throw new Failure('rejected', `the rest came back, but the API cannot take ${kept.join(', ')} away again`);
}
