/** Custom lists: operations, in the order of docs/api.md, "Custom list operations". */
import {
  attributeTypes,
  CustomListAttribute,
  CustomListSummary,
  CustomListWithAttributes,
  TemplateInstance,
  tones,
} from './lists.ts';
import { operation } from './operation.ts';
import { array, boolean, integer, nullable, number, object, oneOf, string, uuid } from './schema.ts';

const listId = { listId: uuid({ description: 'the list' }) };
const ofList = object(listId, { required: ['listId'] });
const listFields = {
  description: nullable(string()),
  icon: nullable(string()),
  color: nullable(string()),
  entity_type: string(),
  context_type: nullable(string()),
  position: integer(),
};
const inHeader = { in: 'header', required: false } as const;

export const listLists = operation({
  id: 'listLists',
  method: 'GET',
  path: '/api/lists',
  credential: 'session',
  summary: 'List the custom lists of a company',
  company: { in: 'query', required: true },
  query: object({ companyId: uuid({ description: 'the company' }) }, { required: ['companyId'] }),
  result: array(CustomListSummary),
  errors: 3,
  success: 200,
});

export const createList = operation({
  id: 'createList',
  method: 'POST',
  path: '/api/lists',
  credential: 'key',
  summary: 'Create a custom list',
  company: { in: 'query', required: true },
  query: object({ companyId: uuid({ description: 'the company' }) }, { required: ['companyId'] }),
  body: object({ name: string({ minLength: 1 }), ...listFields }, { required: ['name'] }),
  result: CustomListSummary,
  errors: 5,
  success: 201,
});

export const getList = operation({
  id: 'getList',
  method: 'GET',
  path: '/api/lists/{listId}',
  credential: 'session',
  summary: 'Read one list with its attributes',
  company: inHeader,
  params: ofList,
  result: CustomListWithAttributes,
  errors: 3,
  success: 200,
});

export const updateList = operation({
  id: 'updateList',
  method: 'PATCH',
  path: '/api/lists/{listId}',
  credential: 'session',
  summary: 'Change the fields of a list',
  company: inHeader,
  params: ofList,
  body: object({ name: string({ minLength: 1 }), ...listFields }),
  result: CustomListSummary,
  errors: 3,
  success: 200,
});

export const deleteList = operation({
  id: 'deleteList',
  method: 'DELETE',
  path: '/api/lists/{listId}',
  credential: 'session',
  summary: 'Delete a list with its attributes and entries',
  company: inHeader,
  params: ofList,
  errors: 3,
  success: 204,
  destructive: true,
});

/** An option as a write sends it: without an id the server gives one. */
const OptionInput = object(
  { id: string(), label: string({ minLength: 1 }), tone: nullable(oneOf(tones)), color: nullable(string()) },
  { required: ['label'] },
);

const ConfigInput = object({ options: array(OptionInput), currency: string(), min: number(), max: number() });

export const createAttribute = operation({
  id: 'createAttribute',
  method: 'POST',
  path: '/api/lists/{listId}/attributes',
  credential: 'session',
  summary: 'Add an attribute (a column) to a list',
  company: inHeader,
  params: ofList,
  body: object(
    {
      name: string({ minLength: 1 }),
      attribute_type: oneOf(attributeTypes),
      config: ConfigInput,
      is_required: boolean(),
      position: integer(),
    },
    { required: ['name', 'attribute_type'] },
  ),
  result: CustomListAttribute,
  errors: 4,
  success: 201,
});

export const updateAttribute = operation({
  id: 'updateAttribute',
  method: 'PATCH',
  path: '/api/lists/{listId}/attributes',
  credential: 'session',
  summary: 'Change an attribute of a list',
  company: inHeader,
  params: ofList,
  body: object(
    {
      id: uuid({ description: 'the attribute' }),
      name: string({ minLength: 1 }),
      config: ConfigInput,
      is_required: boolean(),
      position: integer(),
    },
    { required: ['id'] },
  ),
  result: CustomListAttribute,
  errors: 3,
  success: 200,
});

export const deleteAttribute = operation({
  id: 'deleteAttribute',
  method: 'DELETE',
  path: '/api/lists/{listId}/attributes',
  credential: 'session',
  summary: 'Delete an attribute and its values',
  company: inHeader,
  params: ofList,
  query: object({ attributeId: uuid({ description: 'the attribute' }) }, { required: ['attributeId'] }),
  errors: 3,
  success: 204,
  destructive: true,
});

export const instantiateTemplate = operation({
  id: 'instantiateTemplate',
  method: 'POST',
  path: '/api/lists/templates/instantiate',
  credential: 'key',
  summary: 'Create a list from a template',
  company: inHeader,
  body: object({ templateId: string({ minLength: 1 }), name: string({ minLength: 1 }) }, { required: ['templateId'] }),
  result: TemplateInstance,
  errors: 4,
  success: 201,
});
