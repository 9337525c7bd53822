import { defineCommand } from '../../cli/define.ts';
import { folderArgument, readableFolder } from './folder.ts';
import { syncOperations } from './read.ts';

export default defineCommand({
  path: 'mirror verify',
  summary: 'Compare a mirror with the API, row by row',
  description:
    'Reads again what the last sync read, compares the content of every row with the newest state of the mirror, and lists what differs: exit 1 then. Differences are what changed since the last sync, or damage. Changes nothing; a sync at the same time waits.',
  operations: syncOperations,
  args: [folderArgument],
  flags: {},
  examples: [
    { run: 'comem -p demo mirror verify mirror', says: 'exit 0 when everything agrees' },
    { run: 'comem -p demo mirror verify mirror -o json', says: 'what differs, for a program' },
    { run: 'comem -p demo mirror verify mirror --out differences.csv', says: 'what differs, in a file' },
  ],
  stdout: 'rows',
  mirrors: true,
  manyCompanies: true,
  async run(ctx, { args }) {
    const { verifyMirror } = await import('./verify-run.ts');
    await verifyMirror(ctx, await readableFolder(ctx, args.DIR));
  },
});
