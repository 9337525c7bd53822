/** The demo data: a seed of the format that `comem server dump -o ndjson` writes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demo } from '../../core/demo.ts';
import { Failure } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { hashToken } from '../model/secrets.ts';
import type { Seed, SeedSource } from '../seed/seed.ts';
import { credentialByHash } from '../store/people.ts';
import { readMeta, type Store, writeMeta } from '../store/store.ts';

/** The build copies it beside the program's code. */
const file = 'demo.ndjson';

export function* demoParts(): Generator<SeedSource> {
  const fail: SeedSource['fail'] = (path, message) => new Failure('bug', `the demo data is wrong: ${path} ${message}`);
  const lines = readFileSync(join(import.meta.dirname, file), 'utf8')
    .trimEnd()
    .split('\n');
  // Not validated: the first start should be fast, and the tests load the file as users load theirs.
  for (const line of lines) yield { seed: parseJson(line) as Seed, fail };
}

/** Loads the demo data into a new database. Safe in several processes at once. @returns whether it did */
export async function ensureDemo(store: Store): Promise<boolean> {
  if (!(await isUntouched(store.db))) return false;
  // Most databases are not new: the code for it is loaded when it is needed.
  const { loadInto } = await import('../seed/load.ts');
  return store.write(async (db) => {
    // Checked again: another process may have been faster while this one waited for the lock.
    if (!(await isUntouched(db))) return false;
    await loadInto(db, demoParts(), new Date(demo.now));
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
  const key = await credentialByHash(store, 'tokens', hashToken(demo.apiKey));
  return key !== undefined && key.revoked_at === null;
}
