/** Companies, metrics and a list with long, wide and unusual names and numbers, on an embedded API in memory. */
import { Failure } from '../../src/core/errors.ts';
import { openEmbedded } from '../../src/server/embedded.ts';
import { loadSeed } from '../../src/server/seed/load.ts';
import type { Seed } from '../../src/server/seed/seed.ts';
import { afterFile } from './after-file.ts';
import { freshDatabase } from './database.ts';
import type { RunOptions } from './run.ts';

const companyIds = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${letter}7c0ffee-0000-4000-8000-000000000000`);
export const longMetric = 'annual_recurring_revenue_of_enterprise_customers_excl_pilots';
export const now = '2026-04-15T09:00:00Z';
const key = 'cmk_long-names-0123456789abcdef';
const session = 'comem-auth-token=session-of-long-names-0123456789';
const user = 'an.extraordinarily.long.address.of.someone@subdomain.of.a.very-long-company-name.example';

const companies = [
  { slug: 'fund', name: 'International Consolidated Infrastructure Ventures Partners II', currency: 'USD' },
  { slug: 'tokyo', name: '東京データ分析株式会社ホールディングス', currency: 'JPY' },
  { slug: 'rocket', name: '🚀 Rocket Labs 🇩🇪 GmbH & Co. KG', currency: 'EUR' },
  { slug: 'short', name: 'Ab', currency: 'USD' },
  { slug: 'danube', name: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk', currency: 'USD' },
].map((company, at) => ({ ...company, id: companyIds[at] as string }));

const definitions = [
  { metricId: longMetric, label: 'Annual recurring revenue of enterprise customers excl. pilots', unit: 'currency' },
  { metricId: 'burn_total', label: 'Burn (total, incl. one-off restructuring costs)', unit: 'currency' },
  { metricId: 'uriage', label: '売上高と営業利益の合計', unit: 'currency' },
  { metricId: 'tiny_ratio', label: 'Tiny ratio', unit: 'ratio', unitLabel: 'x' },
  { metricId: 'logo_churn', label: 'Logo churn 🙃', unit: 'percent', unitLabel: '%' },
  { metricId: 'x', label: 'x', unit: 'count' },
];

/** Deterministic, between 0 and 1. */
const noise = (at: number) => ((at * 7919) % 1000) / 1000;

function metricsOf(company: number, month: number): Record<string, number> {
  return {
    [longMetric]: Math.round(1e8 * (company + 1) * 1.03 ** month) / 100,
    burn_total: Math.round(12_345_678 * (1 + noise(month + company))) / 100,
    uriage: 123_456_789_012 + Math.round(noise(month) * 1e9) + company,
    tiny_ratio: Math.round(1200 + noise(month) * 1000) / 1e7,
    logo_churn: Math.round(2604 + noise(month + 3) * 1000) / 1000,
    ...(company === 0 && { x: month }),
  };
}

const points = companies.flatMap(({ slug }, company) =>
  Array.from({ length: 27 }, (_, month) => ({ period: monthOf(month), metrics: metricsOf(company, month), month }))
    // The fourth company ended, the second has a hole.
    .filter(({ month }) => !(company === 3 && month > 20) && !(company === 1 && month === 7))
    .flatMap(({ period, metrics }) => [
      { company: slug, period, metrics },
      ...(company === 4 ? [] : [{ company: slug, period, version: 'budget' as const, metrics: plannedOf(metrics) }]),
    ]),
);

function monthOf(at: number): string {
  return `${2024 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`;
}

function plannedOf(metrics: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(metrics).map(([id, value]) => [id, Math.round(value * 1.07 * 1e4) / 1e4]));
}

const titles = [
  '株式会社東京データ分析ホールディングス第二事業部',
  'Kraftfahrzeughaftpflichtversicherungsgesellschaft',
  '🚀🚀 Rocket & Söhne',
  'A normal title with several words that goes on and on and on until it is long',
  'x',
];
const stages = ['Waiting for the signature of the other side', '日本の段階', 'Done ✅'];
const amounts = [123_456_789_012, 0.01, 1500.5, 999_999.99, -250_000];

const entries = Array.from({ length: 30 }, (_, at) => ({
  title: `${titles[at % titles.length]}${at < titles.length ? '' : ` ${at}`}`,
  values: {
    'stage-of-the-negotiation': `o${at % 3}`,
    valuation: amounts[at % amounts.length] as number,
    kingaku: 987_654_321_098 + at,
    share: [0.1234567, 12, 3.5][at % 3] as number,
    link: `https://www.example.com/some/very/long/path/without/any/break/${at}`,
    when: `2026-0${(at % 3) + 1}-1${at % 9}`,
    notes:
      at % 4 === 0 ? 'Line one\nline two\twith a tab and a supercalifragilisticexpialidociousword '.repeat(3) : '短い',
  },
}));

const seed: Seed = {
  companies,
  users: [{ email: user, companies: companies.map(({ slug }) => slug) }],
  keys: [
    { secret: key, user, company: 'fund', name: 'reader', scopes: ['metrics.actuals:read', 'metrics.plans:read'] },
  ],
  sessions: [{ secret: session.replace('comem-auth-token=', ''), user, expires_at: '2099-01-01T00:00:00Z' }],
  catalog: companies.flatMap(({ slug }) =>
    definitions.map((definition) => ({ company: slug, ...definition, aggregation: 'last' })),
  ),
  points,
  lists: [
    {
      company: 'fund',
      name: 'Deals that are in negotiation with our partners in the region 🌍',
      slug: 'deals',
      description: '日本語の説明文がここに入ります。とても長い説明です。 A description with many words in it',
      attributes: [
        {
          name: 'Stage of the negotiation with the counterparty',
          slug: 'stage-of-the-negotiation',
          attribute_type: 'status',
          config: { options: stages.map((label, at) => ({ id: `o${at}`, label })) },
        },
        { name: 'Valuation', slug: 'valuation', attribute_type: 'currency', config: { currency: 'USD' } },
        { name: '金額', slug: 'kingaku', attribute_type: 'currency', config: { currency: 'JPY' } },
        { name: 'Share', slug: 'share', attribute_type: 'number' },
        { name: 'Link', slug: 'link', attribute_type: 'url' },
        { name: 'When', slug: 'when', attribute_type: 'date' },
        { name: 'Notes', slug: 'notes', attribute_type: 'text' },
      ],
      entries,
    },
  ],
  grants: [
    { company: 'fund', granted_by: user, recipient_company: 'tokyo', metric_ids: [longMetric, 'burn_total'] },
    { company: 'fund', granted_by: user, recipient_company: 'tokyo', metric_ids: ['burn_total'], note: '契約書第七条' },
    { company: 'fund', granted_by: user, recipient_company: 'danube', include_historical: true },
  ],
};

export const names = [
  ...companies.map(({ name }) => name),
  ...definitions.map(({ label }) => label),
  ...[
    'Stage of the negotiation with the counterparty',
    'Valuation',
    '金額',
    'Share',
    'Link',
    'When',
    'Notes',
    ...stages,
  ],
];

/** `-c` for every company. */
export const everyCompany = companyIds.map((id) => `-c ${id}`).join(' ');

/** What `run` needs to read this world. */
export async function longNamesWorld(): Promise<RunOptions> {
  const api = await openEmbedded({ ...(await freshDatabase()), now: () => new Date(now) });
  afterFile(() => api.close());
  const fail = (path: string, message: string) => new Failure('usage', `${path}: ${message}`);
  await loadSeed(api.store, () => [{ seed, fail }], { now: new Date(now) });
  const env = {
    COMEM_COMPANY_ID: companyIds[0],
    COMEM_API_KEY: key,
    COMEM_SESSION_COOKIE: session,
    COMEM_BASE_URL: 'https://world.example',
  };
  return { transport: api.transport, now, env };
}
