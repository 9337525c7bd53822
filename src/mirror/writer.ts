/** A sync: one writer at a time compares the API with the mirror, in one transaction until `commit`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, usage } from '../core/errors.ts';
import { parseJson, stringifyJson } from '../core/json.ts';
import type { History, Resource, ResourceKind } from '../domain/history/versions.ts';
import { requireFiles } from '../server/store/engine.ts';
import type { ControlledTransaction } from '../server/store/kysely.ts';
import type { Database } from '../server/store/schema.ts';
import {
  checkpoint,
  type MirrorDatabase,
  mirrorFailure,
  openOrCreate,
  readMeta,
  removeMirror,
  writeMeta,
} from './database.ts';
import { EntryWriter } from './entries.ts';
import { historyOf } from './history.ts';
import { Names } from './names.ts';
import { type PointScope, PointWriter } from './points.ts';
import { type Changes, insertRows, type MirrorTables, noChanges, query, sameBody } from './tables.ts';

type ResourceRow = MirrorTables['mirror_resources'];

/** Milliseconds that a sync waits for another one of the same mirror. */
const patienceMs = 10_000;

/** Begins a sync. @throws tryLater while another one runs, usage for a mirror of another API */
export async function beginSync(
  folder: string,
  api: string,
  beganAt: string,
  patience = patienceMs,
): Promise<SyncWriter> {
  const mirror = await openOrCreate(folder);
  try {
    requireFiles(mirror.engine);
    const tx = await onlyWriter(mirror, patience);
    try {
      // A first sync that fails removes its files.
      requireFiles(mirror.engine);
      const known = await readMeta(tx, 'api');
      if (known !== undefined && known !== api) {
        throw usage(
          `the mirror in ${mirror.folder} was made from ${known}, not from ${api}`,
          'name another folder, or the profile of that API with -p',
        );
      }
      if (known === undefined) await writeMeta(tx, 'api', api);
      const newest = 'select * from mirror_syncs order by number desc limit 1';
      const [last] = await query<MirrorTables['mirror_syncs']>(tx, newest);
      return new SyncWriter(mirror, tx, await Names.read(tx), (last?.number ?? 0) + 1, beganAt, last?.seen_at);
    } catch (error) {
      await tx.rollback().execute();
      throw error;
    }
  } catch (error) {
    await mirror.close();
    throw mirrorFailure(mirror, error);
  }
}

/** A write transaction that no other process has at the same time. @throws tryLater */
async function onlyWriter(mirror: MirrorDatabase, patience = patienceMs): Promise<ControlledTransaction<Database>> {
  const { db, engine } = mirror;
  const until = Date.now() + patience;
  for (;;) {
    try {
      return await db.startTransaction().execute();
    } catch (error) {
      if (!engine.lock?.isTaken(error)) throw error;
      if (Date.now() > until) throw busy(mirror.folder, error);
    }
    await sleep(pauseMs);
  }
}

const pauseMs = 50;

/** Clocks of two machines differ by less. */
const clockSkewMs = 60_000;

function busy(folder: string, cause: unknown): Failure {
  return new Failure('tryLater', `another sync of the mirror in ${folder} is running`, {
    hint: 'run the same command again when it has ended',
    cause,
  });
}

export class SyncWriter {
  private savepoints = 0;
  /** The newest time of change in what was read. */
  private changedAt = '';
  /** Compares every row, also of pages whose hash is unchanged. */
  thorough = false;

  constructor(
    private readonly mirror: MirrorDatabase,
    private readonly tx: ControlledTransaction<Database>,
    private names: Names,
    /** The number of this sync. */
    readonly number: number,
    private readonly beganAt: string,
    /** The time of the previous sync; undefined for the first. */
    readonly previousAt: string | undefined,
  ) {}

  async current(kind: ResourceKind, owner?: string): Promise<Resource[]> {
    const rows = await this.currentRows(kind, owner);
    return rows.map((row) => ({ kind, owner: row.owner, id: row.id, body: parseJson(row.body) as Resource['body'] }));
  }

  private currentRows(kind: ResourceKind, owner?: string): Promise<ResourceRow[]> {
    return query(
      this.tx,
      `select * from mirror_resources where kind = ? and seen_to is null ${owner === undefined ? '' : 'and owner = ?'}
      order by owner, id`,
      owner === undefined ? [kind] : [kind, owner],
    );
  }

  /** Takes all resources of a kind that an owner has. Missing ones have been deleted, where `isRequested`. */
  async resources(
    kind: ResourceKind,
    owner: string,
    resources: readonly Pick<Resource, 'id' | 'body'>[],
    isRequested: (id: string) => boolean = () => true,
  ): Promise<Changes> {
    const changes = { ...noChanges(), read: resources.length };
    const before = new Map((await this.currentRows(kind, owner)).map((row) => [row.id, row]));
    const fresh: string[] = [];
    const ended: string[] = [];
    for (const { id, body } of resources) {
      this.changed(body.updated_at);
      const text = stringifyJson(body);
      const known = before.get(id);
      before.delete(id);
      if (known && sameBody(known.body, text)) continue;
      if (known) ended.push(id);
      changes[known ? 'changed' : 'added'] += 1;
      fresh.push(kind, owner, id, text);
    }
    for (const id of before.keys()) {
      if (!isRequested(id)) continue;
      ended.push(id);
      changes.deleted += 1;
    }
    for (const id of ended) {
      const isVersion = 'kind = ? and owner = ? and id = ?';
      // A version that this sync wrote was in no other one.
      const deletion = `delete from mirror_resources where seen_from = ? and ${isVersion}`;
      const end = `update mirror_resources set seen_to = ? where seen_to is null and ${isVersion}`;
      for (const statement of [deletion, end]) await query(this.tx, statement, [this.number, kind, owner, id]);
    }
    const shared = { seen_from: this.number, seen_to: null };
    await insertRows(this.tx, 'mirror_resources', shared, ['kind', 'owner', 'id', 'body'], fresh);
    return changes;
  }

  entries(listId: string): EntryWriter {
    return new EntryWriter({ ...this.parts(), listId });
  }

  points(scope: PointScope): PointWriter {
    return new PointWriter({ ...this.parts(), scope });
  }

  private parts() {
    const { tx: db, names, number: sync, thorough } = this;
    return { db, names, sync, thorough };
  }

  /** Runs the work, and undoes it when it fails. */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    this.savepoints += 1;
    const name = `attempt_${this.savepoints}`;
    const inner = await this.tx.savepoint(name).execute();
    try {
      const result = await work();
      await this.names.save(this.tx);
      await inner.releaseSavepoint(name).execute();
      return result;
    } catch (error) {
      await inner.rollbackToSavepoint(name).execute();
      this.names = await Names.read(this.tx);
      throw error;
    }
  }

  /** Records that a part of the API was read completely, or why not. */
  async part(part: string, owner: string, reason?: string): Promise<void> {
    const [known] = await query<MirrorTables['mirror_parts']>(
      this.tx,
      'select * from mirror_parts where part = ? and owner = ?',
      [part, owner],
    );
    const isRead = reason === undefined;
    await query(
      this.tx,
      `insert or replace into mirror_parts (part, owner, first_sync, read_sync, stale_sync, reason)
      values (?, ?, ?, ?, ?, ?)`,
      [
        ...[part, owner, known?.first_sync ?? (isRead ? this.number : null)],
        isRead ? this.number : (known?.read_sync ?? null),
        isRead ? null : (known?.stale_sync ?? this.number),
        reason ?? null,
      ],
    );
  }

  /** Forgets a part that was deleted at the API. */
  async forgetPart(part: string, owner: string): Promise<void> {
    await query(this.tx, 'delete from mirror_parts where part = ? and owner = ?', [part, owner]);
  }

  /**
   * Ends the sync.
   * @param now by the API's clock
   * @returns the time of the sync, later than every one before; and why its log could not be merged into the file
   */
  async commit(now: Date, scope: unknown, counts: Changes): Promise<{ seenAt: string; untidy?: string | undefined }> {
    const seenAt = this.after(now);
    try {
      await this.finish(seenAt, scope, counts);
      await this.tx.commit().execute();
    } catch (error) {
      throw mirrorFailure(this.mirror, error);
    }
    try {
      return { seenAt, untidy: await checkpoint(this.mirror) };
    } finally {
      await this.mirror.close();
    }
  }

  /** Reads the history as if the sync had ended; then it must be abandoned. */
  async differences<T>(read: (history: History) => Promise<T>): Promise<T> {
    await this.finish(this.after(new Date(0)), {}, noChanges());
    return read(await historyOf({ ...this.mirror, db: this.tx }, () => Promise.resolve()));
  }

  /** Takes note of when something was changed that this sync read: it ended later. */
  changed(at: unknown): void {
    if (typeof at === 'string' && at > this.changedAt) this.changedAt = at;
  }

  /** The time, or that of the last change that was read, or just after the previous sync, where these are later. */
  private after(now: Date): string {
    const previous = this.previousAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(this.previousAt);
    const change = Date.parse(this.changedAt);
    // A time further ahead is that of another clock.
    const changed = change - now.getTime() < clockSkewMs ? change : Number.NEGATIVE_INFINITY;
    return new Date(Math.max(now.getTime(), previous + 1, changed)).toISOString();
  }

  private async finish(seenAt: string, scope: unknown, counts: Changes): Promise<void> {
    await this.names.save(this.tx);
    await query(this.tx, 'insert into mirror_syncs (number, began_at, seen_at, asked, counts) values (?, ?, ?, ?, ?)', [
      this.number,
      this.beganAt,
      seenAt,
      JSON.stringify(scope),
      JSON.stringify(counts),
    ]);
  }

  /** Ends the sync without a trace of it. @returns the failure in words */
  async abandon(error: unknown): Promise<unknown> {
    try {
      if (!this.tx.isCommitted && !this.tx.isRolledBack) {
        if (this.number === 1) removeMirror(this.mirror.folder);
        await this.tx.rollback().execute();
      }
      await this.mirror.close();
    } catch {
      // Rows that were not committed are gone either way.
    }
    return mirrorFailure(this.mirror, error);
  }
}
