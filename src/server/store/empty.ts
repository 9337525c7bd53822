import type { Store } from './store.ts';

/** Takes everything out of the database but its schema and the key of its cursors. */
export async function emptyStore(store: Store): Promise<void> {
  await store.write(async (db) => {
    // What belongs to a company or a user goes with it.
    await db.deleteFrom('companies').execute();
    await db.deleteFrom('users').execute();
    await db.deleteFrom('meta').where('key', 'in', ['seed', 'clock']).execute();
  });
}
