import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addPeriods, formatPeriod, parsePeriod } from '../../../src/core/periods.ts';
import type { Panel } from '../../../src/output/chart/panel.ts';
import { svgOf, textWidth, verdictSvg } from '../../../src/output/chart/svg.ts';
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
const rounds: Record<keyof typeof grains, readonly number[]> = {
  months: [1, 2, 3, 4, 6],
  quarters: [1, 2],
  years: [1, 2, 5, 10, 20, 50, 100],
  days: [1, 2, 7, 14, 28, 56, 91, 182],
  weeks: [1, 2, 4, 8, 13, 26, 52],
};
const widths = fc.oneof(fc.constantFrom(60, 80, 120, 200), fc.integer({ min: 10, max: 240 }));

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A period as an axis writes it where it says the year. */
function written(period: string): string {
  const [year = '', part, day] = period.split('-');
  if (part === undefined) return year;
  const name = monthNames[Number(part) - 1] ?? part;
  return `${day === undefined ? '' : `${Number(day)} `}${name} ${year.slice(2)}`;
}

/** The places of the named periods; the year is that of the last label that says one. */
function placesOf(periods: readonly string[], labels: readonly string[]): number[] {
  const texts = periods.map(written);
  let year = '';
  return labels.map((label) => {
    const said = / \d\d$/.exec(label)?.[0];
    year = said ?? year;
    const at = texts.indexOf(said === undefined && !texts.includes(label) ? `${label}${year}` : label);
    expect(at, label).toBeGreaterThanOrEqual(0);
    return at;
  });
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
          const perYear = { months: 12, quarters: 4, years: 1, days: 364, weeks: 52 }[grain];
          if (step !== undefined) expect(rounds[grain].includes(step) || step % perYear === 0, `${step}`).toBe(true);
          if (count > 1 && columns >= 24) expect(words.length, labels).toBeGreaterThan(1);
          const cells = [...line].flatMap((cell, at) => (cell === '+' ? [at] : []));
          const share = (at: number) => (count === 1 ? 0.5 : at / (count - 1));
          expect(cells).toEqual(places.map((at) => Math.round(share(at) * (columns - 1))));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('says the year with the first period, and where it changes', () => {
    for (const count of [1, 9, 40]) {
      for (const columns of [60, 80, 120, 200]) {
        const periods = grains[grain](30, count);
        const words = periodAxis(periods, plain(columns)).labels.trim().split(/ {2,}/);
        const years = placesOf(periods, words).map((at) => periods[at]?.slice(0, 4));
        const changes = years.map((year, n) => grain === 'years' || year !== years[n - 1]);
        expect(words.map((word) => /(^| |\d\d)\d\d$/.test(word))).toEqual(changes);
      }
    }
  });

  it('has the same law in pictures', () => {
    for (const count of [2, 5, 12, 18, 31, 60]) {
      for (const width of [360, 880, 1200]) {
        const periods = grains[grain](7, count);
        const series = { label: 'MRR', metricId: 'mrr', version: 'actual', dashed: false };
        const values = periods.map((_, at) => at);
        const size = { width, height: 300, titles: false };
        const bars = periods.map((period) => ({ period, percent: 1, verdict: 'good' as const }));
        for (const svg of [
          svgOf([{ title: 'MRR', periods, series: [{ ...series, values }] }], { ...size, type: 'line' }),
          svgOf([{ title: 'MRR', periods, series: [{ ...series, values }] }], { ...size, type: 'bar' }),
          verdictSvg('MRR', bars, size),
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

  it('begins at the turn of a year, a quarter or a week where it has not room for every period', () => {
    expect(axis(from('2024-09', 18), 48)).toBe('Sep 24, Jan 25, May, Sep, Jan 26');
    expect(axis(from('2024-09', 4), 190)).toBe('Sep 24, Oct, Nov, Dec');
    expect(axis(from('2025-Q2', 5), 78)).toBe('Q2 25, Q3, Q4, Q1 26, Q2');
    expect(axis(from('2021-Q2', 20), 40)).toBe('Q1 22, Q1 23, Q1 24, Q1 25, Q1 26');
    expect(axis(from('2001', 26), 60)).toBe('2005, 2010, 2015, 2020, 2025');
    expect(axis(daysFrom('2025-12-20', 30, 1), 30)).toBe('22 Dec 25, 5 Jan 26');
    expect(axis(daysFrom('2025-12-22', 5, 7), 60)).toBe('22 Dec 25, 29 Dec, 5 Jan 26, 12 Jan, 19 Jan');
  });

  it('names two periods of a range without two round ones, and one where two have no room', () => {
    expect(axis(from('2024-02', 10), 12)).toBe('Feb 24, Aug');
    expect(axis(from('2024-02', 10), 3)).toBe('Feb 24');
    expect(axis(['2025-05'], 20)).toBe('May 25');
    expect(axis([], 20)).toBe('');
  });

  it('names periods between which some are missing as they are', () => {
    expect(axis(['2024-01', '2024-02', '2024-05', '2024-06'], 40)).toBe('Jan 24, Feb 24, May 24, Jun 24');
    expect(axis(['Sourced', 'Met', 'Won'], 40)).toBe('Sourced, Met, Won');
  });

  it('keeps the mark of a period, and is said in the title where that has room', () => {
    const periods = ['2025-Q3', '2025-Q4', '2026-Q1 (2/3)'];
    expect(axis(periods, 60)).toBe('Q3 25, Q4, Q1 26 (2/3)');
    const panel: Panel = {
      ...{ title: 'MRR', unit: 'USD', periods },
      series: [{ label: 'MRR', metricId: 'mrr', version: 'actual', dashed: false, values: [1, 2, 3] }],
    };
    const rules = { height: 3, ascii: false, color: false, paint: (_: number, text: string) => text };
    expect(drawLines(panel, { ...rules, width: 60 })[0]).toBe('MRR (USD) · Q3 25 to Q1 26 (2/3)');
    expect(drawLines(panel, { ...rules, width: 24 })[0]).toBe('MRR (USD)');
    expect(drawLines(panel, { ...rules, width: 60, ascii: true })[0]).toBe('MRR (USD) - Q3 25 to Q1 26 (2/3)');
  });
});
