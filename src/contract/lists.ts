/** Custom lists: resources (docs/api.md, "Custom list resources"). */
import {
  any,
  array,
  boolean,
  dateTime,
  type Infer,
  integer,
  nullable,
  number,
  object,
  oneOf,
  record,
  string,
  uuid,
} from './schema.ts';

export const attributeTypes = [
  'text',
  'number',
  'currency',
  'date',
  'url',
  'email',
  'select',
  'multi_select',
  'status',
  'checkbox',
  'rating',
] as const;
export type AttributeType = (typeof attributeTypes)[number];

export const tones = ['charcoal', 'taupe', 'stone', 'sand', 'cobalt', 'steel', 'sage', 'mint'] as const;
export type Tone = (typeof tones)[number];

/** Attribute types whose value is one or several options of `config.options`. */
export const optionTypes: readonly AttributeType[] = ['select', 'multi_select', 'status'];

/** The templates of the embedded server (docs/server.md, "Templates"). Clients send any string. */
export const templateIds = ['deal-pipeline', 'portfolio', 'investor-crm', 'hiring', 'okrs'] as const;

export const ListSelectOption = object(
  { id: string(), label: string(), tone: nullable(oneOf(tones)), color: nullable(string()) },
  { title: 'ListSelectOption' },
);
export type ListSelectOption = Infer<typeof ListSelectOption>;

export const ListAttributeConfig = object(
  { options: array(ListSelectOption), currency: string(), min: number(), max: number() },
  { title: 'ListAttributeConfig' },
);
export type ListAttributeConfig = Infer<typeof ListAttributeConfig>;

export const CustomListAttribute = object(
  {
    id: uuid(),
    list_id: uuid(),
    name: string(),
    slug: string(),
    attribute_type: oneOf(attributeTypes),
    config: ListAttributeConfig,
    is_required: boolean(),
    position: integer(),
    created_at: dateTime(),
    updated_at: dateTime(),
  },
  { title: 'CustomListAttribute' },
);
export type CustomListAttribute = Infer<typeof CustomListAttribute>;

export const CustomListEntry = object(
  {
    id: uuid(),
    list_id: uuid(),
    title: string(),
    values: record(any(), { description: 'values keyed by attribute slug' }),
    position: integer(),
    archived: boolean(),
    linked_entity_type: nullable(string()),
    linked_entity_id: nullable(uuid()),
    created_by: nullable(uuid()),
    created_at: dateTime(),
    updated_at: dateTime(),
  },
  { title: 'CustomListEntry' },
);
export type CustomListEntry = Infer<typeof CustomListEntry>;

const listFields = {
  id: uuid(),
  network_id: nullable(uuid()),
  company_id: nullable(uuid()),
  name: string(),
  slug: string(),
  description: nullable(string()),
  icon: nullable(string()),
  color: nullable(string()),
  entity_type: string(),
  context_type: nullable(string()),
  is_system: boolean(),
  position: integer(),
  created_by: nullable(uuid()),
  created_at: dateTime(),
  updated_at: dateTime(),
};

export const CustomListSummary = object(
  { ...listFields, list_attributes_count: integer() },
  { title: 'CustomListSummary' },
);
export type CustomListSummary = Infer<typeof CustomListSummary>;

export const CustomListWithAttributes = object(
  { ...listFields, list_attributes: array(CustomListAttribute) },
  { title: 'CustomListWithAttributes' },
);
export type CustomListWithAttributes = Infer<typeof CustomListWithAttributes>;

export const LoopStepResult = object(
  {
    queued: boolean({ description: 'true when a step was queued' }),
    canStep: boolean({ description: 'whether a step can be taken' }),
    state: string(),
    nextAction: string(),
    reason: string(),
    error: string({ description: 'present in rejection bodies' }),
    note: string(),
  },
  { title: 'LoopStepResult' },
);
export type LoopStepResult = Infer<typeof LoopStepResult>;

export const TemplateInstance = object(
  {
    list: CustomListSummary,
    template: object({ id: string(), name: string(), description: string() }),
  },
  { title: 'TemplateInstance' },
);
export type TemplateInstance = Infer<typeof TemplateInstance>;
