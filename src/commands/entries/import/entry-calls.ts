/** One planned write as a call of the API. */

import type { PlannedCall } from '../../../cli/context.ts';
import { createEntry, deleteEntry, updateEntry } from '../../../contract/entry-operations.ts';
import type { Input, Operation } from '../../../contract/operation.ts';
import type { EntryBody, ImportAction } from '../../../domain/import/plan.ts';
import { type Realised, realiseValues } from '../../../domain/import/realise.ts';

export function callOf(listId: string, action: ImportAction, created: Realised = new Map()): PlannedCall {
  const params = { listId };
  switch (action.do) {
    case 'create':
      return planned(createEntry, { params, body: realised(action.body, created) });
    case 'update':
      return planned(updateEntry, { params, body: { id: action.id, ...realised(action.body, created) } });
    case 'archive':
      return planned(updateEntry, { params, body: { id: action.id, archived: true } });
    case 'delete':
      return planned(deleteEntry, { params, query: { entryId: action.id } });
  }
}

/** A call of any operation, held against its own types. */
export function planned<O extends Operation>(op: O, input: Input<O>): PlannedCall {
  return { op, input } as unknown as PlannedCall;
}

function realised<B extends EntryBody>(body: B, created: Realised): B {
  return body.values === undefined || created.size === 0
    ? body
    : { ...body, values: realiseValues(body.values, created) };
}
