import { defineCommand } from '../../cli/define.ts';
import { hasRowFlags, shortRowFlags, showRows } from '../../cli/query.ts';
import { keyColumns } from './columns.ts';
import { databaseFlags, timeOf, withExisting } from './database.ts';

export default defineCommand({
  path: 'server keys list',
  summary: 'List the keys and sessions of a database',
  description: 'The database stores only hashes, so a secret is shown by its first and last characters.',
  flags: { ...shortRowFlags, ...databaseFlags },
  examples: {
    'comem server keys list -p demo': 'the keys and sessions of the demo',
    'comem server keys list --dir ./data -o json': 'those of a database of your own',
    'comem server keys list -p demo -o csv': 'the same as CSV',
  },
  async run(ctx, { flags }) {
    await withExisting(ctx, flags, async (store) => {
      const now = await timeOf(ctx, store);
      const { keyKinds, keyStates, listKeys } = await import('../../server/keys.ts');
      await showRows(ctx, () => listKeys(store, now), keyColumns, {
        flags,
        command: ['server keys list'],
        rules: { kind: keyKinds, status: keyStates },
        name: ({ name }) => name,
        empty: hasRowFlags(flags) ? 'No such keys.' : 'No keys: `comem server keys create` creates one.',
      });
    });
  },
});
