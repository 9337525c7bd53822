/** The steps that undo a run: its writes from the last to the first, each compared with the current state. */

import type { Context, PlannedCall } from '../../cli/context.ts';
import type { RecordedWrite, Run } from '../../config/history.ts';
import { operations } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { attributeToRecreate, entryToRecreate, listToRecreate } from '../../domain/undo/recreate.ts';
import {
  isOpen,
  nameOf,
  patched,
  renamed,
  restoring,
  revertedBy,
  type Thing,
  thingOf,
} from '../../domain/undo/undo.ts';
import { whyNotUndone } from './read.ts';
import { removing } from './remove.ts';
import { createState, type State } from './state.ts';
import type { Step, UndoStep } from './step.ts';

/** @throws what reading the lists throws, except for lists that no longer exist */
export async function planUndo(
  ctx: Context,
  run: Run,
  ids: ReadonlyMap<string, string>,
  force: boolean,
): Promise<UndoStep[]> {
  const state = createState(ctx);
  const steps: UndoStep[] = [];
  for (const recorded of run.writes.toReversed().filter(isOpen)) {
    const write = renamed(recorded, ids);
    const base = { n: write.n, what: nameOf(write), write };
    const why = whyNotUndone(write);
    steps.push(
      why === undefined
        ? { ...base, ...(await stepOf(write, state, force)) }
        : { ...base, outcome: 'impossible', error: why },
    );
  }
  return steps;
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
