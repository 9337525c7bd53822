/** Totals of companies with gaps: every comparison equals one recomputed from the values of the companies. */
import { expect, it } from 'vitest';
import type { CompanyPart } from '../../../src/cli/each-company.ts';
import { bridgeOfCompanies } from '../../../src/commands/metrics/bridge-report.ts';
import { withTotal } from '../../../src/commands/metrics/computing.ts';
import { growthRows } from '../../../src/commands/metrics/growth-rows.ts';
import { pivotRows } from '../../../src/commands/metrics/pivot.ts';
import type { Analysis } from '../../../src/commands/metrics/read.ts';
import { valueRows } from '../../../src/commands/metrics/values.ts';
import { variancesOf } from '../../../src/commands/metrics/variances.ts';
import { formatPeriod, parsePeriod } from '../../../src/core/periods.ts';
import type { AnalysisItem } from '../../../src/domain/analysis/points.ts';

type Values = Map<string, number>;
interface Company {
  name: string;
  values: Values;
}

const first = parsePeriod('2024-01')?.index ?? 0;
const key = (period: number) => formatPeriod({ type: 'month', index: first + period });
const periods = 16;

/** A generator of numbers from 0 to 1 that a seed repeats (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function companiesOf(next: () => number): Company[] {
  const gaps = next() * 0.4;
  return Array.from({ length: 2 + Math.floor(next() * 4) }, (_, at) => {
    const values: Values = new Map();
    for (let period = 0; period < periods; period += 1) {
      for (const version of ['actual', 'budget']) {
        if (next() >= gaps) values.set(`${version} ${period}`, Math.round(next() * 1000) - 100);
      }
    }
    return { name: `c${at}`, values };
  });
}

function analysisOf({ values }: Company): Analysis {
  const items: AnalysisItem[] = [];
  for (let period = 0; period < periods; period += 1) {
    for (const version of ['actual', 'budget'] as const) {
      const value = values.get(`${version} ${period}`);
      const row = { periodKey: key(period), periodType: 'month', version, source: null, updatedAt: null } as const;
      if (value !== undefined) items.push({ ...row, metrics: { mrr: value } });
    }
  }
  const range = { from: { type: 'month', index: first }, to: { type: 'month', index: first + periods - 1 } } as const;
  const metrics = [{ id: 'mrr', unit: 'USD', measure: 'USD', currency: 'USD', direction: 'up', aggregation: 'sum' }];
  return { type: 'month', range, anyRange: false, items, metrics, currency: 'USD' };
}

const sumOf = (companies: readonly Company[], cell: string) =>
  companies.reduce((sum, { values }) => sum + (values.get(cell) ?? 0), 0);

/** The companies that have all of the cells that one of them has; none where nobody has one. */
function alike(companies: readonly Company[], cells: readonly string[]): { cells: string[]; companies: Company[] } {
  const present = cells.filter((cell) => companies.some(({ values }) => values.has(cell)));
  return { cells: present, companies: companies.filter(({ values }) => present.every((cell) => values.has(cell))) };
}

const close = (a: unknown, b: number | null) =>
  b === null
    ? a === null || a === undefined
    : a !== null && a !== undefined && Math.abs(Number(a) - b) <= 1e-9 * Math.max(1, Math.abs(b));

/** @returns how many comparisons were made */
function compare(companies: readonly Company[]): number {
  const parts = companies.map((company) => ({
    who: { company: company.name, companyId: company.name },
    value: analysisOf(company),
  }));
  const total = withTotal(parts).at(-1)?.value as Analysis;
  let count = 0;
  const same = (actual: unknown, wanted: number | null, what: string) => {
    count += 1;
    if (!close(actual, wanted)) throw new Error(`${what}: ${actual}, not ${wanted}`);
  };
  const left = (note: string | undefined, all: readonly Company[], included: readonly Company[], what: string) => {
    for (const { name } of all) {
      const isIncluded = included.some((company) => company.name === name);
      const isNamed = note?.includes(`${name} (`) ?? false;
      if (isNamed === isIncluded) throw new Error(`${what}: ${name} in "${note}"`);
    }
  };
  for (const row of variancesOf(total, 'budget')) {
    const period = (parsePeriod(row.periodKey)?.index ?? 0) - first;
    const { cells, companies: included } = alike(companies, [`actual ${period}`, `budget ${period}`]);
    const [actual, budget] = [sumOf(included, `actual ${period}`), sumOf(included, `budget ${period}`)];
    const both = cells.length === 2 && included.length > 0;
    same(row.difference, both ? actual - budget : null, `variance ${row.periodKey}`);
    same(
      row.percent,
      both && budget !== 0 ? ((actual - budget) / Math.abs(budget)) * 100 : null,
      `percent ${row.periodKey}`,
    );
    left(row.note, companies, included, `variance ${row.periodKey}`);
  }
  for (const row of growthRows(total, { rates: ['mom', 'yoy'], partial: false })) {
    if (row.version !== 'actual') continue;
    const period = (parsePeriod(row.periodKey)?.index ?? 0) - first;
    for (const [rate, back] of [
      ['mom', 1],
      ['yoy', 12],
    ] as const) {
      const [now, then] = [`actual ${period}`, `actual ${period - back}`];
      const { cells, companies: included } = alike(companies, [then, now]);
      const [value, base] = [sumOf(included, now), sumOf(included, then)];
      const known = cells.length === 2 && included.length > 0 && base !== 0;
      same(row.rates[rate], known ? ((value - base) / Math.abs(base)) * 100 : null, `${rate} ${row.periodKey}`);
    }
  }
  const [row] = pivotRows(total, { ascii: true, partial: false });
  const cells = Array.from({ length: periods }, (_, period) => `actual ${period}`);
  const table = alike(companies, cells);
  for (const [at, cell] of cells.entries()) {
    if (!table.cells.includes(cell)) continue;
    same(row?.values[key(at)], table.companies.length > 0 ? sumOf(table.companies, cell) : null, `table ${key(at)}`);
  }
  if (row?.version === 'actual') left(row.note, companies, table.companies, 'table');
  const request = {
    isLive: false,
    version: 'actual',
    computes: true,
    total: true,
    from: key(0),
  } as const;
  const { rows: values } = valueRows([{ who: { company: 'total' }, value: total }], request, ['mrr']);
  for (const { periodKey, value } of values) {
    const cell = `actual ${(parsePeriod(periodKey)?.index ?? 0) - first}`;
    same(value, sumOf(alike(companies, [cell]).companies, cell), `get ${periodKey}`);
  }
  const ends = alike(companies, [cells[0] ?? '', cells.at(-1) ?? '']);
  if (ends.cells.length === 2 && ends.companies.length > 0) compareBridge(parts, ends, same);
  return count;
}

function compareBridge(
  parts: CompanyPart<Analysis>[],
  { cells: [from = '', to = ''], companies }: ReturnType<typeof alike>,
  same: (actual: unknown, wanted: number | null, what: string) => void,
): void {
  const period = (index: number) => ({ type: 'month' as const, index });
  const plan = { metric: 'mrr', version: 'actual', parts: undefined, partial: false } as const;
  const actuals = parts.map(({ who, value }) => ({
    who,
    value: { ...value, items: value.items.filter(({ version }) => version === 'actual') },
  }));
  const bridge = bridgeOfCompanies(actuals, { ...plan, from: period(first), to: period(first + periods - 1) });
  const [start, end] = [bridge.steps[0], bridge.steps.at(-1)];
  same(start?.value, sumOf(companies, from), 'bridge from');
  same(end?.value, sumOf(companies, to), 'bridge to');
  for (const { name, values } of companies) {
    const step = bridge.steps.find((candidate) => candidate.name === name);
    same(step?.value, (values.get(to) ?? 0) - (values.get(from) ?? 0), `bridge ${name}`);
  }
}

/** With COMEM_SCALE=whole so many random companies, else a part of them that makes more than 10,000 comparisons. */
const rounds = process.env.COMEM_SCALE === 'whole' ? 10_000 : 140;

it('equal a recomputation from the values of the companies', () => {
  let count = 0;
  for (let seed = 1; seed <= rounds; seed += 1) count += compare(companiesOf(random(seed)));
  expect(count).toBeGreaterThan(10_000);
});
