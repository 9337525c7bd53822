/** Numbers of one quantity: values are rounded once, and every difference is that of the numbers beside it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bridgeColumns } from '../../src/commands/metrics/bridge-report.ts';
import type { Analysis } from '../../src/commands/metrics/read.ts';
import { growthColumns, growthRows, pivotColumns, pivotRows } from '../../src/commands/metrics/trends.ts';
import { varianceColumns, variancesOf } from '../../src/commands/metrics/variances.ts';
import { difference, roundTo } from '../../src/core/decimal.ts';
import { type Numeric, numeric, plainDecimal } from '../../src/core/json.ts';
import { formatPeriod, parsePeriod } from '../../src/core/periods.ts';
import { bridgeOf } from '../../src/domain/analysis/difference.ts';
import { keyFigure } from '../../src/output/chart/page.ts';
import type { Column } from '../../src/output/column.ts';
import { markdownWriter } from '../../src/output/formats/text.ts';
import { screenColumns } from '../../src/output/screen-column.ts';
import {
  formatNumber,
  minorUnit,
  numberStyle,
  numberStyles,
  type Quantity,
  type Scale,
} from '../../src/output/values.ts';

const first = parsePeriod('2025-01')?.index ?? 0;
const periods = Array.from({ length: 6 }, (_, at) => formatPeriod({ type: 'month', index: first + at }));

/** Values of one size, as a metric has them. */
const line = fc
  .record({ size: fc.integer({ min: 0, max: 9 }), places: fc.integer({ min: 0, max: 4 }) })
  .chain(({ size, places }) => {
    const most = 10 ** (size + places);
    const value = fc.noBias(fc.integer({ min: -most, max: most })).map((units) => numeric(`${units}e-${places}`));
    return fc.array(value, { minLength: 12, maxLength: 12 });
  });
const scale = fc.constantFrom<Scale>('auto', 'k', 'M', 'none');

function analysisOf(mrr: readonly Numeric[], churn: readonly Numeric[]): Analysis {
  const items = periods.flatMap((periodKey, at) =>
    (['actual', 'budget'] as const).map((version, of) => ({
      periodKey,
      periodType: 'month' as const,
      version,
      source: null,
      updatedAt: null,
      metrics: { mrr: mrr[2 * at + of] ?? null, churn: churn[2 * at + of] ?? null },
    })),
  );
  const period = (index: number) => ({ type: 'month' as const, index });
  return {
    type: 'month',
    range: { from: period(first), to: period(first + periods.length - 1) },
    anyRange: false,
    items,
    metrics: [
      { id: 'mrr', unit: 'USD', measure: 'USD', currency: 'USD', direction: 'up' },
      { id: 'churn', unit: '%', measure: 'percent', direction: 'down' },
    ],
    currency: 'USD',
  };
}

const screen = { isScreen: true, ascii: true, header: true, now: new Date(0), nameOf: () => undefined };

interface Looks {
  isScreen: boolean;
  scale: Scale;
}

/** The texts of cells by column, and the scale of each row as a text of its own column says it. */
function printed<Row>(columns: readonly Column<Row>[], rows: readonly Row[], looks: Looks) {
  const drawn = screenColumns(columns, rows, { ...screen, ...looks });
  return rows.map((row) => Object.fromEntries(drawn.map(({ column, text }) => [column.key, text(row)])));
}

/** The number of a text in units of its last digit. */
function unitsOf(text: string): { units: bigint; decimals: number } {
  const number = /-?[\d,]+(?:\.\d+)?/.exec(text)?.[0].replaceAll(',', '') ?? '';
  return { units: BigInt(number.replace('.', '')), decimals: number.split('.')[1]?.length ?? 0 };
}

function expectDifference(after = '', before = '', change = ''): void {
  const [a, b, c] = [unitsOf(after), unitsOf(before), unitsOf(change)];
  expect([a.decimals, b.decimals], `${after} | ${before} | ${change}`).toEqual([c.decimals, c.decimals]);
  expect(a.units - b.units, `${after} | ${before} | ${change}`).toBe(c.units);
  expect(change.startsWith('+'), change).toBe(!change.startsWith('-') && c.units !== 0n);
}

/** The percentage is about that of the numbers beside it: 1.94 and 2.00 for an exact +3.3%. */
function expectPercentage(after = '', before = '', change = ''): void {
  expect(change).toMatch(/^(?:\+(?=.*[1-9])|-(?=.*[1-9])|(?=0))[\d,]+\.\d%$/);
  const [a, b, printed] = [after, before, change].map((text) => {
    const { units, decimals } = unitsOf(text);
    return Number(units) / 10 ** decimals;
  }) as [number, number, number];
  // The percentage itself is rounded, too.
  const tolerance = Math.max(0.05, 0.1 * (Math.abs(printed) + 0.05)) + 0.051;
  expect(Math.abs(((a - b) / Math.abs(b)) * 100 - printed), `${after} | ${before} | ${change}`).toBeLessThan(tolerance);
}

const powers = { auto: 0, none: 0, exact: 0, k: 3, M: 6 };

/** The text is the exact number, rounded once to the digits that are shown. */
function expectRounded(text = '', exact: Numeric = 0, power = 0): void {
  const { units, decimals } = unitsOf(text);
  const scaled = numeric(plainDecimal(exact) === '0' ? '0' : `${plainDecimal(exact)}e-${power}`);
  expect(difference(roundTo(scaled, decimals), numeric(`${units}e-${decimals}`)), `${text} of ${exact}`).toBe(0);
}

const metrics = new Map(analysisOf([], []).metrics.map((metric) => [metric.id, metric]));

describe('differences of shown numbers', () => {
  it('are those of variances, in points too', () => {
    fc.assert(
      fc.property(line, line, scale, fc.boolean(), (mrr, churn, scale, isScreen) => {
        const rows = variancesOf(analysisOf(mrr, churn), 'budget');
        const texts = printed(varianceColumns('budget', false, metrics), rows, { isScreen, scale });
        expect(texts).toHaveLength(12);
        for (const { actual, budget, difference, percent, metricId } of texts) {
          expectDifference(actual, budget, difference);
          if (metricId === 'churn') expectDifference(actual, budget, percent);
          else if (percent !== '') expectPercentage(actual, budget, percent);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('are those of a Markdown table, in points where the values are percentages', () => {
    fc.assert(
      fc.asyncProperty(line, line, async (mrr, churn) => {
        const columns = varianceColumns('budget', false, metrics).filter(({ hidden }) => !hidden);
        const result = { columns, json: (row: unknown) => row, id: () => undefined, header: true };
        const writer = markdownWriter(result, { look: { ...screen, scale: 'auto' }, turn: async () => {} });
        await writer.rows(variancesOf(analysisOf(mrr, churn), 'budget'));
        const lines = String(await writer.close?.(false))
          .split('\n')
          .slice(0, -1);
        expect(lines).toHaveLength(12);
        for (const line of lines) {
          const [metric, , actual, budget, difference, percent] = line.replace(/^\| | \|$/g, '').split(' | ');
          expectDifference(actual, budget, difference);
          if (metric !== 'churn') continue;
          expect([difference, percent]).toEqual([expect.stringMatching(/ pp$/), expect.stringMatching(/ pp$/)]);
          expectDifference(actual, budget, percent);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are those of the rows of growth', () => {
    fc.assert(
      fc.property(line, scale, fc.boolean(), (churn, scale, isScreen) => {
        const rows = [...growthRows(analysisOf(churn, churn), { rates: ['mom'], partial: false })];
        const texts = printed(growthColumns(['mom'], { coarse: false, metrics }), rows, { isScreen, scale });
        for (const [at, { metricId, mom, value }] of texts.entries()) {
          const before = rows[at - 1]?.metricId === metricId ? texts[at - 1]?.value : undefined;
          if (mom === '' || before === undefined) continue;
          const hasSign = (text = '') => text.startsWith('-');
          if (metricId === 'churn') expectDifference(value, before, mom);
          // Rows do not have the value before, which a change of sign leaves open.
          else if (hasSign(before) === hasSign(value)) expectPercentage(value, before, mom);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are that of the newest periods of a table', () => {
    fc.assert(
      fc.property(line, scale, fc.boolean(), (churn, scale, isScreen) => {
        const rows = pivotRows(analysisOf(churn, churn), { ascii: true, partial: false });
        const look = { versions: true, order: undefined, grain: 'month', metrics, notes: false } as const;
        const texts = printed(pivotColumns({ periods, partial: new Map() }, look), rows, { isScreen, scale });
        for (const { metricId, change, '2025-06': after, '2025-05': before } of texts) {
          if (metricId === 'churn') expectDifference(after, before, change);
          else if (change !== '') expectPercentage(after, before, change);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are the steps of a bridge, which sum up', () => {
    fc.assert(
      fc.property(line, scale, fc.boolean(), ([from = 0, to = 0, ...parts], scale, isScreen) => {
        const changes = parts.map((value, at) => ({ name: `part ${at}`, value }));
        const steps = bridgeOf({ from: { name: 'a', value: from }, to: { name: 'b', value: to } }, changes);
        const rows = steps.map(({ name, ...step }) => ({ metricId: 'mrr', step: name, unit: 'USD', ...step }));
        const texts = printed(bridgeColumns, rows, { isScreen, scale });
        for (const [at, { running, value }] of texts.entries()) {
          const isStep = at > 0 && at < texts.length - 1;
          if (isStep) expectDifference(running, texts[at - 1]?.running, value);
          else expect(value).toBe(running);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are at most one unit of the last digit from the exact ones, and values are rounded once', () => {
    fc.assert(
      fc.property(line, line, fc.constantFrom<Scale>('k', 'M', 'none'), fc.boolean(), (mrr, churn, scale, isScreen) => {
        const rows = variancesOf(analysisOf(mrr, churn), 'budget');
        const texts = printed(varianceColumns('budget', false, metrics), rows, { isScreen, scale });
        for (const [at, { metricId, ...numbers }] of texts.entries()) {
          const power = metricId === 'mrr' ? powers[scale] : 0;
          for (const key of ['actual', 'budget'] as const) expectRounded(numbers[key], rows[at]?.[key] ?? 0, power);
          const { units, decimals } = unitsOf(numbers.difference ?? '');
          const exact = Number(rows[at]?.difference) * 10 ** (decimals - power);
          expect(Math.abs(Number(units) - exact)).toBeLessThan(1.001);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['USD', '1234.5678', 2],
    ['JPY', '1234.5678', 0],
    ['KWD', '1234.5678', 3],
    ['€', '1234.5678', 2],
    ['USD', '0.0012345', 4],
  ])('amounts in %s have no more digits than the currency has: %s', (unit, text, decimals) => {
    const style = numberStyle({ cells: [numeric(text)], minor: minorUnit(unit) }, 'none');
    expect(style).toEqual({ power: 0, decimals });
  });

  it.each([
    ['numbers have two digits after the point', [49.9, 50.25], undefined, 2],
    ['numbers with up to three digits after the point keep them', [1.375, 2.5], undefined, 3],
    ['numbers with more digits have two after the point', [1.3751, 2.5], undefined, 2],
    ['numbers below one have three that count', [0.4512, 0.4498, 12.5], undefined, 3],
    ['percentages of a change have the same everywhere', [0.0312, 2.88], 1, 1],
    ['percentages of a change have them where they are whole, too', [-10, 0], 1, 1],
  ])('%s', (_, cells, digits, decimals) => {
    expect(numberStyle({ cells, minor: undefined, digits }, 'auto')).toEqual({ power: 0, decimals });
  });

  it.each([
    ['one scale, whatever their metric and currency', [[9_071_065.8], [755_922.15], [16_924.43]], [3, 3, 3]],
    [
      'the scale of the typical one, unless they lose digits in it',
      [[24e6], [2_000_608], [1.05e6], [250.5]],
      [6, 6, 6, 0],
    ],
    ['the scale of their column, of which few lose a digit', [[45_000, 52_000, 61_000, 57_000, 800]], [3]],
    ['the scale in which all keep three digits', [[1_500_000, 410_000, 9_800_000, 3_700_000, 7_200_000]], [3]],
    ['no scale in which one of them would be zero', [[45_000, 52_000, 61_000, 57_000, 4]], [0]],
  ])('amounts of money in one table have %s', (_, amounts, powers) => {
    const quantities = new Map<string, Quantity>(amounts.map((cells, at) => [`${at}`, { cells, minor: 2 }]));
    quantities.set('share', { cells: [104.93], minor: undefined, digits: 2 });
    const styles = numberStyles(quantities, 'auto');
    expect([...styles.values()].map(({ power }) => power)).toEqual([...powers, 0]);
  });

  it('a scale shows also differences with three digits, unless no smaller one is left', () => {
    const powerOf = (before: number, after: number) => {
      const quantity = { cells: [before, after], minor: 2, comparisons: [{ after, before }] };
      return numberStyle(quantity, 'auto').power;
    };
    expect([powerOf(8e6, 9.5e6), powerOf(8e6, 8.19e6), powerOf(802_863.31, 802_463.31)]).toEqual([6, 3, 3]);
  });
});

describe('a column of amounts in several currencies', () => {
  it('says unit and scale in its cells, and not in its heading', () => {
    const amounts: Column<{ amount: number; currency: string }> = {
      ...{ key: 'amount', heading: 'Amount', type: 'currency' },
      unit: ({ currency }) => currency,
      get: ({ amount }) => amount,
    };
    const draw = (...currencies: string[]) => {
      const rows = currencies.map((currency, at) => ({ amount: 803_000 - 260_000 * at, currency }));
      const [drawn] = screenColumns([amounts], rows, { ...screen, scale: 'auto' });
      return [drawn?.heading, ...rows.map((row) => drawn?.text(row))];
    };
    expect(draw('USD', 'EUR')).toEqual(['Amount', '803 USD k', '543 EUR k']);
    expect(draw('USD', 'USD')).toEqual(['Amount USD k', '803', '543']);
  });
});

describe('a number', () => {
  it('is rounded half up as a decimal, whatever its double', () => {
    const cases = [
      ['1.005', 2, '1.01'],
      ['-1.005', 2, '-1.01'],
      ['-0.004', 2, '0.00'],
      ['0.5', 0, '1'],
      ['999999.995', 2, '1,000,000.00'],
      ['12345678901234567890.125', 2, '12,345,678,901,234,567,890.13'],
    ] as const;
    for (const [text, decimals, expected] of cases) {
      expect(formatNumber(numeric(text), { power: 0, decimals })).toBe(expected);
    }
    expect(formatNumber(numeric('1234567.5'), { power: 3, decimals: 1 })).toBe('1,234.6');
    expect(formatNumber(numeric('49'), { power: 3, decimals: 0 })).toBe('0');
  });

  it('has the scale of its unit in a tile, however large it is', () => {
    const figure = keyFigure({ label: 'ARR', value: 2e15, unit: 'USD', style: { power: 9, decimals: 0 } });
    expect(figure).toEqual({ label: 'ARR', value: '2,000,000', unit: 'USD B' });
  });

  it.each([
    [2_000_608, 1_936_254, 'USD', '▲ +3.3% vs budget'],
    [775_542, 815_252, 'USD', '▼ -4.9% vs budget'],
    [1.13, 1.14, 'percent', '▼ -0.01 pp vs budget'],
    [5, 5, 'count', '0.0% vs budget'],
  ])('has the sign of its change in a tile: %s after %s', (value, before, measure, change) => {
    const figure = { label: 'x', value, unit: undefined, style: { power: 0, decimals: 2 } } as const;
    expect(keyFigure(figure, { value: before, words: 'vs budget', measure }).change).toBe(change);
  });

  it('keeps the digits of the API where nothing is rounded', () => {
    fc.assert(
      fc.property(line, (values) => {
        for (const value of values) {
          const [whole, fraction = ''] = plainDecimal(value).split('.');
          const style = { power: 0 as const, decimals: fraction.length };
          const text = formatNumber(value, style).replaceAll(',', '');
          expect(text.replace('-', '')).toBe([whole?.replace('-', ''), fraction].filter(Boolean).join('.'));
        }
      }),
      { numRuns: 100 },
    );
  });
});
