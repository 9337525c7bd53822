/** The steps that undo a run: its writes from the last to the first, each compared with the current state. */

import type { Context, PlannedCall } from '../../cli/context.ts';
import type { CreationMatch } from '../../client/creation.ts';
import type { RecordedWrite, Run } from '../../config/history.ts';
import { operations } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { attributeToRecreate, entryToRecreate, listToRecreate } from '../../domain/undo/recreate.ts';
import {
  isOpen,
  isUnanswered,
  nameOf,
  patched,
  renamed,
  restoring,
  revertedBy,
  type Thing,
  thingOf,
} from '../../domain/undo/undo.ts';
import { idsOf, whyNotUndone } from './read.ts';
import { removing } from './remove.ts';
import { createState, type State } from './state.ts';
import type { Step, UndoStep } from './step.ts';
import { thingsFor, type Unanswered, unansweredOf, unclearText } from './unanswered.ts';

/** @throws what reading the lists throws, except for lists that no longer exist */
export async function planUndo(ctx: Context, run: Run, runs: readonly Run[], force: boolean): Promise<UndoStep[]> {
  const state = createState(ctx);
  const unanswered = unansweredOf(runs, run, state);
  const ids = idsOf(runs);
  const steps: UndoStep[] = [];
  const known = new Map<string, Set<string>>();
  /** What is there now was not created by a request that is yet to be sent. */
  const knownFor = async ({ op, input }: PlannedCall) => {
    const key = `${op.id} ${thingOf(input.params).listId}`;
    const things = known.has(key) ? [] : await thingsFor({ op: op.id, ...input }, state);
    const ids = known.get(key) ?? new Set(things.map(({ id }) => String(id).toLowerCase()));
    known.set(key, ids);
    return ids;
  };
  for (const recorded of run.writes.toReversed().filter(isOpen)) {
    const write = renamed(recorded, ids);
    const base = { n: write.n, what: nameOf(write), write };
    const why = whyNotUndone(write);
    if (why !== undefined) steps.push({ ...base, outcome: 'impossible', error: why });
    else if (isUnanswered(write)) {
      const match = await unanswered.createdBy(recorded, write);
      steps.push({ ...base, ...(await undoneCreation(write, match, state, force)) });
    } else {
      const step = await checked(await stepOf(write, state, force), unanswered, force);
      const { call } = step;
      const creates = call !== undefined && step.outcome === 'recreated' && call.op.method === 'POST';
      steps.push({ ...base, ...step, ...(creates && { known: await knownFor(call) }) });
    }
  }
  return steps;
}

/** Undoes a creation that nobody answered. */
async function undoneCreation(write: RecordedWrite, match: CreationMatch, state: State, force: boolean): Promise<Step> {
  if (match.is === 'absent') return { outcome: 'unchanged', error: 'it was not created' };
  if (match.is === 'unclear') return { outcome: 'skipped', error: unclearText('created', match.candidates) };
  return removing({ ...write, made: { id: String(match.thing.id) } }, state, force);
}

/** Nothing is created again that an earlier undo may have created: that is looked up first. */
async function checked(step: Step, unanswered: Unanswered, force: boolean): Promise<Step> {
  const { call, outcome } = step;
  if (!call || outcome !== 'recreated' || call.op.method !== 'POST') return step;
  const match = await unanswered.sentBefore({ op: call.op.id, ...call.input });
  if (match === undefined) return step;
  if (match.is === 'present') return { outcome, ...continued(call, match.thing) };
  if (match.is === 'absent' || force) return { ...step, sentBefore: true };
  const error = `${unclearText('re-created', match.candidates)}; --force creates it all the same`;
  return { outcome: 'skipped', error };
}

/** What an earlier undo created is not created again; of a list or attribute, the rest may be missing. */
function continued(call: PlannedCall, thing: Thing): Pick<Step, 'call' | 'created'> {
  const created = { thing, by: call };
  const id = String(thing.id);
  const { attribute_type: _, ...body } = thingOf(call.input.body);
  if (call.op.id === 'createList') return { created, call: planned(operations.updateList, { listId: id }, body) };
  if (call.op.id !== 'createAttribute') return { created };
  return { created, call: planned(operations.updateAttribute, thingOf(call.input.params), { ...body, id }) };
}

async function stepOf(write: RecordedWrite, state: State, force: boolean): Promise<Step> {
  const { op, params = {}, query = {} } = write;
  const listId = String(params.listId);
  const before = thingOf(write.before);
  switch (op) {
    case 'updateEntry':
      return restore(write, await state.entry(listId, idIn(write)), force, (id, body) => {
        state.setEntry(listId, id, body);
      });
    case 'updateList':
      return restore(write, await state.list(listId), force, (_, list) => state.setList(listId, list));
    case 'updateAttribute':
      return restore(write, await state.attribute(listId, idIn(write)), force, (id, attribute) => {
        state.setAttribute(listId, id, attribute);
      });
    case 'createEntry':
    case 'createAttribute':
    case 'createList':
    case 'instantiateTemplate':
    case 'createGrant':
      return removing(write, state, force);
    case 'deleteEntry': {
      if (await state.entry(listId, String(query.entryId))) return { outcome: 'unchanged' };
      if (!(await state.list(listId))) return { outcome: 'skipped', error: 'its list no longer exists' };
      state.setEntry(listId, String(query.entryId), before);
      return { outcome: 'recreated', call: planned(operations.createEntry, { listId }, entryToRecreate(before)) };
    }
    case 'deleteAttribute': {
      const attribute = thingOf(before.attribute);
      if (await state.attribute(listId, String(query.attributeId))) return { outcome: 'unchanged' };
      if (!(await state.list(listId))) return { outcome: 'skipped', error: 'its list no longer exists' };
      const again = attributeToRecreate(attribute);
      const { halfway } = write;
      if (halfway && (await state.attribute(listId, halfway.id))) {
        const { attribute_type: _, ...body } = again;
        return {
          outcome: 'recreated',
          call: planned(operations.updateAttribute, { listId }, { ...body, id: halfway.id }),
        };
      }
      return { outcome: 'recreated', call: planned(operations.createAttribute, { listId }, again) };
    }
    case 'deleteList': {
      if (await state.list(listId)) return { outcome: 'unchanged' };
      const list = thingOf(before.list);
      state.setList(listId, list, Array.isArray(before.entries) ? before.entries : []);
      const { halfway } = write;
      if (halfway && (await state.list(halfway.id))) {
        return {
          outcome: 'recreated',
          call: planned(operations.updateList, { listId: halfway.id }, listToRecreate(list)),
        };
      }
      const call = planned(operations.createList, undefined, listToRecreate(list));
      const companyId = typeof list.company_id === 'string' ? { query: { companyId: list.company_id } } : {};
      return { outcome: 'recreated', call: { ...call, input: { ...call.input, ...companyId } } };
    }
    default:
      return { outcome: 'impossible', error: 'comem cannot revert this' };
  }
}

function restore(
  write: RecordedWrite,
  current: Thing | undefined,
  force: boolean,
  restored: (id: string, thing: Thing) => void,
): Step {
  if (!current) return { outcome: 'skipped', error: 'it no longer exists' };
  const fields = revertedBy(write);
  const { body, changed } = restoring(fields, current, force);
  if (changed.length > 0) {
    return {
      outcome: 'skipped',
      error: `changed since then: ${changed.join(', ')}; --force reverts it anyway`,
    };
  }
  if (body === undefined) return { outcome: 'unchanged' };
  const op = operations[write.op as 'updateEntry' | 'updateList' | 'updateAttribute'];
  const id = write.op === 'updateList' ? {} : { id: idIn(write) };
  restored(idIn(write), patched(current, body));
  return { outcome: 'restored', call: planned(op, write.params ?? {}, { ...body, ...id }) };
}

function planned(op: Operation, params: Thing | undefined, body: Thing): PlannedCall {
  return { op, input: { ...(params ? { params } : {}), body } };
}

function idIn({ body }: RecordedWrite): string {
  return String(thingOf(body).id);
}
