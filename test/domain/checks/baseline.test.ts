/** No expectation takes a new failure for one that a baseline holds. */
import { describe, expect, it } from 'vitest';
import { grantFunctionNames, grantTest } from '../../../src/domain/checks/grant-checks.ts';
import { listFunctionNames, listTest } from '../../../src/domain/checks/list-checks.ts';
import { metricFunctionNames, metricTest } from '../../../src/domain/checks/metric-checks.ts';
import { baselineOf, type CheckResult, type Outcome, withBaseline } from '../../../src/domain/checks/model.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import type { Entry } from '../../../src/domain/entries/scope.ts';

const now = new Date('2026-03-31T12:00:00Z');
const cap = Number.POSITIVE_INFINITY;

function resultOf(expect: string, outcome: Outcome): CheckResult {
  const spec = { name: expect, expect, severity: 'error' as const, tags: [] };
  return { ...outcome, spec, subject: 'subject', part: '' };
}

/** The later failure beside the baseline of the earlier one. */
function beside(text: string, earlier: Outcome, later: Outcome): CheckResult | undefined {
  expect([text, earlier.status, later.status]).toEqual([text, 'fail', 'fail']);
  return withBaseline([resultOf(text, later)], baselineOf([resultOf(text, earlier)], {}))[0];
}

function expectNew(text: string, earlier: Outcome, later: Outcome): void {
  const result = beside(text, earlier, later);
  expect([text, result?.known]).toEqual([text, undefined]);
  // A failure without findings is new as a whole.
  if (later.findings.length > 0) expect([text, result?.findings[0]?.known]).toEqual([text, undefined]);
  expect([text, beside(text, later, later)?.known]).toEqual([text, true]);
}

const options = [
  { id: 'w', label: 'Won' },
  { id: 'l', label: 'Lost' },
];
const attributes = [
  { slug: 'stage', attribute_type: 'select', config: { options } },
  { slug: 'tags', attribute_type: 'multi_select', config: { options } },
  { slug: 'amount', attribute_type: 'number' },
  { slug: 'email', attribute_type: 'text' },
  { slug: 'closed', attribute_type: 'date' },
  { slug: 'due', attribute_type: 'date' },
] as Attribute[];

type Row = Record<string, unknown>;

function ofRows(text: string, rows: Record<string, Row>, slugs: readonly Attribute[] = attributes): Outcome {
  const test = listTest(text, { attributes: slugs, now, cap, references: () => new Set(['w']), before: () => 1 });
  const entries = Object.entries(rows).map(([id, { archived = false, updated_at, ...values }]): Entry => {
    return { id, title: id, archived: archived === true, updated_at: String(updated_at), values };
  });
  for (const entry of entries) test.row?.(entry);
  return test.finish(entries.length);
}

const won = { stage: 'w' };
/** An expectation, the rows of the baseline, and rows with another failure. */
const ofLists: [string, Record<string, Row>, Record<string, Row>][] = [
  ['row(amount > 0)', { a: { amount: -1 } }, { b: { amount: -1 } }],
  ['amount > 0', { a: { amount: -1 } }, { b: { amount: -1 } }],
  ['if stage = Won then amount > 0', { a: won, b: {} }, { a: { stage: 'l' }, b: won }],
  ['required(email)', { a: {}, b: { email: 'b' } }, { a: { email: 'a' }, b: {} }],
  ['required(email, stage)', { a: won }, { a: { email: 'a' } }],
  ['required(email, stage)', { a: won }, { a: {} }],
  ['not_future(closed, due)', { a: { closed: '2027-01-01' } }, { a: { due: '2027-01-01' } }],
  ['range(amount, 0, 9)', { a: { amount: 10 } }, { b: { amount: 10 } }],
  ['length(email, 1, 2)', { a: { email: 'abc' } }, { b: { email: 'abc' } }],
  ['no_archived', { a: { archived: true } }, { b: { archived: true } }],
  ['unique(email)', { a: { email: 'x' }, b: { email: 'x' } }, { a: { email: 'x' }, c: { email: 'x' } }],
  [
    'unique(email)',
    { a: { email: 'x' }, b: { email: 'y' }, c: { email: 'x' } },
    { a: { email: 'x' }, b: { email: 'y' }, c: { email: 'y' } },
  ],
  ['accepted(stage, Won)', { a: { stage: 'l' } }, { b: { stage: 'l' } }],
  ['pattern(email, "@")', { a: { email: 'x' } }, { b: { email: 'x' } }],
  ['type(email, year)', { a: { email: 'x' } }, { b: { email: 'x' } }],
  ['valid()', { a: { amount: 'x' } }, { b: { amount: 'x' } }],
  ['valid()', { a: { amount: 'x' } }, { a: { closed: 'x' } }],
  ['valid()', { a: { amount: 'x' } }, { a: { amount: 'x', closed: 'x' } }],
  ['references(tags, other)', { a: { tags: ['l', 'w'] } }, { a: { tags: ['l', 'gone'] } }],
  ['count by stage >= 1', { a: won }, { a: { stage: 'l' } }],
  ['count by stage <= 1', { a: won, b: won }, { a: {}, b: {} }],
  ['sum(amount) by stage <= 1', { a: { ...won, amount: 2 } }, { a: { stage: 'l', amount: 2 } }],
];

type Months = Record<string, Record<string, number | null>>;

function ofMonths(text: string, months: Months): Outcome {
  const items = Object.entries(months).map(([key, metrics]) => ({
    periodKey: key.replace('budget ', ''),
    periodType: 'month' as const,
    version: key.startsWith('budget ') ? ('budget' as const) : ('actual' as const),
    metrics,
  }));
  const definitions = Object.entries(months.catalog ?? {}).map(([metricId, archived]) => ({
    metricId,
    archived: archived === 1,
  }));
  const live = { metrics: { mrr: 1, arr: 1 } };
  return metricTest(text)({ definitions, live, items, range: { from: 2026 * 12, to: 2026 * 12 + 2 }, now, cap });
}

const three = (metrics: Record<string, number>): Months => ({
  '2026-01': metrics,
  '2026-02': metrics,
  '2026-03': metrics,
});
const ofMetrics: [string, Months, Months][] = [
  ['catalog(mrr, arr)', { catalog: { mrr: 0 } }, { catalog: { arr: 0 } }],
  ['catalog(mrr)', { catalog: { mrr: 1 } }, { catalog: {} }],
  ['no_gaps(mrr)', { ...three({ mrr: 1 }), '2026-01': {} }, { ...three({ mrr: 1 }), '2026-03': {} }],
  ['no_gaps(mrr)', { ...three({ mrr: 1 }), '2026-01': {} }, { '2026-03': { mrr: 1 } }],
  ['no_gaps(mrr)', { ...three({ mrr: 1 }), '2026-01': { mrr: null } }, {}],
  ['no_gaps(mrr, arr)', three({ mrr: 1 }), three({ arr: 1 })],
  [
    'fresh(mrr, arr, 10d)',
    { ...three({ mrr: 1 }), '2026-01': { arr: 1 } },
    { ...three({ arr: 1 }), '2026-01': { mrr: 1 } },
  ],
  ['fresh(mrr, 10d)', { '2026-01': { mrr: 1 } }, {}],
  ['live(mrr, arr)', { '2026-03': { mrr: 1 } }, { '2026-03': { arr: 1 } }],
  ['range(mrr, 0, 1)', { '2026-01': { mrr: 2 } }, { '2026-02': { mrr: 2 } }],
  ['range(mrr, 0, 1)', { '2026-01': { mrr: 2 } }, {}],
  ['range(mrr, 0, 1)', {}, { '2026-01': { mrr: 2 } }],
  ['sign(mrr, negative)', { '2026-01': { mrr: 2 } }, { '2026-02': { mrr: 2 } }],
  ['arr = 12 * mrr ± 1%', { '2026-01': { arr: 2, mrr: 1 } }, { '2026-02': { arr: 2, mrr: 1 } }],
  [
    'growth(mrr, mom, max=10%)',
    { '2026-01': { mrr: 1 }, '2026-02': { mrr: 2 } },
    { '2025-12': { mrr: 1 }, '2026-01': { mrr: 2 } },
  ],
  [
    'variance(mrr, budget) <= 1%',
    { '2026-01': { mrr: 1 }, 'budget 2026-01': { mrr: 2 } },
    { '2026-02': { mrr: 1 }, 'budget 2026-02': { mrr: 2 } },
  ],
];

const grant = (id: string, more: Row = {}) => ({ id, status: 'active' as const, recipient_company_id: 'c1', ...more });
const expired = { expires_at: '2026-01-01T00:00:00Z' };
const ofGrants: [string, ReturnType<typeof grant>, ReturnType<typeof grant>][] = [
  ['expiry_set', grant('a'), grant('b')],
  ['none_expired_active', grant('a', expired), grant('b', expired)],
  ['recipients(c2)', grant('a'), grant('b')],
  ['metrics(mrr)', grant('a', { metric_ids: ['arr'] }), grant('a', { metric_ids: ['arr', 'nrr'] })],
  ['historical()', grant('a', { include_historical: true }), grant('b', { include_historical: true })],
];

describe('a baseline, beside another failure of the same check', () => {
  it.each(ofLists)('of a list: %s', (text, earlier, later) => {
    expectNew(text, ofRows(text, earlier), ofRows(text, later));
  });

  it.each([
    ['attributes(stage, amount)', ['stage'], ['amount']],
    ['attributes(stage)', ['stage', 'email'], ['stage', 'due']],
    ['attribute(stage, select, Won, Lost, Open)', ['stage'], []],
  ])('of the shape of a list: %s', (text, earlier, later) => {
    const having = (slugs: readonly string[]) => attributes.filter(({ slug }) => slugs.includes(slug ?? ''));
    expectNew(text, ofRows(text, {}, having(earlier)), ofRows(text, {}, having(later)));
  });

  it.each(ofMetrics)('of metrics: %s', (text, earlier, later) => {
    expectNew(text, ofMonths(text, earlier), ofMonths(text, later));
  });

  it.each(ofGrants)('of grants: %s', (text, earlier, later) => {
    const outcomeOf = (item: typeof earlier) => grantTest(text)({ grants: [item], now, cap });
    expectNew(text, outcomeOf(earlier), outcomeOf(later));
  });

  it('is tried for every function but those of the list or of all rows, which can fail in one way', () => {
    const shapes = ['exists', 'attributes', 'attribute', 'fresh', 'change'];
    const texts = (rows: readonly (readonly [string, ...unknown[]])[]) =>
      rows.map(([text]) => text.replace(/\W.*/, ''));
    const left = (names: readonly string[], rows: readonly (readonly [string, ...unknown[]])[]) =>
      names.filter((name) => !texts(rows).includes(name));
    expect(left(listFunctionNames, ofLists).sort()).toEqual(shapes.sort());
    expect(left(metricFunctionNames, ofMetrics)).toEqual([]);
    expect(left(grantFunctionNames, ofGrants)).toEqual(['count']);
  });

  it.each<[string, Outcome, Outcome]>([
    ['count >= 3', ofRows('count >= 3', { a: {}, b: {} }), ofRows('count >= 3', { a: {} })],
    [
      'count by stage <= 1',
      ofRows('count by stage <= 1', { a: won, b: won }),
      ofRows('count by stage <= 1', { a: won, b: won, c: won }),
    ],
    [
      'range(amount, 0, 9)',
      ofRows('range(amount, 0, 9)', { a: { amount: 10 } }),
      ofRows('range(amount, 0, 9)', { a: { amount: 11 } }),
    ],
    [
      'required(email, stage)',
      ofRows('required(email, stage)', { a: {} }),
      ofRows('required(email, stage)', { a: won }),
    ],
    ['no_gaps(mrr)', ofMonths('no_gaps(mrr)', {}), ofMonths('no_gaps(mrr)', { '2026-02': { mrr: 1 } })],
  ])('knows the same failure when it got worse, and a part of it: %s', (text, earlier, later) => {
    expect(beside(text, earlier, later)?.known).toBe(true);
  });

  it('puts what is new first, and marks what is known', () => {
    const text = 'required(email)';
    const result = beside(text, ofRows(text, { a: {}, c: {} }), ofRows(text, { a: {}, b: {}, c: {} }));
    expect(result?.findings.map(({ id, known }) => [id, known])).toEqual([
      ['b', undefined],
      ['a', true],
      ['c', true],
    ]);
  });
});
