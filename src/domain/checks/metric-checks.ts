/** Expectations over the metrics of one company: months of actuals, plans, the catalog and live values. */
import { magnitude, product } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
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
  isOutside,
  meets,
  parseExpectation,
  refuseIdleBound,
  refuseMore,
  refuseTail,
  type Takes,
} from './grammar.ts';
import {
  catalog,
  empty,
  endedMonths,
  fresh,
  ids,
  live,
  type MetricTest,
  month,
  monthsOf,
  noGaps,
  percent,
  range,
  sign,
  sorted,
} from './metric-facts.ts';
import { Findings, lacking } from './model.ts';

/** What an expectation needs besides the catalog, so that nothing else is read. */
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

/** What must be read for an expectation. @throws Failure usage when it is wrong in itself */
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

export function stepOf(call: Call): number {
  const name = call.args[1]?.text ?? '';
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (step === undefined)
    throw usage(`"${call.text}": growth takes a metric and one of ${Object.keys(steps).join(', ')}`);
  return step;
}

/** `growth(mrr, mom, -20%, 50%)` */
export function growth(call: Call): MetricTest {
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

export function planOf(call: Call): 'budget' | 'forecast' {
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
  refuseIdleBound(call.text, tail, false);
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
export function identity({ text, condition, consequence }: Rule): MetricTest {
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
