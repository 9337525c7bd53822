/** A sync: one writer at a time compares the API with the mirror, in one transaction until `commit`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, usage } from '../core/errors.ts';
import { parseJson, stringifyJson } from '../core/json.ts';
import type { History, Resource, ResourceKind } from '../domain/history/versions.ts';
import { type ControlledTransaction, type SqlBool, sql } from '../server/store/kysely.ts';
import {
  checkpoint,
  type MirrorDatabase,
  mirrorFailure,
  openOrCreate,
  readMeta,
  serverDb,
  writeMeta,
} from './database.ts';
import { EntryWriter } from './entries.ts';
import { historyOf } from './history.ts';
import { Names } from './names.ts';
import { type PointScope, PointWriter } from './points.ts';
import { type Changes, type MirrorTables, noChanges, Statements, sameBody } from './tables.ts';

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
    const tx = await onlyWriter(mirror, patience);
    try {
      const known = await readMeta(tx, 'api');
      if (known !== undefined && known !== api) {
        throw usage(
          `the mirror in ${mirror.folder} was made from ${known}, not from ${api}`,
          'name another folder, or the profile of that API with -p',
        );
      }
      if (known === undefined) await writeMeta(tx, 'api', api);
      const last = await tx
        .selectFrom('mirror_syncs')
        .select(['number', 'seen_at'])
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirst();
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
async function onlyWriter(mirror: MirrorDatabase, patience = patienceMs): Promise<ControlledTransaction<MirrorTables>> {
  const { db, engine } = mirror;
  const until = Date.now() + patience;
  for (;;) {
    try {
      const tx = await db.startTransaction().execute();
      try {
        await engine.lockWrites(serverDb(tx), 'comem mirror');
        return tx;
      } catch (error) {
        await tx.rollback().execute();
        throw error;
      }
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
  private readonly statements: Statements;
  private savepoints = 0;
  /** The newest time of change in what was read. */
  private changedAt = '';
  /** Compares every row, also of pages whose hash is unchanged. */
  thorough = false;

  constructor(
    private readonly mirror: MirrorDatabase,
    private readonly tx: ControlledTransaction<MirrorTables>,
    private names: Names,
    /** The number of this sync. */
    readonly number: number,
    private readonly beganAt: string,
    /** When the previous sync was; undefined for the first. */
    readonly previousAt: string | undefined,
  ) {
    this.statements = new Statements(tx);
  }

  async current(kind: ResourceKind, owner?: string): Promise<Resource[]> {
    let query = this.tx
      .selectFrom('mirror_resources')
      .selectAll()
      .where('kind', '=', kind)
      .where('seen_to', 'is', null);
    if (owner !== undefined) query = query.where('owner', '=', owner);
    const rows = await query.orderBy('owner').orderBy('id').execute();
    return rows.map((row) => ({ kind, owner: row.owner, id: row.id, body: parseJson(row.body) as Resource['body'] }));
  }

  /** Takes all resources of a kind that an owner has. Missing ones have been deleted, where `isRequested`. */
  async resources(
    kind: ResourceKind,
    owner: string,
    resources: readonly Pick<Resource, 'id' | 'body'>[],
    isRequested: (id: string) => boolean = () => true,
  ): Promise<Changes> {
    const changes = { ...noChanges(), read: resources.length };
    const rows = await this.tx
      .selectFrom('mirror_resources')
      .select(['id', 'body', 'seen_from'])
      .where('kind', '=', kind)
      .where('owner', '=', owner)
      .where('seen_to', 'is', null)
      .execute();
    const before = new Map(rows.map((row) => [row.id, row]));
    const fresh: Pick<MirrorTables['mirror_resources'], 'id' | 'body'>[] = [];
    const ended: string[] = [];
    for (const { id, body } of resources) {
      this.changed(body.updated_at);
      const text = stringifyJson(body);
      const known = before.get(id);
      before.delete(id);
      if (known && sameBody(known.body, text)) continue;
      if (known) ended.push(id);
      changes[known ? 'changed' : 'added'] += 1;
      fresh.push({ id, body: text });
    }
    for (const id of before.keys()) {
      if (!isRequested(id)) continue;
      ended.push(id);
      changes.deleted += 1;
    }
    for (const id of ended) {
      const isVersion = sql<SqlBool>`kind = ${kind} and owner = ${owner} and id = ${id}`;
      // A version that this sync wrote was in no other one.
      await this.tx.deleteFrom('mirror_resources').where(isVersion).where('seen_from', '=', this.number).execute();
      const current = this.tx.updateTable('mirror_resources').where(isVersion).where('seen_to', 'is', null);
      await current.set({ seen_to: this.number }).execute();
    }
    const versions = fresh.map((row) => ({ kind, owner, seen_from: this.number, seen_to: null, ...row }));
    for (const row of versions) await this.tx.insertInto('mirror_resources').values(row).execute();
    return changes;
  }

  entries(listId: string): EntryWriter {
    return new EntryWriter({ ...this.parts(), listId });
  }

  points(scope: PointScope): PointWriter {
    return new PointWriter({ ...this.parts(), scope });
  }

  private parts() {
    const { tx: db, statements, names, number: sync, thorough } = this;
    return { db, statements, names, sync, thorough };
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
    const known = await this.tx
      .selectFrom('mirror_parts')
      .selectAll()
      .where('part', '=', part)
      .where('owner', '=', owner)
      .executeTakeFirst();
    const stale = reason === undefined ? null : (known?.stale_sync ?? this.number);
    const row = {
      first_sync: known?.first_sync ?? (reason === undefined ? this.number : null),
      read_sync: reason === undefined ? this.number : (known?.read_sync ?? null),
      stale_sync: stale,
      reason: reason ?? null,
    };
    await this.tx
      .insertInto('mirror_parts')
      .values({ part, owner, ...row })
      .onConflict((c) => c.columns(['part', 'owner']).doUpdateSet(row))
      .execute();
  }

  /** Forgets a part that was deleted at the API. */
  async forgetPart(part: string, owner: string): Promise<void> {
    await this.tx.deleteFrom('mirror_parts').where('part', '=', part).where('owner', '=', owner).execute();
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

  private async finish(seen_at: string, scope: unknown, counts: Changes): Promise<void> {
    await this.names.save(this.tx);
    const { number, beganAt: began_at } = this;
    await this.tx
      .insertInto('mirror_syncs')
      .values({ number, began_at, seen_at, asked: JSON.stringify(scope), counts: JSON.stringify(counts) })
      .execute();
  }

  /** Ends the sync without a trace of it. @returns the failure in words */
  async abandon(error: unknown): Promise<unknown> {
    try {
      if (!this.tx.isCommitted && !this.tx.isRolledBack) await this.tx.rollback().execute();
      await this.mirror.close();
    } catch {
      // Rows that were not committed are gone either way.
    }
    return mirrorFailure(this.mirror, error);
  }
}
