import { defineCommand } from '../../cli/define.ts';
import { documentFormat } from '../../cli/show.ts';
import { databaseFlags, withExisting } from './database.ts';

export default defineCommand({
  path: 'server dump',
  summary: 'Write a database as a seed file',
  description:
    'YAML, or JSON with -o json; `comem server load` reads both. Keys and sessions are written as hashes, never as ' +
    'secrets. A secret also works on a database that is loaded from the file.',
  operations: [],
  args: [],
  flags: databaseFlags,
  examples: [
    { run: 'comem server dump -p demo -O demo.yaml', says: 'the demo data as a file' },
    { run: 'comem server dump --data-dir ./data -o json', says: 'a database of your own, as JSON' },
    { run: 'comem server dump -p demo --out demo.json -o json', says: 'the demo data as JSON' },
  ],
  stdout: 'text',
  async run(ctx, { flags }) {
    await withExisting(ctx, flags, async (store) => {
      const { dumpText } = await import('../../server/seed/dump-text.ts');
      const format = documentFormat(ctx, 'yaml');
      await store.read((db) => ctx.out.text(dumpText(db, format)));
    });
  },
});
