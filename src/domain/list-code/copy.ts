/** Entries of one list as entries of its copy. */
import { type CustomListEntry, optionTypes } from '../../contract/lists.ts';
import { isNumeric, stringifyJson } from '../../core/json.ts';
import { canonicalText, isEmptyValue } from '../../core/same.ts';
import { matchPartners } from './difference.ts';
import type { ExistingAttribute, ExistingList } from './spec.ts';

export interface EntryCopy {
  title: string;
  values: Record<string, unknown>;
  position: number;
  archived?: boolean;
}

export interface LostValue {
  title: string;
  slug: string;
  value: unknown;
}

/** Attribute of the source → attribute of the copy. Both lists have the same names in the same order. */
export type AttributeMap = ReadonlyMap<string, { slug: string; options: ReadonlyMap<string, string> | undefined }>;

/** Options are matched by label: each server assigns its own ids. */
export function attributeMap(source: ExistingList, target: ExistingList): AttributeMap {
  const partners = matchPartners(source.attributes, target.attributes, [({ name, type }) => `${type} ${name}`]);
  return new Map(
    source.attributes.flatMap((attribute, index) => {
      const partner = target.attributes[partners.get(index) ?? -1];
      if (attribute.slug === undefined || partner?.slug === undefined) return [];
      const options = optionTypes.includes(attribute.type) ? optionMap(attribute, partner) : undefined;
      return [[attribute.slug, { slug: partner.slug, options }]];
    }),
  );
}

function optionMap(from: ExistingAttribute, to: ExistingAttribute): ReadonlyMap<string, string> {
  return new Map(
    (from.options ?? []).flatMap(({ id, label }) => {
      const same = to.options?.find((option) => option.label === label);
      return same === undefined ? [] : [[id ?? label, same.id ?? same.label]];
    }),
  );
}

/** The values under the copy's slugs and option ids, and lost ones: options that were removed. */
export function copiedValues(
  { title = '', values }: CustomListEntry,
  attributes: AttributeMap,
): { values: Record<string, unknown>; lost: LostValue[] } {
  const lost: LostValue[] = [];
  const copied: [string, unknown][] = [];
  for (const [slug, value] of Object.entries(values ?? {})) {
    if (value === null || value === undefined) continue;
    const attribute = attributes.get(slug);
    const mapped = [value].flat().flatMap((item: unknown) => {
      const to = attribute?.options ? attribute.options.get(String(item)) : attribute && item;
      if (to === undefined) lost.push({ title, slug, value: item });
      return to === undefined ? [] : [to];
    });
    const isSet = Array.isArray(value);
    if (attribute && (isSet || mapped.length > 0)) copied.push([attribute.slug, isSet ? mapped : mapped[0]]);
  }
  return { values: Object.fromEntries(copied), lost };
}

/** The positions of the entries where these rise, else their indexes: the order stays. */
export function copiedPositions(entries: readonly CustomListEntry[]): number[] {
  const positions = entries.map(({ position }) => Number(position ?? Number.NaN));
  const rising = positions.every(
    (position, index) => Number.isSafeInteger(position) && (index === 0 || position > (positions[index - 1] ?? 0)),
  );
  return rising ? positions : entries.map((_, index) => index);
}

/** The copies that the target does not have: of equal ones as many as it lacks. */
export function missing(copies: readonly EntryCopy[], there: readonly CustomListEntry[]): EntryCopy[] {
  const counts = new Map<string, number>();
  for (const entry of there) {
    const key = keyOf(entry);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return copies.filter((copy) => {
    const key = keyOf(copy);
    const left = counts.get(key) ?? 0;
    if (left > 0) counts.set(key, left - 1);
    return left === 0;
  });
}

/** The key of an entry's content. Numbers compare by size, values in any order. */
export function keyOf({ title, values, archived }: Pick<CustomListEntry, 'title' | 'values' | 'archived'>): string {
  const filled = Object.entries(values ?? {}).filter(([, value]) => !isEmptyValue(value));
  const sorted = filled
    .map(([slug, value]) => [slug, isNumeric(value) ? canonicalText(value) : value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return stringifyJson([title ?? '', archived ?? false, sorted]);
}
