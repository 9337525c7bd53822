/** Entries as rows of named values, for checks: fixed fields and attribute slugs, options by id and label. */
import type { CustomListEntry } from '../../contract/lists.ts';
import { needed, rowName } from '../../core/needed.ts';
import { type Attribute, optionsOf } from './options.ts';

export type Entry = Partial<CustomListEntry>;

/** @throws rejected for an entry that does not say it */
export function isArchived({ id, archived }: Entry): boolean {
  return needed(archived, 'archived', rowName('entry', id));
}

/** The value of a name in the row; undefined and null are empty. */
export type Lookup = (name: string) => unknown;

/** An option of a select, by its id and its label. */
export class OptionValue {
  constructor(
    readonly id: string,
    readonly label: string,
  ) {}

  toString(): string {
    return this.label;
  }
}

/** Fields that every entry has beside its values. */
export const fixedFields = [
  'id',
  'title',
  'position',
  'archived',
  'created_at',
  'updated_at',
  'created_by',
  'linked_entity_type',
  'linked_entity_id',
] as const;

const fixed: ReadonlySet<string> = new Set(fixedFields);

/** The names that an expression over a list may use; a slug equal to a fixed field is `values.SLUG`. */
export function entryNames(attributes: readonly Attribute[]): string[] {
  const slugs = attributes.flatMap((attribute) => attribute.slug ?? []);
  return [...fixedFields, ...slugs.map((slug) => (fixed.has(slug) ? `values.${slug}` : slug))];
}

/** Reads names from entries of one list. */
export function entryLookup(attributes: readonly Attribute[]): (entry: Entry) => Lookup {
  const labels = new Map<string, Map<string, OptionValue>>();
  for (const attribute of attributes) {
    const options = optionsOf(attribute);
    if (!options || attribute.slug === undefined) continue;
    const byId = options.flatMap(({ id, label }): [string, OptionValue][] =>
      id === undefined ? [] : [[id, new OptionValue(id, label ?? id)]],
    );
    labels.set(attribute.slug, new Map(byId));
  }
  const option = (slug: string, value: unknown): unknown => {
    const known = labels.get(slug);
    if (!known) return value;
    if (Array.isArray(value)) return value.map((item) => known.get(item) ?? item);
    return typeof value === 'string' ? (known.get(value) ?? value) : value;
  };
  return (entry) => (name) => {
    if (fixed.has(name)) return entry[name as keyof Entry];
    const slug = name.startsWith('values.') ? name.slice('values.'.length) : name;
    const values = entry.values ?? {};
    return Object.hasOwn(values, slug) ? option(slug, values[slug]) : undefined;
  };
}
