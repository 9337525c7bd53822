/** A mirror, open for reading. */
import type { History, Sync } from '../domain/history/versions.ts';
import { mirrorFailure, noSyncYet, openExisting } from './database.ts';
import { historyOf } from './history.ts';
import type { Past } from './past.ts';

/**
 * Opens the mirror in a folder. All reads see the state of this moment, whatever is synced meanwhile.
 * @throws notFound when there is none or it has no completed sync; usage for one that cannot be read
 */
export async function openHistory(folder: string): Promise<History> {
  const mirror = await openExisting(folder);
  try {
    const tx = await mirror.db
      .startTransaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute();
    const history = await historyOf({ ...mirror, db: tx }, async () => {
      await tx.rollback().execute();
      await mirror.close();
    });
    if ((await history.syncs()).length > 0) return history;
    await history.close();
  } catch (error) {
    await mirror.close();
    throw mirrorFailure(mirror, error);
  }
  throw noSyncYet(folder);
}

interface Mirror {
  /** The address that its data comes from. */
  api: string | undefined;
  syncs(): Promise<readonly Sync[]>;
  /** The API at one sync, `now` being its clock. */
  at(sync: Sync, now: Date, warn: (text: string) => void): Promise<Past>;
  close(): Promise<void>;
}

/** The API as a mirror in a folder remembers it. */
export async function openMirror(folder: string): Promise<Mirror> {
  const history = await openHistory(folder);
  const { openPast } = await import('./past.ts');
  let closing: Promise<void> | undefined;
  return {
    api: history.api,
    syncs: () => history.syncs(),
    at: (sync, now, warn) => openPast({ history, sync, now, warn }),
    close() {
      closing ??= history.close();
      return closing;
    },
  };
}
