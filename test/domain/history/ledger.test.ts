/** What could be read under generated grants, held against asking each grant at each day. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { MetricGrant } from '../../../src/contract/metrics.ts';
import { ReadableValues, readableIn, revealedValues } from '../../../src/domain/history/ledger.ts';

const dayMs = 86_400_000;
const start = Date.parse('2025-01-01T00:00:00Z');
const at = (day: number) => new Date(start + day * dayMs).toISOString();
const days = 60;

const day = fc.integer({ min: 0, max: days - 1 });
const grant = fc
  .record({
    recipient: fc.constantFrom('r1', 'r2'),
    metrics: fc.subarray(['m1', 'm2']),
    historical: fc.boolean(),
    from: day,
    expires: fc.option(day, { nil: undefined }),
    revoked: fc.option(day, { nil: undefined }),
  })
  .map(
    ({ recipient, metrics, historical, from, expires, revoked }): MetricGrant => ({
      ...{ id: 'g', recipient_company_id: recipient, metric_ids: metrics, include_historical: historical },
      created_at: at(from),
      ...(expires !== undefined && { expires_at: at(expires) }),
      ...(revoked !== undefined && { revoked_at: at(revoked), status: 'revoked' }),
    }),
  );

/** By period the days on which its value is new: days count from when the series begins. */
const lives = fc.record({
  '2025-01': fc.uniqueArray(day, { minLength: 1, maxLength: 3 }),
  '2025-02': fc.uniqueArray(day, { minLength: 1, maxLength: 3 }),
});

function shownOf(found: Record<string, number[]>): ReadableValues {
  const readable = new ReadableValues('series');
  for (const [periodKey, days] of Object.entries(found)) {
    const sorted = [...days].sort((a, b) => a - b);
    for (const metricId of ['m1', 'm2']) {
      readable.addPoint(
        sorted.map((from, index) => ({
          seenFrom: at(from),
          ...(sorted[index + 1] !== undefined && { seenTo: at(sorted[index + 1] as number) }),
          value: { companyId: 'c', metricId, periodType: 'month', periodKey, version: 'actual', value: String(from) },
        })),
      );
    }
  }
  return readable;
}

/** The value of a period on a day: that of the last day on which it was new. */
function valueOn(found: Record<string, number[]>, periodKey: string, day: number): number | undefined {
  const past = (found[periodKey] ?? []).filter((each) => each <= day);
  return past.length === 0 ? undefined : Math.max(...past);
}

function reads(
  grant: MetricGrant,
  found: Record<string, number[]>,
  metric: string,
  periodKey: string,
  day: number,
): boolean {
  const ends = [grant.expires_at, grant.revoked_at].filter((text) => text !== undefined);
  if ((grant.created_at ?? '') > at(day) || ends.some((end) => end <= at(day))) return false;
  if (grant.metric_ids?.length && !grant.metric_ids.includes(metric)) return false;
  const known = Object.keys(found).filter((key) => valueOn(found, key, day) !== undefined);
  return known.includes(periodKey) && (grant.include_historical === true || known.sort().at(-1) === periodKey);
}

const cells = ['m1', 'm2'].flatMap((metricId) => ['2025-01', '2025-02'].map((periodKey) => ({ metricId, periodKey })));

it('is what the grants opened on some day, and of several values the last that is not the value now', () => {
  fc.assert(
    fc.property(fc.array(grant, { maxLength: 4 }), lives, day, day, (grants, found, first, length) => {
      const span = { from: start + first * dayMs, to: start + (first + length) * dayMs };
      const rows = readableIn(grants, shownOf(found), span);
      const shown = rows.map(({ recipient, metricId, periodKey, value, now, outcome }) => ({
        ...{ id: recipient.id, metricId, periodKey, value, now, outcome },
      }));
      const inSpan = Array.from({ length: length + 1 }, (_, index) => first + index);
      const truth = ['r1', 'r2'].flatMap((id) =>
        cells.flatMap(({ metricId, periodKey }) => {
          const own = grants.filter((each) => each.recipient_company_id === id);
          const values = inSpan.flatMap((when) =>
            own.some((each) => reads(each, found, metricId, periodKey, when)) ? valueOn(found, periodKey, when) : [],
          );
          const now = valueOn(found, periodKey, days);
          const value = values.findLast((each) => each !== now) ?? values.at(-1);
          if (value === undefined) return [];
          return [{ id, metricId, periodKey, value, now, outcome: value === now ? 'unchanged' : 'restated' }];
        }),
      );
      const byKey = (a: { id: string; metricId: string; periodKey: string }) => `${a.id} ${a.metricId} ${a.periodKey}`;
      const sorted = <T extends { id: string; metricId: string; periodKey: string }>(all: T[]) =>
        [...all].sort((a, b) => (byKey(a) < byKey(b) ? -1 : 1));
      expect(sorted(shown)).toEqual(sorted(truth));
    }),
    { numRuns: 500 },
  );
});

it('reveals what no earlier grant of the recipient opened on any day', () => {
  fc.assert(
    fc.property(grant, fc.array(grant, { maxLength: 3 }), lives, (wanted, grants, found) => {
      const now: MetricGrant = { ...wanted, created_at: at(days) };
      const fresh: MetricGrant = { ...now };
      delete fresh.expires_at;
      delete fresh.revoked_at;
      const rows = revealedValues(fresh, grants, shownOf(found), start + days * dayMs);
      const own = grants.filter((each) => each.recipient_company_id === wanted.recipient_company_id);
      const truth = cells.flatMap(({ metricId, periodKey }) => {
        if (!reads(fresh, found, metricId, periodKey, days)) return [];
        const read = Array.from({ length: days + 1 }, (_, index) => index).filter((each) =>
          own.some((one) => reads(one, found, metricId, periodKey, each)),
        );
        const last = read.at(-1);
        const [before, value] = [
          last === undefined ? undefined : valueOn(found, periodKey, last),
          valueOn(found, periodKey, days),
        ];
        return before === value
          ? []
          : [{ metricId, periodKey, value, before, kind: before === undefined ? 'new' : 'changed' }];
      });
      const byKey = (a: { metricId: string; periodKey: string }) => `${a.metricId} ${a.periodKey}`;
      expect([...rows].sort((a, b) => (byKey(a) < byKey(b) ? -1 : 1))).toEqual(truth);
    }),
    { numRuns: 500 },
  );
});

it('is exact where publications are known: sent times, versions, and the newest period', () => {
  const sent = (periodKey: string, versionNumber: number, sentAt: string, mrr: number) => ({
    seenFrom: at(0),
    value: {
      ...({ kind: 'snapshot', owner: 'c', id: `r/x/${periodKey}/${versionNumber}` } as const),
      body: { periodKey, versionNumber, sentAt, data: { mrr } },
    },
  });
  const readable = new ReadableValues('published');
  readable.addReports([sent('2025-02', 2, at(50), 11), sent('2025-02', 1, at(40), 10), sent('2025-Q1', 1, at(55), 30)]);
  const latest: MetricGrant = { recipient_user_id: 'u', created_at: at(0) };
  const readOn = (day: number) =>
    readableIn([latest], readable, { from: start + day * dayMs, to: start + day * dayMs }).map((row) => [
      row.periodKey,
      row.value,
      row.now,
    ]);
  expect([readOn(39), readOn(40), readOn(52), readOn(55)]).toEqual([
    [],
    [['2025-02', 10, 11]],
    [['2025-02', 11, 11]],
    [['2025-Q1', 30, 30]],
  ]);
});
