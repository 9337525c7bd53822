/** The metrics of one company as expectations look at them, and what every expectation over them needs. */
import type { CompanyMetrics, MetricDefinition, MetricSeriesItem } from '../../contract/metrics.ts';
import { compare } from '../../core/decimal.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { dayOfTime, formatPeriod, parsePeriod, periodAt, readDay, readInstant } from '../../core/periods.ts';
import { gaps } from '../analysis/gaps.ts';
import { bounds, type Call, isAhead, isOutside, refuseTail, since } from './grammar.ts';
import { Findings, type Outcome } from './model.ts';

/** The metrics as they were read; only months. */
export interface MetricFacts {
  definitions: readonly Partial<MetricDefinition>[];
  /** First and last month of the section, as months since year 0. */
  range: { from: number; to: number };
  /** Rows of actual, budget and forecast, in any order. */
  items: readonly Partial<MetricSeriesItem>[];
  /** Present when some expectation asked for it. */
  live?: Partial<CompanyMetrics> | undefined;
  now: Date;
  cap: number;
  /** The premise of a rule may hold in no month. */
  allowEmpty?: boolean;
}

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

/** Actuals of months that have ended: part of a month is not compared. */
export function endedMonths(facts: MetricFacts, metricId: string, before = 0): Map<number, Reading> {
  const running = periodAt(facts.now, 'month').index;
  return new Map([...monthsOf(facts, metricId, 'actual', before)].filter(([index]) => index < running));
}

export interface Reading {
  value: Numeric | null;
  updatedAt?: string | null | undefined;
}

export const month = (index: number): string => formatPeriod({ type: 'month', index });
const spell = (from: number, to: number): string => (from === to ? month(from) : `${month(from)} to ${month(to)}`);
export const sorted = (readings: Map<number, Reading>): [number, Reading][] => [...readings].sort(([a], [b]) => a - b);

function eachMonth(facts: MetricFacts, id: string, threshold: string, wrong: (value: Numeric) => boolean): Outcome {
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

const day = 86_400_000;

/** `catalog(mrr, arr)`: the catalog holds these ids, none of them archived. */
export function catalog(call: Call): MetricTest {
  refuseTail(call);
  const wanted = ids(call);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const byId = new Map(facts.definitions.map((definition) => [definition.metricId, definition]));
    for (const id of wanted) {
      const definition = byId.get(id);
      if (!definition) findings.add(id, id, 'not in the catalog');
      else if (definition.archived) findings.add(id, definition.label ?? id, 'archived');
    }
    return findings.outcome(`${wanted.length - findings.count} of ${wanted.length} ids`, 'in the catalog');
  };
}

export function noGaps(call: Call): MetricTest {
  refuseTail(call);
  const wanted = ids(call);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const { from, to } = facts.range;
    for (const id of wanted) {
      const points = [...monthsOf(facts, id)].map(([index, reading]) => ({ index, ...reading }));
      for (const gap of gaps(points, { from, to, now: facts.now }))
        findings.add(id, id, `${spell(gap.from, gap.to)}: ${gap.detail}`);
    }
    return findings.outcome(`${findings.count} gaps`, `every month from ${month(from)} to ${month(to)}`);
  };
}

/** `fresh(mrr, 45d)`: the newest value was written within the duration; where the server does not tell, its month ended within it. */
export function fresh(call: Call): MetricTest {
  refuseTail(call);
  const last = call.args.at(-1);
  if (since(last?.text, new Date(0)) === undefined) {
    throw usage(`"${call.text}": fresh needs a duration at its end, such as (mrr, 45d)`);
  }
  const wanted = ids({ ...call, args: call.args.slice(0, -1) });
  return (facts) => {
    const findings = new Findings(facts.cap);
    const observed: string[] = [];
    const earliest = since(last?.text, facts.now) ?? 0;
    for (const id of wanted) {
      // A month that has not begun says nothing of when values were last written.
      const newest = sorted(monthsOf(facts, id))
        .filter(([index, reading]) => reading.value !== null && !isAhead(endOf(index - 1), facts.now))
        .at(-1);
      if (!newest) {
        findings.add(id, id, 'no value in the range');
        continue;
      }
      const [index, { updatedAt }] = newest;
      const written = updatedAt ? (readInstant(updatedAt) ?? readDay(updatedAt)) : endOf(index);
      if (written === undefined) {
        const says = `updatedAt of ${id} in ${month(index)} is ${JSON.stringify(updatedAt)}, which cannot be read as a time`;
        throw new Failure('rejected', says);
      }
      observed.push(`${id} ${month(index)}${updatedAt ? ` written ${dayOfTime(updatedAt)}` : ''}`);
      const age = Math.floor((facts.now.getTime() - written) / day);
      if (updatedAt && isAhead(written, facts.now)) findings.add(id, id, `${month(index)} was written in the future`);
      else if (written < earliest) findings.add(id, id, `${month(index)} was written ${age} days ago`);
    }
    return findings.outcome(observed.join(', ') || 'no values', `within ${last?.text}`);
  };
}

/** The first instant after a month. */
const endOf = (index: number): number => Date.UTC(Math.floor((index + 1) / 12), (index + 1) % 12, 1);

export function range(call: Call): MetricTest {
  refuseTail(call);
  const [id = ''] = ids(call, 1);
  const limits = bounds(call, 1, true);
  return (facts) => eachMonth(facts, id, limits.says, (value) => isOutside(value, limits));
}

const signs: Record<string, (value: Numeric) => boolean> = {
  positive: (value) => compare(value, 0) > 0,
  negative: (value) => compare(value, 0) < 0,
  non_negative: (value) => compare(value, 0) >= 0,
  non_positive: (value) => compare(value, 0) <= 0,
};

export function sign(call: Call): MetricTest {
  refuseTail(call);
  const [id = '', name = ''] = call.args.map((argument) => argument.text);
  const is = Object.hasOwn(signs, name) ? signs[name] : undefined;
  if (!is) throw usage(`"${call.text}": sign takes a metric and one of ${Object.keys(signs).join(', ')}`);
  return (facts) => eachMonth(facts, id, name.replace('_', '-'), (value) => !is(value));
}

/** `live(mrr)`: the live value is the newest month's. */
export function live(call: Call): MetricTest {
  refuseTail(call);
  const wanted = ids(call);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const values = facts.live?.metrics ?? {};
    for (const id of wanted) {
      const newest = sorted(monthsOf(facts, id)).at(-1);
      const now = Object.hasOwn(values, id) ? values[id] : undefined;
      const stored = newest?.[1].value ?? undefined;
      if (isNumeric(now) && isNumeric(stored) && compare(now, stored) === 0) continue;
      findings.add(id, id, `live ${now ?? 'none'}, ${newest ? month(newest[0]) : 'no month'} ${stored ?? 'none'}`);
    }
    return findings.outcome(
      `${wanted.length - findings.count} of ${wanted.length} metrics`,
      'live equals the newest month',
    );
  };
}
