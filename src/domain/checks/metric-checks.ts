/** Expectations over the metrics of one company: months of actuals, plans, the catalog and live values. */

import type { CompanyMetrics, MetricDefinition, MetricSeriesItem } from '../../contract/metrics.ts';
import { compare, magnitude, product } from '../../core/decimal.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { dayOfTime, formatPeriod, parsePeriod, periodAt, readDay, readInstant } from '../../core/periods.ts';
import { gaps } from '../analysis/gaps.ts';
import { changes } from '../analysis/growth.ts';
import { variance } from '../analysis/variance.ts';
import { checkTree } from '../expression/check.ts';
import { evaluate, holds } from '../expression/evaluate.ts';
import type { Node } from '../expression/parser.ts';
import type { Scope } from '../expression/typed.ts';
import {
  type Bounds,
  bounds,
  type Call,
  type Expectation,
  isAhead,
  isOutside,
  meets,
  parseExpectation,
  refuseMore,
  refuseTail,
  since,
  type Takes,
} from './grammar.ts';
import { Findings, lacking, type Outcome } from './model.ts';

/** The data that an expectation needs besides the catalog, so that nothing else is read. */
interface MetricNeeds {
  versions: ('actual' | 'budget' | 'forecast')[];
  live: boolean;
  /** Months before the range, for a growth whose base lies there. */
  before: number;
  /** The metrics that it is about, which the catalog must have. */
  metricIds: readonly string[];
}

interface Head {
  make(call: Call): MetricTest;
  needs?(call: Call): Partial<MetricNeeds>;
  takes?: Takes;
}

const heads: Record<string, Head> = {
  catalog: { make: catalog, needs: () => ({ versions: [] }) },
  no_gaps: { make: noGaps },
  fresh: { make: fresh },
  range: { make: range, takes: { most: 3, bounded: true } },
  sign: { make: sign, takes: { most: 2 } },
  growth: { make: growth, needs: (call) => ({ before: stepOf(call) }), takes: { most: 4, bounded: true } },
  variance: {
    make: varianceTest,
    needs: (call) => ({ versions: ['actual', planOf(call)] }),
    takes: { most: 2 },
  },
  live: { make: live, needs: () => ({ live: true }) },
};

export const metricHeads: ReadonlySet<string> = new Set(Object.keys(heads));

/** The data to read for an expectation. @throws Failure usage when it is wrong in itself */
export function metricNeeds(text: string): MetricNeeds {
  const expectation = parseExpectation(text, metricHeads);
  const needs = expectation.kind === 'call' ? heads[expectation.head]?.needs?.(expectation) : undefined;
  return { versions: ['actual'], live: false, before: 0, metricIds: metricsIn(expectation), ...needs };
}

/** Expectations that take any number of metrics. */
const manyIds: ReadonlySet<string> = new Set(['no_gaps', 'live', 'fresh']);

function metricsIn(expectation: Expectation): readonly string[] {
  if (expectation.kind === 'within') return [expectation.column];
  if (expectation.kind === 'implies') return namesIn(expectation);
  if (expectation.kind === 'condition') return namesIn({ ...expectation, consequence: expectation.node });
  const { head, args } = expectation;
  // Whether the catalog has an id is what `catalog` tests.
  if (head === 'catalog') return [];
  const named = ids(expectation, manyIds.has(head) ? args.length : 1);
  return head === 'fresh' ? named.slice(0, -1) : named;
}

function namesIn({ text, condition, consequence }: Rule): string[] {
  const source = { text, where: `"${text}"` };
  return [condition, consequence].flatMap((node) => (node ? checkTree(node, metricScope, source).names : []));
}

/** Makes the test of one expectation. @throws Failure usage */
export function metricTest(text: string): MetricTest {
  const expectation = parseExpectation(text, metricHeads);
  if (expectation.kind === 'call') {
    const head = heads[expectation.head];
    if (head) {
      refuseMore(expectation, head.takes ?? {});
      return head.make(expectation);
    }
  }
  if (expectation.kind === 'within') {
    const { column, duration } = expectation;
    const args = [column, duration].map((word) => ({ text: word, node: { kind: 'text', at: 0, text: word } as const }));
    return fresh({ kind: 'call', head: 'fresh', args, text });
  }
  if (expectation.kind === 'implies') return identity(expectation);
  if (expectation.kind === 'condition') return identity({ ...expectation, consequence: expectation.node });
  throw usage(`"${text}": unknown expectation ${expectation.head}`);
}

const steps: Record<string, number> = { mom: 1, qoq: 3, yoy: 12 };

function stepOf(call: Call): number {
  const name = call.args[1]?.text ?? '';
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (step === undefined)
    throw usage(`"${call.text}": growth takes a metric and one of ${Object.keys(steps).join(', ')}`);
  return step;
}

/** `growth(mrr, mom, -20%, 50%)` */
function growth(call: Call): MetricTest {
  refuseTail(call);
  const step = stepOf(call);
  const [id = ''] = ids(call, 1);
  const limits = bounds(call, 2, true);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const points = sorted(endedMonths(facts, id, step)).map(([index, { value }]) => ({ index, value }));
    const known = changes(points, step).filter((change) => change.ratio !== null && change.index >= facts.range.from);
    for (const { index, ratio, base, value, difference } of known) {
      if (ratio !== null && isNumeric(base) && isNumeric(difference) && isShareOutside(difference, base, limits))
        findings.add(month(index), id, `${month(index)}: ${base} to ${value}, ${percent(ratio)}`);
    }
    if (known.length === 0) return { ...empty(id), observed: `no change of ${id} to look at`, threshold: limits.says };
    return findings.outcome(`${known.length - findings.count} of ${known.length} changes`, limits.says);
  };
}

/** Whether the share is outside, without the quotient, which may be rounded. */
function isShareOutside(part: Numeric, of: Numeric, { min, max, says }: Bounds): boolean {
  const share = (bound: Numeric | undefined) => (bound === undefined ? undefined : product(bound, magnitude(of)));
  return isOutside(part, { min: share(min), max: share(max), says });
}

function planOf(call: Call): 'budget' | 'forecast' {
  const name = call.args[1]?.text;
  if (name !== 'budget' && name !== 'forecast')
    throw usage(`"${call.text}": variance takes a metric and budget or forecast`);
  return name;
}

/** `variance(mrr, budget) <= 10%`: bad variances, by the catalog's direction, stay within. */
function varianceTest(call: Call): MetricTest {
  const plan = planOf(call);
  const { tail } = call;
  const [id = ''] = ids(call, 1);
  if (!tail) throw usage(`"${call.text}": variance needs a bound after it, such as <= 10%`);
  if (call.by !== undefined) throw usage(`"${call.text}": \`by\` does not go with variance`);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const direction = facts.definitions.find((definition) => definition.metricId === id)?.direction;
    const plans = monthsOf(facts, id, plan);
    const rows = sorted(endedMonths(facts, id)).map(([index, { value }]) => ({
      index,
      row: variance(id, month(index), value, plans.get(index)?.value, direction),
    }));
    const known = rows.filter(({ row }) => row.difference !== null);
    for (const { index, row } of known) {
      const size = tail.percent ? row.ratio : row.difference;
      // Without a direction both sides count: a check must not pass because the catalog is silent.
      const counts = row.verdict === 'bad' || row.verdict === 'unknown';
      const bound = tail.percent ? product(tail.value, magnitude(row.plan ?? 0)) : tail.value;
      if (counts && (size === null || !meets({ ...tail, value: bound }, magnitude(row.difference ?? 0)))) {
        const share = row.ratio === null ? row.note : percent(row.ratio);
        findings.add(month(index), id, `${month(index)}: actual ${row.actual}, ${plan} ${row.plan}, ${share}`);
      }
    }
    const threshold = `bad variance ${tail.operator} ${tail.text}`;
    if (known.length === 0) return { ...empty(id), observed: `no month with actual and ${plan}`, threshold };
    return findings.outcome(`${known.length - findings.count} of ${known.length} months`, threshold);
  };
}

/** Every name is a metric, whose value of a month is a number. */
const metricScope: Scope<(name: string) => unknown> = {
  names: [],
  now: () => new Date(0),
  column: (name) => ({ type: 'number', get: (valueAt) => valueAt(name) }),
};

/**
 * `arr = 12 * mrr ± 1%`, in every month that can say whether it holds: one that lacks a metric can not, unless the
 * condition asks for what is empty (`arr is not empty`).
 */
function identity({ text, condition, consequence }: Rule): MetricTest {
  const source = { text, where: `"${text}"` };
  const premise = condition && checkTree(condition, metricScope, source);
  const rule = checkTree(consequence, metricScope, source);
  const names = [...new Set([...(premise?.names ?? []), ...rule.names])];
  return (facts) => {
    const findings = new Findings(facts.cap);
    const readings = new Map(names.map((name) => [name, monthsOf(facts, name)]));
    let [looked, applies] = [0, 0];
    for (let index = facts.range.from; index <= facts.range.to; index += 1) {
      const valueAt = (name: string): unknown => readings.get(name)?.get(index)?.value;
      if (premise && !holds(premise.root, valueAt)) continue;
      applies += 1;
      const answer = evaluate(rule.root, valueAt);
      if (answer === null) continue;
      looked += 1;
      if (answer === true) continue;
      findings.add(month(index), month(index), names.map((name) => `${name} = ${valueAt(name) ?? 'empty'}`).join(', '));
    }
    if (applies === 0 && !facts.allowEmpty) return lacking('rows', 'no month in which the condition holds', text);
    if (applies > 0 && looked === 0)
      return { ...empty(names.join(', ')), observed: `no month with ${names.join(' and ')}`, threshold: text };
    return findings.outcome(`${looked - findings.count} of ${looked} months`, text);
  };
}

interface Rule {
  text: string;
  condition?: Node;
  consequence: Node;
}

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

type MetricTest = (facts: MetricFacts) => Outcome;

/** Metric ids of a call; `from` skips the arguments before them. */
function ids(call: Call, most = Number.POSITIVE_INFINITY): string[] {
  const metricIds = call.args.filter((argument) => argument.key === undefined).map((argument) => argument.text);
  if (metricIds.length === 0) throw usage(`"${call.text}": ${call.head} needs a metric`);
  return metricIds.slice(0, most);
}

/** Values of one metric in the range by month; a month without a row or without the metric is absent. */
function monthsOf(facts: MetricFacts, metricId: string, version = 'actual', before = 0): Map<number, Reading> {
  const readings = new Map<number, Reading>();
  for (const item of facts.items) {
    if (item.version !== version || item.periodType !== 'month') continue;
    const index = parsePeriod(item.periodKey ?? '')?.index;
    const metrics = item.metrics ?? {};
    if (index === undefined || index < facts.range.from - before || index > facts.range.to) continue;
    if (Object.hasOwn(metrics, metricId))
      readings.set(index, { value: metrics[metricId] ?? null, updatedAt: item.updatedAt });
  }
  return readings;
}

/** Actuals of months that have ended: part of a month is not compared. */
function endedMonths(facts: MetricFacts, metricId: string, before = 0): Map<number, Reading> {
  const running = periodAt(facts.now, 'month').index;
  return new Map([...monthsOf(facts, metricId, 'actual', before)].filter(([index]) => index < running));
}

interface Reading {
  value: Numeric | null;
  updatedAt?: string | null | undefined;
}

const month = (index: number): string => formatPeriod({ type: 'month', index });
const spell = (from: number, to: number): string => (from === to ? month(from) : `${month(from)} to ${month(to)}`);
const sorted = (readings: Map<number, Reading>): [number, Reading][] => [...readings].sort(([a], [b]) => a - b);

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
const empty = (id: string): Outcome => ({
  status: 'fail',
  observed: `no values of ${id}`,
  threshold: '',
  failed: 0,
  findings: [],
});

const percent = (ratio: Numeric): string => `${(Number(ratio) * 100).toFixed(1)} %`;

const day = 86_400_000;

/** `catalog(mrr, arr)`: the catalog holds these ids, none of them archived. */
function catalog(call: Call): MetricTest {
  refuseTail(call);
  const metricIds = ids(call);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const byId = new Map(facts.definitions.map((definition) => [definition.metricId, definition]));
    for (const id of metricIds) {
      const definition = byId.get(id);
      if (!definition) findings.add(id, id, 'not in the catalog');
      else if (definition.archived) findings.add(id, definition.label ?? id, 'archived');
    }
    return findings.outcome(`${metricIds.length - findings.count} of ${metricIds.length} ids`, 'in the catalog');
  };
}

function noGaps(call: Call): MetricTest {
  refuseTail(call);
  const metricIds = ids(call);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const { from, to } = facts.range;
    for (const id of metricIds) {
      const points = [...monthsOf(facts, id)].map(([index, reading]) => ({ index, ...reading }));
      for (const gap of gaps(points, { from, to, now: facts.now }))
        findings.add(id, id, `${spell(gap.from, gap.to)}: ${gap.detail}`);
    }
    return findings.outcome(`${findings.count} gaps`, `every month from ${month(from)} to ${month(to)}`);
  };
}

/** `fresh(mrr, 45d)`: the newest value was written within the duration; where the server does not tell, its month ended within it. */
function fresh(call: Call): MetricTest {
  refuseTail(call);
  const duration = call.args.at(-1);
  if (since(duration?.text, new Date(0)) === undefined) {
    throw usage(`"${call.text}": fresh needs a duration at its end, such as (mrr, 45d)`);
  }
  const metricIds = ids({ ...call, args: call.args.slice(0, -1) });
  return (facts) => {
    const findings = new Findings(facts.cap);
    const observed: string[] = [];
    const earliest = since(duration?.text, facts.now) ?? 0;
    for (const id of metricIds) {
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
    return findings.outcome(observed.join(', ') || 'no values', `within ${duration?.text}`);
  };
}

/** The first instant after a month. */
const endOf = (index: number): number => Date.UTC(Math.floor((index + 1) / 12), (index + 1) % 12, 1);

function range(call: Call): MetricTest {
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

function sign(call: Call): MetricTest {
  refuseTail(call);
  const [id = '', name = ''] = call.args.map((argument) => argument.text);
  const is = Object.hasOwn(signs, name) ? signs[name] : undefined;
  if (!is) throw usage(`"${call.text}": sign takes a metric and one of ${Object.keys(signs).join(', ')}`);
  return (facts) => eachMonth(facts, id, name.replace('_', '-'), (value) => !is(value));
}

/** `live(mrr)`: the live value is the newest month's. */
function live(call: Call): MetricTest {
  refuseTail(call);
  const metricIds = ids(call);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const values = facts.live?.metrics ?? {};
    for (const id of metricIds) {
      const newest = sorted(monthsOf(facts, id)).at(-1);
      const now = Object.hasOwn(values, id) ? values[id] : undefined;
      const stored = newest?.[1].value ?? undefined;
      if (isNumeric(now) && isNumeric(stored) && compare(now, stored) === 0) continue;
      findings.add(id, id, `live ${now ?? 'none'}, ${newest ? month(newest[0]) : 'no month'} ${stored ?? 'none'}`);
    }
    return findings.outcome(
      `${metricIds.length - findings.count} of ${metricIds.length} metrics`,
      'live equals the newest month',
    );
  };
}
