/** Entries of custom lists: operations, in the order of docs/api.md, "Custom list operations". */
import { CustomListEntry, LoopStepResult } from './lists.ts';
import { operation } from './operation.ts';
import { any, anyObject, array, boolean, integer, nullable, object, record, string, uuid } from './schema.ts';

const listId = { listId: uuid({ description: 'the list' }) };
const ofList = object(listId, { required: ['listId'] });
const inHeader = { in: 'header', required: false } as const;

export const listEntries = operation({
  id: 'listEntries',
  method: 'GET',
  path: '/api/lists/{listId}/entries',
  credential: 'session',
  summary: 'List the entries (rows) of a list',
  company: inHeader,
  params: ofList,
  query: object({
    archived: boolean({ description: 'include archived entries' }),
    archivedOnly: boolean({ description: 'only archived entries' }),
    viewId: uuid({ description: 'a saved view that selects the entries' }),
    search: string({ description: 'part of the title, in any letter case' }),
    filter: record(array(string()), { description: 'facets: attribute slug to the values that match' }),
    limit: integer({ minimum: 1, maximum: 500, description: 'entries in one page' }),
    offset: integer({ minimum: 0, description: 'entries to skip' }),
    withTotal: boolean({ default: false, description: 'send the exact total in X-List-Total-Count' }),
  }),
  result: array(CustomListEntry),
  paging: 'offset',
  errors: 4,
  success: 200,
  notes: [
    'a facet is written `filter[attributeSlug]=value`; the key is repeated to select several values',
    'the legacy form `filter.attributeSlug=value` is still accepted',
    '`withTotal` adds the response header `X-List-Total-Count`, but not in a request with `viewId`',
  ],
});

const entryFields = {
  values: record(any()),
  position: integer(),
  archived: boolean(),
  linked_entity_type: nullable(string()),
  linked_entity_id: nullable(uuid()),
};

export const createEntry = operation({
  id: 'createEntry',
  method: 'POST',
  path: '/api/lists/{listId}/entries',
  credential: 'session',
  summary: 'Add an entry to a list',
  company: inHeader,
  params: ofList,
  body: object({ title: string({ minLength: 1 }), ...entryFields }, { required: ['title'] }),
  result: CustomListEntry,
  errors: 3,
  success: 201,
});

export const updateEntry = operation({
  id: 'updateEntry',
  method: 'PATCH',
  path: '/api/lists/{listId}/entries',
  credential: 'session',
  summary: 'Change an entry',
  company: inHeader,
  params: ofList,
  body: object(
    { id: uuid({ description: 'the entry' }), title: string({ minLength: 1 }), ...entryFields },
    { required: ['id'] },
  ),
  result: CustomListEntry,
  errors: 4,
  success: 200,
});

export const deleteEntry = operation({
  id: 'deleteEntry',
  method: 'DELETE',
  path: '/api/lists/{listId}/entries',
  credential: 'session',
  summary: 'Delete an entry',
  company: inHeader,
  params: ofList,
  query: object({ entryId: uuid({ description: 'the entry' }) }, { required: ['entryId'] }),
  errors: 3,
  success: 204,
  destructive: true,
});

export const stepEntry = operation({
  id: 'stepEntry',
  method: 'POST',
  path: '/api/lists/{listId}/entries/{entryId}/loop-step',
  credential: 'key',
  summary: 'Queue the next loop step of an entry',
  company: inHeader,
  params: object({ ...listId, entryId: uuid({ description: 'the entry' }) }, { required: ['listId', 'entryId'] }),
  body: anyObject(),
  result: LoopStepResult,
  rejection: ['queued', 'canStep'],
  errors: 4,
  success: 202,
  notes: [
    'if `queued` is true, `canStep` is true',
    'a rejection has the fields of the result: `queued` and `canStep` are false, and `error` is a text',
  ],
});
