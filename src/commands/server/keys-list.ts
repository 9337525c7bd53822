import { defineCommand } from '../../cli/define.ts';
import { keyColumns } from './columns.ts';
import { databaseFlags, withExisting } from './database.ts';

export default defineCommand({
  path: 'server keys list',
  summary: 'List the keys and sessions of a database',
  description: 'The database stores only hashes, so a secret is shown by its first and last characters.',
  operations: [],
  args: [],
  flags: databaseFlags,
  examples: [
    { run: 'comem server keys list -p demo', says: 'the keys and sessions of the demo' },
    { run: 'comem server keys list --data-dir ./data -o json', says: 'those of a database of your own' },
    { run: 'comem server keys list -p demo -o csv', says: 'the same as CSV' },
  ],
  stdout: 'rows',
  async run(ctx, { flags }) {
    await withExisting(ctx, flags, async (store) => {
      const { listKeys } = await import('../../server/keys.ts');
      const keys = await listKeys(store, ctx.runtime.now());
      await ctx.out.rows(keys, keyColumns, { empty: 'No keys: `comem server keys create` creates one.' });
    });
  },
});
