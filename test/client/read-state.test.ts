import { expect, test } from 'vitest';
import { createReadState } from '../../src/client/undo.ts';
import { operations } from '../../src/contract/index.ts';

const listId = '00000000-0000-4000-8000-000000000011';
const params = { listId };

test('keeps what was read and changed, and no entry that is created: an import creates any number', () => {
  const state = createReadState();
  state.take(operations.listEntries, { params }, [{ id: 'a', title: 'A' }]);
  state.takeAll(listId);
  state.take(operations.updateEntry, { params }, { id: 'a', title: 'B' });
  expect([state.isComplete(listId), state.entries(listId)]).toEqual([true, [{ id: 'a', title: 'B' }]]);
  state.take(operations.createEntry, { params }, { id: 'c', title: 'C' });
  expect([state.isComplete(listId), state.entries(listId)]).toEqual([false, [{ id: 'a', title: 'B' }]]);
});
