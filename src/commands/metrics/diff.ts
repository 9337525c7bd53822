import { defineCommand, flag } from '../../cli/define.ts';
import { selectedRows, shortRowFlags } from '../../cli/query.ts';
import { amount } from '../../cli/words.ts';
import { Failure } from '../../core/errors.ts';
import { noteSkipped, readSaved, savedDifferences } from '../changes/read.ts';
import { askAnalysis, showAnalysis } from './analyses.ts';
import { companyColumns, restatementColumns } from './columns.ts';
import { partialFlag } from './flags.ts';

export default defineCommand({
  path: 'metrics diff',
  summary: 'Compare two saved exports of a series',
  description: [
    'Lists the values that were changed, added or removed between two exports that `comem metrics series` wrote as csv, tsv, json, ndjson or yaml. The exports may have different formats and shapes. Numbers are compared by value: 1.10 and 1.1 are equal.',
    'An empty cell of a table may be a null or a missing value, except in long rows. If one file is such a table, nulls are ignored in both. A value of a period that was complete in one of them only is compared with --partial.',
  ].join('\n\n'),
  operations: [],
  args: [
    { name: 'A', summary: 'the earlier export; - is stdin', names: 'file' },
    { name: 'B', summary: 'the later export; - is stdin', names: 'file' },
  ],
  flags: { ...shortRowFlags, exitCode: flag.boolean('exit 1 when the exports differ'), partial: partialFlag },
  examples: [
    { run: 'comem metrics diff march.csv april.csv --exit-code', says: 'what was restated in April' },
    { run: 'comem metrics diff march.csv april.csv -o csv', says: 'every restated value as CSV' },
    { run: 'comem metrics diff march.csv april.csv --jq ".[].metricId"', says: 'which metrics were restated' },
  ],
  stdout: 'rows',
  withoutIds: true,
  unlisted: true,
  async run(ctx, { args, flags }) {
    const [nameColumn] = companyColumns;
    const withCompany = nameColumn ? [nameColumn, ...restatementColumns] : restatementColumns;
    const question = await askAnalysis(ctx, flags, withCompany);
    const [before, after] = [await readSaved(ctx, args.A), await readSaved(ctx, args.B)];
    const { rows: all, skipped } = savedDifferences(before, after, flags.partial === true);
    const companies = new Set([...before.readings, ...after.readings].map(({ companyId }) => companyId));
    const named = all.map(({ companyId, company = companyId && ctx.companyName(companyId), ...row }) => ({
      ...(companyId && { company: company ?? companyId, companyId }),
      ...row,
    }));
    const rows = await selectedRows(question, named);
    const columns = companies.size > 1 ? withCompany : restatementColumns;
    noteSkipped(ctx, skipped);
    await showAnalysis(ctx, { question, flags, pages: [rows], empty: 'No differences.' }, columns);
    if (!flags.exitCode || rows.length === 0) return;
    throw new Failure('no', `the exports differ in ${amount(rows.length, 'value', 'values')}`, { code: 'different' });
  },
});
