/** Steps that undo a creation: what was created is deleted, a grant is revoked, unless it has changed since. */

import { planned } from '../../cli/bulk.ts';
import type { PlannedCall } from '../../cli/context.ts';
import { amount } from '../../cli/words.ts';
import type { RecordedWrite } from '../../config/history.ts';
import { deleteEntry } from '../../contract/entry-operations.ts';
import { deleteAttribute, deleteList } from '../../contract/list-operations.ts';
import { revokeGrant } from '../../contract/metric-operations.ts';
import { isEnded } from '../../domain/grants/grants.ts';
import { changedSince, isBlank, type Thing, thingOf } from '../../domain/undo/undo.ts';
import type { State } from './state.ts';
import type { Step } from './step.ts';

export async function removing(write: RecordedWrite, state: State, force: boolean): Promise<Step> {
  const { op, params = {}, made } = write;
  const id = String(made?.id);
  const listId = String(params.listId);
  switch (op) {
    case 'createEntry': {
      const entry = await state.entry(listId, id);
      if (!entry) return { outcome: 'unchanged' };
      const changed = changedSince(write, entry);
      if (changed.length > 0 && !force) return changedStep(changed);
      state.setEntry(listId, id, undefined);
      return deletion(planned(deleteEntry, { params: { listId }, query: { entryId: id } }));
    }
    case 'createAttribute': {
      const attribute = await state.attribute(listId, id);
      if (!attribute) return { outcome: 'unchanged' };
      const { slug } = attribute;
      const used = (await state.entries(listId)).filter(({ values }) => !isBlank(thingOf(values)[String(slug)])).length;
      const changed = [...changedSince(write, attribute), ...(used > 0 ? [`values in ${entries(used)}`] : [])];
      if (changed.length > 0 && !force) return changedStep(changed);
      state.setAttribute(listId, id, undefined);
      return deletion(planned(deleteAttribute, { params: { listId }, query: { attributeId: id } }));
    }
    case 'createGrant': {
      const grant = await state.grant(id);
      if (!grant || isEnded(grant)) return { outcome: 'unchanged' };
      return { outcome: 'revoked', call: planned(revokeGrant, { params: { id } }) };
    }
    default: {
      const list = await state.list(id);
      if (!list) return { outcome: 'unchanged' };
      const changed = [...changedSince(write, list), ...(await within(list, write, state))];
      if (changed.length > 0 && !force) return changedStep(changed);
      state.setList(id, undefined, []);
      return deletion(planned(deleteList, { params: { listId: id } }));
    }
  }
}

/** What a list has that the run did not create. */
async function within({ list_attributes }: Thing, { made }: RecordedWrite, state: State): Promise<string[]> {
  const attributes = (Array.isArray(list_attributes) ? list_attributes.length : 0) - (made?.attributes ?? 0);
  const { length } = await state.entries(String(made?.id));
  return [
    ...(attributes > 0 ? [amount(attributes, 'attribute', 'attributes')] : []),
    ...(length > 0 ? [entries(length)] : []),
  ];
}

function entries(count: number): string {
  return amount(count, 'entry', 'entries');
}

function deletion(call: PlannedCall): Step {
  return { outcome: 'deleted', call };
}

function changedStep(changed: readonly string[]): Step {
  return { outcome: 'skipped', error: `changed since then: ${changed.join(', ')}; --force deletes it anyway` };
}
