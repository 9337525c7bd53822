/** Entries of a mirror: their rows, and the comparison of a read list with the current entries. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CustomListEntry } from '../contract/lists.ts';
import { isObject, parseJson, stringifyJson } from '../core/json.ts';
import type { Names } from './names.ts';
import {
  batches,
  type Changes,
  insertRows,
  type MirrorDb,
  type MirrorTables,
  noChanges,
  query,
  sameBody,
  type Value,
} from './tables.ts';

/** 16 bytes for a uuid in lower case, anything else as its text after a mark. */
export function idBytes(id: string): Uint8Array {
  if (uuid.test(id)) return Buffer.from(id.replaceAll('-', ''), 'hex');
  const text = Buffer.from(`${mark}${id}`);
  // No text has the length of a uuid.
  return text.length === uuidBytes ? Buffer.concat([text, Buffer.of(0)]) : text;
}

function idText(bytes: Uint8Array): string {
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

interface EntryRow {
  position: number;
  /** 1: archived, 0: not. */
  archived: number | null;
  shape: string;
  body: string;
}

/** Columns of their own, or in the key of the row. */
const apart = new Set(['id', 'list_id', 'values', 'position']);

const noShape = '';

/** @param takesShape whether there is room for one more shape: each row may have its own */
function entryRow(listId: string, entry: CustomListEntry, takesShape: (shape: string) => boolean): EntryRow {
  const { values, position } = entry;
  const plain = isObject(values) && entry.list_id === listId && Number.isSafeInteger(position);
  const columns = {
    position: Number.isSafeInteger(position) ? Number(position) : 0,
    archived: typeof entry.archived === 'boolean' ? Number(entry.archived) : null,
  };
  if (!plain) return { ...columns, shape: noShape, body: stringifyJson(entry) };
  const shape = shapeOf(Object.keys(entry), Object.keys(values));
  if (!takesShape(shape)) return { ...columns, shape: noShape, body: stringifyJson(entry) };
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

export type ReadEntry = CustomListEntry & { id: string };

interface Parts {
  db: MirrorDb;
  names: Names;
  sync: number;
  /** Compares every row, also of pages with an unchanged hash. */
  thorough: boolean;
  listId: string;
}

const columns = ['id', 'position', 'archived', 'shape', 'body'] as const;

/** Ids that are read at once. */
const batch = 5000;

export class EntryWriter {
  private readonly changes = noChanges();
  private readonly ids = new Set<string>();
  private readonly list: number;
  /** Current entries that were read again. */
  private matched = 0;
  private readonly prints: Prints;
  private before: Map<number, string> | undefined;
  private readonly now = new Map<number, string>();
  /** The list had no current entries when the sync began. */
  private isNew: boolean | undefined;

  constructor(private readonly parts: Parts) {
    this.list = parts.names.of('list', parts.listId);
    this.prints = new Prints(parts.db, this.list);
  }

  /** Takes one page. @returns the id of a repeated entry, if there is one */
  async page(entries: readonly ReadEntry[]): Promise<string | undefined> {
    const { names, listId, sync } = this.parts;
    for (const { id } of entries) {
      if (this.ids.has(id)) return id;
      this.ids.add(id);
    }
    this.changes.read += entries.length;
    if (await this.isKnown(entries)) {
      this.matched += entries.length;
      return undefined;
    }
    const before = await this.current(entries);
    const fresh: Value[] = [];
    const ended: Uint8Array[] = [];
    for (const entry of entries) {
      const row = entryRow(listId, entry, (shape) => names.takesShape(shape));
      const known = before.get(entry.id);
      if (known) this.matched += 1;
      if (known && this.same(known, row, entry)) continue;
      const id = idBytes(entry.id);
      if (known) ended.push(id);
      this.changes[known ? 'changed' : 'added'] += 1;
      fresh.push(id, row.position, row.archived, names.of('shape', row.shape), row.body);
    }
    await this.end(ended);
    const shared = { list: this.list, seen_from: sync, seen_to: null };
    await insertRows(this.parts.db, 'mirror_entries', shared, columns, fresh);
    return undefined;
  }

  /** Whether the previous sync read the same page. */
  private async isKnown(entries: readonly ReadEntry[]): Promise<boolean> {
    this.before ??= await this.prints.read();
    const index = this.now.size;
    const print = printOf(stringifyJson(entries));
    this.now.set(index, print);
    return !this.parts.thorough && this.before.get(index) === print;
  }

  /** Ends the entries that no page had. */
  async finish(): Promise<Changes> {
    const { db, sync } = this.parts;
    const [count] = await query<{ n: number }>(
      db,
      'select count(*) as n from mirror_entries where list = ? and seen_to is null and seen_from < ?',
      [this.list, sync],
    );
    const unchanged = this.matched - this.changes.changed;
    if (Number(count?.n) > unchanged) await this.endMissing();
    const before = this.before ?? (await this.prints.read());
    if (!isDeepStrictEqual(before, this.now)) await this.prints.replace(this.now);
    return this.changes;
  }

  private async endMissing(): Promise<void> {
    const { db, sync } = this.parts;
    const pages = batches<{ id: Uint8Array }>(batch, (after) =>
      query(
        db,
        `select id from mirror_entries where list = ? and seen_to is null and seen_from < ? and id > ?
        order by id limit ${batch}`,
        [this.list, sync, after?.id ?? new Uint8Array()],
      ),
    );
    for await (const rows of pages) {
      const missing = rows.map(({ id }) => id).filter((id) => !this.ids.has(idText(id)));
      this.changes.deleted += missing.length;
      await this.end(missing);
    }
  }

  private async current(entries: readonly ReadEntry[]): Promise<Map<string, CurrentRow>> {
    this.isNew ??= await this.hasNone();
    if (entries.length === 0 || this.isNew) return new Map();
    const ids = entries.map(({ id }) => idBytes(id));
    const rows = await query<CurrentRow>(
      this.parts.db,
      `select id, position, shape, body from mirror_entries
      where list = ? and seen_to is null and id in (${ids.map(() => '?').join(', ')})`,
      [this.list, ...ids],
    );
    return new Map(rows.map((row) => [idText(row.id), row]));
  }

  /** Whether the list has no current rows; read before the first one is written. */
  private async hasNone(): Promise<boolean> {
    const current = 'select 1 from mirror_entries where list = ? and seen_to is null limit 1';
    return (await query(this.parts.db, current, [this.list])).length === 0;
  }

  private async end(ids: readonly Uint8Array[]): Promise<void> {
    const { db, sync } = this.parts;
    const end = 'update mirror_entries set seen_to = ? where list = ? and id = ? and seen_to is null';
    for (const id of ids) await query(db, end, [sync, this.list, id]);
  }

  private same(known: CurrentRow, row: EntryRow, entry: ReadEntry): boolean {
    const shape = this.parts.names.text(known.shape);
    if (Number(known.position) !== row.position) return false;
    if (shape === row.shape) return sameBody(known.body, row.body);
    const before = readEntry(this.parts.listId, { ...known, position: Number(known.position) }, readShape(shape));
    return sameBody(stringifyJson(before), stringifyJson(entry));
  }
}

type CurrentRow = Pick<MirrorTables['mirror_entries'], 'id' | 'position' | 'shape' | 'body'>;

/** 132 bits: two different pages never have the same print. */
const printLength = 22;

function printOf(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, printLength);
}

/** The hashes of a list's pages, as `mirror_prints` keeps them. */
class Prints {
  constructor(
    private readonly db: MirrorDb,
    private readonly name: number,
  ) {}

  async read(): Promise<Map<number, string>> {
    const rows = await query<{ place: number; print: string }>(
      this.db,
      'select place, print from mirror_prints where name = ?',
      [this.name],
    );
    return new Map(rows.map(({ place, print }) => [place, print]));
  }

  async replace(prints: ReadonlyMap<number, string>): Promise<void> {
    await query(this.db, 'delete from mirror_prints where name = ?', [this.name]);
    await insertRows(this.db, 'mirror_prints', { name: this.name }, ['place', 'print'], [...prints].flat());
  }
}
