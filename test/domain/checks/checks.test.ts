import { describe, expect, it } from 'vitest';
import { grantTest } from '../../../src/domain/checks/grant-checks.ts';
import { lintListExpectation, listTest } from '../../../src/domain/checks/list-checks.ts';
import type { ListFacts } from '../../../src/domain/checks/list-test.ts';
import { metricTest } from '../../../src/domain/checks/metric-checks.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import type { Entry } from '../../../src/domain/entries/scope.ts';

const now = new Date('2026-03-31T12:00:00Z');
const attributes: Attribute[] = [
  {
    slug: 'stage',
    attribute_type: 'select',
    config: {
      options: [
        { id: 'w', label: 'Won' },
        { id: 'l', label: 'Lost' },
      ],
    },
  },
  { slug: 'amount', attribute_type: 'currency', config: { min: 0 } },
  { slug: 'email', attribute_type: 'email' },
  { slug: 'closed', attribute_type: 'date' },
] as Attribute[];
const rows: Entry[] = [
  {
    id: '1',
    title: 'A',
    archived: false,
    updated_at: '2026-03-30T00:00:00Z',
    values: { stage: 'w', amount: 100, email: 'a@x.io', closed: '2026-01-01' },
  },
  {
    id: '2',
    title: 'B',
    archived: false,
    updated_at: '2026-03-01T00:00:00Z',
    values: { stage: 'w', amount: null, email: 'a@x.io', closed: '2026-04-01' },
  },
  {
    id: '3',
    title: 'C',
    archived: true,
    updated_at: '2026-02-01T00:00:00Z',
    values: { stage: 'l', amount: -5.5, email: 'nope' },
  },
];
const facts: ListFacts = {
  attributes,
  now,
  cap: 10,
  references: (_, column) => new Set(column === 'title' ? ['A', 'B'] : []),
  before: (aggregate) => ({ count: 4, 'sum(amount)': 100 })[aggregate],
};

function check(text: string, given: readonly Entry[] = rows) {
  const test = listTest(text, facts);
  for (const row of given) test.row?.(row);
  const { status, observed, failed, findings } = test.finish(rows.length);
  return { status, observed, failed, ids: findings.map((finding) => finding.id) };
}

describe('expectations of lists', () => {
  it.each([
    ['count = 3', 'pass', []],
    ['count >= 4', 'fail', []],
    ['exists', 'pass', []],
    ['attributes(stage, amount, email, closed)', 'pass', []],
    ['attributes(stage, amount)', 'fail', ['', '']],
    ['attribute(stage, select, "Won", "Lost")', 'pass', []],
    ['attribute(stage, select, "Won")', 'fail', ['']],
    ['attribute(amount, number)', 'fail', ['']],
    ['required(stage)', 'pass', []],
    ['required(amount, email)', 'fail', ['2']],
    ['unique(title)', 'pass', []],
    ['unique(email)', 'fail', ['2']],
    ['unique(email, amount)', 'pass', []],
    ['accepted(stage, "Won", "Lost")', 'pass', []],
    ['accepted(stage, w)', 'fail', ['3']],
    ['accepted(stage, WON, lost)', 'pass', []],
    ['accepted(amount, 100.0, -5.5)', 'pass', []],
    ['accepted(amount, 0.1k)', 'fail', ['3']],
    ['pattern(email, "^[^@]+@x\\.io$")', 'fail', ['3']],
    ['valid()', 'fail', ['3']],
    ['valid(stage)', 'pass', []],
    ['type(email, email)', 'fail', ['3']],
    ['range(amount, 0, 1000)', 'fail', ['3']],
    ['range(amount, max=100)', 'pass', []],
    ['range(amount, min=-5.5)', 'pass', []],
    ['range(amount, max=99.9)', 'fail', ['1']],
    ['range(amount, min=-5.4)', 'fail', ['3']],
    ['length(title, 1, 1)', 'pass', []],
    ['length(email) <= 6', 'pass', []],
    ['length(email) > 4', 'fail', ['3']],
    ['length(title, min=2)', 'fail', ['1', '2', '3']],
    ['length(title, max=0)', 'fail', ['1', '2', '3']],
    ['length(email, max=5)', 'fail', ['1', '2']],
    ['not_future(closed)', 'fail', ['2']],
    ['updated_at within 7d', 'pass', []],
    ['row(updated_at within 7d)', 'fail', ['2', '3']],
    ['count by stage >= 1', 'pass', []],
    ['count by stage >= 100', 'fail', ['', '']],
    ['updated_at within 12h', 'fail', []],
    ['fresh(2w)', 'pass', []],
    ['if stage = "Won" then amount > 0', 'fail', ['2']],
    ['if stage = "Lost" then amount < 0', 'pass', []],
    ['amount > -10 or amount = null', 'pass', []],
    ['row(count(x) > 1)', 'throws', []],
    ['sum(amount) = 94.5', 'pass', []],
    ['average(amount) <= 47', 'fail', []],
    ['avg(amount) <= 47', 'fail', []],
    ['mean(amount) <= 1000', 'pass', []],
    ['sum(amount) by stage >= 0', 'fail', ['']],
    ['references(title, "portfolio", title)', 'fail', ['3']],
    ['no_archived', 'fail', ['3']],
    ['change(count) <= 25%', 'pass', []],
    ['change(count) < 1', 'fail', []],
    ['change(sum(amount)) <= 5%', 'fail', []],
  ])('%s: %s', (text, status, ids) => {
    if (status === 'throws') expect(() => check(text)).toThrow();
    else expect(check(text)).toMatchObject({ status, ids });
  });

  it('says what it saw on a pass too', () => {
    expect(check('unique(title)').observed).toBe('3 distinct, 0 repeated');
    expect(check('range(amount, max=100)').observed).toMatch(/^(\d) of \1 rows where amount is not empty$/);
    expect(check('change(sum(amount)) <= 5%').observed).toBe('94.5, was 100');
  });

  it('accepts an option that was removed while a row has it', () => {
    const removed = { id: '4', title: 'D', values: { stage: 'gone' } };
    expect(check('accepted(stage, Won, Lost, gone)', [...rows, removed]).status).toBe('pass');
  });

  it.each([
    'sum(amount) >= 0',
    'average(amount) >= 0',
    'min(amount) >= -10',
    'max(amount) <= 1000',
    'sum(amount) by stage >= 0',
    'change(sum(amount)) <= 500%',
    'amount > 5',
    'row(amount is empty)',
    'if amount > 5 then stage = Won',
  ])('ends with what is stored where a number is expected: %s', (text) => {
    const stored = { id: '4', title: 'D', values: { stage: 'w', amount: '1.200' } };
    expect(() => check(text, [...rows, stored as unknown as Entry])).toThrow(
      /amount.* is "1\.200", which is not a number/,
    );
  });

  it.each([
    ['hot', 'yes', 'true or false'],
    ['stage', 5, 'an option'],
    ['email', 5, 'text'],
    ['tags', 'ai', 'options'],
  ])('a condition ends with a value of %s that is not of its type', (slug, value, type) => {
    const typed = [
      ...attributes,
      { slug: 'hot', attribute_type: 'checkbox' },
      { slug: 'tags', attribute_type: 'multi_select', config: { options: [{ id: 'ai', label: 'AI' }] } },
    ] as Attribute[];
    const test = listTest(`${slug} is not empty`, { ...facts, attributes: typed });
    const entry = { id: '1', title: 'A', values: { [slug]: value } };
    expect(() => test.row?.(entry)).toThrow(`which is not ${type}`);
  });

  it.each([
    ['unique(emial)', /did you mean email/],
    ['unqiue(email)', /"unqiue\(email\)": unknown function unqiue did you mean unique\?/],
    ['uniq(email)', /did you mean unique\?/],
    ['summ(amount) > 4', /did you mean sum\?/],
    ['not_null(email)', /did you mean required\?/],
    ['len(title) > 2', /did you mean length\?/],
    ['foo(title)', /functions are .*\brequired\b.*\bupper\b/],
    ['count', /needs an operator/],
    ['range(amount)', /needs a minimum or a maximum, such as max=10/],
    ['range(amount, 5, 1)', /above/],
    ['pattern(email, "(")', /missing closing \)/],
    ['type(email, phone)', /type takes one of/],
    ['updated_at within 7', /needs a duration/],
    ['5 > 3', /names no column/],
    ['required(email) by stage', /`by` does not go with required/],
    ['updated_at >= today - 30', /30 is not a duration/],
    ['stage = Wonn', /unknown option "Wonn" of stage/],
    ['count >= ten', /must be compared with a number/],
    ['accepted(stage, Wonn)', /unknown option "Wonn" of stage .*did you mean Won/],
    ['accepted(stage, Won, Lost, Open)', /unknown option "Open" of stage/],
    ['accepted(amount, five)', /amount is a number, and "five" is text/],
    ['accepted(closed, 2026-13-01)', /2026-13-01 is not a date/],
    ['', /must not be empty/],
  ])('refuses %s', (text, message) => {
    let said = '';
    try {
      check(text);
    } catch (error) {
      const { message: text, hint } = error as { message: string; hint?: string };
      said = `${text} ${hint ?? ''}`;
    }
    expect(said).toMatch(message);
  });

  it('lints without a list', () => {
    expect(() => lintListExpectation('unique(anything)')).not.toThrow();
    expect(() => lintListExpectation('if a = 1 then (b')).toThrow(/column/);
  });
});

describe('expectations of metrics', () => {
  const item = (periodKey: string, version: 'actual' | 'budget', metrics: Record<string, number | null>) =>
    ({ periodKey, periodType: 'month', version, metrics }) as const;
  const at = 2026 * 12;
  const metricFacts = {
    definitions: [
      { metricId: 'mrr', label: 'MRR', direction: 'up', custom: false, archived: false },
      { metricId: 'old', label: 'Old', custom: true, archived: true },
    ],
    range: { from: at, to: at + 2 },
    items: [
      item('2025-12', 'actual', { mrr: 50 }),
      item('2026-01', 'actual', { mrr: 100, arr: 1200 }),
      item('2026-02', 'actual', { mrr: 110, arr: 1400 }),
      item('2026-03', 'actual', { mrr: 90, arr: 1085, burn: null }),
      item('2026-02', 'budget', { mrr: 122 }),
      // The month has not ended, so it is not compared.
      item('2026-03', 'budget', { mrr: 1000 }),
    ],
    live: { metrics: { mrr: 90, arr: 1 } },
    now,
    cap: 10,
  };
  it.each([
    ['catalog(mrr)', 'pass'],
    ['catalog(mrr, old)', 'fail'],
    ['no_gaps(mrr)', 'pass'],
    ['no_gaps(burn)', 'fail'],
    ['range(mrr, 90, 110)', 'pass'],
    ['range(mrr, 91, 110)', 'fail'],
    ['range(nope, 0, 1)', 'fail'],
    ['sign(mrr, positive)', 'pass'],
    ['sign(mrr, negative)', 'fail'],
    ['growth(mrr, mom, -20%, 100%)', 'pass'],
    ['growth(mrr, mom, -20%, 50%)', 'fail'],
    ['arr = 12 * mrr ± 1%', 'fail'],
    ['arr = 12 * mrr ± 10%', 'pass'],
    ['if mrr > 105 then arr > 1300', 'pass'],
    ['variance(mrr, budget) <= 10%', 'pass'],
    ['variance(mrr, budget) <= 9%', 'fail'],
    ['variance(mrr, forecast) <= 9%', 'fail'],
    ['live(mrr)', 'pass'],
    ['live(arr)', 'fail'],
    ['fresh(mrr, 2d)', 'pass'],
    ['fresh(burn, 2d)', 'fail'],
  ])('%s: %s', (text, status) => {
    expect(metricTest(text)(metricFacts).status).toBe(status);
  });
});

describe('expectations of grants', () => {
  const grants = [
    {
      id: 'g1',
      recipient_company_id: 'c1',
      metric_ids: ['mrr'],
      status: 'active',
      expires_at: '2027-01-01T00:00:00Z',
      include_historical: true,
    },
    { id: 'g2', recipient_company_id: 'c2', metric_ids: [], status: 'active', expires_at: '2026-01-01T00:00:00Z' },
    { id: 'g3', recipient_user_id: 'u1', metric_ids: ['arr'], status: 'active' },
    { id: 'g4', recipient_company_id: 'c9', metric_ids: ['x'], status: 'revoked', revoked_at: '2026-01-01T00:00:00Z' },
  ];
  it.each([
    ['count = 3', []],
    ['expiry_set', ['g3']],
    ['none_expired_active', ['g2']],
    ['recipients(c1, c2)', ['g3']],
    ['metrics(mrr, arr)', ['g2']],
    ['historical()', ['g1']],
    ['historical(c1)', []],
  ])('%s', (text, ids) => {
    const outcome = grantTest(text)({ grants, now, cap: 10 });
    expect(outcome.findings.map((finding) => finding.id)).toEqual(ids);
    expect(outcome.status).toBe(ids.length === 0 ? 'pass' : 'fail');
  });

  it('knows no other', () => {
    expect(() => grantTest('expired')).toThrow(/"expired": unknown expectation/);
  });
});
