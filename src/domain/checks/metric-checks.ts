/** Expectations over the metrics of one company: months of actuals, plans beside them, the catalog, the live values. */
import type { CompanyMetrics, MetricDefinition, MetricSeriesItem } from '../../contract/metrics.ts';
import { usage } from '../../errors.ts';
import { isNumeric, type Numeric } from '../../json.ts';
import { gaps } from '../analysis/gaps.ts';
import { changes } from '../analysis/growth.ts';
import { variance } from '../analysis/variance.ts';
import { compare } from '../decimal.ts';
import { holds } from '../evaluate.ts';
import { parseExpression } from '../expression.ts';
import { formatPeriod, parsePeriod } from '../periods.ts';
import { type Expectation, meets, parseDuration, parseExpectation, parseTail } from './grammar.ts';
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

type Call = Expectation & { kind: 'call' };
type MetricTest = (facts: MetricFacts) => Outcome;

/** What an expectation needs read beside the catalog, so that nothing is read in vain. */
export interface MetricNeeds {
  versions: ('actual' | 'budget' | 'forecast')[];
  live: boolean;
  /** Months before the range, for a growth whose base lies there. */
  before: number;
}

interface Head {
  make(call: Call): MetricTest;
  needs?(call: Call): Partial<MetricNeeds>;
}

const day = 86_400_000;

const heads: Record<string, Head> = {
  catalog: { make: catalog, needs: () => ({ versions: [] }) },
  no_gaps: { make: noGaps },
  fresh: { make: fresh },
  range: { make: range },
  sign: { make: sign },
  growth: { make: growth, needs: (call) => ({ before: stepOf(call) }) },
  variance: { make: varianceTest, needs: (call) => ({ versions: ['actual', planOf(call)] }) },
  live: { make: live, needs: () => ({ live: true }) },
};

export const metricHeads: ReadonlySet<string> = new Set(Object.keys(heads));

/** What must be read for an expectation. @throws Failure usage when it is wrong in itself */
export function metricNeeds(text: string): MetricNeeds {
  const expectation = parseExpectation(text, metricHeads);
  const needs = expectation.kind === 'call' ? heads[expectation.head]?.needs?.(expectation) : undefined;
  return { versions: ['actual'], live: false, before: 0, ...needs };
}

/** Makes the test of one expectation. @throws Failure usage */
export function metricTest(text: string): MetricTest {
  const expectation = parseExpectation(text, metricHeads);
  if (expectation.kind === 'call') {
    const head = heads[expectation.head];
    if (head) return head.make(expectation);
  }
  if (expectation.kind === 'within') {
    const args = [expectation.column, expectation.duration.text].map((word) => ({ text: word, quoted: false }));
    return fresh({ kind: 'call', head: 'fresh', args, text });
  }
  return identity(expectation.text, expectation.kind === 'implies' ? expectation : undefined);
}

/** Metric ids of a call; `from` skips the arguments before them. */
function ids(call: Call, most = Number.POSITIVE_INFINITY): string[] {
  const found = call.args.filter((argument) => argument.key === undefined).map((argument) => argument.text);
  if (found.length === 0) throw usage(`"${call.text}": ${call.head} needs a metric`);
  return found.slice(0, most);
}

/** Values of one metric in the range by month; a month without a row or without the metric is absent. */
function monthsOf(facts: MetricFacts, metricId: string, version = 'actual', before = 0): Map<number, Reading> {
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

interface Reading {
  value: Numeric | null;
  updatedAt?: string | null;
}

const month = (index: number): string => formatPeriod({ type: 'month', index });
const spell = (from: number, to: number): string => (from === to ? month(from) : `${month(from)} to ${month(to)}`);
const sorted = (readings: Map<number, Reading>): [number, Reading][] => [...readings].sort(([a], [b]) => a - b);

function refuseTail(call: Call): void {
  if (call.tail || call.by) throw usage(`"${call.text}": ${call.head}(…) takes nothing after it`);
}

/** `catalog(mrr, arr)`: the catalog holds these ids, none of them archived. */
function catalog(call: Call): MetricTest {
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

function noGaps(call: Call): MetricTest {
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
function fresh(call: Call): MetricTest {
  refuseTail(call);
  const last = call.args.at(-1);
  const duration = parseDuration(last?.text ?? '');
  if (!duration) throw usage(`"${call.text}": fresh needs a duration at its end, such as (mrr, 45d)`);
  const wanted = ids({ ...call, args: call.args.slice(0, -1) });
  return (facts) => {
    const findings = new Findings(facts.cap);
    const observed: string[] = [];
    for (const id of wanted) {
      const newest = sorted(monthsOf(facts, id))
        .filter(([, reading]) => reading.value !== null)
        .at(-1);
      if (!newest) {
        findings.add(id, id, 'no value in the range');
        continue;
      }
      const [index, { updatedAt }] = newest;
      const written = updatedAt ? Date.parse(updatedAt) : endOf(index);
      observed.push(`${id} ${month(index)}${updatedAt ? ` written ${updatedAt.slice(0, 10)}` : ''}`);
      const age = facts.now.getTime() - written;
      if (age > duration.ms) findings.add(id, id, `${month(index)} was written ${Math.floor(age / day)} days ago`);
    }
    return findings.outcome(observed.join(', ') || 'no values', `within ${duration.text}`);
  };
}

/** The first instant after a month. */
const endOf = (index: number): number => Date.UTC(Math.floor((index + 1) / 12), (index + 1) % 12, 1);

function bound(text: string | undefined, call: Call): number | undefined {
  if (text === undefined || text === '') return undefined;
  const value = parseTail(`= ${text}`)?.value;
  if (value === undefined) throw usage(`"${call.text}": ${text} is neither a number nor a percentage`);
  return value;
}

/** Reads `min=`/`max=` or the two arguments after the first ones. */
function bounds(call: Call, skip: number): { min?: number; max?: number; says: string } {
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

const outside = (value: Numeric, { min, max }: { min?: number; max?: number }): boolean =>
  (min !== undefined && compare(value, min) < 0) || (max !== undefined && compare(value, max) > 0);

function range(call: Call): MetricTest {
  refuseTail(call);
  const [id = ''] = ids(call, 1);
  const limits = bounds(call, 1);
  return (facts) => eachMonth(facts, id, limits.says, (value) => outside(value, limits));
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
  const limits = bounds(call, 2);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const points = sorted(monthsOf(facts, id, 'actual', step)).map(([index, { value }]) => ({ index, value }));
    const known = changes(points, step).filter((change) => change.ratio !== null && change.index >= facts.range.from);
    for (const { index, ratio, base, value } of known) {
      if (ratio !== null && outside(ratio, limits))
        findings.add(month(index), id, `${month(index)}: ${base} to ${value}, ${percent(ratio)}`);
    }
    if (known.length === 0) return { ...empty(id), observed: `no change of ${id} to look at`, threshold: limits.says };
    return findings.outcome(`${known.length - findings.count} of ${known.length} changes`, limits.says);
  };
}

const percent = (ratio: Numeric): string => `${(Number(ratio) * 100).toFixed(1)} %`;

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
  return (facts) => {
    const findings = new Findings(facts.cap);
    const direction = facts.definitions.find((definition) => definition.metricId === id)?.direction;
    const plans = monthsOf(facts, id, plan);
    const rows = sorted(monthsOf(facts, id)).map(([index, { value }]) => ({
      index,
      row: variance(id, month(index), value, plans.get(index)?.value, direction),
    }));
    const known = rows.filter(({ row }) => row.difference !== null);
    for (const { index, row } of known) {
      const size = Number(tail.percent ? (row.ratio ?? Number.POSITIVE_INFINITY) : row.difference);
      // Without a direction both sides count: a check must not pass because the catalog is silent.
      const counts = row.verdict === 'bad' || row.verdict === 'unknown';
      if (counts && !meets(tail, Math.abs(size))) {
        const share = row.ratio === null ? row.note : percent(row.ratio);
        findings.add(month(index), id, `${month(index)}: actual ${row.actual}, ${plan} ${row.plan}, ${share}`);
      }
    }
    const threshold = `bad variance ${tail.operator} ${tail.text}`;
    if (known.length === 0) return { ...empty(id), observed: `no month with actual and ${plan}`, threshold };
    return findings.outcome(`${known.length - findings.count} of ${known.length} months`, threshold);
  };
}

/** `live(mrr)`: the live value is the newest month's. */
function live(call: Call): MetricTest {
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

/** `arr = 12 * mrr ± 1%`, in every month that has all the metrics named. */
function identity(text: string, implies?: { condition: string; consequence: string }): MetricTest {
  const where = `"${text}"`;
  const premise = implies && parseExpression(implies.condition, { where });
  const rule = parseExpression(implies?.consequence ?? text, { where });
  const names = [...new Set([...(premise?.names ?? []), ...rule.names])];
  if (names.length === 0) {
    throw usage(
      `${where} names no metric`,
      `Expectations of metrics: ${[...metricHeads].sort().join(', ')}, or an identity.`,
    );
  }
  return (facts) => {
    const findings = new Findings(facts.cap);
    const readings = new Map(names.map((name) => [name, monthsOf(facts, name)]));
    let looked = 0;
    for (let index = facts.range.from; index <= facts.range.to; index += 1) {
      const lookup = (name: string): unknown => readings.get(name)?.get(index)?.value;
      if (names.some((name) => !isNumeric(lookup(name)))) continue;
      if (premise && !holds(premise, lookup)) continue;
      looked += 1;
      if (holds(rule, lookup)) continue;
      findings.add(month(index), month(index), names.map((name) => `${name} = ${lookup(name)}`).join(', '));
    }
    if (looked === 0)
      return { ...empty(names.join(', ')), observed: `no month with ${names.join(' and ')}`, threshold: text };
    return findings.outcome(`${looked - findings.count} of ${looked} months`, text);
  };
}
