/**
 * Expectations over the entries of a list. Each becomes a test that sees every entry once, in one pass over the list,
 * and remembers nothing but what it must: keys for `unique`, the other column for `references`, sums by group.
 */
import { usage } from '../../core/errors.ts';
import { type Entry, entryNames, entryScope, openScope } from '../entries/scope.ts';
import { type Checked, checkTree } from '../expression/check.ts';
import { holds } from '../expression/evaluate.ts';
import { type Node, parse } from '../expression/parser.ts';
import type { Scope } from '../expression/typed.ts';
import { UnknownOptions } from '../query/unknown-options.ts';
import { aggregateTests, shapeTests } from './aggregate-tests.ts';
import { columnTests } from './column-tests.ts';
import { type Argument, type Call, type Expectation, parseExpectation, refuseMore, type Takes } from './grammar.ts';
import { anyName, describeValues, type ListFacts, type ListTest, type TestMaker } from './list-test.ts';
import { Findings } from './model.ts';

const makers: Record<string, TestMaker> = { ...columnTests, ...shapeTests, ...aggregateTests };

/** Every head that a list understands. */
export const listHeads: ReadonlySet<string> = new Set([...Object.keys(makers), 'row']);

/** The other lists that an expectation reads, as [list, column]. */
export function referencesOf(text: string): [string, string] | undefined {
  const expectation = parseExpectation(text, listHeads);
  if (expectation.kind !== 'call' || expectation.head !== 'references') return undefined;
  const [, list, column] = expectation.args;
  return list ? [list.text, column?.text ?? 'title'] : undefined;
}

/**
 * Checks everything about an expectation that needs no list.
 * @throws Failure usage
 */
export function lintListExpectation(text: string): void {
  const facts: ListFacts = { attributes: [], now: new Date(0), cap: 1, references: () => new Set(), before: () => 0 };
  make(text, { facts, names: anyName, scope: openScope(() => facts.now) });
}

/**
 * Makes the test of one expectation.
 * @throws Failure usage for an unknown column, a wrong argument or a broken expression
 */
export function listTest(text: string, facts: ListFacts): ListTest {
  return make(text, {
    facts,
    names: entryNames(facts.attributes),
    scope: entryScope(facts.attributes, () => facts.now),
  });
}

/** The context of making tests; `names` is `anyName` without a list. */
interface Making {
  facts: ListFacts;
  names: readonly string[];
  scope: Scope<Entry>;
}

function make(text: string, making: Making): ListTest {
  const expectation = parseExpectation(text, listHeads);
  switch (expectation.kind) {
    case 'within': {
      const args = [expectation.column, expectation.duration].map((word) => textArgument(word));
      return columnTests.fresh({ kind: 'call', head: 'fresh', args, text }, making.facts, making.names);
    }
    case 'implies':
      return implication(expectation, making);
    case 'condition':
      return condition(expectation.node, expectation.text, making);
    case 'call':
      return called(expectation, making);
  }
}

/** Heads that say something of each group. */
const grouping = new Set(['count', 'sum', 'average', 'min', 'max']);

/** Heads that take no more than so many arguments. */
const takes: Readonly<Record<string, Takes>> = {
  ...{ pattern: { most: 2 }, type: { most: 2 }, fresh: { most: 2 }, references: { most: 3 }, change: { most: 1 } },
  ...{ sum: { most: 1 }, average: { most: 1 }, min: { most: 1 }, max: { most: 1 } },
  ...{ range: { most: 3, bounded: true }, length: { most: 3, bounded: true } },
};

function called(call: Call, making: Making): ListTest {
  if (call.by !== undefined && !grouping.has(call.head)) {
    throw usage(`"${call.text}": \`by\` does not go with ${call.head}`, `it goes with ${[...grouping].join(', ')}`);
  }
  // The function of the same name: `length(title) <= 80`.
  if (call.head === 'length' && call.tail) return condition(parse(call.text, 'expectation'), call.text, making);
  if (call.head === 'row') {
    const [inner, ...more] = call.args;
    if (!inner || more.length > 0 || call.tail) throw usage(`"${call.text}": row takes one condition`);
    return condition(conditionOf(inner), call.text, making);
  }
  refuseMore(call, takes[call.head] ?? {});
  const maker = makers[call.head];
  if (!maker) throw usage(`"${call.text}": unknown expectation ${call.head}`);
  return maker(call, making.facts, making.names);
}

/** `row(stage = Won)` reads as an argument with a name. */
function conditionOf({ key, node }: Argument): Node {
  if (key === undefined) return node;
  const left: Node = { kind: 'name', at: node.at, name: key, quoted: false };
  return { kind: 'compare', at: node.at, operator: '=', left, right: node };
}

const textArgument = (text: string): Argument => ({ text, node: { kind: 'text', at: 0, text } });

interface Condition extends Checked<Entry> {
  unknown: UnknownOptions<Entry>;
}

/** @throws Failure usage */
function checked(node: Node, text: string, { scope }: Making): Condition {
  const condition = checkTree(node, scope, { text, where: 'expectation' });
  return { ...condition, unknown: new UnknownOptions(scope, condition.unknownOptions) };
}

/** @throws Failure usage for an option that neither the column nor any row has */
function refuseUnknown(...conditions: readonly Condition[]): void {
  for (const { unknown } of conditions) {
    const failure = unknown.failure();
    if (failure) throw failure;
  }
}

function condition(node: Node, text: string, making: Making): ListTest {
  const rule = checked(node, text, making);
  const findings = new Findings(making.facts.cap);
  return {
    row(entry, lookup) {
      rule.unknown.read(entry);
      if (!holds(rule.root, entry)) findings.add(entry.id, entry.title, describeValues(rule.names, lookup));
    },
    finish(total) {
      refuseUnknown(rule);
      return findings.outcome(`${total - findings.count} of ${total} rows hold`, text);
    },
  };
}

function implication(
  { condition: when, consequence, text }: Expectation & { kind: 'implies' },
  making: Making,
): ListTest {
  const premise = checked(when, text, making);
  const conclusion = checked(consequence, text, making);
  const [says = text, then = text] = text
    .replace(/\s+/g, ' ')
    .replace(/^if /i, '')
    .split(/ then /i);
  const findings = new Findings(making.facts.cap);
  let applies = 0;
  return {
    row(entry, lookup) {
      premise.unknown.read(entry);
      conclusion.unknown.read(entry);
      if (!holds(premise.root, entry)) return;
      applies += 1;
      if (!holds(conclusion.root, entry)) findings.add(entry.id, entry.title, describeValues(conclusion.names, lookup));
    },
    looked: () => applies,
    finish() {
      refuseUnknown(premise, conclusion);
      return findings.outcome(`${applies - findings.count} of ${applies} rows where ${says}`, then);
    },
  };
}
