/** List files: their schema, their reader, and their mistakes. */
import { attributeTypes, type ListAttributeConfig, optionTypes, tones } from '../../contract/lists.ts';
import { array, boolean, type Infer, integer, nullable, number, object, oneOf, string } from '../../contract/schema.ts';
import { issues, isUuid } from '../../contract/validate.ts';
import { compare } from '../../core/decimal.ts';
import { isNumeric, isObject } from '../../core/json.ts';
import type { TextPosition } from '../../core/yaml.ts';

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
  currency: nullable(
    string({ pattern: '^[A-Z]{3}$', says: 'three capitals such as EUR', description: 'of a currency; null: none' }),
  ),
  min: nullable(number({ description: 'smallest value of a number, currency or rating; null: none' })),
  max: nullable(number({ description: 'largest value of a number, currency or rating; null: none' })),
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

/** An existing attribute, with the fields that a write must repeat. */
export interface ExistingAttribute extends AttributeSpec {
  position?: number;
  config?: ListAttributeConfig | undefined;
}

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

export interface Problem extends TextPosition {
  message: string;
}

type Report = (path: string, message: string) => void;
type Fields = Record<string, unknown>;

/** Types with bounds (docs/server.md, "Attributes" 4). */
export const numeric: readonly unknown[] = ['number', 'currency', 'rating'];

/** @returns the specification, and its problems; without problems it has its type */
export function readListSpec(
  value: unknown,
  positionOf: (path: string) => TextPosition,
): { spec: ListSpec; problems: Problem[] } {
  const problems: Problem[] = [];
  const report: Report = (path, message) => {
    problems.push({ ...positionOf(path), message: path === '' ? message : `${path}: ${message}` });
  };
  const list = expand(value);
  for (const { path, message } of issues(ListSpec, list)) {
    report(path, path === '' ? `a list file ${message} with a name` : message);
  }
  const attributes = objectsOf(isObject(list) ? list.attributes : undefined);
  for (const [index, attribute] of attributes) checkAttribute(attribute, `attributes.${index}`, report);
  requireDistinct(attributes, 'id', 'attributes', report);
  requireDistinct(attributes, 'slug', 'attributes', report);
  // Attributes of one name need an id or slug.
  const bare = attributes.filter(([, { id, slug }]) => id === undefined && slug === undefined);
  requireDistinct(bare, 'name', 'attributes', report, '; two attributes of one name need their slug or id');
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { spec: list as ListSpec, problems };
}

/** An option may be written as only its label. */
export function expand(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.attributes)) return value;
  const attributes = value.attributes.map((attribute: unknown) => {
    if (!isObject(attribute) || !Array.isArray(attribute.options)) return attribute;
    const options = attribute.options.map((option: unknown) =>
      typeof option === 'string' ? { label: option } : option,
    );
    return { ...attribute, options };
  });
  return { ...value, attributes };
}

function checkAttribute(attribute: Fields, path: string, report: Report): void {
  const { type, min, max, options } = attribute;
  const takes = (field: string, types: readonly unknown[]) => {
    if (
      attribute[field] !== undefined &&
      attribute[field] !== null &&
      typeof type === 'string' &&
      !types.includes(type)
    ) {
      report(`${path}.${field}`, `is for attributes of type ${types.join(', ')}, and this one is ${type}`);
    }
  };
  takes('options', optionTypes);
  takes('min', numeric);
  takes('max', numeric);
  takes('currency', ['currency']);
  if (isNumeric(min) && isNumeric(max) && compare(min, max) > 0) {
    report(`${path}.max`, `must not be below min (${min}), got ${max}`);
  }
  const optionFields = objectsOf(options);
  requireDistinct(optionFields, 'id', `${path}.options`, report);
  requireDistinct(optionFields, 'label', `${path}.options`, report);
}

/** Reports each value of a field that an earlier item has too. */
function requireDistinct(items: readonly [number, Fields][], field: string, path: string, report: Report, more = '') {
  const values = new Set<unknown>();
  for (const [index, item] of items) {
    const value = item[field];
    if (typeof value !== 'string') continue;
    const key = isUuid(value) ? value.toLowerCase() : value;
    if (values.has(key)) report(`${path}.${index}.${field}`, `repeats ${JSON.stringify(value)}${more}`);
    values.add(key);
  }
}

function objectsOf(value: unknown): [number, Fields][] {
  return (Array.isArray(value) ? value : []).flatMap((item: unknown, index): [number, Fields][] =>
    isObject(item) ? [[index, item]] : [],
  );
}

/** The specification without ids, for a list of another server. */
export function withoutIds({ id: _, ...list }: ListSpec): ListSpec {
  const bare = ({ id: _id, ...attribute }: AttributeSpec): AttributeSpec =>
    attribute.options === undefined
      ? attribute
      : { ...attribute, options: attribute.options.map(({ id: _option, ...option }) => option) };
  return { ...list, ...(list.attributes === undefined ? {} : { attributes: list.attributes.map(bare) }) };
}
