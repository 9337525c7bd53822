/** The entries of one list, page by page, against the current ones. */
import type { CustomListEntry } from '../../contract/lists.ts';
import { IdSet } from '../../core/id-set.ts';
import { stringifyJson } from '../../core/json.ts';
import { type Changes, noChanges } from './changes.ts';
import { asBytes, type EntryRow, entryRow, idBytes, idText, readEntry, readShape } from './entry-rows.ts';
import type { Names } from './names.ts';
import { sameBody } from './same-body.ts';
import type { Statements } from './statements.ts';
import type { MirrorDb, MirrorTables } from './tables.ts';

/** An entry that can be told apart from others. */
export type ReadEntry = CustomListEntry & { id: string };

interface Parts {
  db: MirrorDb;
  statements: Statements;
  names: Names;
  sync: number;
  listId: string;
}

const columns = ['list', 'id', 'seen_from', 'seen_to', 'position', 'shape', 'body'] as const;

/** Ids that are read at once. */
const batch = 5000;

export class EntryWriter {
  private readonly changes = noChanges();
  private readonly seen = new IdSet();
  private readonly list: number;
  /** Current ones that were read again. */
  private matched = 0;

  constructor(private readonly parts: Parts) {
    this.list = parts.names.of('list', parts.listId);
  }

  /** Takes one page. @returns the id of an entry that came before; undefined when there is none */
  async page(entries: readonly ReadEntry[]): Promise<string | undefined> {
    const { names, listId, sync } = this.parts;
    const repeated = entries.find(({ id }) => !this.seen.add(id));
    if (repeated) return repeated.id;
    const before = await this.current(entries);
    const fresh: (string | number | null | Uint8Array)[][] = [];
    const ended: Uint8Array[] = [];
    for (const entry of entries) {
      const row = entryRow(listId, entry, (shape) => names.takesShape(shape));
      const known = before.get(entry.id);
      if (known) this.matched += 1;
      if (known && this.same(known, row, entry)) continue;
      const id = idBytes(entry.id);
      if (known) ended.push(id);
      this.changes[known ? 'changed' : 'added'] += 1;
      fresh.push([this.list, id, sync, null, row.position, names.of('shape', row.shape), row.body]);
    }
    this.changes.read += entries.length;
    await this.end(ended);
    await this.parts.statements.insert('mirror_entries', columns, fresh);
    return undefined;
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
      const missing = rows.map(({ id }) => asBytes(id)).filter((id) => !this.seen.has(idText(id)));
      this.changes.deleted += missing.length;
      await this.end(missing);
      const end = rows.at(-1)?.id;
      if (rows.length < batch || end === undefined) return;
      after = asBytes(end);
    }
  }

  private async current(entries: readonly ReadEntry[]): Promise<Map<string, CurrentRow>> {
    if (entries.length === 0) return new Map();
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
