import { defineCommand, flag } from '../../cli/define.ts';
import { folderArgument, folderOf, syncOperations } from './read.ts';

export default defineCommand({
  path: 'mirror sync',
  summary: 'Read everything into a local mirror with history',
  description: [
    'Reads the lists, attributes and entries (archived ones too), the catalog, series, live values, grants, preferences and published companies that the credentials can read. What changed since the previous sync becomes a new version; nothing is forgotten.',
    'Flags narrow what is read. The rest stays in the mirror as it was. A part that cannot be read this time is marked stale, and the command ends with exit 7.',
    'A sync is one transaction: one that is interrupted leaves the mirror as it was before. History starts at the first sync, and changes between two syncs are one change.',
  ].join('\n\n'),
  operations: syncOperations,
  args: [folderArgument],
  flags: {
    lists: flag.list('LISTS', 'only these lists, comma-separated; none: no list'),
    metrics: flag.list('IDS', 'only these metrics, comma-separated; none: no metric', { short: 'm' }),
    from: flag.text('PERIOD', 'series from this period on'),
    published: flag.list('COMPANY', 'what this company published too', { hidden: true }),
  },
  examples: {
    'comem -p demo mirror sync mirror': 'everything, into the folder mirror',
    'comem -p demo mirror sync mirror --lists deal-pipeline --metrics none': 'only one list',
    'comem -p demo mirror sync mirror --from 2024 -o json': 'recent series; the report as JSON',
  },
  mirrors: true,
  withoutIds: true,
  manyCompanies: true,
  async run(ctx, { args, flags }) {
    const { syncMirror } = await import('./sync-run.ts');
    await syncMirror(ctx, folderOf(ctx, args.DIR), flags);
  },
});
