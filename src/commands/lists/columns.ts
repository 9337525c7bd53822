/** Columns of lists, attributes and step results. Tables leave out fields that few people need. */
import {
  CustomListAttribute,
  CustomListSummary,
  type CustomListWithAttributes,
  LoopStepResult,
  type TemplateInstance,
} from '../../contract/lists.ts';
import type { Column } from '../../output/column.ts';
import { schemaColumns } from '../../output/column.ts';

/** A list with its attributes, or with their number. */
type AnyList = CustomListSummary & Partial<CustomListWithAttributes>;

const rare = { hidden: true };

export const listColumns: Column<AnyList>[] = schemaColumns<AnyList>(CustomListSummary, {
  network_id: rare,
  company_id: rare,
  icon: rare,
  color: rare,
  entity_type: rare,
  context_type: rare,
  is_system: { ...rare, heading: 'System' },
  position: rare,
  created_by: { ...rare, rank: 11 },
  created_at: rare,
  updated_at: rare,
  name: { rank: 1 },
  slug: { rank: 2 },
  description: { rank: 4, wraps: true },
  list_attributes_count: { heading: 'Attributes', rank: 3 },
}).map((column) =>
  // The API sends the number of attributes only without the attributes.
  column.key === 'list_attributes_count'
    ? { ...column, get: (list) => list.list_attributes_count ?? list.list_attributes?.length }
    : column,
);

/** Columns of a single list: a table shows every field. */
export const oneListColumns: Column<AnyList>[] = listColumns.map((column) => ({ ...column, hidden: false }));

export const listDetailColumns: Column<AnyList>[] = [
  ...oneListColumns,
  {
    key: 'list_attributes',
    heading: 'List attributes',
    type: 'json',
    hidden: true,
    get: (list) => list.list_attributes,
  },
];

export const attributeColumns: Column<CustomListAttribute>[] = schemaColumns<CustomListAttribute>(CustomListAttribute, {
  // Commands take the slug, and the table needs the room.
  id: rare,
  list_id: rare,
  attribute_type: { heading: 'Type' },
  config: rare,
  is_required: { heading: 'Required' },
  position: rare,
  created_at: rare,
  updated_at: rare,
}).flatMap((column) => (column.key === 'config' ? [optionsColumn(), column] : [column]));

/** One attribute: every field also in a table. */
export const oneAttributeColumns = attributeColumns.map((column) => ({ ...column, hidden: column.key === 'config' }));

/** A list created from a template, and the template. */
export const instanceColumns: Column<TemplateInstance>[] = [
  ...listColumns.map(
    ({ key, heading, type, hidden, get }): Column<TemplateInstance> => ({
      key,
      heading,
      type,
      hidden,
      path: ['list', key],
      get: ({ list }) => get(list ?? {}),
    }),
  ),
  { key: 'template', heading: 'Template', path: ['template', 'id'], get: ({ template }) => template?.id },
];

export const stepColumns: Column<LoopStepResult>[] = schemaColumns<LoopStepResult>(LoopStepResult);

/** The options by label, for people; `config` has all their fields. */
function optionsColumn(): Column<CustomListAttribute> {
  return {
    key: 'options',
    heading: 'Options',
    path: ['config', 'options'],
    get: (attribute) => optionLabels(attribute)?.join('; '),
    shown: (attribute) => optionLabels(attribute)?.join(', '),
  };
}

function optionLabels({ config }: CustomListAttribute): string[] | undefined {
  return config?.options?.flatMap(({ label, id }) => label ?? id ?? []);
}
