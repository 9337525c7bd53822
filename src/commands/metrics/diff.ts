import { defineCommand, flag } from '../../cli/define.ts';
import { amount } from '../../cli/words.ts';
import { Failure } from '../../core/errors.ts';
import { restatementColumns } from './analysis-columns.ts';

export default defineCommand({
  path: 'metrics diff',
  summary: 'Compare two saved exports of a series',
  description: [
    'What was restated between two exports that `comem metrics series` wrote as csv, tsv, json, ndjson or yaml: values that changed, were added, or were removed. The two may have different formats and shapes. Numbers are compared by value: 1.10 and 1.1 are equal.',
    'An empty cell of a table may be a null or no row, but for long rows; where one of the files is such a table, nulls are left out of both.',
  ].join('\n\n'),
  operations: [],
  args: [
    { name: 'A', summary: 'the export before; - is stdin' },
    { name: 'B', summary: 'the export after; - is stdin' },
  ],
  flags: { exitCode: flag.boolean('exit 1 when the exports differ') },
  examples: [{ run: 'comem metrics diff march.csv april.csv --exit-code', says: 'what was restated in April' }],
  stdout: 'rows',
  withoutIds: true,
  async run(ctx, { args, flags }) {
    const { readSaved, savedDifferences } = await import('./analysis/saved.ts');
    const [before, after] = [await readSaved(ctx, args.A), await readSaved(ctx, args.B)];
    const rows = savedDifferences(before, after);
    await ctx.out.rows(rows, restatementColumns, { id: (row) => row.metricId, empty: 'No differences.' });
    if (!flags.exitCode || rows.length === 0) return;
    throw new Failure('no', `the exports differ in ${amount(rows.length, 'value', 'values')}`, { code: 'different' });
  },
});
