/** What the demo companies published, and to whom they opened it. */
import { formatPeriod } from '../../core/periods.ts';
import type { SeedGrant, SeedPreferences, SeedPublication } from '../seed/seed.ts';
import type { Metrics } from './business.ts';
import { demoUsers } from './credentials.ts';
import { Random, round } from './random.ts';
import { aggregated, type CompanySeries, lumenRestated } from './series.ts';

const units: Readonly<Record<string, string>> = {
  mrr: 'currency',
  arr: 'currency',
  runway: 'months',
  headcount: 'count',
  customer_count: 'count',
  churn_rate: 'percent',
  mrr_growth: 'percent',
  burn: 'currency',
  nrr: 'percent',
};
const unitLabels: Readonly<Record<string, string>> = { runway: 'months', churn_rate: '%', mrr_growth: '%', nrr: '%' };
const shared = Object.keys(units);

/** Since when each company publishes; those that are missing publish nothing. */
const since: Readonly<Record<string, string>> = { lumen: '2022-03', harbor: '2024-01', tessera: '2024-07' };

export function publications(series: readonly CompanySeries[]): SeedPublication[] {
  return series.flatMap(({ slug, first, points }) => {
    const from = since[slug];
    if (from === undefined) return [];
    const random = new Random(9_000 + first + slug.length);
    const months = points.filter(({ version, period }) => version === 'actual' && String(period) >= from);
    const made: SeedPublication[] = [];
    for (const { period, metrics } of months) {
      const sent = sentAfter(String(period), random.whole(8, 20));
      if (slug === 'lumen' && period === lumenRestated) {
        // Sent with churned revenue still in it, and sent again when that was found.
        made.push(publication(slug, String(period), 1, sent, inflated(metrics)));
        made.push(publication(slug, String(period), 2, '2025-02-19T08:00:00.000Z', metrics));
      } else made.push(publication(slug, String(period), 1, sent, metrics));
    }
    return [...made, ...quarters(slug, months)];
  });
}

function quarters(slug: string, months: readonly { period: string | number; metrics: Metrics }[]): SeedPublication[] {
  const held = new Map<string, Metrics[]>();
  for (const { period, metrics } of months) {
    const [year = '', month = ''] = String(period).split('-');
    const key = formatPeriod({ type: 'quarter', index: Number(year) * 4 + Math.ceil(Number(month) / 3) - 1 });
    held.set(key, [...(held.get(key) ?? []), metrics]);
  }
  return [...held]
    .filter(([, metrics]) => metrics.length === 3)
    .map(([key, metrics]) => publication(slug, key, 1, sentAfter(lastMonthOf(key), 24), aggregated(metrics)));
}

function publication(
  company: string,
  period: string,
  version: number,
  sentAt: string,
  metrics: Metrics,
): SeedPublication {
  const data = Object.fromEntries(shared.filter((id) => metrics[id] != null).map((id) => [id, metrics[id]]));
  const only = (labels: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(labels).filter(([id]) => Object.hasOwn(data, id)));
  return {
    company,
    period,
    version_number: version,
    sent_at: sentAt,
    data,
    units: only(units),
    unit_labels: only(unitLabels),
    share_token: `demo-${company}-${period.toLowerCase()}-v${version}`,
    viewer_policy: { download: true, watermark: company === 'tessera' },
  };
}

function inflated(metrics: Metrics): Metrics {
  const mrr = round((metrics.mrr ?? 0) * 1.034, 2);
  return { ...metrics, mrr, arr: round(mrr * 12, 2), mrr_growth: round((metrics.mrr_growth ?? 0) + 3.5, 2) };
}

function lastMonthOf(quarter: string): string {
  const [year = '', number = ''] = quarter.split('-Q');
  return `${year}-${String(Number(number) * 3).padStart(2, '0')}`;
}

function sentAfter(month: string, days: number): string {
  const [year = '', number = ''] = month.split('-');
  return new Date(Date.UTC(Number(year), Number(number), days, 8)).toISOString();
}

const owner = (slug: string) => `founder@${slug}.example`;
export const founders = ['lumen', 'harbor', 'tessera', 'fieldwork', 'quill'].map((slug) => ({
  slug,
  email: owner(slug),
}));

/** Active, ending soon, expired and revoked; with and without history; to a company, to a user, of all metrics or few. */
export const demoGrants: SeedGrant[] = [
  grant('lumen', '2022-04-06', { recipient_company: 'northgate', include_historical: true, note: 'Board package' }),
  grant('harbor', '2024-02-01', {
    recipient_company: 'northgate',
    note: 'Monthly update, current month only',
    expires_at: '2026-12-31T23:59:59.000Z',
  }),
  grant('tessera', '2024-08-12', {
    recipient_user: demoUsers.investor,
    metric_ids: ['mrr', 'arr', 'headcount', 'runway'],
    include_historical: true,
    note: 'For Maya only, until the next round is closed',
    expires_at: '2026-04-30T23:59:59.000Z',
  }),
  grant('tessera', '2025-01-15', {
    recipient_user: demoUsers.partner,
    note: 'Revoked when Omar left the board',
    revoked_at: '2025-11-03T16:20:00.000Z',
  }),
  // Nothing is published yet: a read of it is allowed and finds no publication.
  grant('fieldwork', '2026-01-20', {
    recipient_company: 'northgate',
    include_historical: true,
    note: 'From the seed round on',
  }),
  grant('fieldwork', '2025-03-03', {
    recipient_company: 'northgate',
    note: 'Due diligence',
    expires_at: '2025-06-30T23:59:59.000Z',
  }),
  grant('northgate', '2023-02-01', {
    recipient_company: 'cedar',
    include_historical: true,
    note: 'Limited partner agreement, 7.2',
  }),
  grant('northgate', '2024-05-20', {
    recipient_user: demoUsers.limitedPartner,
    metric_ids: ['fund_nav', 'tvpi', 'dpi'],
    include_historical: true,
    note: 'Fund figures',
    expires_at: '2026-04-15T23:59:59.000Z',
  }),
  grant('northgate', '2025-01-10', {
    recipient_company: 'cedar',
    metric_ids: ['mrr', 'arr'],
    note: 'Annual meeting 2025',
    expires_at: '2025-03-31T23:59:59.000Z',
  }),
  grant('northgate', '2025-04-02', {
    recipient_company: 'cedar',
    metric_ids: ['headcount', 'customer_count'],
    note: 'Impact report',
    revoked_at: '2025-10-14T09:12:00.000Z',
  }),
  grant('northgate', '2025-09-01', {
    recipient_company: 'lumen',
    metric_ids: ['mrr', 'arr'],
    note: 'Benchmark for the board of Lumen',
  }),
  grant('northgate', '2025-09-01', {
    recipient_company: 'harbor',
    metric_ids: ['mrr', 'burn'],
    note: 'Benchmark for the board of Harbor',
    expires_at: '2026-08-31T23:59:59.000Z',
  }),
];

function grant(slug: string, day: string, rest: Omit<SeedGrant, 'company' | 'granted_by'>): SeedGrant {
  const by = slug === 'northgate' ? demoUsers.investor : owner(slug);
  return { company: slug, granted_by: by, created_at: `${day}T10:00:00.000Z`, ...rest };
}

export const demoPreferences: SeedPreferences[] = [
  {
    company: 'northgate',
    requestedMetrics: ['mrr', 'arr', 'runway', 'headcount', 'burn', 'nrr'],
    tableColumns: ['mrr', 'mrr_growth', 'runway', 'burn'],
    cardPages: [
      { id: 'growth', title: 'Growth', metricIds: ['mrr', 'arr', 'mrr_growth', 'customer_count'] },
      { id: 'efficiency', title: 'Efficiency', metricIds: ['burn', 'runway', 'ltv_cac_ratio', 'nrr'] },
    ],
    created_at: '2023-01-16T09:00:00.000Z',
    updated_at: '2025-11-27T13:45:00.000Z',
  },
];
