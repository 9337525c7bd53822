/** The metrics of one company as expectations look at them, and what every expectation over them needs. */
import type { CompanyMetrics, MetricDefinition, MetricSeriesItem } from '../../contract/metrics.ts';
import { compare } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { formatPeriod, parsePeriod } from '../../core/periods.ts';
import { type Expectation, parseTail } from './grammar.ts';
import { Findings, type Outcome } from './model.ts';

/** The metrics as they were read. Months alone. */
export interface MetricFacts {
  definitions: readonly Partial<MetricDefinition>[];
  /** First and last month of the section, as months since year 0. */
  range: { from: number; to: number };
  /** Rows of actual, budget and forecast, in any order. */
  items: readonly Partial<MetricSeriesItem>[];
  /** Present when some expectation asked for it. */
  live?: Partial<CompanyMetrics>;
  now: Date;
  cap: number;
}

export type Call = Expectation & { kind: 'call' };
export type MetricTest = (facts: MetricFacts) => Outcome;

/** Metric ids of a call; `from` skips the arguments before them. */
export function ids(call: Call, most = Number.POSITIVE_INFINITY): string[] {
  const found = call.args.filter((argument) => argument.key === undefined).map((argument) => argument.text);
  if (found.length === 0) throw usage(`"${call.text}": ${call.head} needs a metric`);
  return found.slice(0, most);
}

/** Values of one metric in the range by month; a month without a row or without the metric is absent. */
export function monthsOf(facts: MetricFacts, metricId: string, version = 'actual', before = 0): Map<number, Reading> {
  const found = new Map<number, Reading>();
  for (const item of facts.items) {
    if (item.version !== version || item.periodType !== 'month') continue;
    const index = parsePeriod(item.periodKey ?? '')?.index;
    const metrics = item.metrics ?? {};
    if (index === undefined || index < facts.range.from - before || index > facts.range.to) continue;
    if (Object.hasOwn(metrics, metricId))
      found.set(index, { value: metrics[metricId] ?? null, updatedAt: item.updatedAt });
  }
  return found;
}

export interface Reading {
  value: Numeric | null;
  updatedAt?: string | null;
}

export const month = (index: number): string => formatPeriod({ type: 'month', index });
export const spell = (from: number, to: number): string =>
  from === to ? month(from) : `${month(from)} to ${month(to)}`;
export const sorted = (readings: Map<number, Reading>): [number, Reading][] => [...readings].sort(([a], [b]) => a - b);

export function refuseTail(call: Call): void {
  if (call.tail || call.by) throw usage(`"${call.text}": ${call.head}(…) takes nothing after it`);
}

function bound(text: string | undefined, call: Call): number | undefined {
  if (text === undefined || text === '') return undefined;
  const value = parseTail(`= ${text}`)?.value;
  if (value === undefined) throw usage(`"${call.text}": ${text} is neither a number nor a percentage`);
  return value;
}

/** Reads `min=`/`max=` or the two arguments after the first ones. */
export function bounds(call: Call, skip: number): { min?: number; max?: number; says: string } {
  const position = call.args.filter((argument) => argument.key === undefined).slice(skip);
  const keyed = (key: string): string | undefined => call.args.find((argument) => argument.key === key)?.text;
  const min = bound(keyed('min') ?? position[0]?.text, call);
  const max = bound(keyed('max') ?? position[1]?.text, call);
  if (min === undefined && max === undefined) throw usage(`"${call.text}": ${call.head} needs a minimum or a maximum`);
  const says = [min === undefined ? '' : `>= ${min}`, max === undefined ? '' : `<= ${max}`]
    .filter(Boolean)
    .join(' and ');
  return { min, max, says };
}

export const outside = (value: Numeric, { min, max }: { min?: number; max?: number }): boolean =>
  (min !== undefined && compare(value, min) < 0) || (max !== undefined && compare(value, max) > 0);

export function eachMonth(
  facts: MetricFacts,
  id: string,
  threshold: string,
  wrong: (value: Numeric) => boolean,
): Outcome {
  const findings = new Findings(facts.cap);
  const values = sorted(monthsOf(facts, id)).flatMap(([index, { value }]) =>
    value === null ? [] : [{ index, value }],
  );
  for (const { index, value } of values)
    if (wrong(value)) findings.add(month(index), id, `${id} = ${value} in ${month(index)}`);
  if (values.length === 0) return { ...empty(id), threshold };
  return findings.outcome(`${values.length - findings.count} of ${values.length} months`, threshold);
}

/** Nothing to look at is not a pass: what was asked for is not there. */
export const empty = (id: string): Outcome => ({
  status: 'fail',
  observed: `no values of ${id}`,
  threshold: '',
  failed: 0,
  findings: [],
});

export const percent = (ratio: Numeric): string => `${(Number(ratio) * 100).toFixed(1)} %`;
