import { defineCommand, flag } from '../../cli/define.ts';
import { type Past, pastFlags, withPast } from '../../cli/past.ts';
import { shortRowFlags, showRows } from '../../cli/query.ts';
import { amount } from '../../cli/words.ts';
import { Failure } from '../../core/errors.ts';
import { changeRules, diffKindsOf, diffView } from '../changes/columns.ts';
import { readDiff } from '../changes/read.ts';

export default defineCommand({
  path: 'mirror diff',
  summary: 'Compare a mirror at two times',
  description: [
    'What was added, removed or changed between A and B: lists, attributes, entries, metrics, values of series and grants. A thing that was changed has a row for each field.',
    'A date, month, quarter or year means its end; an age such as 30d counts back from the newest sync. Each time means the last sync until then. B is the newest sync if it is not given.',
  ].join('\n\n'),
  operations: [],
  args: [
    { name: 'A', summary: 'the earlier time, such as 2026-01-31, 2026-Q1 or 30d' },
    { name: 'B', summary: 'the later time; default: the newest sync', optional: true },
  ],
  flags: {
    kinds: flag.list('KIND,…', 'only list, attribute, entry, metric, value or grant'),
    list: flag.text('LIST', 'only this list'),
    exitCode: flag.boolean('exit 1 when the two differ'),
    ...shortRowFlags,
    ...pastFlags,
  },
  examples: [
    {
      run: 'comem -p demo mirror diff 2026-02-28 --kinds grant,value,metric',
      says: 'numbers and grants since February',
    },
    {
      run: `comem -p demo mirror diff 2026-02 2026-03 --list deal-pipeline --where 'field = "values.stage"'`,
      says: 'deals that moved in March',
    },
    { run: 'comem -p demo mirror diff 2026-02-28 --kinds grant -o csv', says: 'grants that changed since, as CSV' },
  ],
  stdout: 'rows',
  mirrors: true,
  unlisted: true,
  async run(ctx, { args: { A, B }, flags }) {
    const { kinds: words, list, exitCode, mirror, ...rowFlags } = flags;
    const kinds = diffKindsOf(words, list);
    const read = (past: Past) => readDiff(ctx, past, { a: A, b: B, kinds, list });
    const rows = (await withPast(ctx, read, mirror)).map(diffView.row);
    await showRows(ctx, async () => rows, diffView.columns, {
      flags: rowFlags,
      command: ['mirror diff', A, B, kinds, list, flags.where],
      rules: { kind: kinds, ...changeRules },
      name: ({ kind, name }) => `${kind} ${name}`,
      empty: 'No differences.',
      counts: ['difference', 'differences'],
    });
    if (!exitCode || rows.length === 0) return;
    throw new Failure('no', `the mirror differs in ${amount(rows.length, 'place', 'places')}`, { code: 'different' });
  },
});
