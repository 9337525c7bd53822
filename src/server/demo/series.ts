/** Actuals, budgets and forecasts of the demo companies, with what real series have: holes, late ends, a restatement. */
import { formatPeriod } from '../../core/periods.ts';
import type { SeedPoints } from '../seed/seed.ts';
import { businesses, type Metrics, type Month, simulate } from './business.ts';
import { Random, round } from './random.ts';
import { restatedAt } from './restatements.ts';

const month = (year: number, number: number): Month => year * 12 + number - 1;
/** 48 months: March of the demo's clock is not closed yet. */
const first = month(2022, 3);
const last = month(2026, 2);
const planned = { first: month(2023, 1), last: month(2026, 12) };
const foreseen = { first: month(2026, 3), last: month(2027, 3) };

export type Aggregation = 'sum' | 'average' | 'last';
const aggregations: Readonly<Record<string, Aggregation>> = {
  churn_rate: 'average',
  mrr_growth: 'average',
  burn: 'sum',
  nrr: 'average',
  ltv: 'average',
  cac: 'average',
  ltv_cac_ratio: 'average',
  gross_margin: 'average',
  payment_volume: 'sum',
};

/** Planners are closer on rates than on amounts. */
const rates = new Set(['churn_rate', 'nrr', 'gross_margin']);

/** Digits after the point, where it is not two. */
const decimals: Readonly<Record<string, number>> = {
  headcount: 0,
  customer_count: 0,
  burn: 0,
  active_patients: 0,
  robots_deployed: 0,
  monthly_learners: 0,
  runway: 1,
  nrr: 1,
  gross_margin: 1,
};

type DemoPoints = SeedPoints & { metrics: Metrics };

export interface CompanySeries {
  slug: string;
  first: Month;
  /** By month counted from `first`. */
  actuals: Metrics[];
  points: DemoPoints[];
}

export const lumenRestated = formatPeriod({ type: 'month', index: month(2024, 11) });

export function portfolioSeries(): CompanySeries[] {
  return businesses.map((business, index) => {
    const random = new Random(7_000 + index);
    const start = business.slug === 'fieldwork' ? month(2023, 6) : first;
    const end = foreseen.last + 1;
    // The model continues into the future: forecasts and the last budgets are close to it.
    const truth = simulate(business, end - start, random);
    const actuals = truth.slice(0, last - start + 1);
    const points = [
      ...actualPoints(business.slug, start, actuals, random),
      ...planPoints(business.slug, 'budget', start, truth, planned, random, 0.06),
      ...planPoints(business.slug, 'forecast', start, truth, foreseen, random, 0.025),
    ];
    return { slug: business.slug, first: start, actuals, points };
  });
}

function actualPoints(slug: string, start: Month, actuals: readonly Metrics[], random: Random): DemoPoints[] {
  return actuals.flatMap((metrics, offset): DemoPoints[] => {
    const at = start + offset;
    const kept = holes(slug, at, metrics);
    if (!kept) return [];
    const closed = new Date(Date.UTC(Math.floor(at / 12), (at % 12) + 1, random.whole(4, 12), random.whole(7, 16), 30));
    const restated = slug === 'lumen' && at === month(2024, 11);
    return [
      {
        company: slug,
        period: formatPeriod({ type: 'month', index: at }),
        version: 'actual',
        metrics: kept,
        source: restated ? 'restatement' : random.chance(0.8) ? 'accounting' : 'manual',
        updated_at: restatedAt(slug, formatPeriod({ type: 'month', index: at })) ?? closed.toISOString(),
      },
    ];
  });
}

/** The month as it was reported: undefined when it was not. */
function holes(slug: string, at: Month, metrics: Metrics): Metrics | undefined {
  // Harbor moved its books in August 2024 and never closed that month; Quill has not reported since December.
  if (slug === 'harbor' && at === month(2024, 8)) return undefined;
  if (slug === 'quill' && at > month(2025, 12)) return undefined;
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(metrics).filter(([id]) => !names.includes(id)));
  if (slug === 'tessera' && at >= month(2023, 10) && at <= month(2023, 12)) return without('nrr');
  if (slug === 'fieldwork' && at < month(2024, 1)) return without('ltv', 'cac', 'ltv_cac_ratio', 'nrr');
  // Known to be unknown, which is another thing than not reported.
  if (slug === 'quill' && at === month(2024, 5)) return { ...metrics, customer_count: null };
  return metrics;
}

/** Plans by month, and by quarter and year where all their months are planned. */
function planPoints(
  slug: string,
  version: 'budget' | 'forecast',
  start: Month,
  truth: readonly Metrics[],
  span: { first: Month; last: Month },
  random: Random,
  error: number,
): DemoPoints[] {
  const from = Math.max(span.first, start);
  const months = new Map<Month, Metrics>();
  for (let at = from; at <= span.last; at += 1) {
    const metrics = truth[at - start];
    if (!metrics) continue;
    // A plan is written once a year, so that a year is off in one direction.
    const bias = new Random(Math.floor(at / 12) * 31 + slug.length).noise() * error;
    const off = (id: string) => 1 + (bias + random.noise() * error * 0.15) * (rates.has(id) ? 0.3 : 1);
    const guesses = Object.entries(metrics).map(([id, value]): [string, number | null] => [
      id,
      value === null ? null : round(value * off(id), decimals[id] ?? 2),
    ]);
    const plan: Metrics = Object.fromEntries(guesses);
    months.set(at, { ...plan, arr: round((plan.mrr ?? 0) * 12, 2) });
  }
  const made = version === 'budget' ? undefined : '2026-03-16T09:20:00.000Z';
  const point = (period: string, at: Month, metrics: Metrics): DemoPoints => ({
    company: slug,
    period,
    version,
    metrics,
    source: 'plan',
    updated_at: made ?? `${Math.floor(at / 12) - 1}-12-09T15:00:00.000Z`,
  });
  const result = [...months].map(([at, metrics]) => point(formatPeriod({ type: 'month', index: at }), at, metrics));
  for (const [type, size] of [
    ['quarter', 3],
    ['year', 12],
  ] as const) {
    for (let at = Math.ceil(from / size) * size; at + size - 1 <= span.last; at += size) {
      const held = Array.from({ length: size }, (_, offset) => months.get(at + offset));
      if (held.some((metrics) => metrics === undefined)) continue;
      result.push(point(formatPeriod({ type, index: at / size }), at, aggregated(held as Metrics[])));
    }
  }
  return result;
}

/** Months as one quarter or year. */
export function aggregated(months: readonly Metrics[]): Metrics {
  const ids = Object.keys(months.at(-1) ?? {});
  return Object.fromEntries(
    ids.map((id) => {
      const values = months.map((metrics) => metrics[id]).filter((value) => value !== null && value !== undefined);
      const sum = values.reduce((total, value) => total + value, 0);
      const how = aggregations[id] ?? 'last';
      if (values.length === 0) return [id, null];
      const value = how === 'sum' ? sum : how === 'average' ? sum / values.length : (values.at(-1) as number);
      return [id, round(value, decimals[id] ?? 2)];
    }),
  );
}

const eurosToDollars = 1.08;

/** The investor's own series: the portfolio added up in dollars, and its fund. Quill's late months are left out. */
export function fundPoints(series: readonly CompanySeries[]): DemoPoints[] {
  const random = new Random(8_100);
  const result: DemoPoints[] = [];
  for (let at = first; at <= last; at += 1) {
    const rows = series.flatMap(({ slug, points }) => {
      const period = formatPeriod({ type: 'month', index: at });
      const found = points.find((point) => point.period === period && point.version === 'actual');
      return found ? [{ rate: slug === 'tessera' ? eurosToDollars : 1, metrics: found.metrics }] : [];
    });
    const total = (id: string, money: boolean) =>
      round(
        rows.reduce((sum, { rate, metrics }) => sum + (metrics[id] ?? 0) * (money ? rate : 1), 0),
        2,
      );
    const age = at - first;
    const mrr = total('mrr', true);
    const metrics: Metrics = {
      mrr,
      arr: round(mrr * 12, 2),
      headcount: total('headcount', false),
      customer_count: total('customer_count', false),
      burn: total('burn', true),
      fund_nav: round(21_400_000 * 1.012 ** age * (1 + random.noise() * 0.006), 2),
      tvpi: round(0.98 + age * 0.0135 + random.noise() * 0.01, 2),
      dpi: round(Math.max(0, (age - 20) * 0.008), 2),
    };
    const closed = new Date(Date.UTC(Math.floor(at / 12), (at % 12) + 1, 15, 9));
    result.push({
      company: 'northgate',
      period: formatPeriod({ type: 'month', index: at }),
      version: 'actual',
      metrics,
      source: 'portfolio roll-up',
      updated_at: restatedAt('northgate', formatPeriod({ type: 'month', index: at })) ?? closed.toISOString(),
    });
  }
  return result;
}
