/** The steps that undo a run: its writes from the last to the first, each compared with the current state. */

import type { Context, PlannedCall } from '../../cli/context.ts';
import type { RecordedWrite, Run } from '../../config/history.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import { operations } from '../../contract/index.ts';
import { getList } from '../../contract/list-operations.ts';
import type { Operation } from '../../contract/operation.ts';
import { Failure } from '../../core/errors.ts';
import {
  attributeToRecreate,
  entryToRecreate,
  isOpen,
  listToRecreate,
  nameOf,
  patched,
  renamed,
  restoring,
  revertedBy,
  type Thing,
  thingOf,
} from '../../domain/undo/undo.ts';
import { whyNotUndone } from './read.ts';

export interface UndoStep {
  n: number;
  /** `entry "Acme"`. */
  what: string;
  write: RecordedWrite;
  /** What is sent, or first of all; undefined when nothing is. */
  call?: PlannedCall;
  outcome: 'restored' | 'recreated' | 'unchanged' | 'skipped' | 'impossible';
  error?: string;
}

/** @throws what reading the lists throws, except for lists that no longer exist */
export async function planUndo(
  ctx: Context,
  run: Run,
  ids: ReadonlyMap<string, string>,
  force: boolean,
): Promise<UndoStep[]> {
  const state = now(ctx);
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

type Step = Pick<UndoStep, 'call' | 'outcome' | 'error'>;

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
      return restore(write, await state.list(listId), force, () => {});
    case 'updateAttribute':
      return restore(write, await state.attribute(listId, idIn(write)), force, () => {});
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

type State = ReturnType<typeof now>;

/** Lists and entries as they are, and as they will be after the steps planned so far. */
function now(ctx: Context) {
  const lists = new Map<string, Promise<Thing | undefined>>();
  const entries = new Map<string, Promise<Map<string, Thing>>>();
  const readList = async (listId: string): Promise<Thing | undefined> => {
    try {
      return await (await ctx.client()).call(getList, { params: { listId } });
    } catch (error) {
      if (error instanceof Failure && error.kind === 'notFound') return undefined;
      throw error;
    }
  };
  const readEntries = async (listId: string): Promise<Map<string, Thing>> => {
    const found = new Map<string, Thing>();
    if (!(await list(listId))) return found;
    const client = await ctx.client();
    for await (const page of client.pages(listEntries, { params: { listId }, query: { archived: true } })) {
      for (const entry of page) if (entry.id !== undefined) found.set(entry.id.toLowerCase(), entry);
    }
    return found;
  };
  const list = (listId: string) => {
    const found = lists.get(listId) ?? readList(listId);
    lists.set(listId, found);
    return found;
  };
  const entriesOf = (listId: string) => {
    const found = entries.get(listId) ?? readEntries(listId);
    entries.set(listId, found);
    return found;
  };
  return {
    list,
    async attribute(listId: string, id: string) {
      const all = (await list(listId))?.list_attributes;
      return (Array.isArray(all) ? (all as Thing[]) : []).find(
        (one) => String(one.id).toLowerCase() === id.toLowerCase(),
      );
    },
    entry: async (listId: string, id: string) => (await entriesOf(listId)).get(id.toLowerCase()),
    setEntry(listId: string, id: string, thing: Thing) {
      entries.set(
        listId,
        entriesOf(listId).then((all) => all.set(id.toLowerCase(), thing)),
      );
    },
    setList(listId: string, thing: Thing, all: readonly Thing[]) {
      lists.set(listId, Promise.resolve(thing));
      entries.set(listId, Promise.resolve(new Map(all.map((one) => [String(one.id).toLowerCase(), one]))));
    },
  };
}
