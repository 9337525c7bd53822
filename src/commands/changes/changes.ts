import { defineCommand } from '../../cli/define.ts';
import { syncOperations } from '../mirror/read.ts';
import { changeFlags } from './columns.ts';

export default defineCommand({
  path: 'changes',
  summary: 'Show what changed, and when',
  description: [
    'One row for each addition, each removal and each changed field: where it is, its value before and after, when it was written, and which sync first read it. Reads the mirror. WHAT is entries [LIST], metrics, grants, lists or published; without it, all of them.',
    '--since lists each change since a time, 30d by default. --between A B compares two states: times (a date, month, quarter or year means its end, an age counts back from the newest sync), or two files that `metrics series` or `entries list` wrote, as csv, tsv, json, ndjson or yaml. --live compares the newest sync with the API now.',
  ].join('\n\n'),
  manual:
    'Seen is the first sync that read a change. When is the last write, or the creation of an addition, if the API dates it between that sync and the one before. The range goes by When, or by Seen where When is empty. --seen-by keeps the values that a recipient of your grants could read before they changed. The API does not say who changed something.',
  operations: syncOperations,
  args: [
    { name: 'WHAT', summary: 'entries [LIST], metrics, grants, lists or published', variadic: true, optional: true },
  ],
  flags: changeFlags,
  examples: {
    'comem -p demo changes entries deal-pipeline --since 14d': 'what happened in a list',
    'comem -p demo changes metrics --between 2025-12 2026-03': 'values of the first quarter',
    'comem -p demo changes --seen-by cedar --since 1y': 'values that Cedar read and that changed since',
    'comem changes metrics --between march.csv april.csv --exit-code': 'two saved exports',
  },
  mirrors: true,
  manyCompanies: true,
  async run(ctx, { args, flags }) {
    const { showChanges } = await import('./read.ts');
    await showChanges(ctx, args.WHAT, flags);
  },
});
