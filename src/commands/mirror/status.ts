import { defineCommand } from '../../cli/define.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { folderArgument, readableFolder } from './read.ts';

export default defineCommand({
  path: 'mirror status',
  summary: 'Show what a mirror holds, and how old it is',
  description:
    'One row for each part: how many things are current, how many versions there are, when it was last read, and why it could not be read since. The state is current when the last sync read it, stale when it could not be read, and older when the last sync did not ask for it. Sends no request.',
  args: [folderArgument],
  flags: { ...shortRowFlags },
  examples: {
    'comem -p demo mirror status mirror': 'after `mirror sync mirror`',
    'comem -p demo mirror status mirror -o json --jq .lastAt': 'when it was last synced',
    "comem -p demo mirror status mirror --where 'state = stale'": 'what could not be read',
  },
  mirrors: true,
  withoutIds: true,
  async run(ctx, { args, flags }) {
    const { showStatus } = await import('./status-show.ts');
    await showStatus(ctx, await readableFolder(ctx, args.DIR), flags);
  },
});
