import { demo } from '../../core/demo.ts';
import { Failure } from '../../core/errors.ts';
import { hashToken } from '../model/secrets.ts';
import { tokenByHash } from '../store/people.ts';
import { readMeta, type Store, writeMeta } from '../store/store.ts';
import { demoClock } from './credentials.ts';

/** Loads the demo data into a new database. Safe in several processes at once. @returns whether it did */
export async function ensureDemo(store: Store): Promise<boolean> {
  if (!(await isUntouched(store.db))) return false;
  // Most databases are not new: the code for it is loaded when it is needed.
  const [{ demoSeed }, { loadInto }] = await Promise.all([import('./seed.ts'), import('../seed/load.ts')]);
  return store.write(async (db) => {
    // Checked again: another process may have been faster while this one waited for the lock.
    if (!(await isUntouched(db))) return false;
    const fail = (path: string, says: string) => new Failure('bug', `the demo data is wrong: ${path} ${says}`);
    await loadInto(db, { seed: demoSeed(), fail }, new Date(demoClock));
    await writeMeta(db, 'seed', 'demo');
    return true;
  });
}

/** No seed was ever loaded, and there is no company, which everything else needs. */
async function isUntouched(db: Store['db']): Promise<boolean> {
  if ((await readMeta(db, 'seed')) !== undefined) return false;
  return (await db.selectFrom('companies').select('id').limit(1).executeTakeFirst()) === undefined;
}

/** Whether the demo's key, which everyone knows, opens the database. */
export async function holdsDemo(store: Store): Promise<boolean> {
  const key = await tokenByHash(store.db, hashToken(demo.apiKey));
  return key !== undefined && key.revoked_at === null;
}
