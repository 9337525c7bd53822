import { defineCommand, flag } from '../../cli/define.ts';
import { pastFlags } from '../../cli/past.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { metricsFlag } from './flags.ts';

export default defineCommand({
  path: 'metrics restatements',
  summary: 'List values that changed after they were first seen',
  description: [
    'Reads the mirror. A row for each change of a value: period, version, before and after, when the change was seen, and which of how many changes of this value it is. "filled" came where no number was, "withdrawn" went without another one.',
    'Where the mirror has what the company published, a row says what the report of that time contained, and whether the newest report agrees with the series now.',
  ].join('\n\n'),
  manual:
    'A change is seen by the first sync that reads the new value; Written is the time that the API tells, where it lies between the two syncs. The same number in other digits (1.10, 1.1) is not listed. Only actuals are compared with reports.',
  operations: [],
  args: [],
  flags: {
    metrics: metricsFlag('only these metrics'),
    since: flag.text('WHEN', 'changes seen since then: a date, or an age such as 90d'),
    failOn: flag.text('restated|differs', 'exit 1 on any row, or where reports differ', {
      choices: ['restated', 'differs'],
    }),
    ...shortRowFlags,
    ...pastFlags,
  },
  examples: [
    { run: 'comem -p demo metrics restatements', says: 'what was restated, of the own series' },
    { run: 'comem -p demo -c lumen metrics restatements', says: 'what a company restated, and what its reports say' },
    {
      run: 'comem -p demo -c @portfolio metrics restatements --since 2026-01-01 --fail-on restated',
      says: 'a job that fails when a number changed this year',
    },
  ],
  stdout: 'rows',
  mirrors: true,
  withoutIds: true,
  unlisted: true,
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { showRestatements } = await import('./restated-values.ts');
    await showRestatements(ctx, flags);
  },
});
