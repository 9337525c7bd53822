/** The entries of one list, page by page, against the current ones. */
import type { CustomListEntry } from '../contract/lists.ts';
import { IdSet } from '../core/id-set.ts';
import { stringifyJson } from '../core/json.ts';
import { type Changes, noChanges, sameBody } from './changes.ts';
import { type EntryRow, entryRow, idBytes, idText, readEntry, readShape } from './entry-rows.ts';
import type { Names } from './names.ts';
import { Prints, printOf } from './prints.ts';
import type { Statements, Value } from './statements.ts';
import type { MirrorDb, MirrorTables } from './tables.ts';

/** An entry that can be told apart from others. */
export type ReadEntry = CustomListEntry & { id: string };

interface Parts {
  db: MirrorDb;
  statements: Statements;
  names: Names;
  sync: number;
  /** Every row is compared, whatever the prints say. */
  thorough: boolean;
  listId: string;
}

const columns = ['id', 'position', 'archived', 'shape', 'body'] as const;

/** More pages than a list can have. */
const mostPages = 2 ** 31 - 1;

/** Ids that are read at once. */
const batch = 5000;

export class EntryWriter {
  private readonly changes = noChanges();
  private readonly seen = new IdSet();
  private readonly list: number;
  /** Current ones that were read again. */
  private matched = 0;
  private readonly prints: Prints;
  private before: Map<number, string> | undefined;
  private readonly now = new Map<number, string>();
  /** Nothing was current when the sync began. */
  private isNew: boolean | undefined;

  constructor(private readonly parts: Parts) {
    this.list = parts.names.of('list', parts.listId);
    this.prints = new Prints(parts, this.list);
  }

  /** Takes one page. @returns the id of an entry that came before; undefined when there is none */
  async page(entries: readonly ReadEntry[]): Promise<string | undefined> {
    const { names, listId, sync } = this.parts;
    const repeated = entries.find(({ id }) => !this.seen.add(id));
    if (repeated) return repeated.id;
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
    await this.parts.statements.insert('mirror_entries', shared, columns, fresh);
    return undefined;
  }

  /** Whether the page is the one that the previous sync read at its place. */
  private async isKnown(entries: readonly ReadEntry[]): Promise<boolean> {
    this.before ??= await this.prints.read(-1, mostPages);
    const index = this.now.size;
    const print = printOf(stringifyJson(entries));
    this.now.set(index, print);
    return !this.parts.thorough && this.before.get(index) === print;
  }

  /** All pages came: what none of them had has been deleted. */
  async finish(): Promise<Changes> {
    const { db, sync } = this.parts;
    const { n } = await db
      .selectFrom('mirror_entries')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('list', '=', this.list)
      .where('seen_to', 'is', null)
      .where('seen_from', '<', sync)
      .executeTakeFirstOrThrow();
    // Those that were changed are not current any more.
    const unchanged = this.matched - this.changes.changed;
    if (Number(n) > unchanged) await this.endMissing();
    const before = this.before ?? (await this.prints.read(-1, mostPages));
    const isSame =
      before.size === this.now.size && [...this.now].every(([index, print]) => before.get(index) === print);
    if (!isSame) await this.prints.replace(before.keys(), this.now);
    return this.changes;
  }

  private async endMissing(): Promise<void> {
    const { db, sync } = this.parts;
    for (let after: Uint8Array | undefined; ; ) {
      let query = db
        .selectFrom('mirror_entries')
        .select('id')
        .where('list', '=', this.list)
        .where('seen_to', 'is', null)
        .where('seen_from', '<', sync);
      if (after) query = query.where('id', '>', after);
      const rows = await query.orderBy('id').limit(batch).execute();
      const missing = rows.map(({ id }) => id).filter((id) => !this.seen.has(idText(id)));
      this.changes.deleted += missing.length;
      await this.end(missing);
      const end = rows.at(-1)?.id;
      if (rows.length < batch || end === undefined) return;
      after = end;
    }
  }

  private async current(entries: readonly ReadEntry[]): Promise<Map<string, CurrentRow>> {
    this.isNew ??= await this.hasNone();
    if (entries.length === 0 || this.isNew) return new Map();
    const { db, statements } = this.parts;
    const ids = entries.map(({ id }) => idBytes(id));
    const rows = await statements.run<CurrentRow>(
      `current entries ${ids.length}`,
      () =>
        db
          .selectFrom('mirror_entries')
          .select(['id', 'position', 'shape', 'body'])
          .where('list', '=', this.list)
          .where('id', 'in', ids)
          .where('seen_to', 'is', null),
      [this.list, ...ids],
    );
    return new Map(rows.map((row) => [idText(row.id), row]));
  }

  /** Asked before the first row is written. */
  private async hasNone(): Promise<boolean> {
    const row = await this.parts.db
      .selectFrom('mirror_entries')
      .select('list')
      .where('list', '=', this.list)
      .where('seen_to', 'is', null)
      .limit(1)
      .executeTakeFirst();
    return row === undefined;
  }

  private async end(ids: readonly Uint8Array[]): Promise<void> {
    const { db, statements, sync } = this.parts;
    for (const id of ids) {
      await statements.run(
        'end entry',
        () =>
          db
            .updateTable('mirror_entries')
            .set({ seen_to: sync })
            .where('list', '=', this.list)
            .where('id', '=', id)
            .where('seen_to', 'is', null),
        [sync, this.list, id],
      );
    }
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
