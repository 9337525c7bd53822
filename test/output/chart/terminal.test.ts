import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Panel } from '../../../src/output/chart/panel.ts';
import { rowScaleOf, scaleOf } from '../../../src/output/chart/panel.ts';
import { drawBars, drawLines } from '../../../src/output/chart/terminal.ts';
import { width } from '../../../src/output/width.ts';

const rules = { width: 40, height: 5, ascii: true, color: false, paint: (_: number, text: string) => text };
const sizes: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, B: 1e9, T: 1e12 };
const numberOf = (label: string) => Number.parseFloat(label.replaceAll(',', '')) * (sizes[label.slice(-1)] ?? 1);
const months = (count: number) => Array.from({ length: count }, (_, at) => `2024-${String(at + 1).padStart(2, '0')}`);
const panel = (values: Panel['series'][number]['values'], rest: Partial<Panel> = {}): Panel => ({
  title: 'MRR',
  unit: 'USD',
  periods: months(values.length),
  series: [{ label: 'MRR', metricId: 'mrr', values }],
  ...rest,
});

describe('axes', () => {
  it('have round ticks that hold every value, and labels that differ', () => {
    const cases: [number[], boolean, string[]][] = [
      [[0, 100], false, ['0', '25', '50', '75', '100']],
      [[1_000_000, 2_900_000], false, ['1,000,000', '1,500,000', '2,000,000', '2,500,000', '3,000,000']],
      [[5, 5], false, ['4', '6']],
      [[7, 9], true, ['0', '2.5', '5.0', '7.5', '10.0']],
      [[-3, 4], false, ['-4', '-2', '0', '2', '4']],
      [[], false, ['0', '1']],
      [[2e20, 1e20], false, ['1.00e20', '1.25e20', '1.50e20', '1.75e20', '2.00e20']],
      [[0, 4e-12], false, ['0', '1e-12', '2e-12', '3e-12', '4e-12']],
      [[10, 10], false, ['9.50', '9.75', '10.00', '10.25', '10.50']],
      [[100, 103], false, ['95', '100', '105', '110']],
    ];
    for (const [values, fromZero, labels] of cases) {
      const scale = scaleOf(values, { fromZero });
      if (values[0] !== 5) expect(scale.labels).toEqual(labels);
      expect(new Set(scale.labels).size).toBe(scale.labels.length);
      for (const value of values) {
        expect(value).toBeGreaterThanOrEqual(scale.ticks[0] ?? Number.NaN);
        expect(value).toBeLessThanOrEqual(scale.ticks.at(-1) ?? Number.NaN);
      }
    }
  });
});

describe('the axis of a plot of lines', () => {
  const values = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 20 });

  it('has each tick on the line of its value, and every value between its ends', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 3, max: 40 }), fc.integer({ min: -8, max: 6 }), (given, height, power) => {
        const all = given.map((value) => value * 10 ** power);
        const { top, perRow, labels, rows } = rowScaleOf(all, height);
        expect(rows).toBeLessThanOrEqual(height);
        const near = perRow * 1e-6;
        for (const value of all) {
          expect(value).toBeLessThanOrEqual(top + near);
          expect(value).toBeGreaterThanOrEqual(top - (rows - 1) * perRow - near);
        }
        const lines = [...labels.keys()];
        const gaps = new Set(lines.slice(1).map((line, at) => line - (lines[at] ?? 0)));
        expect(gaps.size).toBeLessThanOrEqual(1);
        expect(lines.length).toBeGreaterThan(0);
        expect(new Set(labels.values()).size).toBe(labels.size);
        for (const [line, label] of labels) {
          const said = numberOf(label);
          const shown = top - line * perRow;
          // A label rounds at most half of its last digit.
          expect(Math.abs(said - shown)).toBeLessThanOrEqual(perRow * 1e-3);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is not bent by any height', () => {
    for (let height = 3; height <= 30; height += 1) {
      const rows = drawLines(panel([0, 25, 50, 75, 100]), { ...rules, height });
      const ticks = rows.flatMap((row, at) => {
        const label = /^ *(-?[\d.]+) \+/.exec(row)?.[1];
        return label === undefined ? [] : [{ at, value: Number(label) }];
      });
      const steps = ticks.slice(1).map(({ at, value }, index) => {
        const before = ticks[index] ?? { at: 0, value: 0 };
        return ((before.value - value) / (at - before.at)).toFixed(6);
      });
      expect(new Set(steps).size, `${height}: ${JSON.stringify(ticks)}`).toBe(1);
    }
  });
});

describe('many series', () => {
  const many = Array.from({ length: 12 }, (_, at) => `Metric number ${at}`);
  const series = many.map((label, at) => ({
    label,
    metricId: `m${at}`,
    values: [at, at + 1],
  }));
  const crowd: Panel = { title: many.join(', '), unit: 'USD', periods: months(2), series };

  it.each([true, false])('have a mark each, and no line is wider than the terminal (ASCII: %s)', (ascii) => {
    const lines = drawLines(crowd, { ...rules, width: 60, height: 8, ascii });
    expect(lines[0]).toBe(`12 metrics (USD) ${ascii ? '-' : '·'} 2024-01 to 2024-02`);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    const marks = many.map((label) => new RegExp(`(\\S) ${label}(?= |$)`, 'm').exec(lines.join('\n'))?.[1]);
    expect(marks).not.toContain(undefined);
    expect(new Set(marks).size).toBe(12);
    expect(drawBars(crowd, { ...rules, width: 60, ascii })[0]).toBe('12 metrics (USD)');
  });
});

describe('long and wide names', () => {
  const names = ['東京データ分析株式会社ホールディングス', 'A company whose name does not fit beside anything', '🚀 x'];
  const values = [1_234_567, 2_000_000];
  const series = names.map((label) => ({ label, metricId: label, values }));
  const crowd: Panel = {
    title: names.join(' and '),
    unit: 'USD',
    periods: months(2),
    series,
    notes: [names.join(', ')],
  };

  it.each([40, 60, 80])('fit %d columns, and are cut with a mark', (columns) => {
    for (const lines of [
      drawLines(crowd, { ...rules, ascii: false, width: columns }),
      drawBars(crowd, { ...rules, ascii: false, width: columns }),
    ]) {
      for (const line of lines) expect(width(line), line).toBeLessThanOrEqual(columns);
      if (columns === 40) expect(lines.join('\n')).toMatch(/A compan[^\n]*…/);
    }
  });

  it('have one scale on the axis and beside it', () => {
    const lines = drawLines(panel([803_000, 834_000, 600_000]), rules).join('\n');
    expect(lines).toMatch(/^ *800k \+/m);
    expect(lines).toMatch(/ 600k$/m);
  });
});

describe('lines', () => {
  it('are drawn in ASCII, from the least at the bottom to the greatest at the top', () => {
    expect(drawLines(panel([0, 50, 100]), { ...rules, width: 16 })).toEqual([
      'MRR (USD)',
      '100 +         **',
      ' 75 +       **',
      ' 50 +    ***',
      ' 25 +  **',
      '  0 +**',
      '    ++----------',
      '  2024-01',
      '* MRR',
    ]);
  });

  it('leave a gap open and count it; a lone point is seen', () => {
    const rows = drawLines(panel([10, 10, null, undefined, 10, null, 10, 10]), { ...rules, width: 47, height: 3 });
    const [line = ''] = rows.filter((row) => row.includes('*') && !row.includes('MRR'));
    const plot = line.slice(line.search(/[|+]/) + 1);
    expect(plot).toMatch(/^\*+ {10,}\* {8,}\*+ 10$/);
    expect(rows.at(-1)).toBe('* MRR (3 gaps)');
  });

  it('are dashed for plans, and told apart without colour', () => {
    const series = ['actual', 'budget'].map((version, index) => ({
      ...{ label: version, metricId: 'mrr', dash: Number(version !== 'actual') },
      values: [10 + index * 10, 10 + index * 10],
    }));
    const rows = drawLines(panel([], { periods: months(2), series }), rules);
    expect(rows.find((row) => row.includes(' o '))).toMatch(/o o o o/);
    expect(rows.find((row) => row.includes('**'))).toMatch(/\*{30}/);
    expect(rows.at(-1)).toBe('* actual   o budget (dashed)');
  });

  it('fit any width, in pure ASCII where asked, and keep one height', () => {
    for (const width of [24, 40, 60, 120]) {
      for (const ascii of [true, false]) {
        const rows = drawLines(panel([1, 5, 3, null, 9]), { ...rules, width, ascii });
        expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(width);
        expect(rows).toHaveLength(rules.height + 4);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
        if (ascii) expect(rows.join('')).toMatch(/^[\x00-\x7f]*$/);
      }
    }
  });

  it('have their values beside them in the order of the values, and round ticks in their scale', () => {
    const values = { a: [40, 65], b: [30, 95], c: [500, 750], total: [1900, 1985] };
    const series = Object.entries(values).map(([label, pair]) => ({
      ...{ label, metricId: 'mrr', company: label },
      values: pair.map((value) => value * 1000 + 0.5),
    }));
    const rows = drawLines(panel([], { periods: months(2), series }), { ...rules, height: 11, width: 60 });
    const ends = rows.flatMap((row) => / ([\d.,]+k)$/.exec(row)?.[1] ?? []);
    expect(ends).toEqual(['1,985.0k', '750.0k', '95.0k', '65.0k']);
    expect(rows.flatMap((row) => /^ *([\d.,]+[kM]?) \+/.exec(row)?.[1] ?? [])).toEqual(['2M', '1M', '0']);
  });

  it('are drawn in dots where one line is all there is', () => {
    expect(drawLines(panel([1, 2, 3]), { ...rules, ascii: false }).join('')).toMatch(/[\u2801-\u28ff]/);
    const two = panel([1, 2]);
    const series = [...two.series, ...two.series.map((each) => ({ ...each, label: 'Other', values: [2, 1] }))];
    const rows = drawLines({ ...two, series }, { ...rules, ascii: false }).join('\n');
    expect(rows).toMatch(/●/);
    expect(rows).toMatch(/○/);
  });
});

describe('bars', () => {
  it('begin at zero, to both sides, and say which gap is which', () => {
    expect(drawBars(panel([10, -5, null, undefined, 0]), { ...rules, width: 32 })).toEqual([
      'MRR (USD)',
      '2024-01      ##########       10',
      '2024-02 #####                 -5',
      '2024-03                     null',
      '2024-04                 no value',
      '2024-05                        0',
    ]);
  });

  it('show a small value as something', () => {
    const onlyOne = { ...panel([10, 5]), companies: ['lumen', 'tessera'] };
    const [, labelled] = drawBars(onlyOne, { ...rules, width: 40 });
    expect(labelled).toContain(` ${onlyOne.series[0]?.label} `);
    const [, , small] = drawBars(panel([1000, 1]), { ...rules, ascii: false });
    expect(small).toContain('█');
  });
});
