import { defineCommand } from '../../cli/define.ts';
import { documentFormat } from '../../cli/show.ts';
import { databaseFlags, withExisting } from './database.ts';

export default defineCommand({
  path: 'server dump',
  summary: 'Write a database as a seed file',
  description:
    'YAML, JSON with -o json, or NDJSON with -o ndjson, which is written while the database is read, whatever its size; ' +
    '`comem server load` reads them. Keys and sessions are written as hashes, never as secrets. A secret also works on a ' +
    'database that is loaded from the file.',
  flags: databaseFlags,
  examples: {
    'comem server dump -p demo -O demo.yaml': 'the demo data as a file',
    'comem server dump --dir ./data -o json': 'a database of your own, as JSON',
    'comem server dump -p demo -O demo.ndjson': 'as lines of JSON, for a database of any size',
  },
  stdout: 'text',
  async run(ctx, { flags }) {
    await withExisting(ctx, flags, async (store) => {
      const { dumpText } = await import('../../server/seed/dump.ts');
      const format = documentFormat(ctx, 'yaml', 'ndjson');
      await store.read((db) => ctx.out.text(dumpText(db, format)));
    });
  },
});
