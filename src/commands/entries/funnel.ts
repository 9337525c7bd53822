import { targets } from '../../cli/arguments.ts';
import { defineCommand, flag, inGroup } from '../../cli/define.ts';
import { pastFlags } from '../../cli/past.ts';
import { shortRowFlags } from '../../cli/query.ts';

export default defineCommand({
  path: 'entries funnel',
  summary: 'Count how entries move through the options of an attribute',
  description: [
    'Reads the mirror: conversion, and the median and mean days in each stage. For each stage it counts the entries that entered it, are in it now (as `entries count --by` says), left it, and reached the next and each later stage afterwards. It gives the days within which half and 90% of the stays ended, and the mean of those that ended. A stay that has not ended counts until the newest sync (Kaplan-Meier): "> 90" means that fewer ended within 90 days.',
    'An entry that was in a stage at the first sync is "already" there: it counts in Now and Stale, and in no rate or time. --from and --to take the entries that came in a range; what became of them is followed to the newest sync. A funnel picture is --out FILE.svg, .png or .html; --type bar draws it on the terminal.',
  ].join('\n\n'),
  manual: [
    'An entry counts once for each stage that it was in, however often it came back; each of its stays counts for the times. It is in the next stage if it was there at any time afterwards, so that one which skipped a stage counts for the later one. Moves back are not progress.',
    '--stages says which options are the path, in their order, when an option such as Passed is not progress: entries that go to any other option have left. An archived or deleted entry leaves the observation, and its stay counts as not ended.',
    'Stale are the entries that have been in their stage for longer than nine of ten stays lasted; --stale lists them. Times are as exact as syncs are close: docs/history.md says what each number means.',
  ].join('\n\n'),
  args: [targets.list],
  flags: {
    by: flag.text('ATTR', 'the select or status attribute', { required: true }),
    stages: flag.list('LABEL,…', 'the options of the path, in this order; default all'),
    ...inGroup('ROWS', {
      from: flag.text('WHEN', 'entries that came into a stage from then on'),
      to: flag.text('WHEN', 'entries that came until then'),
      stale: flag.boolean('list the entries that stay longer than nine of ten did'),
      ...shortRowFlags,
    }),
    type: flag.text('table|bar', 'a table, or bars on the terminal', {
      choices: ['table', 'bar'],
      also: { chart: 'bar' },
    }),
    failOn: flag.text('stale', 'exit 1 when entries are stale', { choices: ['stale'] }),
    ...pastFlags,
  },
  examples: {
    'comem -p demo entries funnel deal-pipeline --by stage': 'conversion, and median and mean days in each stage',
    'comem -p demo entries funnel deal-pipeline --by stage --stale --limit 10': 'deals that stay longer than usual',
    'comem -p demo entries funnel deal-pipeline --by stage --from 2025 -o csv': 'what became of the entries since 2025',
  },
  files: ['html', 'htm', 'svg', 'png'],
  mirrors: true,
  async run(ctx, { args, flags }) {
    const { showFunnel } = await import('./funnel-rows.ts');
    await showFunnel(ctx, args.LIST, { ...flags, by: flags.by ?? '' });
  },
});
