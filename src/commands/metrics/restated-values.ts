/** Values that changed, beside what was published of them. */

import type { Context } from '../../cli/context.ts';
import { withPast } from '../../cli/past.ts';
import type { RowFlags } from '../../cli/query.ts';
import { showRows } from '../../cli/query.ts';
import { amount } from '../../cli/words.ts';
import { versions } from '../../contract/metrics.ts';
import { Failure } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { publicationsOf, unitsOf } from '../../domain/history/company.ts';
import { pointThing } from '../../domain/history/reads.ts';
import {
  type SentValue,
  type Standing,
  standing,
  type ValueChange,
  valueChanges,
} from '../../domain/history/restated.ts';
import { instantOf } from '../../domain/history/stays.ts';
import { momentOf } from '../../domain/history/when.ts';
import type { Column } from '../../output/column.ts';
import { amountColumn, companyColumns, metric, percentColumn, unit } from './columns.ts';
import { metricIds } from './read.ts';

interface Row extends ValueChange {
  company: string;
  unit?: string;
  /** In the newest report when the change was seen, and now. */
  published: Numeric | null | undefined;
  publishedNow: Numeric | null | undefined;
  sentAt: string | null;
  reports: Standing | null;
}

interface Flags extends RowFlags {
  metrics?: string[];
  since?: string;
  failOn?: string;
  mirror?: string;
}

export async function showRestatements(ctx: Context, flags: Flags): Promise<void> {
  const { metrics, since, failOn, mirror, ...asking } = flags;
  const companies = ctx.settings.companies.value.length > 0 ? ctx.settings.companies.value : [ctx.requireCompany()];
  const ids = metricIds(metrics);
  let found: Row[] = [];
  const read = async () => {
    found = await withPast(
      ctx,
      async ({ history, timesOf, newest }) => {
        const from =
          since === undefined ? undefined : momentOf(since, () => new Date(newest.seenAt), 'first', '--since');
        const rows: Row[] = [];
        for (const company of companies) {
          const [sent, units] = [await publicationsOf(history, company), await unitsOf(history, company)];
          const points = history.points(company, ids && { metricIds: ids });
          const changes: ValueChange[] = [];
          for await (const change of valueChanges(points, (point) => timesOf(pointThing(point)))) changes.push(change);
          const last = new Map(
            changes.map((change) => [`${change.metricId} ${change.periodKey} ${change.version}`, change]),
          );
          for (const change of changes) {
            if (from !== undefined && (instantOf(change.seen) ?? 0) < from) continue;
            const isReported = change.version === 'actual' && sent.size > 0;
            const now = isReported ? sent.at(change.periodKey, change.metricId) : undefined;
            const then: SentValue | undefined = isReported
              ? sent.at(change.periodKey, change.metricId, instantOf(change.at ?? change.seen))
              : undefined;
            const value = last.get(`${change.metricId} ${change.periodKey} ${change.version}`)?.after;
            const shownUnit = units.get(change.metricId);
            rows.push({
              ...change,
              company: ctx.companyName(company) ?? company,
              ...(shownUnit !== undefined && { unit: shownUnit }),
              published: then?.value,
              publishedNow: now?.value,
              sentAt: now?.sentAt ?? null,
              reports: isReported ? standing(now, value) : null,
            });
          }
        }
        return rows.sort((a, b) => (a.seen < b.seen ? -1 : a.seen > b.seen ? 1 : 0));
      },
      mirror,
    );
    return found;
  };
  await showRows(ctx, read, columns(companies.length > 1), {
    flags: asking,
    command: ['metrics restatements', companies, ids, since, flags.where],
    name: ({ metricId, periodKey }) => `${metricId} ${periodKey}`,
    rules: {
      kind: ['restated', 'filled', 'withdrawn'],
      reports: ['agrees', 'differs', 'not published'],
      version: versions,
    },
    empty: 'No value was restated.',
    counts: ['change', 'changes'],
  });
  const counted = failOn === 'differs' ? found.filter(({ reports }) => reports === 'differs') : found;
  if (failOn === undefined || counted.length === 0) return;
  const says =
    failOn === 'differs' ? 'of published values that the reports do not show' : 'of values after they were seen';
  throw new Failure('no', `${amount(counted.length, 'change', 'changes')} ${says}`, { code: 'restated' });
}

const rare = { hidden: true };

const columns = (several: boolean): Column<Row>[] => [
  ...(several ? companyColumns : []),
  { ...metric, rank: 1 },
  {
    key: 'periodKey',
    heading: 'Period',
    rank: 2,
    get: (row) => row.periodKey,
  },
  { key: 'periodType', heading: 'Grain', get: (row) => row.periodType, ...rare },
  { key: 'version', heading: 'Version', rank: 20, get: (row) => row.version },
  { key: 'kind', heading: 'Change', rank: 21, get: (row) => row.kind },
  { ...amountColumn<Row>('before', 'Before', (row) => row.before), rank: 4 },
  { ...amountColumn<Row>('after', 'After', (row) => row.after), aliases: ['value'], rank: 5 },
  { ...amountColumn<Row>('difference', 'Difference', (row) => row.difference), rank: 22 },
  { ...percentColumn<Row>('percent', '%', (row) => row.percent), rank: 6, change: true },
  { key: 'seen', heading: 'Seen', type: 'datetime', rank: 7, get: (row) => row.seen },
  { key: 'notBefore', heading: 'Not before', type: 'datetime', get: (row) => row.notBefore, ...rare },
  { key: 'at', heading: 'Written', type: 'datetime', rank: 23, get: (row) => row.at },
  { key: 'change', heading: 'Number', type: 'integer', get: (row) => row.change, ...rare },
  {
    key: 'changes',
    heading: 'Changes',
    type: 'integer',
    rank: 24,
    get: (row) => row.changes,
    shown: ({ change, changes }) => `${change} of ${changes}`,
  },
  { ...amountColumn<Row>('published', 'Published', (row) => row.published), title: 'Published then', rank: 9 },
  { ...amountColumn<Row>('publishedNow', 'Published now', (row) => row.publishedNow), rank: 25 },
  {
    key: 'reports',
    heading: 'Reports',
    rank: 10,
    tones: { agrees: 'green', differs: 'red', 'not published': 'dim' },
    get: (row) => row.reports,
  },
  { key: 'sentAt', heading: 'Sent', type: 'datetime', get: (row) => row.sentAt, ...rare },
  { key: 'source', heading: 'Source', get: (row) => row.source, ...rare },
  unit,
];
