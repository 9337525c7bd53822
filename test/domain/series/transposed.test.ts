/** A series that is too long to be turned over at once is turned over in blocks of metrics. */
import { expect, it } from 'vitest';
import { Spool } from '../../../src/core/spool.ts';
import { transposed, type WideItem } from '../../../src/domain/series/shapes.ts';

it('gives each metric of each version once, with all its values, whatever fits at once', () => {
  const ids = Array.from({ length: 40 }, (_, n) => `m${n}`);
  const items = new Spool<WideItem>();
  const wanted = new Map<string, Record<string, number | null>>();
  for (const id of ids) for (const version of ['actual', 'budget']) wanted.set(`${id} ${version}`, {});
  for (let month = 0; month < 2400; month += 1) {
    const periodKey = `${1800 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
    for (const version of ['budget', 'actual'] as const) {
      const metrics: Record<string, number | null> = {};
      for (const [n, id] of ids.entries()) {
        if ((month + n) % 3 === 0) continue;
        metrics[id] = n % 7 === 0 ? null : month * n;
        Object.assign(wanted.get(`${id} ${version}`) ?? {}, { [periodKey]: metrics[id] });
      }
      items.push({ periodKey, periodType: 'month', version, metrics });
    }
  }
  const rows = [...transposed(items, [...ids, 'none'], new Map([['m3', { label: 'Three', unit: 'count' }]]))];
  expect(rows.map(({ metricId, version }) => `${metricId} ${version}`)).toEqual([...wanted.keys()]);
  const differs = rows.filter(
    ({ metricId, version, values }) => JSON.stringify(values) !== JSON.stringify(wanted.get(`${metricId} ${version}`)),
  );
  expect(differs).toEqual([]);
  expect(rows.find(({ metricId }) => metricId === 'm3')).toMatchObject({ label: 'Three', unit: 'count' });
  items.close();
});
