/** `grants create --preview`: what a grant would show that its recipient could not read before. */

import type { Context } from '../../cli/context.ts';
import { withPast } from '../../cli/past.ts';
import { timeText } from '../../cli/words.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { grantsOf, type Revealed, readableValues, revealed, unitsOf } from '../../domain/history/ledger.ts';
import type { Column } from '../../output/column.ts';
import { amountColumn, type MetricRow, metric, unit } from '../metrics/columns.ts';

type Row = Revealed & MetricRow;

export async function previewGrant(
  ctx: Context,
  grant: MetricGrant & { companyId: string },
  mirror?: string,
): Promise<void> {
  const { rows, basis, seenAt } = await withPast(
    ctx,
    async ({ history, times, newest }) => {
      const { companyId } = grant;
      const readable = await readableValues(history, companyId);
      const units = await unitsOf(history, companyId);
      const values = revealed(grant, await grantsOf(history, companyId), readable, times.newest);
      const rows = values.map((row): Row => ({ ...row, unit: units.get(row.metricId) ?? '' }));
      return { rows, basis: readable.basis, seenAt: newest.seenAt };
    },
    mirror,
  );
  const values =
    basis === 'series' ? 'values of the series, the most that its reports can contain' : 'published values';
  ctx.out.note(`Nothing was created. By the mirror of ${timeText(seenAt)}: ${values}.`);
  await ctx.out.rows(rows, columns, {
    id: (row) => row.metricId,
    counts: ['value', 'values'],
    empty: 'The recipient could read all of it before.',
  });
}

const columns: Column<Row>[] = [
  { ...metric, rank: 1 },
  {
    ...{ key: 'periodKey', heading: 'Period', aliases: ['period'], rank: 2 },
    get: (row) => row.periodKey,
  },
  { key: 'kind', heading: 'Reveals', rank: 3, get: (row) => row.kind },
  { ...amountColumn<Row>('value', 'Value', (row) => row.value), rank: 4 },
  { ...amountColumn<Row>('before', 'Could read', (row) => row.before), rank: 5 },
  unit,
];
