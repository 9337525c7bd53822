/** Expectations that look at one metric by itself: that it is there, fresh, in range, and what the live value says. */

import { compare } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { gaps } from '../analysis/gaps.ts';
import { parseDuration } from './grammar.ts';
import {
  bounds,
  type Call,
  eachMonth,
  ids,
  type MetricTest,
  month,
  monthsOf,
  outside,
  refuseTail,
  sorted,
  spell,
} from './metric-facts.ts';
import { Findings } from './model.ts';

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

export function range(call: Call): MetricTest {
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
