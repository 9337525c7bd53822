/** Expectations over the entries of a list: conditions on each row, aggregates of all rows, and functions. */
import { compare, difference, magnitude, product } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { type Entry, entryScope, openScope } from '../entries/scope.ts';
import { aggregates } from '../query/aggregates.ts';
import type { Cell } from '../query/cells.ts';
import { Groups, groupKeys } from '../query/groups.ts';
import { type Bound, type Call, type Expectation, meets, parseExpectation } from './expectation.ts';
import { type ListFunction, listFunctions } from './list-functions.ts';
import { conditionTest, type ListContext, type ListFacts, type ListTest } from './list-test.ts';
import { Findings, lacking, outcome } from './model.ts';

const functions: Readonly<Record<string, ListFunction>> = {
  ...listFunctions,
  change: { needs: ['count, or an aggregate of a column'], bound: 'share', make: changeTest },
};

const parseOfList = (text: string) => parseExpectation(text, functions, { hasAggregates: true });

export const listFunctionNames: readonly string[] = Object.keys(functions);

/** The other list that an expectation reads, as [list, column]. */
export function referencesOf(text: string): [string, string] | undefined {
  const expectation = parseOfList(text);
  if (expectation.kind !== 'call' || expectation.call.name !== 'references') return undefined;
  const [, list, column] = expectation.call.args;
  return list && [list.text, column?.text ?? 'title'];
}

/** Checks everything about an expectation that needs no list. @throws usage */
export function lintListExpectation(text: string): void {
  const facts: ListFacts = { attributes: [], now: new Date(0), cap: 1, references: () => new Set(), before: () => 0 };
  makeTest(text, { facts, scope: openScope(() => facts.now), isOffline: true });
}

/** Makes the test of one expectation. @throws usage for an unknown column or a wrong argument */
export function listTest(text: string, facts: ListFacts): ListTest {
  return makeTest(text, { facts, scope: entryScope(facts.attributes, () => facts.now), isOffline: false });
}

function makeTest(text: string, context: ListContext): ListTest {
  const expectation = parseOfList(text);
  if (expectation.kind === 'condition') return conditionTest(expectation.node, expectation.text, context);
  if (expectation.kind === 'aggregate') return aggregateTest(expectation, context);
  return expectation.function.make(expectation.call, context);
}

class AggregateRows {
  readonly groups: Groups<Entry>;
  readonly label: string;
  /** The number of rows, which needs none of them. */
  readonly isCount: boolean;
  private readonly whenEmpty: Cell;

  constructor(written: string, by: string | undefined, { scope, isOffline }: ListContext) {
    const [aggregate, more] = aggregates(written, scope, 'expectation');
    if (!aggregate || more) throw usage(`"${written}" is not one aggregate`);
    if (!aggregate.isNumber) throw usage(`"${written}": ${aggregate.label} is not a number`);
    // Offline the type of the column is not known.
    const keys = by === undefined || isOffline ? [] : groupKeys(by, scope, 'expectation');
    this.label = aggregate.label;
    this.isCount = aggregate.label === 'count' && by === undefined;
    this.whenEmpty = {
      value: aggregate.label.startsWith('sum(') && aggregate.digits === undefined ? 0 : null,
      order: null,
    };
    this.groups = new Groups(keys, [aggregate]);
    if (keys.length === 0) this.groups.at([]);
    // An option that no row holds counts too, as 0.
    else if (aggregate.label.startsWith('count')) for (const cell of keys[0]?.known ?? []) this.groups.at([cell]);
  }

  results(): { group: string; isEmpty: boolean; cell: Cell }[] {
    return this.groups.rows().map(({ keys, values: [cell = this.whenEmpty] }) => ({
      group: String(keys[0]?.value ?? 'empty'),
      isEmpty: keys[0]?.value === null,
      cell: cell.value === null ? this.whenEmpty : cell,
    }));
  }
}

/** `sum(value) >= 0`, `count by stage >= 1`, `count(stage = Won) / count >= 10%`. */
function aggregateTest(
  { of, by, bound }: Expectation<ListFunction> & { kind: 'aggregate' },
  context: ListContext,
): ListTest {
  const rows = new AggregateRows(of, by, context);
  const threshold = `${bound.operator} ${bound.text}`;
  if (rows.isCount) {
    const rowless = meets(bound, 0) && !meets(bound, 1) ? 'none' : 'number';
    return { rowless, finish: (total) => outcome(meets(bound, total), String(total), threshold) };
  }
  return {
    row: (entry) => rows.groups.add(entry),
    finish() {
      const results = rows.results();
      const findings = new Findings(context.facts.cap);
      for (const { group, isEmpty, cell } of results) {
        if (isWithin(cell, bound)) continue;
        const key = isEmpty ? `${by} is empty` : `${by} = ${group}`;
        findings.add('', `${by} = ${group}`, `${rows.label} is ${cell.value ?? 'empty'}`, [key]);
      }
      const says = results.map(({ group, cell }) => `${by === undefined ? '' : `${group}: `}${valueText(cell, bound)}`);
      const observed = says.slice(0, 20).join(', ') || 'no rows';
      // An expectation without groups has the observed value as its only finding.
      return by === undefined
        ? outcome(findings.count === 0, observed, threshold)
        : findings.outcome(observed, threshold);
    },
  };
}

function valueText({ value }: Cell, { isPercent }: Bound): string {
  if (!isNumeric(value)) return 'no values';
  return isPercent ? `${Number(Number(product(value, 100)).toFixed(2))} %` : String(value);
}

/** Whether the value is within the bound: of a quotient, which may be rounded, its dividend within so many divisors. */
function isWithin({ value, quotient }: Cell, bound: Pick<Bound, 'operator' | 'value'>): boolean {
  if (!isNumeric(value)) return false;
  if (!quotient) return meets(bound, value);
  const [part, of] = compare(quotient[1], 0) < 0 ? quotient.map((side) => difference(0, side)) : quotient;
  return meets({ ...bound, value: product(bound.value, of ?? 1) }, part ?? value);
}

/** `change(count) <= 10%`, `change(sum(value)) <= 5000`: the difference of an aggregate from the baseline. */
function changeTest(call: Call, context: ListContext): ListTest {
  const { bound, text } = call;
  const [, written = ''] = /^change\s*\((.*)\)\s*[=!<>]/s.exec(text) ?? [];
  const rows = new AggregateRows(written, undefined, context);
  const key = rows.label.replace(/^avg\(/, 'average(');
  let now: Numeric | null = null;
  return {
    ...(rows.isCount ? { rowless: 'number' } : { row: (entry: Entry) => rows.groups.add(entry) }),
    finish(total) {
      const value = rows.isCount ? total : rows.results()[0]?.cell.value;
      now = isNumeric(value) ? value : null;
      const threshold = `change ${bound?.operator} ${bound?.text}`;
      if (now === null) return lacking('rows', `no values of ${rows.label}`, threshold);
      const before = context.facts.before(key);
      if (before === undefined) return lacking('baseline', `${now}, and no baseline to compare with`, threshold);
      return outcome(bound !== undefined && isChangeWithin(bound, now, before), `${now}, was ${before}`, threshold);
    },
    aggregates: () => (now === null ? {} : { [key]: now }),
  };
}

/** Whether the change, or its share of the old value, is within the bound. A change from zero is beyond every share. */
function isChangeWithin(bound: Bound, now: Numeric, before: Numeric): boolean {
  const change = magnitude(difference(now, before));
  if (!bound.isPercent) return meets(bound, change);
  if (compare(before, 0) !== 0)
    return isWithin({ value: change, order: null, quotient: [change, magnitude(before)] }, bound);
  return compare(change, 0) === 0 ? meets(bound, 0) : ['>', '>=', '!='].includes(bound.operator);
}
