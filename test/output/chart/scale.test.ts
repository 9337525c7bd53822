import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addPeriods, formatPeriod, parsePeriod } from '../../../src/core/periods.ts';
import { huesOf, type Panel, rowsOf } from '../../../src/output/chart/panel.ts';
import { svgOf, textWidth } from '../../../src/output/chart/svg.ts';
import { drawLines, periodAxis } from '../../../src/output/chart/terminal.ts';

const plain = (columns: number) => ({ left: 0, columns, right: 0, marks: { base: '-', below: '+' } });
const dayMs = 86_400_000;
const from = (first: string, count: number): string[] => {
  const period = parsePeriod(first) ?? { type: 'month', index: 0 };
  return Array.from({ length: count }, (_, at) => formatPeriod(addPeriods(period, at)));
};
const daysFrom = (first: string, count: number, step: number) =>
  Array.from({ length: count }, (_, at) => new Date(Date.parse(first) + at * step * dayMs).toISOString().slice(0, 10));
const grains = {
  months: (start: number, count: number) => from(formatPeriod({ type: 'month', index: 1990 * 12 + start }), count),
  quarters: (start: number, count: number) => from(formatPeriod({ type: 'quarter', index: 1990 * 4 + start }), count),
  years: (start: number, count: number) => from(String(1900 + (start % 200)), count),
  days: (start: number, count: number) => daysFrom(new Date(start * dayMs * 31).toISOString(), count, 1),
  weeks: (start: number, count: number) => daysFrom(new Date((start * 7 + 4) * dayMs).toISOString(), count, 7),
};
const strides: Partial<Record<keyof typeof grains, readonly number[]>> = {
  months: [1, 2, 3, 6, 12, 24, 36, 60, 120],
  quarters: [1, 2, 4, 8, 12, 20, 40, 80],
};
const rounds = [1, 2, 5, 10, 20, 50, 100];
const widths = fc.oneof(fc.constantFrom(60, 80, 120, 200), fc.integer({ min: 10, max: 240 }));

/** The places of the named periods. */
function placesOf(periods: readonly string[], labels: readonly string[]): number[] {
  const places = labels.map((label) => periods.indexOf(label));
  expect(places, labels.join()).not.toContain(-1);
  return places;
}

/** The one distance between the named periods. */
function distanceOf(places: readonly number[]): number | undefined {
  const found = new Set(places.slice(1).map((at, n) => at - (places[n] ?? 0)));
  expect(found.size, `places ${places.join(' ')}`).toBeLessThanOrEqual(1);
  return [...found][0];
}

describe.each(Object.keys(grains) as (keyof typeof grains)[])('the axis of %s', (grain) => {
  it('names periods at equal and round distances, which do not run together', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 500 }),
        fc.integer({ min: 1, max: 150 }),
        widths,
        (start, count, columns) => {
          const periods = grains[grain](start, count);
          const { line, labels } = periodAxis(periods, plain(columns));
          expect(line).toHaveLength(columns);
          expect(labels.length).toBeLessThanOrEqual(columns);
          const words = labels.trim().split(/ {2,}/);
          const places = placesOf(periods, words);
          const step = distanceOf(places);
          if (step !== undefined) expect(strides[grain] ?? rounds).toContain(step);
          if (count > 1 && columns >= 30) expect(words.length, labels).toBeGreaterThan(1);
          const cells = [...line].flatMap((cell, at) => (cell === '+' ? [at] : []));
          const share = (at: number) => (count === 1 ? 0.5 : at / (count - 1));
          expect(cells).toEqual(places.map((at) => Math.round(share(at) * (columns - 1))));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('has the same law in pictures', () => {
    for (const count of [2, 5, 12, 18, 31, 60]) {
      for (const width of [360, 880, 1200]) {
        const periods = grains[grain](7, count);
        const series = { label: 'MRR', metricId: 'mrr' };
        const values = periods.map((_, at) => at);
        const size = { width, height: 300, titles: false };
        for (const svg of [
          svgOf([{ title: 'MRR', periods, series: [{ ...series, values }] }], { ...size, type: 'line' }),
          svgOf([{ title: 'MRR', periods, series: [{ ...series, values }] }], { ...size, type: 'bar' }),
        ]) {
          const labels = [...svg.matchAll(/<text x="([\d.]+)" y="(?:290|291)"[^>]*>([^<]+)<\/text>/g)];
          const texts = labels.map(([, , text = '']) => text);
          expect(texts.length).toBeGreaterThan(1);
          distanceOf(placesOf(periods, texts));
          const edges = labels.map(([, x, text = '']) => [Number(x), textWidth(text, 11) / 2] as const);
          for (const [n, [x, half]] of edges.entries()) {
            const [before, beforeHalf] = edges[n - 1] ?? [Number.NEGATIVE_INFINITY, 0];
            expect(x - half).toBeGreaterThan(before + beforeHalf);
            expect(x + half).toBeLessThanOrEqual(width);
          }
        }
      }
    }
  });
});

describe('an axis of time', () => {
  const axis = (periods: readonly string[], columns: number) =>
    periodAxis(periods, { ...plain(columns), left: 7, right: 3 })
      .labels.trim()
      .replace(/ {2,}/g, ', ');

  it('begins at a round period where it has not room for every period', () => {
    expect(axis(from('2024-09', 18), 48)).toBe('2025-01, 2025-07, 2026-01');
    expect(axis(from('2024-09', 4), 190)).toBe('2024-09, 2024-10, 2024-11, 2024-12');
    expect(axis(from('2021-Q2', 20), 40)).toBe('2022-Q1, 2024-Q1, 2026-Q1');
    expect(axis(from('2001', 26), 60)).toBe('2005, 2010, 2015, 2020, 2025');
    expect(axis(daysFrom('2025-12-22', 5, 7), 70)).toBe('2025-12-22, 2025-12-29, 2026-01-05, 2026-01-12, 2026-01-19');
  });

  it('names one period where two have no room', () => {
    expect(axis(from('2024-02', 10), 20)).toBe('2024-02, 2024-08');
    expect(axis(from('2024-02', 10), 3)).toBe('2024-02');
    expect(axis(['2025-05'], 20)).toBe('2025-05');
    expect(axis([], 20)).toBe('');
  });

  it('names periods between which some are missing as they are', () => {
    expect(axis(['2024-01', '2024-02', '2024-05', '2024-06'], 40)).toBe('2024-01, 2024-02, 2024-05, 2024-06');
    expect(axis(['Sourced', 'Met', 'Won'], 40)).toBe('Sourced, Met, Won');
  });

  it('keeps the mark of a period, and is said in the title where that has room', () => {
    const periods = ['2025-Q3', '2025-Q4', '2026-Q1 (2/3)'];
    expect(axis(periods, 60)).toBe('2025-Q3, 2025-Q4, 2026-Q1 (2/3)');
    const panel: Panel = {
      ...{ title: 'MRR', unit: 'USD', periods },
      series: [{ label: 'MRR', metricId: 'mrr', values: [1, 2, 3] }],
    };
    const rules = { height: 3, ascii: false, color: false, paint: (_: number, text: string) => text };
    expect(drawLines(panel, { ...rules, width: 60 })[0]).toBe('MRR (USD) · 2025-Q3 to 2026-Q1 (2/3)');
    expect(drawLines(panel, { ...rules, width: 30 })[0]).toBe('MRR (USD)');
    expect(drawLines(panel, { ...rules, width: 60, ascii: true })[0]).toBe('MRR (USD) - 2025-Q3 to 2026-Q1 (2/3)');
  });
});

it('fills every row of a picture with panels', () => {
  const rows = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((count) => rowsOf(count).join('+'));
  expect(rows).toEqual(['1', '2', '3', '2+2', '3+2', '3+3', '3+2+2', '3+3+2', '3+3+3', '3+3+2+2']);
});

it('gives each company of a picture a colour of its own, in every panel', () => {
  const series = (company: string | undefined, metricId: string) =>
    ({ label: metricId, metricId, company, values: [1] }) as const;
  const panel: Panel = { title: 'MRR', periods: ['2026-01'], series: [] };
  const companies = ['lumen', 'tessera'];
  expect(huesOf({ ...panel, companies, series: [series('tessera', 'mrr')] })).toEqual([1]);
  expect(huesOf({ ...panel, companies, series: [series('lumen', 'mrr'), series('lumen', 'mrr')] })).toEqual([0, 0]);
  expect(huesOf({ ...panel, series: [series(undefined, 'mrr'), series(undefined, 'arr')] })).toEqual([0, 1]);
});
