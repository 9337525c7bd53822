/** A list as a file describes it: attributes, options and their order, without entries. */
import { attributeTypes, type ListAttributeConfig, tones } from '../../contract/lists.ts';
import { array, boolean, type Infer, integer, nullable, number, object, oneOf, string } from '../../contract/schema.ts';

const closed = { additionalProperties: false } as const;

const OptionSpec = object(
  {
    id: string({ minLength: 1, description: 'kept, so that another label is a new name for the same option' }),
    label: string({ minLength: 1, description: 'what people see' }),
    tone: nullable(oneOf(tones, { description: 'null: none' })),
    color: nullable(string({ description: 'null: none' })),
  },
  { required: ['label'], ...closed },
);
export type OptionSpec = Infer<typeof OptionSpec>;

const attributeFields = {
  id: string({ minLength: 1, description: 'keep it, so that a new name renames the same attribute' }),
  slug: string({ minLength: 1, description: 'assigned by the server when the attribute is created; it never changes' }),
  name: string({ minLength: 1, description: 'what people see' }),
  type: oneOf(attributeTypes, { description: 'cannot be changed once the attribute exists' }),
  required: boolean({ description: 'every entry must have a value' }),
  currency: string({ pattern: '^[A-Z]{3}$', says: 'three capitals such as EUR', description: 'of a currency' }),
  min: number({ description: 'smallest value of a number, currency or rating' }),
  max: number({ description: 'largest value of a number, currency or rating' }),
};

const AttributeSpec = object(
  { ...attributeFields, options: array(OptionSpec, { description: 'of select, multi_select and status, in order' }) },
  { required: ['name', 'type'], ...closed },
);
export type AttributeSpec = Infer<typeof AttributeSpec>;

const listFields = {
  $schema: string(),
  id: string({ minLength: 1, description: 'keep it, so that a new name renames the same list' }),
  slug: string({ minLength: 1, description: 'assigned by the server when the list is created; it never changes' }),
  name: string({ minLength: 1, description: 'what people see' }),
  description: nullable(string()),
  icon: nullable(string()),
  color: nullable(string()),
  entity_type: string({ description: 'what the entries are' }),
  context_type: nullable(string()),
  position: integer({ description: 'place among the lists' }),
};

const rules = { required: ['name'], title: 'comem list', ...closed } as const;

/** A list file once its options are written out. */
export const ListSpec = object({ ...listFields, attributes: array(AttributeSpec, { description: 'in order' }) }, rules);
export type ListSpec = Infer<typeof ListSpec>;

/** An attribute as the API has it, with what a write must send along. */
export interface ExistingAttribute extends AttributeSpec {
  position?: number;
  config?: ListAttributeConfig | undefined;
}

/** A list as the API has it. */
export interface ExistingList extends ListSpec {
  attributes: ExistingAttribute[];
}

/** The JSON Schema that ships with the package: a list file as editors check it, where an option may be only its label. */
export function listSchemaDocument(): Record<string, unknown> {
  const options = { type: 'array', items: { anyOf: [{ type: 'string', minLength: 1 }, OptionSpec] } };
  const { description } = ListSpec.properties?.attributes ?? {};
  // Our own message is not a keyword of JSON Schema.
  const { says: _, ...currency } = attributeFields.currency;
  const attribute = { ...AttributeSpec, properties: { ...attributeFields, currency, options } };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...ListSpec,
    description: 'A custom list. What is left out stays; attributes and options are complete lists.',
    properties: { ...listFields, attributes: { type: 'array', description, items: attribute } },
  };
}
