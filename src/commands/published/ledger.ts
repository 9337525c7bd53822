import { defineCommand, flag } from '../../cli/define.ts';
import { pastFlags } from '../../cli/past.ts';
import { shortRowFlags } from '../../cli/query.ts';

export default defineCommand({
  path: 'published ledger',
  summary: 'Show what each recipient of your grants could read',
  description: [
    'Reads the mirror. A row for each grant: to whom, since when, until when, how many values could be read under it, and how many of them have changed since they could be read. With --by value a row for each value: what could be read, since when, and what is there now. --as-of takes what could be read on that day.',
    'Grants are exact, also before the first sync: the API has the times of creation, end and revocation. It does not list your own reports. Where the mirror has none of these, values are those of the series: the most that a recipient can have read.',
  ].join('\n\n'),
  manual:
    'A grant to a user of your own company that covers all metrics with history makes your reports readable to you: then the mirror has them, and the ledger is exact to the version and the time at which each was sent. A grant without history shows the newest period only. --recipient takes a company, or the id of a user.',
  flags: {
    recipient: flag.text('COMPANY|USER', 'only this company (uuid or alias) or user (uuid)'),
    asOf: flag.text('WHEN', 'what could be read then; default: at any time', { also: { on: 'VALUE' } }),
    by: flag.text('grant|value', 'a row for each grant, or for each value', {
      choices: ['grant', 'value'],
      also: { values: 'value' },
    }),
    metrics: flag.list('ID[,ID]', 'only these metrics', { short: 'm' }),
    from: flag.text('PERIOD', 'values from this period on'),
    to: flag.text('PERIOD', 'values up to this period'),
    last: flag.text('N', 'values of the newest N periods; also 18m, 8q, 3y'),
    failOn: flag.text('changed', 'exit 1 when a value has changed since', { choices: ['changed'] }),
    ...shortRowFlags,
    ...pastFlags,
  },
  examples: {
    'comem -p demo published ledger': 'who was granted what, and what changed since',
    'comem -p demo published ledger --recipient cedar --as-of 2026-02-28 --by value':
      'what Cedar read in February and what is different now',
    'comem -p demo published ledger --by value --where changed':
      'every value that changed after somebody could read it',
  },
  mirrors: true,
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { showLedger } = await import('./ledger-rows.ts');
    await showLedger(ctx, flags);
  },
});
