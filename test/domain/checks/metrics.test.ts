/** What each expectation of metrics and of grants takes for right and wrong at its borders, and what it refuses. */
import { describe, expect, it } from 'vitest';
import { ExactNumber, type Numeric } from '../../../src/core/json.ts';
import { type Grant, grantTest } from '../../../src/domain/checks/grant-checks.ts';
import { type MetricFacts, metricReads, metricTest } from '../../../src/domain/checks/metric-checks.ts';

const now = new Date('2026-03-31T12:00:00Z');
const january = 2026 * 12;

type Months = Record<string, Record<string, Numeric | null>>;

/** January to March 2026; months of actuals in the order given, those of the plan with `budget `. */
function factsOf(months: Months, more: Partial<MetricFacts> = {}): MetricFacts {
  const items = Object.entries(months).map(([key, metrics]) => ({
    periodKey: key.replace('budget ', ''),
    periodType: 'month' as const,
    version: key.startsWith('budget ') ? ('budget' as const) : ('actual' as const),
    metrics,
  }));
  const definitions = [
    {
      metricId: 'churn',
      label: 'Churn',
      direction: 'down' as const,
      archived: false,
    },
    {
      metricId: 'mrr',
      label: 'MRR',
      direction: 'up' as const,
      archived: false,
    },
    { metricId: 'old', label: 'Old one', archived: true },
    { metricId: 'older', archived: true },
  ];
  return {
    definitions,
    range: { from: january, to: january + 2 },
    items,
    now,
    cap: 10,
    ...more,
  };
}

const run = (text: string, months: Months, more: Partial<MetricFacts> = {}) => metricTest(text)(factsOf(months, more));
const details = ({ findings }: { findings: { title: string; detail: string }[] }) =>
  findings.map(({ title, detail }) => `${title}: ${detail}`);

function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return hint ? `${message} (${hint})` : message;
  }
  return 'taken';
}

const mrr = (first: Numeric | null, second?: Numeric | null, third?: Numeric | null): Months => ({
  '2026-01': { mrr: first },
  ...(second === undefined ? {} : { '2026-02': { mrr: second } }),
  ...(third === undefined ? {} : { '2026-03': { mrr: third } }),
});

describe('an expectation of metrics', () => {
  it('holds no value against a bound that was rounded', () => {
    const [more, fewer] = [new ExactNumber('33.000000000000000000001'), new ExactNumber('26.999999999999999999999')];
    const planned = (actual: Numeric) => ({ '2026-01': { mrr: actual }, 'budget 2026-01': { mrr: 30 } });
    expect(run('growth(mrr, mom, -10%, 10%)', mrr(30, 33, 29.7)).status).toBe('pass');
    expect(run('growth(mrr, mom, -10%, 10%)', mrr(30, more)).status).toBe('fail');
    expect(run('growth(mrr, mom, -10%, 10%)', mrr(30, fewer)).status).toBe('fail');
    expect(run('variance(mrr, budget) <= 10%', planned(27)).status).toBe('pass');
    expect(run('variance(mrr, budget) <= 10%', planned(fewer)).status).toBe('fail');
    expect(run('range(mrr, 0, 9007199254740992)', mrr(new ExactNumber('9007199254740993'))).status).toBe('fail');
  });

  it.each<[string, string, Months, string, string, string[]?]>([
    [
      'ids of the catalog',
      'catalog(mrr, old, older, nope)',
      {},
      'fail',
      '1 of 4 ids',
      ['Old one: archived', 'older: archived', 'nope: not in the catalog'],
    ],
    [
      'months without a row, and without a value',
      'no_gaps(mrr)',
      { '2026-01': {}, '2026-03': { mrr: null } },
      'fail',
      '2 gaps',
      ['mrr: 2026-01 to 2026-02: no value', 'mrr: 2026-03: the value is null'],
    ],
    ['the borders of a range', 'range(mrr, 90, 110)', mrr(90, 110, null), 'pass', '2 of 3 months, 1 empty: 2026-03'],
    [
      'beyond them',
      'range(mrr, 90, 110)',
      {
        '2026-03': { mrr: 111 },
        '2026-01': { mrr: 89 },
        '2026-02': { mrr: 100 },
      },
      'fail',
      '1 of 3 months',
      ['2026-01: mrr = 89', '2026-03: mrr = 111'],
    ],
    [
      'a range in per cent',
      'range(mrr, max=50%)',
      mrr(0.5, 0.51),
      'fail',
      '1 of 3 months, 1 empty: 2026-03',
      ['2026-02: mrr = 0.51'],
    ],
    [
      'months before and after the section',
      'range(mrr, 0, 1)',
      { '2025-12': { mrr: 9 }, '2026-02': { mrr: 1 }, '2026-04': { mrr: 9 } },
      'pass',
      '1 of 3 months, 2 empty: 2026-01, 2026-03',
    ],
    [
      'the first and the last month of the section',
      'range(mrr, 0, 1)',
      { '2026-01': { mrr: 9 }, '2026-03': { mrr: 9 } },
      'fail',
      '0 of 3 months, 1 empty: 2026-02',
      ['2026-01: mrr = 9', '2026-03: mrr = 9'],
    ],
    ['a metric without any value', 'range(mrr, 0, 1)', mrr(null), 'fail', 'no month with mrr'],
    [
      'zero is not positive',
      'sign(mrr, positive)',
      mrr(1, 0),
      'fail',
      '1 of 3 months, 1 empty: 2026-03',
      ['2026-02: mrr = 0'],
    ],
    [
      'zero is not negative',
      'sign(mrr, negative)',
      mrr(-1, 0, 1),
      'fail',
      '1 of 3 months',
      ['2026-02: mrr = 0', '2026-03: mrr = 1'],
    ],
    ['zero is non-negative', 'sign(mrr, non_negative)', mrr(1, 0, -1), 'fail', '2 of 3 months', ['2026-03: mrr = -1']],
    ['zero is non-positive', 'sign(mrr, non_positive)', mrr(1, 0, -1), 'fail', '2 of 3 months', ['2026-01: mrr = 1']],
    [
      'growth at its border',
      'growth(mrr, mom, -50%, 10%)',
      { '2025-12': { mrr: 100 }, ...mrr(110, 55) },
      'pass',
      '2 of 2 changes',
    ],
    [
      'growth beyond it',
      'growth(mrr, mom, max=9.9%)',
      { '2025-12': { mrr: 100 }, ...mrr(110, 55) },
      'fail',
      '1 of 2 changes',
      ['mrr: 100 to 110, 10.0 %'],
    ],
    [
      'the month that has not ended is not compared',
      'growth(mrr, mom, max=1%)',
      mrr(100, 100, 500),
      'pass',
      '1 of 1 changes',
    ],
    [
      'a change before the section does not count',
      'growth(mrr, qoq, max=1%)',
      {
        '2025-09': { mrr: 1 },
        '2025-12': { mrr: 5 },
        '2025-10': { mrr: 5 },
        '2026-01': { mrr: 5 },
      },
      'pass',
      '1 of 1 changes',
    ],
    ['a change from zero is none', 'growth(mrr, mom, max=1%)', mrr(0, 5), 'fail', 'no change of mrr to look at'],
    ['nothing to compare', 'growth(mrr, yoy, max=1%)', mrr(1, 2), 'fail', 'no change of mrr to look at'],
    [
      'a bad variance at its border',
      'variance(mrr, budget) <= 10%',
      {
        ...mrr(90, 99),
        'budget 2026-01': { mrr: 100 },
        'budget 2026-02': { mrr: 100 },
      },
      'pass',
      '2 of 2 months',
    ],
    [
      'beyond it',
      'variance(mrr, budget) < 10%',
      {
        ...mrr(90, 99),
        'budget 2026-01': { mrr: 100 },
        'budget 2026-02': { mrr: 100 },
      },
      'fail',
      '1 of 2 months',
      ['mrr: actual 90, budget 100, -10.0 %'],
    ],
    [
      'a good variance is never too large',
      'variance(mrr, budget) <= 1%',
      { ...mrr(900), 'budget 2026-01': { mrr: 100 } },
      'pass',
      '1 of 1 months',
    ],
    [
      'what is good depends on the metric',
      'variance(churn, budget) <= 1%',
      { '2026-01': { churn: 900 }, 'budget 2026-01': { churn: 100 } },
      'fail',
      '0 of 1 months',
      ['churn: actual 900, budget 100, 800.0 %'],
    ],
    [
      'without a direction both sides count',
      'variance(arr, budget) <= 1%',
      {
        '2026-01': { arr: 900 },
        'budget 2026-01': { arr: 100 },
        '2026-02': { arr: 90 },
        'budget 2026-02': { arr: 100 },
      },
      'fail',
      '0 of 2 months',
      ['arr: actual 900, budget 100, 800.0 %', 'arr: actual 90, budget 100, -10.0 %'],
    ],
    [
      'a variance as an amount',
      'variance(mrr, budget) <= 9.5',
      { ...mrr(90), 'budget 2026-01': { mrr: 99.5 } },
      'pass',
      '1 of 1 months',
    ],
    [
      'a plan of zero has no percentage',
      'variance(mrr, budget) <= 90%',
      { ...mrr(-1), 'budget 2026-01': { mrr: 0 } },
      'fail',
      '0 of 1 months',
      ['mrr: actual -1, budget 0, the budget is zero: no percentage'],
    ],
    ['no plan at all', 'variance(mrr, budget) <= 1%', mrr(1), 'fail', 'no month with actual and budget'],
    [
      'a rule in every month',
      'arr = 12 * mrr',
      {
        '2026-01': { arr: 12, mrr: 1 },
        '2026-02': { arr: 12, mrr: 2 },
        '2026-03': { arr: 1, mrr: 1 },
      },
      'fail',
      '1 of 3 months',
      ['2026-02: arr = 12, mrr = 2', '2026-03: arr = 1, mrr = 1'],
    ],
    [
      'a month that lacks a metric cannot say',
      'arr = 12 * mrr',
      { '2026-01': { arr: 12, mrr: 1 }, '2026-02': { arr: 5 } },
      'pass',
      '1 of 3 months, 2 empty: 2026-02, 2026-03',
    ],
    [
      'unless it is asked for what is empty',
      'arr is not empty',
      { '2026-01': { arr: 1 }, '2026-02': { arr: 0 } },
      'fail',
      '2 of 3 months',
      ['2026-03: arr = empty'],
    ],
    ['no month can say', 'arr = 12 * mrr', mrr(1), 'fail', 'no month with arr and mrr'],
    [
      'a rule for some months',
      'if mrr > 1 then arr > 1',
      { '2026-01': { arr: 0, mrr: 1 }, '2026-02': { arr: 0, mrr: 2 } },
      'fail',
      '0 of 1 months',
      ['2026-02: mrr = 2, arr = 0'],
    ],
    [
      'a rule whose condition never holds',
      'if mrr > 9 then arr > 1',
      { '2026-01': { arr: 0, mrr: 1 } },
      'error',
      'no month in which the condition holds',
    ],
  ])('%s: %s', (_, text, months, status, observed, findings = []) => {
    const outcome = run(text, months);
    expect(outcome).toMatchObject({ status, observed });
    expect(details(outcome)).toEqual(findings);
  });

  it('names only the metrics of a rule', () => {
    expect(run('arr = 12 * mrr', {}).observed).toBe('no month with arr and mrr');
  });

  it('looks at months only, whatever else the answer holds', () => {
    const { items } = factsOf(mrr(1));
    const others = [
      {
        periodKey: '2026-Q1',
        periodType: 'quarter' as const,
        version: 'actual' as const,
        metrics: { mrr: 9 },
      },
      {
        periodKey: '2026-02',
        periodType: 'quarter' as const,
        version: 'actual' as const,
        metrics: { mrr: 9 },
      },
      {
        periodType: 'month' as const,
        version: 'actual' as const,
        metrics: { mrr: 9 },
      },
      {
        periodKey: '2026-02',
        periodType: 'month' as const,
        version: 'forecast' as const,
        metrics: { mrr: 9 },
      },
      {
        periodKey: '2026-02',
        periodType: 'month' as const,
        version: 'actual' as const,
      },
    ];
    expect(run('range(mrr, 0, 1)', {}, { items: [...items, ...others] })).toMatchObject({
      status: 'pass',
      observed: '1 of 3 months, 2 empty: 2026-02, 2026-03',
    });
  });

  it.each([
    [90, mrr(1, 90), 'pass', []],
    [90, { '2026-02': { mrr: 90 }, '2026-01': { mrr: 1 } }, 'pass', []],
    [1, mrr(1, 90), 'fail', ['mrr: live 1, 2026-02 90']],
    [undefined, mrr(1), 'fail', ['mrr: live none, 2026-01 1']],
    [1, {}, 'fail', ['mrr: live 1, no month none']],
    [1, mrr(1, null), 'fail', ['mrr: live 1, 2026-02 none']],
    [0, mrr(0), 'pass', []],
  ])('holds the live value %s against the newest month', (live, months, status, findings) => {
    const outcome = run('live(mrr)', months, {
      live: { metrics: live === undefined ? {} : { mrr: live } },
    });
    expect(outcome).toMatchObject({
      status,
      observed: `${findings.length === 0 ? 1 : 0} of 1 metrics`,
    });
    expect(details(outcome)).toEqual(findings);
  });

  it('has no live value where the server gave none', () => {
    expect(run('live(mrr)', mrr(1)).status).toBe('fail');
  });

  // Now is 31 March at noon: February ended 30.5 days ago, January 58.5.
  const valued = (...months: string[]) => Object.fromEntries(months.map((month) => [month, { mrr: 1 }]));
  it.each([
    ['fresh(mrr, 31d)', valued('2026-01', '2026-02'), 'pass', 'mrr 2026-02', []],
    ['mrr within 30d', valued('2026-02'), 'fail', 'mrr 2026-02', ['mrr: 2026-02 ended 30 days ago']],
    ['fresh(mrr, 31d)', valued('2026-01'), 'fail', 'mrr 2026-01', ['mrr: 2026-01 ended 58 days ago']],
    ['fresh(mrr, 31d)', { ...valued('2026-01'), '2026-02': { mrr: null } }, 'fail', 'mrr 2026-01', [expect.anything()]],
    ['fresh(arr, mrr, 31d)', valued('2026-02'), 'fail', 'mrr 2026-02', ['arr: no value in the range']],
    ['fresh(arr, 2d)', {}, 'fail', 'no values', ['arr: no value in the range']],
  ])('goes by the end of the newest month: %s', (text, months, status, observed, findings) => {
    const outcome = run(text, months);
    expect(outcome).toMatchObject({ status, observed });
    expect(outcome.threshold).toContain(`ended within ${text.match(/\d+d/)?.[0]}`);
    expect(details(outcome)).toEqual(findings);
  });

  it('counts a value that was written today for a month long ago as old', () => {
    const item = {
      periodKey: '2026-01',
      periodType: 'month' as const,
      version: 'actual' as const,
      metrics: { mrr: 1 },
    };
    expect(run('fresh(mrr, 31d)', {}, { items: [{ ...item, updatedAt: '2026-03-31T11:00:00Z' }] }).status).toBe('fail');
  });

  it('ends a December with its year', () => {
    const months = { '2025-12': { mrr: 1 } };
    const range = { from: january - 1, to: january - 1 };
    const at = new Date('2026-01-02T00:00:00Z');
    expect(run('fresh(mrr, 1d)', months, { range, now: at }).status).toBe('pass');
    expect(run('fresh(mrr, 23h)', months, { range, now: at }).status).toBe('fail');
  });

  it.each([
    ['catalog(mrr, arr)', [], false, 0, []],
    ['no_gaps(mrr, arr)', ['actual'], false, 0, ['mrr', 'arr']],
    ['live(mrr, arr)', ['actual'], true, 0, ['mrr', 'arr']],
    ['fresh(mrr, arr, 45d)', ['actual'], false, 0, ['mrr', 'arr']],
    ['mrr within 45d', ['actual'], false, 0, ['mrr']],
    ['range(mrr, 1, 2)', ['actual'], false, 0, ['mrr']],
    ['sign(mrr, positive)', ['actual'], false, 0, ['mrr']],
    ['growth(mrr, mom, max=1)', ['actual'], false, 1, ['mrr']],
    ['growth(mrr, qoq, max=1)', ['actual'], false, 3, ['mrr']],
    ['growth(mrr, yoy, max=1)', ['actual'], false, 12, ['mrr']],
    ['variance(mrr, forecast) <= 1%', ['actual', 'forecast'], false, 0, ['mrr']],
    ['arr = 12 * mrr', ['actual'], false, 0, ['arr', 'mrr']],
    ['if mrr > 1 then arr > 1', ['actual'], false, 0, ['mrr', 'arr']],
  ])('tells what must be read for it: %s', (text, versions, live, before, metricIds) => {
    expect(metricReads(text)).toEqual({ versions, live, before, metricIds });
  });

  it.each([
    ['catalog()', 'catalog needs a metric'],
    ['no_gaps', 'no_gaps needs a metric'],
    ['live', 'live needs a metric'],
    ['live(mrr) >= 1', 'live takes nothing after it'],
    ['no_gaps(mrr) by month', '`by` does not go with no_gaps'],
    ['catalog(mrr) = 1', 'catalog takes nothing after it'],
    ['fresh(mrr, 2d) = 1', 'fresh takes nothing after it'],
    ['range(mrr, 1, 2) = 1', 'range takes nothing after it'],
    ['sign(mrr, positive) = 1', 'sign takes nothing after it'],
    ['growth(mrr, mom, max=1) = 1', 'growth takes nothing after it'],
    ['fresh', 'fresh needs a metric'],
    ['fresh(mrr)', 'fresh needs a duration at its end'],
    ['fresh(45d)', 'fresh needs a duration at its end'],
    ['range', 'range needs a metric'],
    ['range(mrr)', 'range needs a minimum or a maximum'],
    ['range(mrr, ten)', 'ten is not a number or a percentage'],
    ['range(mrr, max="x5%")', 'x5% is not a number or a percentage'],
    ['range(mrr, max="5%x")', '5%x is not a number or a percentage'],
    ['sign(mrr)', 'sign needs one of positive, negative, non_negative and non_positive'],
    ['sign(mrr, toString)', 'sign takes a metric and one of positive'],
    ['growth', 'growth needs a metric'],
    ['growth(mrr)', 'growth needs one of mom, qoq and yoy'],
    ['growth(mrr, wow, max=1)', 'growth takes a metric and one of mom, qoq, yoy'],
    ['growth(mrr, mom)', 'growth needs a minimum or a maximum'],
    ['variance', 'variance needs a metric'],
    ['variance(mrr) <= 1%', 'variance needs budget or forecast'],
    ['variance(mrr, plan) <= 1%', 'variance takes a metric and budget or forecast'],
    ['variance(mrr, budget)', 'variance needs an operator and a number after it'],
    ['unique(mrr)', 'unknown function unique'],
    ['no_gaps(mrr, from=5)', 'no_gaps takes no from='],
    ['catalog(mrr, x=5)', 'catalog takes no x='],
    ['live(mrr, x=5)', 'live takes no x='],
    ['fresh(mrr, x=5, 2d)', 'fresh takes no x='],
    ['sign(mrr, positive, arr)', 'sign takes at most 2 arguments, and not arr as well'],
    ['range(mrr, 1, 2, 3)', 'range takes at most 3 arguments, and not 3 as well'],
    ['growth(mrr, mom, 1, 2, 3)', 'growth takes at most 4 arguments, and not 3 as well'],
    ['variance(mrr, budget, 10%) <= 5%', 'variance takes at most 2 arguments, and not 10% as well'],
    ['variance(mrr, budget) by month <= 5%', '`by` does not go with variance'],
    ['mrr >', 'a value is missing at column 6'],
  ])('is refused where it is wrong: %s', (text, says) => {
    expect(refusal(() => metricTest(text))).toContain(says);
  });

  it('may be an amount with a fraction', () => {
    expect(refusal(() => metricTest('variance(mrr, budget) = 2.5'))).toBe('taken');
  });
});

describe('an expectation of grants', () => {
  it.each(['expiry_set', 'none_expired_active', 'recipients(c1)', 'metrics(mrr)', 'historical()'])(
    'that has none to look at has not run: %s',
    (text) => {
      for (const grants of [[], [{ ...active, status: 'revoked' }]]) {
        expect(grantTest(text)({ grants, now, cap: 10 })).toMatchObject({ status: 'error', observed: 'no grants' });
        expect(grantTest(text)({ grants, now, cap: 10, allowEmpty: true })).toMatchObject({ status: 'pass' });
      }
      expect(outcomeOf('count <= 2')).toMatchObject({ status: 'pass', observed: '0' });
    },
  );

  const outcomeOf = (text: string, ...grants: Grant[]) => grantTest(text)({ grants, now, cap: 10 });
  const active = {
    id: 'g',
    recipient_company_id: 'c1',
    status: 'active',
  } as const;

  it.each<[string, string, Grant[], string, string[]]>([
    [
      'a grant that ends at this moment has ended',
      'none_expired_active',
      [{ ...active, expires_at: '2026-03-31T12:00:00Z' }],
      '0 of 1 grants',
      ['to c1: active, expired 2026-03-31'],
    ],
    [
      'one that ends a moment later has not',
      'none_expired_active',
      [{ ...active, expires_at: '2026-03-31T12:00:01Z' }],
      '1 of 1 grants',
      [],
    ],
    [
      'one without a status is in force',
      'none_expired_active',
      [
        {
          id: 'g',
          recipient_user_id: 'u1',
          expires_at: '2026-01-01T00:00:00Z',
        },
      ],
      '0 of 1 grants',
      ['to u1: active, expired 2026-01-01'],
    ],
    [
      'one that the server calls expired is not active',
      'none_expired_active',
      [{ ...active, status: 'expired', expires_at: '2026-01-01T00:00:00Z' }],
      '1 of 1 grants',
      [],
    ],
    [
      'revoked by its date',
      'expiry_set',
      [{ ...active, revoked_at: '2026-01-01T00:00:00Z' }, { ...active }],
      '0 of 1 grants',
      ['to c1: no expiry'],
    ],
    ['an empty expiry is none', 'expiry_set', [{ ...active, expires_at: '' }], '0 of 1 grants', ['to c1: no expiry']],
    [
      'recipients by company and by user',
      'recipients(c1, u1)',
      [active, { id: 'h', recipient_user_id: 'u1' }, { id: 'i', recipient_user_id: 'u2' }],
      '2 of 3 grants',
      ['to u2: recipient u2 is not allowed'],
    ],
    ['a grant to nobody goes to nobody else', 'recipients(c1)', [{ id: 'h' }], '1 of 1 grants', []],
    [
      'all metrics are more than any',
      'metrics(mrr)',
      [
        { ...active, metric_ids: [] },
        { ...active },
        { ...active, metric_ids: ['mrr'] },
        { ...active, metric_ids: ['mrr', 'arr'] },
      ],
      '1 of 4 grants',
      [
        'to c1: metric all metrics is not allowed',
        'to c1: metric all metrics is not allowed',
        'to c1: metric arr is not allowed',
      ],
    ],
    [
      'history is for those that are named',
      'historical(g2, c2, u2)',
      [
        { ...active, include_historical: true },
        { ...active, id: 'g2', include_historical: true },
        { ...active, recipient_company_id: 'c2', include_historical: true },
        { id: 'k', recipient_user_id: 'u2', include_historical: true },
        { id: 'l', include_historical: true },
        active,
      ],
      '4 of 6 grants',
      ['to c1: has historical access', 'to nobody named: has historical access'],
    ],
  ])('%s', (_, text, grants, observed, findings) => {
    const outcome = outcomeOf(text, ...grants);
    expect(outcome).toMatchObject({
      observed,
      status: findings.length === 0 ? 'pass' : 'fail',
    });
    expect(details(outcome)).toEqual(findings);
  });

  it('calls recipients by their names', () => {
    const nameOf = (id: string) => (id === 'c1' ? 'cedar' : undefined);
    const grants = [active, { ...active, recipient_company_id: 'c2' }];
    expect(details(grantTest('expiry_set')({ grants, now, cap: 10, nameOf }))).toEqual([
      'to cedar: no expiry',
      'to c2: no expiry',
    ]);
  });

  it.each([
    ['count = 1', 'pass'],
    ['count < 1', 'fail'],
  ])('counts what is not revoked: %s', (text, status) => {
    const outcome = outcomeOf(
      text,
      active,
      { ...active, status: 'revoked' },
      { ...active, revoked_at: '2026-01-01T00:00:00Z' },
    );
    expect(outcome).toMatchObject({
      status,
      observed: '1',
      threshold: text.slice('count '.length),
    });
  });

  it.each([
    ['count', 'count needs an operator and a number after it'],
    ['count <= 10%', 'count compares with a number, not with a percentage'],
    ['expiry_set(c1)', 'expiry_set takes no arguments'],
    ['count(active) <= 5', 'count takes no arguments'],
    ['count by status <= 5', '`by` does not go with count'],
    ['expiry_set() by status', '`by` does not go with expiry_set'],
    ['recipients(a=b)', 'recipients takes no a='],
    ['none_expired_active(c1)', 'none_expired_active takes no arguments'],
    ['expiry_set >= 1', 'expiry_set takes nothing after it'],
    ['recipients', 'recipients needs the allowed ids'],
    ['metrics()', 'metrics needs the allowed ids'],
    [
      'a = b',
      'unknown expectation (functions are expiry_set, none_expired_active, recipients, metrics, historical, count)',
    ],
    ['unique(a)', 'unknown function unique'],
  ])('is refused where it is wrong: %s', (text, says) => {
    expect(refusal(() => grantTest(text))).toContain(says);
  });

  it.each([
    ['recipients(c1, c2)', 'recipient in c1, c2'],
    ['metrics(mrr)', 'metric in mrr'],
    ['historical()', 'no historical access unless named'],
  ])('says what it asks for: %s', (text, threshold) => {
    expect(outcomeOf(text).threshold).toBe(threshold);
  });
});
