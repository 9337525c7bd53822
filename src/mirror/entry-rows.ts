/** How an entry is kept: its id in bytes, its position, and its values without their keys. */
import type { CustomListEntry } from '../contract/lists.ts';
import { isObject, parseJson, stringifyJson } from '../core/json.ts';

/** 16 bytes for a uuid in lower case, anything else as its text after a mark. */
export function idBytes(id: string): Uint8Array {
  if (uuid.test(id)) return Buffer.from(id.replaceAll('-', ''), 'hex');
  const text = Buffer.from(`${mark}${id}`);
  // No text has the length of a uuid.
  return text.length === uuidBytes ? Buffer.concat([text, Buffer.of(0)]) : text;
}

export function idText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (buffer.length !== uuidBytes) return buffer.toString('utf8').slice(mark.length).replace(/\0$/, '');
  const hex = buffer.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const uuidBytes = 16;
const mark = '#';

/** The keys of an entry and of its values, in order; the text of a name. Empty: the body is the complete entry. */
export type Shape = readonly [fields: readonly string[], values: readonly string[]];

export interface EntryRow {
  position: number;
  /** 1: archived, 0: not. */
  archived: number | null;
  shape: string;
  body: string;
}

/** Columns of their own, or in the key of the row. */
const apart = new Set(['id', 'list_id', 'values', 'position']);

const noShape = '';

/** @param isKept whether one more shape is worth keeping: entries may have as many as there are rows */
export function entryRow(listId: string, entry: CustomListEntry, isKept: (shape: string) => boolean): EntryRow {
  const { values, position } = entry;
  const plain = isObject(values) && entry.list_id === listId && Number.isSafeInteger(position);
  const columns = {
    position: Number.isSafeInteger(position) ? Number(position) : 0,
    archived: typeof entry.archived === 'boolean' ? Number(entry.archived) : null,
  };
  if (!plain) return { ...columns, shape: noShape, body: stringifyJson(entry) };
  const shape = shapeOf(Object.keys(entry), Object.keys(values));
  if (!isKept(shape)) return { ...columns, shape: noShape, body: stringifyJson(entry) };
  const stored: unknown[] = [];
  for (const key in entry) if (!apart.has(key)) stored.push(entry[key as keyof CustomListEntry]);
  for (const key in values) stored.push(values[key]);
  return { ...columns, shape, body: stringifyJson(stored) };
}

/** The shape before: entries of one list mostly have the same. */
let newest: { shape: Shape; text: string } = { shape: [[], []], text: '[[],[]]' };

function shapeOf(...shape: Shape): string {
  const isNewest = shape.every((keys, at) => {
    const before = newest.shape[at];
    return before?.length === keys.length && keys.every((key, index) => key === before[index]);
  });
  if (!isNewest) newest = { shape, text: JSON.stringify(shape) };
  return newest.text;
}

export function readShape(text: string): Shape | undefined {
  return text === noShape ? undefined : (JSON.parse(text) as Shape);
}

export function readEntry(
  listId: string,
  row: { id: Uint8Array; position: number; body: string },
  shape: Shape | undefined,
): CustomListEntry {
  const body = parseJson(row.body);
  if (shape === undefined || !Array.isArray(body)) return body as CustomListEntry;
  const [fields, keys] = shape;
  let at = 0;
  const count = fields.filter((key) => !apart.has(key)).length;
  const values = Object.fromEntries(keys.map((key, index) => [key, body[count + index]]));
  return Object.fromEntries(
    fields.map((key) => {
      if (key === 'id') return [key, idText(row.id)];
      if (key === 'list_id') return [key, listId];
      if (key === 'values') return [key, values];
      if (key === 'position') return [key, row.position];
      at += 1;
      return [key, body[at - 1]];
    }),
  ) as CustomListEntry;
}
