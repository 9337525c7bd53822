/** A mirror, open for reading. */
import type { History } from '../../domain/history/versions.ts';
import { mirrorFailure, nameOf, noSyncYet, openExisting, type Where } from './database.ts';
import { historyOf } from './history.ts';

/**
 * Opens the mirror in a folder or database. All reads see the state of this moment, whatever is synced meanwhile.
 * @throws notFound when there is none or it has no completed sync; usage for one that cannot be read
 */
export async function openHistory(where: Where): Promise<History> {
  const mirror = await openExisting(where);
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
  throw noSyncYet(nameOf(where));
}
