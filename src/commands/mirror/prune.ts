import { defineCommand, flag } from '../../cli/define.ts';
import { folderArgument, folderOf } from './folder.ts';

export default defineCommand({
  path: 'mirror prune',
  summary: 'Remove old versions from a mirror',
  description:
    'Removes the versions that ended before the time that --keep counts back from now, and says how many. The state at that time and everything since then is kept; what was before it can no longer be asked for.',
  operations: [],
  args: [folderArgument],
  flags: {
    keep: flag.text('AGE', 'how much history stays: 90d, 6mo, 2y', { required: true }),
  },
  examples: [
    { run: 'comem -p demo mirror prune mirror --keep 2y --yes', says: 'in a job' },
    { run: 'comem -p demo mirror prune mirror --keep 90d', says: 'asks on a terminal' },
    { run: 'comem -p demo mirror prune mirror --keep 6mo --yes -o json', says: 'what was removed, for a program' },
  ],
  stdout: 'object',
  mirrors: true,
  withoutIds: true,
  asks: true,
  confirms: 'before it removes',
  async run(ctx, { args, flags: { keep = '' } }) {
    const { pruneMirror } = await import('./prune-run.ts');
    await pruneMirror(ctx, folderOf(ctx, args.DIR), keep);
  },
});
