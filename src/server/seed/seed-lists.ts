/** Lists, entries and saved views of a seed file. */
import { attributeTypes, tones } from '../../contract/lists.ts';
import { SavedViewFilters } from '../../contract/memory-resources.ts';
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
} from '../../contract/schema.ts';

// Shared with the other parts of the schema (seed.ts).
export const closed = { additionalProperties: false } as const;
export const text = (description: string) => string({ minLength: 1, description });
export const optionalText = nullable(string());
export const company = text('slug of a company of this file, or the name or id of one in the database');
export const user = text('email (or id) of a user of this file or of the database');
export const id = uuid({ description: 'default: derived from the names, the same at every load' });
export const stamps = { created_at: dateTime(), updated_at: dateTime() };

const SeedOption = object(
  {
    id: string({ minLength: 1, description: 'default: the label in lower case' }),
    label: string({ minLength: 1 }),
    tone: nullable(oneOf(tones)),
    color: optionalText,
  },
  { required: ['label'], ...closed },
);

export const SeedAttribute = object(
  {
    id,
    name: text('the heading'),
    slug: text('default: derived from the name'),
    attribute_type: oneOf(attributeTypes),
    config: object(
      {
        options: array(SeedOption),
        retired: array(SeedOption, { description: 'removed options that values may still name' }),
        currency: string(),
        min: number(),
        max: number(),
      },
      closed,
    ),
    is_required: boolean(),
    position: integer({ description: 'default: its place in the file' }),
    ...stamps,
  },
  { required: ['name', 'attribute_type'], ...closed },
);
export type SeedAttribute = Infer<typeof SeedAttribute>;

export const SeedEntry = object(
  {
    id,
    title: string({ minLength: 1 }),
    values: record(any(), { description: 'by attribute slug; options by label or id' }),
    position: integer({ description: 'default: its place in the file' }),
    archived: boolean(),
    linked_entity_type: optionalText,
    linked_entity_id: nullable(uuid()),
    created_by: nullable(user),
    loop: object({ queued_at: dateTime(), steps: integer({ minimum: 1 }) }, { required: ['queued_at', 'steps'] }),
    ...stamps,
  },
  { required: ['title'], ...closed },
);
export type SeedEntry = Infer<typeof SeedEntry>;

export const SeedList = object(
  {
    id,
    company,
    name: text('shown to people'),
    slug: text('default: derived from the name'),
    description: optionalText,
    icon: optionalText,
    color: optionalText,
    entity_type: string({ minLength: 1 }),
    context_type: optionalText,
    is_system: boolean(),
    position: integer({ description: 'default: its place in the file' }),
    created_by: nullable(user),
    attributes: array(SeedAttribute),
    entries: array(SeedEntry),
    ...stamps,
  },
  { required: ['company', 'name'], ...closed },
);
export type SeedList = Infer<typeof SeedList>;

export const SeedView = object(
  {
    id,
    company,
    name: text('shown to people'),
    description: optionalText,
    icon: optionalText,
    room_id: nullable(uuid()),
    filters: SavedViewFilters,
    position: integer(),
    is_pinned: boolean(),
    created_by: nullable(user),
    ...stamps,
  },
  { required: ['company', 'name', 'filters'], ...closed },
);
export type SeedView = Infer<typeof SeedView>;
