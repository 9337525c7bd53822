/** A series turned over: metrics as rows. */
import { expect, it } from 'vitest';
import { transposed, type WideItem } from '../../../src/domain/series/shapes.ts';

it('gives each metric of each version once, with all its values', () => {
  const ids = Array.from({ length: 40 }, (_, n) => `m${n}`);
  const items: WideItem[] = [];
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
  const rows = transposed(items, [...ids, 'none'], new Map([['m3', { label: 'Three', unit: 'count' }]]));
  expect(rows.map(({ metricId, version }) => `${metricId} ${version}`)).toEqual([...wanted.keys()]);
  const differs = rows.filter(
    ({ metricId, version, values }) => JSON.stringify(values) !== JSON.stringify(wanted.get(`${metricId} ${version}`)),
  );
  expect(differs).toEqual([]);
  expect(rows.find(({ metricId }) => metricId === 'm3')).toMatchObject({ label: 'Three', unit: 'count' });
});
