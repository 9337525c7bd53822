/** Expectations over the metrics of one company: months of actuals, budgets, the catalog and live values. */
import {
  type CompanyMetrics,
  type MetricDefinition,
  type MetricSeriesItem,
  type PlanVersion,
  planVersions,
  type Version,
} from '../../contract/metrics.ts';
import { compare, magnitude, product } from '../../core/decimal.ts';
import { listSome, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric, propertyOf } from '../../core/json.ts';
import { formatPeriod, parsePeriod, periodAt } from '../../core/periods.ts';
import { changes, variance } from '../analysis/difference.ts';
import { gaps } from '../analysis/gaps.ts';
import { checkRule } from '../expression/check.ts';
import { evaluate, holds } from '../expression/evaluate.ts';
import { type Node, parse } from '../expression/parser.ts';
import type { Scope } from '../expression/typed.ts';
import {
  type Call,
  isAhead,
  limitsOf,
  limitsText,
  meets,
  parseExpectation,
  quotedName,
  type Signature,
  since,
} from './expectation.ts';
import { Findings, lacking, type Outcome, outcome } from './model.ts';

/** The data that an expectation reads besides the catalog. */
interface MetricReads {
  versions: Version[];
  live: boolean;
  /** Months before the range, as the base of a growth. */
  before: number;
  /** The metrics that it is about, which the catalog must have. */
  metricIds: readonly string[];
}

/** The metrics as they were read; only months. */
export interface MetricFacts {
  definitions: readonly Partial<MetricDefinition>[];
  /** First and last month of the section, as months since year 0. */
  range: { from: number; to: number };
  /** Rows of actual, budget and forecast, in any order. */
  items: readonly Partial<MetricSeriesItem>[];
  live?: Partial<CompanyMetrics> | undefined;
  now: Date;
  cap: number;
  /** The premise of a rule may hold in no month. */
  allowEmpty?: boolean;
}

type MetricTest = (facts: MetricFacts) => Outcome;

interface MetricFunction extends Signature {
  make(call: Call): MetricTest;
  /** The series that are read; default: the actuals of the first argument. */
  reads?(call: Call): Partial<MetricReads>;
}

const metrics = { needs: ['a metric'], most: Number.POSITIVE_INFINITY };
const ofAll = ({ args }: Call) => ({ metricIds: args.map(({ text }) => text) });

const metricFunctions: Readonly<Record<string, MetricFunction>> = {
  // Whether the catalog has an id is what it tests.
  catalog: { ...metrics, make: catalog, reads: () => ({ versions: [], metricIds: [] }) },
  no_gaps: { ...metrics, make: noGaps, reads: ofAll },
  fresh: {
    ...metrics,
    needs: ['a metric', 'a duration at its end, such as (mrr, 45d)'],
    make: fresh,
    reads: ({ args }) => ({ metricIds: args.slice(0, -1).map(({ text }) => text) }),
  },
  live: { ...metrics, make: live, reads: (call) => ({ ...ofAll(call), live: true }) },
  range: {
    needs: ['a metric'],
    most: 3,
    hasLimits: true,
    make: (call) => months(call, limitsText(limitsOf(call, 1), `${quotedName(call.args[0]?.text ?? '')} `)),
  },
  sign: {
    needs: ['a metric', 'one of positive, negative, non_negative and non_positive'],
    make(call) {
      const [id = '', sign = ''] = call.args.map(({ text }) => text);
      const bound = propertyOf(signs, sign);
      if (bound === undefined)
        throw usage(`"${call.text}": sign takes a metric and one of ${Object.keys(signs).join(', ')}`);
      return months(call, `${quotedName(id)} ${bound}`);
    },
  },
  growth: {
    needs: ['a metric', 'one of mom, qoq and yoy'],
    most: 4,
    hasLimits: true,
    make: growth,
    reads: (call) => ({ before: stepOf(call) }),
  },
  variance: {
    needs: ['a metric', 'budget or forecast'],
    bound: 'share',
    make: varianceTest,
    reads: (call) => ({ versions: ['actual', versionOf(call)] }),
  },
};

const signs: Record<string, string> = {
  positive: '> 0',
  negative: '< 0',
  non_negative: '>= 0',
  non_positive: '<= 0',
};

/** The data to read for an expectation. @throws usage when it is wrong in itself */
export function metricReads(text: string): MetricReads {
  const expectation = parseExpectation(text, metricFunctions);
  const reads = { versions: ['actual' as const], live: false, before: 0 };
  if (expectation.kind === 'call') {
    const metricIds = expectation.call.args.slice(0, 1).map((argument) => argument.text);
    return { ...reads, metricIds, ...expectation.function.reads?.(expectation.call) };
  }
  return { ...reads, metricIds: expectation.kind === 'condition' ? rulesOf(expectation.node, text).names : [] };
}

export function metricTest(text: string): MetricTest {
  const expectation = parseExpectation(text, metricFunctions);
  if (expectation.kind === 'condition') return months(expectation, expectation.node);
  if (expectation.kind === 'call') return expectation.function.make(expectation.call);
  throw usage(`"${text}": unknown expectation`);
}

/** Every name is a metric, with a number for each month. */
const metricScope: Scope<(name: string) => unknown> = {
  names: [],
  now: () => new Date(0),
  column: (name) => ({ type: 'number', get: (valueAt) => valueAt(name) }),
};

function rulesOf(node: Node, text: string) {
  const { premise, rule } = checkRule(node, metricScope, { text, where: `"${text}"` });
  return { premise, rule, names: [...new Set([...(premise?.names ?? []), ...rule.names])] };
}

/**
 * `arr = 12 * mrr ± 1%`, in every month that can say whether it holds: one that lacks a metric cannot, unless the
 * condition asks for what is empty (`arr is not empty`).
 */
function months({ text }: { text: string }, condition: Node | string): MetricTest {
  const written = typeof condition === 'string' ? condition : text;
  const { premise, rule, names } = rulesOf(typeof condition === 'string' ? parse(written, text) : condition, written);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const points = new Map(names.map((name) => [name, monthsOf(facts, name)]));
    let [evaluated, applies] = [0, 0];
    const empty: string[] = [];
    for (let index = facts.range.from; index <= facts.range.to; index += 1) {
      const valueAt = (name: string): unknown => points.get(name)?.get(index);
      if (premise && !holds(premise.root, valueAt)) continue;
      applies += 1;
      const result = evaluate(rule.root, valueAt);
      if (result === null) {
        empty.push(month(index));
        continue;
      }
      evaluated += 1;
      if (result === true) continue;
      findings.add(month(index), month(index), names.map((name) => `${name} = ${valueAt(name) ?? 'empty'}`).join(', '));
    }
    if (applies === 0 && !facts.allowEmpty) return lacking('rows', 'no month in which the condition holds', written);
    if (applies > 0 && evaluated === 0) return outcome(false, `no month with ${names.join(' and ')}`, written);
    const note = empty.length > 0 ? `, ${empty.length} empty: ${listSome(empty, 3)}` : '';
    return findings.outcome(`${evaluated - findings.count} of ${applies} months${note}`, written);
  };
}

/** Values of one metric in the range by month; a month without a row or without the metric is absent. */
function monthsOf(facts: MetricFacts, metricId: string, version = 'actual', before = 0): Map<number, Numeric | null> {
  const points: [number, Numeric | null][] = [];
  for (const { version: other, periodType, periodKey, metrics: values = {} } of facts.items) {
    const index = parsePeriod(periodKey ?? '')?.index;
    if (other !== version || periodType !== 'month' || !Object.hasOwn(values, metricId)) continue;
    if (index === undefined || index < facts.range.from - before || index > facts.range.to) continue;
    points.push([index, values[metricId] ?? null]);
  }
  return new Map(points.sort(([a], [b]) => a - b));
}

/** Actuals of months that have ended: part of a month is not compared. */
function endedMonths(facts: MetricFacts, metricId: string, before = 0): { index: number; value: Numeric | null }[] {
  const running = periodAt(facts.now, 'month').index;
  const all = Array.from(monthsOf(facts, metricId, 'actual', before), ([index, value]) => ({ index, value }));
  return all.filter(({ index }) => index < running);
}

const month = (index: number): string => formatPeriod({ type: 'month', index });
const monthsText = (from: number, to: number): string => (from === to ? month(from) : `${month(from)} to ${month(to)}`);
const percent = (ratio: Numeric): string => `${(Number(ratio) * 100).toFixed(1)} %`;

const steps: Record<string, number> = { mom: 1, qoq: 3, yoy: 12 };

function stepOf({ args, text }: Call): number {
  const name = args[1]?.text ?? '';
  const step = propertyOf(steps, name);
  if (step === undefined) throw usage(`"${text}": growth takes a metric and one of ${Object.keys(steps).join(', ')}`);
  return step;
}

/** `growth(mrr, mom, -20%, 50%)`, compared without the quotient, which may be rounded. */
function growth(call: Call): MetricTest {
  const step = stepOf(call);
  const id = call.args[0]?.text ?? '';
  const limits = limitsOf(call, 2);
  const threshold = limitsText(limits);
  const isOutside = (part: Numeric, of: Numeric) =>
    (limits.min !== undefined && compare(part, product(limits.min.value, magnitude(of))) < 0) ||
    (limits.max !== undefined && compare(part, product(limits.max.value, magnitude(of))) > 0);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const known = changes(endedMonths(facts, id, step), step).flatMap(({ index, ratio, base, value, difference }) => {
      if (ratio === null || index < facts.range.from || !isNumeric(base) || difference === null) return [];
      return [{ index, ratio, base, value, difference }];
    });
    for (const { index, ratio, base, value, difference } of known)
      if (isOutside(difference, base))
        findings.add(month(index), id, `${base} to ${value}, ${percent(ratio)}`, [`${id} ${month(index)}`]);
    if (known.length === 0) return outcome(false, `no change of ${id} to look at`, threshold);
    return findings.outcome(`${known.length - findings.count} of ${known.length} changes`, threshold);
  };
}

function versionOf({ args, text }: Call): PlanVersion {
  const version = planVersions.find((known) => known === args[1]?.text);
  if (version) return version;
  throw usage(`"${text}": variance takes a metric and ${planVersions.join(' or ')}`);
}

/** `variance(mrr, budget) <= 10%`: bad variances, by the catalog's direction, stay within. */
function varianceTest(call: Call): MetricTest {
  const version = versionOf(call);
  const { bound } = call;
  const id = call.args[0]?.text ?? '';
  return (facts) => {
    const findings = new Findings(facts.cap);
    const direction = facts.definitions.find((definition) => definition.metricId === id)?.direction;
    const plans = monthsOf(facts, id, version);
    const rows = endedMonths(facts, id).flatMap(({ index, value }) => {
      const pair = { periodKey: month(index), actual: value, plan: plans.get(index) };
      const result = variance({ ...pair, planName: version, direction });
      return result.difference === null ? [] : [{ ...pair, ...result }];
    });
    for (const { periodKey, actual, plan, difference, ratio, verdict, note } of rows) {
      // A metric without a direction counts on both sides: a check must not pass because the catalog is silent.
      if (!bound || (verdict !== 'bad' && verdict !== 'unknown')) continue;
      const value = bound.isPercent ? product(bound.value, magnitude(plan ?? 0)) : bound.value;
      if ((!bound.isPercent || ratio !== null) && meets({ ...bound, value }, magnitude(difference ?? 0))) continue;
      const share = ratio === null ? note : percent(ratio);
      findings.add(periodKey, id, `actual ${actual}, ${version} ${plan}, ${share}`, [`${id} ${periodKey}`]);
    }
    const threshold = `bad variance ${bound?.operator} ${bound?.text}`;
    if (rows.length === 0) return outcome(false, `no month with actual and ${version}`, threshold);
    return findings.outcome(`${rows.length - findings.count} of ${rows.length} months`, threshold);
  };
}

/** `catalog(mrr, arr)`: the catalog holds these ids, none of them archived. */
function catalog({ args }: Call): MetricTest {
  return ({ cap, definitions }) => {
    const findings = new Findings(cap);
    for (const { text: id } of args) {
      const definition = definitions.find(({ metricId }) => metricId === id);
      if (!definition) findings.add(id, id, 'not in the catalog', [`${id} missing`]);
      else if (definition.archived) findings.add(id, definition.label ?? id, 'archived', [`${id} archived`]);
    }
    return findings.outcome(`${args.length - findings.count} of ${args.length} ids`, 'in the catalog');
  };
}

function noGaps({ args }: Call): MetricTest {
  return (facts) => {
    const findings = new Findings(facts.cap);
    const { from, to } = facts.range;
    for (const { text: id } of args) {
      const points = Array.from(monthsOf(facts, id), ([index, value]) => ({ index, value }));
      for (const gap of gaps(points, { from, to, now: facts.now })) {
        // A gap that grows has new months.
        const keys = Array.from({ length: gap.to - gap.from + 1 }, (_, at) => `${id} ${month(gap.from + at)}`);
        findings.add(id, id, `${monthsText(gap.from, gap.to)}: ${gap.detail}`, keys);
      }
    }
    return findings.outcome(
      `${findings.count} ${findings.count === 1 ? 'gap' : 'gaps'}`,
      `every month from ${month(from)} to ${month(to)}`,
    );
  };
}

/** `fresh(mrr, 45d)`: the newest month with a value ended within the duration, or has not ended. */
function fresh({ args, text }: Call): MetricTest {
  const duration = args.at(-1)?.text;
  if (since(duration, new Date(0)) === undefined)
    throw usage(`"${text}": fresh needs a duration at its end, such as (mrr, 45d)`);
  return (facts) => {
    const findings = new Findings(facts.cap);
    const observed: string[] = [];
    const earliest = since(duration, facts.now) ?? 0;
    for (const { text: id } of args.slice(0, -1)) {
      // Values of future months do not show that the metric is maintained.
      const newest = [...monthsOf(facts, id)].findLast(
        ([index, value]) => value !== null && !isAhead(endOf(index - 1), facts.now),
      );
      if (newest) observed.push(`${id} ${month(newest[0])}`);
      const end = newest && endOf(newest[0]);
      if (newest === undefined || end === undefined) findings.add(id, id, 'no value in the range', [`${id} empty`]);
      else if (end < earliest) {
        const days = Math.floor((facts.now.getTime() - end) / 86_400_000);
        const last = month(newest[0]);
        findings.add(id, id, `${last} ended ${days} days ago`, [`${id} ${last}`]);
      }
    }
    return findings.outcome(observed.join(', ') || 'no values', `a month that ended within ${duration}`);
  };
}

const endOf = (index: number): number => Date.UTC(Math.floor((index + 1) / 12), (index + 1) % 12, 1);

/** `live(mrr)`: the live value is the newest month's. */
function live({ args }: Call): MetricTest {
  return (facts) => {
    const findings = new Findings(facts.cap);
    const values = facts.live?.metrics ?? {};
    for (const { text: id } of args) {
      const newest = [...monthsOf(facts, id)].at(-1);
      const now = propertyOf(values, id);
      const stored = newest?.[1] ?? undefined;
      if (isNumeric(now) && isNumeric(stored) && compare(now, stored) === 0) continue;
      findings.add(id, id, `live ${now ?? 'none'}, ${newest ? month(newest[0]) : 'no month'} ${stored ?? 'none'}`);
    }
    return findings.outcome(
      `${args.length - findings.count} of ${args.length} metrics`,
      'live equals the newest month',
    );
  };
}

export const metricFunctionNames: readonly string[] = Object.keys(metricFunctions);
