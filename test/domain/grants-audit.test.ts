import { describe, expect, it } from 'vitest';
import type { MetricGrant } from '../../src/contract/metrics.ts';
import type { Optional } from '../../src/contract/operation.ts';
import { auditGrants, grantMatrix, instantFromNow, isOlder } from '../../src/domain/grants.ts';

const now = new Date('2026-03-31T12:00:00Z');
const soon = new Date('2026-04-30T12:00:00Z');
const later = '2027-01-01T00:00:00Z';
const catalog = [
  { metricId: 'mrr', archived: false },
  { metricId: 'arr', archived: false },
  { metricId: 'old', archived: true },
];
const fresh = {
  status: 'active',
  scope: ['metrics'],
  metric_ids: ['mrr'],
  include_historical: false,
  expires_at: later,
};
/** As JSON brings it: a field that is undefined is not there. */
const grant = (id: string, fields: Optional<MetricGrant> = {}): MetricGrant =>
  JSON.parse(JSON.stringify({ id, ...fresh, recipient_company_id: `to-${id}`, ...fields }));
const rules = (...grants: MetricGrant[]) =>
  auditGrants({ grants, catalog, now, soon }).map(({ id, rule }) => `${id} ${rule}`);

describe('auditGrants', () => {
  it('finds nothing in a grant that is in order, and nothing in what has ended', () => {
    expect(rules(grant('a'))).toEqual([]);
    expect(rules(grant('a', { status: 'revoked', expires_at: undefined, metric_ids: ['gone'] }))).toEqual([]);
    expect(rules(grant('a', { revoked_at: '2026-01-01T00:00:00Z', metric_ids: ['gone'] }))).toEqual([]);
    expect(rules(grant('a', { status: 'expired', expires_at: '2026-01-01T00:00:00Z' }))).toEqual([]);
  });

  it.each<[Optional<MetricGrant>, string[]]>([
    [{ expires_at: undefined }, ['a no_expiry']],
    [{ expires_at: '2026-04-30T11:59:59Z' }, ['a expiring']],
    [{ expires_at: '2026-04-30T12:00:00Z' }, []],
    [{ expires_at: '2026-03-31T12:00:00Z' }, ['a expired_active']],
    [{ include_historical: true }, ['a historical_without_note']],
    [{ include_historical: true, note: '  ' }, ['a historical_without_note']],
    [{ include_historical: true, note: 'audit' }, []],
    [{ metric_ids: ['mrr', 'nope', 'old'] }, ['a unknown_metric', 'a archived_metric']],
    [{ metric_ids: [] }, []],
    [{ recipient_company_id: undefined }, ['a no_recipient']],
  ])('%j', (fields, found) => expect(rules(grant('a', fields))).toEqual(found));

  it('names grants that share a metric, at the later one', () => {
    const to = { recipient_company_id: 'x' };
    expect(rules(grant('a', to), grant('b', to))).toEqual(['b overlapping']);
    expect(rules(grant('a', { ...to, metric_ids: ['mrr', 'arr'] }), grant('b', to))).toEqual(['b overlapping']);
    expect(rules(grant('a', { ...to, metric_ids: [] }), grant('b', to))).toEqual(['b overlapping']);
    expect(rules(grant('a', { ...to, metric_ids: ['arr'] }), grant('b', to))).toEqual([]);
    expect(rules(grant('a', { ...to, include_historical: true, note: 'n' }), grant('b', to))).toEqual([
      'b overlapping',
    ]);
    expect(rules(grant('a', { ...to, recipient_user_id: 'u' }), grant('b', to))).toEqual([]);
    expect(rules(grant('a', { ...to, status: 'revoked' }), grant('b', to))).toEqual([]);
    const order = { ...to, metric_ids: ['arr', 'mrr'] };
    expect(rules(grant('a', { ...to, metric_ids: ['mrr', 'arr'] }), grant('b', order), grant('c', to))).toEqual([
      'b overlapping',
      'c overlapping',
    ]);
  });
});

describe('what a finding says', () => {
  const details = (...grants: MetricGrant[]) =>
    auditGrants({ grants, catalog: [], now, soon })
      .filter(({ rule }) => rule !== 'unknown_metric')
      .map(({ detail }) => detail);
  const to = { recipient_company_id: 'x' };
  const six = ['a', 'b', 'c', 'd', 'e', 'f'];

  it('has days without the time of day', () => {
    expect(details(grant('a', { expires_at: '2026-04-02T11:59:59Z' }))).toEqual(['it expires 2026-04-02']);
    expect(details(grant('a', { expires_at: '2026-03-02T11:59:59Z' }))).toEqual(['active, and expired 2026-03-02']);
  });

  it.each<[string[], string[], string]>([
    [[], six, 'a, b, c, d, e and 1 more are granted by 1 too'],
    [six.slice(1), [], 'b, c, d, e, f are granted by 1 too'],
    [['a', 'b'], ['b', 'c'], 'b is granted by 1 too'],
  ])('names what %j and %j share', (first, second, says) => {
    expect(details(grant('1', { ...to, metric_ids: first }), grant('2', { ...to, metric_ids: second }))).toEqual([
      says,
    ]);
  });

  it('says so where both give all metrics', () => {
    const all = { ...to, metric_ids: [] };
    expect(details(grant('1', all), grant('2', { ...all, scope: [] }))).toEqual(['all metrics are granted by 1 too']);
  });

  it('names three grants, and counts the others', () => {
    const same = (count: number) => Array.from({ length: count }, (_, n) => grant(String(n + 1), to));
    expect(details(...same(4)).at(-1)).toBe('mrr is granted by 1, 2, 3 too');
    expect(details(...same(6)).at(-1)).toBe('mrr is granted by 1, 2, 3 and 2 more too');
  });

  it('grants without a recipient share none', () => {
    const scopes = ['metrics', 'lists'];
    expect(rules(grant('a', { ...to, scope: scopes }), grant('b', { ...to, scope: scopes.toReversed() }))).toEqual([
      'b overlapping',
    ]);
    const nobody = { recipient_company_id: '' };
    expect(rules(grant('a', nobody), grant('b', nobody))).toEqual(['a no_recipient', 'b no_recipient']);
  });
});

describe('grantMatrix', () => {
  it('has a row for each metric, and the most that any grant gives', () => {
    const to = { recipient_company_id: 'x' };
    const grants = [
      grant('a', { ...to, metric_ids: [] }),
      grant('b', { ...to, include_historical: true }),
      grant('c', { recipient_company_id: undefined, recipient_user_id: 'u', metric_ids: ['arr'] }),
      grant('d', { recipient_company_id: 'gone', status: 'revoked' }),
    ];
    expect(grantMatrix(grants, ['mrr', 'arr'], now)).toEqual({
      rows: [
        { metric: 'mrr', recipients: { x: 'history' } },
        { metric: 'arr', recipients: { x: 'latest', u: 'latest' } },
      ],
      readers: ['x', 'u'],
    });
  });
});

describe('instantFromNow', () => {
  it('adds months to their last day', () => {
    const at = (text: string) => instantFromNow(text, now, '--within').toISOString().slice(0, 10);
    expect([at('30d'), at('1m'), at('2w')]).toEqual(['2026-04-30', '2026-04-30', '2026-04-14']);
    expect(() => at('soon')).toThrow('--within must be a duration');
    expect(isOlder({ created_at: '2026-01-01T00:00:00Z' }, now)).toBe(true);
    expect(isOlder({ created_at: now.toISOString() }, now)).toBe(false);
    expect(() => isOlder({ id: 'g7' }, now)).toThrow('comem needs created_at of the grant g7');
  });
});
