import { defineCommand, flag } from '../../cli/define.ts';
import { hasRowFlags, shortRowFlags, showRows } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { grantMatrix, type MatrixRow } from '../../domain/grants.ts';
import { shortId, uniqueLength } from '../../output/screen-column.ts';
import { asciiOnly } from '../../output/terminal-text.ts';
import { columnsOfCompanies, rowsOfCompanies } from '../company-rows.ts';
import { metricIds } from '../metrics/read.ts';
import { grantsWithCatalog } from './choice.ts';
import { matrixColumns, matrixRules } from './columns.ts';

export default defineCommand({
  path: 'grants matrix',
  summary: 'Show who may read which metrics',
  description:
    'One row for each metric, one column for each recipient of a grant in force: history where a grant gives historical access, latest where only the latest publication may be read, empty where nothing is granted. A grant that names no metrics counts for every one. The metrics are those of the catalog that are not archived, and any other that a grant names.',
  operations: ['listGrants', 'getMetricCatalog'],
  flags: { ...shortRowFlags, metrics: flag.list('ID[,ID]', 'only these metrics', { short: 'm' }) },
  examples: {
    'comem -p demo grants matrix -m mrr,arr,runway': 'three metrics',
    'comem -p demo grants matrix -o csv': 'all metrics',
    'comem -p demo grants matrix --out grants.xlsx': 'all metrics, as a workbook',
  },
  manyCompanies: true,
  async run(ctx, { flags }) {
    refuseRaw(ctx, 'it is worked out from several requests');
    const ids = metricIds(flags.metrics);
    const readers = new Set<string>();
    const { rows, verdict } = await rowsOfCompanies(ctx, flags, async (companyId) => {
      const { grants, definitions } = await grantsWithCatalog(ctx, companyId);
      const known = definitions.flatMap(({ metricId, archived }) => (archived ? [] : [metricId]));
      const granted = grants.flatMap(({ metric_ids }) => metric_ids ?? []);
      const matrix = grantMatrix(grants, ids ?? [...new Set([...known, ...granted])], ctx.now());
      for (const id of matrix.readers) readers.add(id);
      return matrix.rows;
    });
    const recipients = [...readers].filter((id) => rows.some((row) => Object.hasOwn(row.recipients, id)));
    const others = readers.size - recipients.length;
    const length = uniqueLength(recipients.filter((id) => ctx.companyName(id) === undefined));
    const byRecipient = matrixColumns(
      recipients.map((id) => {
        const name = ctx.companyName(id);
        return { id, name: name ?? id, title: name ?? shortId(id, asciiOnly(ctx.runtime.env), length) };
      }),
    );
    const columns = columnsOfCompanies(ctx, flags, byRecipient);
    const name = ({ metric }: MatrixRow) => metric;
    await showRows(ctx, async () => (recipients.length === 0 ? [] : rows), columns, {
      flags,
      command: ['grants matrix'],
      rules: matrixRules(byRecipient),
      name,
      id: name,
      empty: hasRowFlags(flags) ? 'No such metrics.' : 'No grant is in force for these metrics.',
    });
    if (others > 0) ctx.out.note(`${amount(others, 'recipient reads', 'recipients read')} none of these metrics.`);
    verdict();
  },
});
