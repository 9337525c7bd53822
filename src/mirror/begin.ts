/** The beginning of a sync: one writer at a time, and one API for each mirror. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, usage } from '../core/errors.ts';
import type { ControlledTransaction } from '../server/store/kysely.ts';
import { type MirrorDatabase, mirrorFailure, openOrCreate, readMeta, serverDb, writeMeta } from './database.ts';
import { Names } from './names.ts';
import type { MirrorTables } from './tables.ts';
import { SyncWriter } from './writer.ts';

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
          `the mirror in ${mirror.folder} is of ${known}, not of ${api}`,
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

function busy(folder: string, cause: unknown): Failure {
  return new Failure('tryLater', `another sync of the mirror in ${folder} is running`, {
    hint: 'run the same command again when it has ended',
    cause,
  });
}
