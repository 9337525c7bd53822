/**
 * Reads from a standby of PostgreSQL. The position in the log of a user's last write is in a table of the primary, so
 * that all servers know it, and a standby that has not reached it is passed over.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, usage } from '../../core/errors.ts';
import { ApiError } from '../model/failure.ts';
import type { Engine } from './engine.ts';
import { type Expression, Kysely, type RawBuilder, sql } from './kysely.ts';
import { openPostgres } from './postgres.ts';
import { codeOf, shownAddress } from './postgres-address.ts';
import type { Database, Db } from './schema.ts';

/** Milliseconds that a read waits for a standby: for its first answer, and for the position. */
const patienceMs = 50;
const pollMs = 5;
/** Milliseconds in which a standby that failed is not tried, and one that was late is not waited for. */
const restMs = 1_000;
/** Milliseconds between two looks at the log of the primary: no read is of a state older than two of them. */
const lookMs = 5_000;
/** Milliseconds after which a statement on the standby has failed. */
const statementMs = 3_000;

/** The part of a store (store.ts) that reads. */
export interface Reads {
  readonly db: Db;
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

interface Primary extends Reads {
  readonly engine: Engine;
  readonly cursorSecret: string;
}

type Work<T> = (reads: Reads) => Promise<T>;

/** The user behind a request. */
export interface Reader {
  userId: string;
  /** The text of `positionOf`, where the credential was read together with it. */
  position?: string | undefined;
}

export interface Replica {
  /** The position that a state must have reached before the user reads it, to be selected on the primary. */
  positionOf(userId: Expression<string>): RawBuilder<string>;
  /** Reads on the standby, and on the primary where the standby fails or finds a fault. */
  read<T>(reader: Reader, work: Work<T>): Promise<T>;
  /** Writes on the primary. The user's next reads, on any server, see what it wrote. */
  write<T>(userId: string, work: () => Promise<T>): Promise<T>;
  /** Seconds by which the standby is late; undefined where it does not answer. */
  lag(): Promise<number | undefined>;
  /** Logs a sentence whenever the standby fails, and when it answers again. */
  report(log: (says: string) => void): void;
  close(): Promise<void>;
}

/** The standby may be down for now; another database is refused. */
export async function openReplica(primary: Primary, address: string): Promise<Replica> {
  const { db, engine } = primary;
  await db.transaction().execute(async (tx) => {
    await engine.lockSchema(tx);
    // Not logged: no write waits for it. A crash empties it, and takes the row without a user with it.
    await sql`create unlogged table if not exists write_positions
      (user_id text primary key, lsn pg_lsn not null)`.execute(tx);
  });
  /** The position of the log at the look before the last one. */
  let oldest = '0/0';
  let newest: string | undefined;
  const look = async () => {
    const { rows } = await sql<{ lsn: string }>`
      with log as (select pg_current_wal_insert_lsn() as lsn),
      whole as (insert into write_positions select '', lsn from log on conflict do nothing)
      select lsn::text from log`.execute(db);
    const lsn = String(rows[0]?.lsn);
    [oldest, newest] = [newest ?? lsn, lsn];
  };
  const positionOf: Replica['positionOf'] = (userId) => sql<string>`least(
    (select max(lsn) from write_positions where user_id in ('', ${userId})), pg_current_wal_insert_lsn())::text`;
  const readPosition = async (userId: string) => {
    const { rows } = await sql<{ lsn: string }>`select ${positionOf(sql.val(userId))} as lsn`.execute(db);
    return String(rows[0]?.lsn);
  };
  /** Users whose last write has no position. */
  const unrecorded = new Set<string>();
  const record = async (userId: string) => {
    unrecorded.add(userId);
    try {
      await sql`insert into write_positions values (${userId}, pg_current_wal_insert_lsn())
        on conflict (user_id) do update set lsn = pg_current_wal_insert_lsn()`.execute(db);
      unrecorded.delete(userId);
    } catch {
      // Until the next attempt the user reads from the primary.
    }
  };
  await look();
  const standby = new Standby(primary, address);
  await standby.require();
  const timer = setInterval(() => void look().catch(() => {}), lookMs).unref();
  return {
    positionOf,
    async read({ userId, position }, work) {
      if (unrecorded.has(userId)) void record(userId);
      else if (standby.isUsable()) {
        const answer = await standby.read([position ?? (await readPosition(userId)), oldest], work);
        if (answer) return answer.value;
      }
      return work(primary);
    },
    async write(userId, work) {
      try {
        const value = await work();
        await record(userId);
        return value;
      } catch (error) {
        // It may have been committed all the same.
        if (!(error instanceof ApiError)) void record(userId);
        throw error;
      }
    },
    lag: () => standby.lag(),
    report: (log) => standby.report(log),
    async close() {
      clearInterval(timer);
      await standby.close();
    },
  };
}

/** A standby that is opened when it is read, and again after it failed. */
class Standby {
  private opening: Promise<Opened> | undefined;
  private restUntil = 0;
  private hurryUntil = 0;
  /** Reads that it did not begin within the patience. */
  private hanging = 0;
  private trouble: string | undefined;
  private log: ((says: string) => void) | undefined;

  constructor(
    private readonly primary: Primary,
    private readonly address: string,
  ) {}

  /** Opens it. One that is down is only reported; a mistake in its address is thrown. */
  async require(): Promise<void> {
    try {
      await this.open();
    } catch (error) {
      const isMistake = error instanceof Failure && (error.cause === undefined || /^(28|3D)/.test(codeOf(error.cause)));
      if (isMistake) throw error;
      this.fail(error);
    }
  }

  isUsable(): boolean {
    return this.hanging === 0 && Date.now() >= this.restUntil;
  }

  /** Undefined where the primary has to do the work. */
  read<T>(positions: readonly string[], work: Work<T>): Promise<{ value: T } | undefined> {
    return new Promise((resolve) => {
      let isAbandoned = false;
      const timer = setTimeout(() => {
        isAbandoned = true;
        this.hanging += 1;
        resolve(undefined);
      }, patienceMs);
      const begin = async (reads: Reads) => {
        clearTimeout(timer);
        // The value of an abandoned read goes nowhere.
        return isAbandoned ? (undefined as T) : work(reads);
      };
      void this.poll(positions, begin, () => isAbandoned)
        .catch((error: unknown) => {
          // A missing row may only be late, and a conflict with replay ends one read only.
          if (!(error instanceof ApiError) && !this.primary.engine.isConflict(error)) this.fail(error);
          return undefined;
        })
        .then((answer) => {
          clearTimeout(timer);
          if (isAbandoned) this.hanging -= 1;
          resolve(answer);
        });
    });
  }

  /** Tries until the standby has reached the positions. One that was late is asked only once for a while. */
  private async poll<T>(positions: readonly string[], work: Work<T>, isAbandoned: () => boolean) {
    const { engine, db } = await this.open();
    const isPatient = Date.now() >= this.hurryUntil;
    for (;;) {
      const answer = await engine.readAfter?.(db, positions, (bound) =>
        work({ db: bound, read: (reads) => reads(bound) }),
      );
      this.tell(undefined);
      if (answer || !isPatient) return answer;
      if (isAbandoned()) break;
      await sleep(pollMs);
    }
    this.hurryUntil = Date.now() + restMs;
    return undefined;
  }

  /** The age of its newest transaction, unless it has the whole log of the primary. */
  async lag(): Promise<number | undefined> {
    const { rows: positions } = await sql<{ lsn: string }>`
      select pg_current_wal_flush_lsn()::text as lsn`.execute(this.primary.db);
    // Changes on their way need a moment.
    await sleep(patienceMs);
    try {
      const { rows } = await sql<{ seconds: number | null }>`
        select case when pg_last_wal_replay_lsn() >= ${positions[0]?.lsn}::pg_lsn then 0
          else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) end::float8 as seconds
      `.execute((await this.open()).db);
      return rows[0]?.seconds ?? undefined;
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  report(log: (says: string) => void): void {
    this.log = log;
    if (this.trouble !== undefined) log(this.trouble);
  }

  async close(): Promise<void> {
    const { opening } = this;
    this.opening = undefined;
    await opening?.then(
      ({ db }) => db.destroy(),
      () => {},
    );
  }

  private open(): Promise<Opened> {
    this.opening ??= openStandby(this.primary, this.address);
    return this.opening;
  }

  private fail(error: unknown): void {
    this.restUntil = Date.now() + restMs;
    this.tell(error instanceof Error ? error.message : String(error));
    // Its connections end after their last statements.
    void this.close().catch(() => {});
  }

  private tell(trouble: string | undefined): void {
    const had = this.trouble;
    this.trouble = trouble === undefined ? undefined : `reads go to the primary: ${trouble}`;
    if ((had === undefined) !== (trouble === undefined)) this.log?.(this.trouble ?? 'reads go to the standby again');
  }
}

interface Opened {
  engine: Engine;
  db: Db;
}

async function openStandby({ cursorSecret }: Primary, address: string): Promise<Opened> {
  const bounds = `statement_timeout=${statementMs}`;
  const engine = await openPostgres(`${address}${address.includes('?') ? '&' : '?'}${bounds}`);
  const db: Db = new Kysely<Database>({ dialect: engine.dialect });
  try {
    const key = db.selectFrom('meta').select('value').where('key', '=', 'cursor_secret');
    if ((await key.executeTakeFirst())?.value === cursorSecret) return { engine, db };
    throw usage(
      `${shownAddress(address)} holds another database, so it is no standby of this one`,
      'name a standby that streams from the database, and the same name of the database',
    );
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
