/** Entries, always written together with their facets. */

import { createHash } from 'node:crypto';
import type { AttributeType } from '../../contract/lists.ts';
import { isNumeric, parseJson, stringifyJson, withoutTrailing } from '../../core/json.ts';
import { foldCase } from '../../core/same.ts';
import { sql } from './kysely.ts';
import type { Db, Row } from './schema.ts';
import { insertRows } from './tables.ts';

/** An entry with its values parsed. */
export interface Entry extends Omit<Row<'entries'>, 'values' | 'title_key' | 'archived'> {
  values: Record<string, unknown>;
  archived: boolean;
}

/** The attribute types of a list by slug: they say how values are found. */
export type AttributeTypes = ReadonlyMap<string, AttributeType>;

/** Entries whose rows are in memory at once. */
const batch = 1000;

export function toEntry({ title_key: _, ...row }: Row<'entries'>): Entry {
  return {
    ...row,
    values: parseJson(row.values) as Record<string, unknown>,
    position: Number(row.position),
    archived: row.archived === 1,
  };
}

function toRow({ values, archived, ...entry }: Entry): Row<'entries'> {
  return { ...entry, title_key: foldCase(entry.title), values: stringifyJson(values), archived: Number(archived) };
}

/** All of one list. */
export async function insertEntries(db: Db, entries: readonly Entry[], types: AttributeTypes): Promise<void> {
  for (let at = 0; at < entries.length; at += batch) {
    const part = entries.slice(at, at + batch);
    const facets = part.flatMap((entry) => facetRows(entry, types));
    await insertRows(db, 'entries', part.map(toRow));
    await insertRows(db, 'entry_facets', facets);
  }
}

/** Writes an entry that the database has as `before`, and those of its facets that differ. */
export async function updateEntry(
  db: Db,
  { before, after, types }: { before: Entry; after: Entry; types: AttributeTypes },
): Promise<void> {
  await db.updateTable('entries').set(toRow(after)).where('id', '=', after.id).execute();
  const stored = facetsByKey(before, types);
  const written = facetsByKey(after, types);
  await deleteFacets(
    db,
    before,
    [...stored].filter(([key]) => !written.has(key)).map(([, row]) => row),
  );
  const added = [...written].filter(([key]) => !stored.has(key)).map(([, row]) => row);
  await insertRows(db, 'entry_facets', added);
}

function facetsByKey(entry: Entry, types: AttributeTypes): Map<string, Row<'entry_facets'>> {
  return new Map(facetRows(entry, types).map((row) => [JSON.stringify(row), row]));
}

export async function deleteEntry(db: Db, entry: Entry, types: AttributeTypes): Promise<void> {
  await deleteFacets(db, entry, facetRows(entry, types));
  await db.deleteFrom('entries').where('id', '=', entry.id).execute();
}

/** Removes the values of one attribute from all entries of the list. */
export async function deleteValues(db: Db, listId: string, slug: string, updatedAt: string): Promise<void> {
  await db.deleteFrom('entry_facets').where('list_id', '=', listId).where('slug', '=', slug).execute();
  for (let after = ''; ; ) {
    // Slugs have no pattern characters. A text that only looks like the key is checked below.
    const rows = await db
      .selectFrom('entries')
      .select(['id', 'values'])
      .where('list_id', '=', listId)
      .where('values', 'like', `%"${slug}":%`)
      .where('id', '>', after)
      .orderBy('id')
      .limit(batch)
      .execute();
    for (const row of rows) {
      const { [slug]: value, ...values } = parseJson(row.values) as Record<string, unknown>;
      if (value === undefined) continue;
      const change = { values: stringifyJson(values), updated_at: updatedAt };
      await db.updateTable('entries').set(change).where('id', '=', row.id).execute();
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    after = last.id;
  }
}

function facetRows(entry: Entry, types: AttributeTypes): Row<'entry_facets'>[] {
  return Object.entries(entry.values).flatMap(([slug, value]) => {
    const type = types.get(slug);
    if (type === undefined) return [];
    return facetTexts(type, value).map((text) => ({
      list_id: entry.list_id,
      slug,
      value_key: facetKey(text),
      archived: Number(entry.archived),
      position: entry.position,
      created_at: entry.created_at,
      entry_id: entry.id,
    }));
  });
}

/** Deletes facets of an entry, by all columns of their key. */
async function deleteFacets(
  db: Db,
  { id, list_id, archived, position, created_at }: Entry,
  rows: readonly Row<'entry_facets'>[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += batch) {
    const part = rows.slice(from, from + batch);
    const texts = sql.join(part.map(({ slug, value_key }) => sql`(${slug}, ${value_key})`));
    await db
      .deleteFrom('entry_facets')
      .where('list_id', '=', list_id)
      .where(sql<boolean>`(slug, value_key) in (values ${texts})`)
      .where('archived', '=', Number(archived))
      .where('position', '=', position)
      .where('created_at', '=', created_at)
      .where('entry_id', '=', id)
      .execute();
  }
}

/** Longer texts are found by their hash: an index accepts only short keys. */
const maxKeyLength = 200;
const hashMark = 'sha256:';

/** The texts of a value: a multi_select has one for each of its options. */
export function facetTexts(type: AttributeType, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => facetTexts(type, item)))];
  if (isNumeric(value)) return [canonicalNumber(String(value))];
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

/** The text that a filter's value has to equal. Numbers may be spelled in any way. */
export function searchedText(type: AttributeType, text: string): string {
  const numeric = type === 'number' || type === 'currency' || type === 'rating';
  return numeric && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? canonicalNumber(text) : text;
}

/** Whether a text column of every engine returns the text unchanged. */
export function isStorable(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what this looks for.
  return !/[\u0000\p{Surrogate}]/u.test(text);
}

/** The content of `value_key`. A text that looks like a hash is hashed too, so that no two texts share a key. */
export function facetKey(text: string): string {
  const plain = text.length <= maxKeyLength && !text.startsWith(hashMark) && isStorable(text);
  return plain ? text : hashMark + createHash('sha256').update(text, 'utf16le').digest('hex');
}

/** Equal for equal numbers: digits without outer zeros, and the power of ten of the last one. Nothing is rounded. */
function canonicalNumber(text: string): string {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailing(digits, '0');
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign === '-' ? '-' : ''}${significant}${power === 0n ? '' : `e${power}`}`;
}
