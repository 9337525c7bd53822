/** Expectations about all rows together: counts, sums, averages, references, archived rows, change since a baseline. */

import { attributeTypes } from '../../contract/lists.ts';
import { compare, difference, magnitude, product, quotient, sum } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { type Attribute, optionsOf } from '../entries/options.ts';
import type { Entry, Lookup } from '../entries/scope.ts';
import { sameFunction } from '../expression/typed.ts';
import { type Call, meets, refuseTail, type Tail } from './grammar.ts';
import {
  column,
  columnOf,
  formatValue,
  isEmpty,
  keyOf,
  type ListFacts,
  type ListTest,
  type TestMaker,
  unreadable,
} from './list-test.ts';
import { Findings, lacking, type Outcome } from './model.ts';

const whole = (holds: boolean, observed: string, threshold: string): Outcome => ({
  status: holds ? 'pass' : 'fail',
  observed,
  threshold,
  failed: 0,
  findings: [],
});

function tailOf(call: Call): Tail {
  if (!call.tail) throw usage(`"${call.text}": ${call.head} needs an operator and a number after it, such as >= 10`);
  if (call.tail.percent) throw usage(`"${call.text}": ${call.head} compares with a number, not with a percentage`);
  return call.tail;
}

const count: TestMaker = (call, facts, names) => {
  if (call.args.length > 0) throw usage(`"${call.text}": count takes no column; use a where: for the rows to count`);
  const tail = tailOf(call);
  const threshold = `${tail.operator} ${tail.text}`;
  if (call.by === undefined) {
    const rowless = meets(tail, 0) && !meets(tail, 1) ? 'none' : 'number';
    return { rowless, finish: (total) => whole(meets(tail, total), String(total), threshold) };
  }
  const by = column(call.by, call, names);
  // An option that no row holds counts too, as 0.
  const attribute = facts.attributes.find(({ slug }) => slug === by.replace(/^values\./, ''));
  const labels = attribute ? (optionsOf(attribute) ?? []).map(({ id, label }) => label ?? String(id)) : [];
  const groups = new Map(labels.map((label) => [keyOf(label), 0]));
  return {
    row(_, lookup) {
      for (const group of groupsOf(lookup(by))) groups.set(group, (groups.get(group) ?? 0) + 1);
    },
    finish() {
      const findings = new Findings(facts.cap);
      for (const [group, rows] of groups)
        if (!meets(tail, rows)) findings.add('', `${by} = ${group}`, `count is ${rows}`);
      const observed = [...groups].map(([group, rows]) => `${group}: ${rows}`);
      return findings.outcome(observed.slice(0, 20).join(', ') || 'no rows', threshold);
    },
  };
};

/** The groups of a row: each option of several, else the value itself. Rows without a value are one group. */
function groupsOf(value: unknown): string[] {
  if (isEmpty(value)) return [formatValue(undefined)];
  return Array.isArray(value) ? value.map(keyOf) : [keyOf(value)];
}

/** A running aggregate that keeps one number a group, never the values. */
class Running {
  total: Numeric = 0;
  count = 0;
  low: Numeric | null = null;
  high: Numeric | null = null;

  add(value: Numeric): void {
    this.total = sum([this.total, value]);
    this.count += 1;
    if (this.low === null || compare(value, this.low) < 0) this.low = value;
    if (this.high === null || compare(value, this.high) > 0) this.high = value;
  }

  value(head: string): Numeric | null {
    if (head === 'sum') return this.total;
    if (head === 'average') return quotient(this.total, this.count);
    return head === 'min' ? this.low : this.high;
  }

  /** Whether the value is within the tail: of an average without the quotient, which may be rounded. */
  meets(head: string, tail: Tail): boolean {
    if (head === 'average') return meets({ ...tail, value: product(tail.value, this.count) }, this.total);
    return meets(tail, this.value(head) ?? 0);
  }
}

/** `sum(value) >= 0`, `average(value) by stage <= 10`. */
const aggregate: TestMaker = (call, facts, names) => {
  const name = columnOf(call.args[0]?.text, call, facts, { names, types: ['number'] });
  const by = call.by === undefined ? undefined : column(call.by, call, names);
  const tail = tailOf(call);
  const groups = new Map<string, Running>(by === undefined ? [['', new Running()]] : []);
  return {
    row: (entry, lookup) => addTo(groups, name, by, { entry, lookup }),
    finish() {
      const findings = new Findings(facts.cap);
      const observed: string[] = [];
      for (const [group, running] of groups) {
        const value = running.value(call.head);
        const holds = value !== null && running.meets(call.head, tail);
        observed.push(by === undefined ? String(value ?? 'no values') : `${group}: ${value ?? 'no values'}`);
        if (!holds) findings.add('', `${by} = ${group}`, `${call.head} is ${value ?? 'empty'}`);
      }
      const outcome = findings.outcome(observed.slice(0, 20).join(', ') || 'no rows', `${tail.operator} ${tail.text}`);
      // Without groups the observed value says it all.
      return by === undefined ? { ...outcome, failed: 0, findings: [] } : outcome;
    },
  };
};

interface Looked {
  entry: Entry;
  lookup: Lookup;
}

/** @throws Failure rejected for a value that is not a number: a sum without it would look like an answer */
function addTo(groups: Map<string, Running>, name: string, by: string | undefined, { entry, lookup }: Looked): void {
  const value = lookup(name);
  if (!isNumeric(value) && !isEmpty(value)) throw unreadable(entry, name, value, 'is not a number');
  for (const group of by === undefined ? [''] : groupsOf(lookup(by))) {
    const running = groups.get(group) ?? new Running();
    groups.set(group, running);
    if (isNumeric(value)) running.add(value);
  }
}

/** `references(company, "portfolio", title)`: each value is in a column of another list. */
const references: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const name = column(call.args[0]?.text, call, names);
  const list = call.args[1]?.text;
  const other = call.args[2]?.text ?? 'title';
  if (list === undefined) throw usage(`"${call.text}": references needs a column, a list and the list's column`);
  const allowed = facts.references(list, other);
  const findings = new Findings(facts.cap);
  let count = 0;
  return {
    row(entry, lookup) {
      const value = lookup(name);
      for (const item of Array.isArray(value) ? value : [value]) {
        if (item === null || item === undefined || item === '') continue;
        count += 1;
        if (!allowed.has(keyOf(item))) findings.add(entry.id, entry.title, `${name} = ${formatValue(item)}`);
      }
    },
    looked: () => count,
    finish: () => findings.outcome(`${count - findings.count} of ${count} values`, `in ${list}.${other}`),
  };
};

const noArchived: TestMaker = (call, facts) => {
  if (call.args.length > 0 || call.tail) throw usage(`"${call.text}": no_archived takes nothing after it`);
  const findings = new Findings(facts.cap);
  return {
    archived: true,
    row(entry) {
      if (entry.archived) findings.add(entry.id, entry.title, 'is archived');
    },
    finish: () => findings.outcome(`${findings.count} archived`, 'no archived rows'),
  };
};

/** `change(count) <= 10%`, `change(sum(value)) <= 5000`: how far an aggregate moved since the baseline. */
const change: TestMaker = (call, facts, names) => {
  const what = call.args[0]?.text ?? '';
  const [, word = '', of] = /^(\w+)\s*\(\s*([\w.-]+)\s*\)$/.exec(what) ?? [];
  const aggregate = sameFunction(word, ['sum', 'average', 'min', 'max']);
  if (what !== 'count' && !aggregate) {
    throw usage(`"${call.text}": change takes count, or sum, average, min or max of a column`);
  }
  if (!call.tail) throw usage(`"${call.text}": change needs a bound after it, such as <= 10%`);
  const { tail } = call;
  const name = aggregate ? columnOf(of, call, facts, { names, types: ['number'] }) : '';
  const key = aggregate ? `${aggregate}(${name})` : 'count';
  const all = new Running();
  let now: Numeric | null = null;
  return {
    ...(aggregate === undefined && { rowless: 'number' as const }),
    row:
      aggregate === undefined
        ? undefined
        : (entry, lookup) => addTo(new Map([['', all]]), name, undefined, { entry, lookup }),
    finish(total) {
      now = aggregate === undefined ? total : all.value(aggregate);
      const before = facts.before(key);
      const threshold = `change ${tail.operator} ${tail.text}`;
      if (now === null) return lacking('rows', `no values of ${name}`, threshold);
      if (before === undefined) return lacking('baseline', `${now}, and no baseline to compare with`, threshold);
      return whole(movedWithin(tail, now, before), `${now}, was ${before}`, threshold);
    },
    aggregates: () => (now === null ? {} : { [key]: now }),
  };
};

/** Whether the change, as it is or as a share of what was, meets the tail. From zero any other value is beyond every share. */
function movedWithin(tail: Tail, now: Numeric, before: Numeric): boolean {
  const moved = magnitude(difference(now, before));
  if (!tail.percent) return meets(tail, moved);
  // `moved / before` against the bound, without a quotient that is rounded.
  if (compare(before, 0) !== 0) return meets({ ...tail, value: product(tail.value, magnitude(before)) }, moved);
  return compare(moved, 0) === 0 ? meets(tail, 0) : ['>', '>=', '!='].includes(tail.operator);
}

export const aggregateTests: Record<string, (call: Call, facts: ListFacts, names: readonly string[]) => ListTest> = {
  count,
  sum: aggregate,
  average: aggregate,
  min: aggregate,
  max: aggregate,
  references,
  no_archived: noArchived,
  change,
};

const at = (status: Outcome['status'], observed: string, threshold: string): ListTest => ({
  rowless: 'list',
  finish: () => ({ status, observed, threshold, failed: 0, findings: [] }),
});

/** A list that does not exist never comes here: the run reports that itself, as a failure of `exists`. */
const exists: TestMaker = (call) => {
  if (call.args.length > 0 || call.tail) throw usage(`"${call.text}": exists takes nothing after it`);
  return at('pass', 'exists', 'exists');
};

/** `attributes(a, b, c)`: these slugs and no others, in any order. */
const attributes: TestMaker = (call, facts) => {
  refuseTail(call);
  const expected = call.args.map((argument) => argument.text);
  if (expected.length === 0) throw usage(`"${call.text}": attributes needs the slugs`);
  const slugs = facts.attributes.flatMap(({ slug }) => slug ?? []);
  const missing = expected.filter((slug) => !slugs.includes(slug));
  const extra = slugs.filter((slug) => !expected.includes(slug));
  const says = [
    missing.length > 0 ? `missing ${missing.join(', ')}` : '',
    extra.length > 0 ? `not expected ${extra.join(', ')}` : '',
  ].filter(Boolean);
  return at(says.length === 0 ? 'pass' : 'fail', says.join('; ') || slugs.join(', '), expected.join(', '));
};

/** `attribute(stage, select, "Lead", "Won")`: it exists, has the type, and exactly these options when some are named. */
const attribute: TestMaker = (call, facts) => {
  refuseTail(call);
  const [slug, type, ...options] = call.args.map((argument) => argument.text);
  if (slug === undefined) throw usage(`"${call.text}": attribute needs a slug`);
  if (type !== undefined && !(attributeTypes as readonly string[]).includes(type)) {
    throw usage(`"${call.text}": ${type} is not an attribute type; the types are ${attributeTypes.join(', ')}`);
  }
  const threshold = [slug, type ?? 'of any type', ...(options.length > 0 ? [`with ${options.join(', ')}`] : [])].join(
    ' ',
  );
  const existing = facts.attributes.find((candidate) => candidate.slug === slug);
  if (!existing) return at('fail', `no attribute ${slug}`, threshold);
  const wrong = [
    type !== undefined && existing.attribute_type !== type ? `is ${existing.attribute_type}` : '',
    options.length > 0 ? optionsDiffer(existing, options) : '',
  ].filter(Boolean);
  return at(wrong.length === 0 ? 'pass' : 'fail', wrong.join('; ') || described(existing), threshold);
};

function optionsDiffer(found: Attribute, wanted: readonly string[]): string {
  const labels = (optionsOf(found) ?? []).map(({ label, id }) => label ?? id ?? '');
  const missing = wanted.filter((label) => !labels.includes(label));
  const extra = labels.filter((label) => !wanted.includes(label));
  return [
    missing.length > 0 ? `without option ${missing.join(', ')}` : '',
    extra.length > 0 ? `with unexpected option ${extra.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join('; ');
}

function described(found: Attribute): string {
  const labels = (optionsOf(found) ?? []).map(({ label, id }) => label ?? id ?? '');
  return [`${found.slug} ${found.attribute_type}`, ...(labels.length > 0 ? [`with ${labels.join(', ')}`] : [])].join(
    ' ',
  );
}

export const shapeTests: Record<string, (call: Call, facts: ListFacts, names: readonly string[]) => ListTest> = {
  exists,
  attributes,
  attribute,
};
