/**
 * A process of its own for the tests of the store: opens the API on a folder or address and does what its argument says, telling
 * on stdout what was acknowledged.
 */

import { isPostgres } from '../../src/core/addresses.ts';
import { createApi } from '../../src/server/api.ts';
import { listen } from '../../src/server/app.ts';
import { sql } from '../../src/server/store/kysely.ts';
import { openStore } from '../../src/server/store/store.ts';
import { call, now } from './world.ts';

const [mode = '', database = '', listId = '', name = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const readDatabase = mode === 'serve' && listId !== '' ? listId : undefined;
  const store = await openStore(isPostgres(database) ? { database, readDatabase } : { dataDir: database });
  const checkpoint = async () => {
    if (!isPostgres(database)) await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
  };
  if (mode === 'open') {
    process.stdout.write(`${store.cursorSecret}\n`);
    return store.close();
  }
  if (mode === 'serve') {
    const { url } = await listen(store, { port: 0, now: () => now });
    process.stdout.write(`${url}\n`);
    return;
  }
  if (mode === 'checkpoint-on') {
    for (;;) {
      await checkpoint();
      process.stdout.write('done\n');
    }
  }
  const api = createApi(store, { now: () => now });
  const isEndless = mode === 'write-on';
  for (let n = 0; isEndless || n < 40; n += 1) {
    const title = `${name} ${n}`;
    const got = await call(api, 'createEntry', { params: { listId }, body: { title, values: { t: name } } });
    process.stdout.write(`${got.status} ${title}\n`);
    if (isEndless && n % 20 === 19) await checkpoint();
  }
  await store.close();
}

await main();
