/** A small company whose data breaks some expectation of every kind, as a seed file. */
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const company = uuid(1);

const months = ['2025-10', '2025-11', '2025-12', '2026-01', '2026-02', '2026-03'];
const mrr = [100, 110, 120, 60, 130, 140];

export const seed = {
  clock: '2026-04-10T12:00:00Z',
  companies: [{ slug: 'acme', id: company, name: 'Acme' }],
  users: [{ email: 'ann@acme.example', companies: ['acme'] }],
  lists: [
    {
      company: 'acme',
      name: 'Deals',
      attributes: [
        {
          name: 'Stage',
          attribute_type: 'select',
          config: {
            options: [
              { id: 'won', label: 'Won' },
              { id: 'lost', label: 'Lost' },
            ],
          },
        },
        { name: 'Amount', attribute_type: 'currency' },
        { name: 'Email', attribute_type: 'email' },
        { name: 'Founded', attribute_type: 'text' },
        { name: 'Closed', attribute_type: 'date' },
        { name: 'Account', attribute_type: 'text' },
      ],
      entries: [
        entry('One', {
          stage: 'Won',
          amount: 10.5,
          email: 'a@x.example',
          founded: '1902',
          closed: '2026-01-31',
          account: 'A',
        }),
        entry('Two', {
          stage: 'Won',
          email: 'a@x.example',
          founded: '2013 (1888)',
          closed: '2026-05-01',
          account: 'B',
        }),
        entry('Three', { stage: 'Lost', amount: 200, founded: '1999', account: 'Z' }),
        { ...entry('Gone', { stage: 'Lost', amount: 1 }), archived: true },
      ],
    },
    { company: 'acme', name: 'Accounts', entries: [entry('A', {}), entry('B', {})] },
  ],
  catalog: [
    { company: 'acme', metricId: 'signups', label: 'Signups', archived: true },
    { company: 'acme', metricId: 'margin', label: 'Margin' },
  ],
  points: [
    ...months.map((period, index) => ({
      company: 'acme',
      period,
      metrics: {
        mrr: mrr[index] ?? 0,
        arr: (mrr[index] ?? 0) * 12,
        ...(index === 2 ? {} : { nrr: index === 4 ? null : 101 }),
        margin: index === 0 ? -1 : 5,
        ...(index < 3 ? { cac: 50 } : {}),
      },
      updated_at: `${period}-28T00:00:00Z`,
    })),
    ...months.map((period) => ({ company: 'acme', period, version: 'budget', metrics: { mrr: 105 } })),
  ],
  grants: [
    grant(31, { recipient_company: 'acme', metric_ids: ['mrr'], expires_at: '2027-01-01T00:00:00Z' }),
    grant(32, { recipient_user: 'ann@acme.example', metric_ids: ['arr'], include_historical: true }),
  ],
};

function entry(title: string, values: Record<string, unknown>) {
  return { title, values, created_at: '2026-01-01T00:00:00Z', updated_at: '2026-03-01T00:00:00Z' };
}

function grant(id: number, fields: Record<string, unknown>) {
  return { id: uuid(id), company: 'acme', granted_by: 'ann@acme.example', ...fields };
}

/** [subject, kind, an expectation that holds, one that does not] */
export const kinds: [string, string, string, string][] = [
  ['deals', 'exists', 'exists', ''],
  ['deals', 'count', 'count = 3', 'count >= 4'],
  ['deals', 'attributes', 'attributes(stage, amount, email, founded, closed, account)', 'attributes(stage)'],
  ['deals', 'attribute', 'attribute(stage, select, "Won", "Lost")', 'attribute(amount, number)'],
  ['deals', 'required', 'required(stage, founded)', 'required(email)'],
  ['deals', 'unique', 'unique(title)', 'unique(email)'],
  ['deals', 'unique of several', 'unique(email, founded)', 'unique(stage, email)'],
  ['deals', 'accepted', 'accepted(stage, "Won", "Lost")', 'accepted(stage, "Won")'],
  ['deals', 'pattern', 'pattern(email, "@x\\.example$")', 'pattern(founded, "^\\d{4}$")'],
  ['deals', 'valid', 'valid()', ''],
  ['deals', 'type', 'type(email, email)', 'type(founded, year)'],
  ['deals', 'range', 'range(amount, 0, 200)', 'range(amount, max=100)'],
  ['deals', 'length', 'length(title, 1, 10)', 'length(title, max=3)'],
  ['deals', 'not_future', 'not_future(created_at)', 'not_future(closed)'],
  ['deals', 'within', 'updated_at within 60d', 'updated_at within 7d'],
  ['deals', 'fresh', 'fresh(updated_at, 9w)', 'fresh(24h)'],
  ['deals', 'if then', 'if stage = "Lost" then amount >= 200', 'if stage = "Won" then amount > 0'],
  ['deals', 'row', 'row(founded != null)', 'amount > 0'],
  ['deals', 'sum', 'sum(amount) = 210.5', 'sum(amount) < 210.5'],
  ['deals', 'average by group', 'average(amount) by stage > 10', 'average(amount) by stage > 100'],
  ['deals', 'min and max', 'min(amount) = 10.5', 'max(amount) < 200'],
  ['deals', 'references', 'references(title, "deals", title)', 'references(account, "accounts", title)'],
  ['deals', 'no_archived', '', 'no_archived'],
  ['metrics', 'catalog', 'catalog(mrr, margin)', 'catalog(mrr, signups)'],
  ['metrics', 'no_gaps', 'no_gaps(mrr, arr)', 'no_gaps(nrr)'],
  ['metrics', 'fresh', 'fresh(mrr, 20d)', 'fresh(cac, 20d)'],
  ['metrics', 'range', 'range(mrr, 60, 140)', 'range(mrr, 61, 140)'],
  ['metrics', 'sign', 'sign(mrr, positive)', 'sign(margin, non_negative)'],
  ['metrics', 'growth', 'growth(mrr, mom, -50%, 120%)', 'growth(mrr, mom, -20%, 120%)'],
  ['metrics', 'identity', 'arr = 12 * mrr ± 1%', 'arr = 11 * mrr ± 1%'],
  ['metrics', 'variance', 'variance(mrr, budget) <= 45%', 'variance(mrr, budget) <= 10%'],
  ['metrics', 'live', 'live(mrr, arr)', 'live(signups)'],
  ['grants', 'count', 'count = 2', 'count > 2'],
  ['grants', 'expiry_set', '', 'expiry_set'],
  ['grants', 'none_expired_active', 'none_expired_active', ''],
  ['grants', 'recipients', '', `recipients(${company})`],
  ['grants', 'metrics', 'metrics(mrr, arr)', 'metrics(mrr)'],
  ['grants', 'historical', `historical(${uuid(32)})`, 'historical()'],
];
