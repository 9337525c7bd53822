/**
 * Expectations over the entries of a list. Each becomes a test that sees every entry once, in one pass over the list,
 * and remembers nothing but what it must: keys for `unique`, the other column for `references`, sums by group.
 */
import { usage } from '../../core/errors.ts';
import { entryNames } from '../entries/lookup.ts';
import { holds } from '../expression/evaluate.ts';
import { parseExpression } from '../expression/expression.ts';
import { columnTests } from './column-tests.ts';
import { type Call, type Expectation, parseExpectation } from './grammar.ts';
import { anyName, type ListFacts, type ListTest, seen, type TestMaker } from './list-test.ts';
import { Findings } from './model.ts';
import { shapeTests, wholeTests } from './whole-tests.ts';

const makers: Record<string, TestMaker> = { ...columnTests, ...shapeTests, ...wholeTests };

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
  const expectation = parseExpectation(text, listHeads);
  const facts: ListFacts = { attributes: [], now: new Date(0), cap: 1, references: () => new Set(), before: () => 0 };
  make(expectation, facts, undefined);
}

/**
 * Makes the test of one expectation.
 * @throws Failure usage for an unknown column, a wrong argument or a broken expression
 */
export function listTest(text: string, facts: ListFacts): ListTest {
  return make(parseExpectation(text, listHeads), facts, entryNames(facts.attributes));
}

/** `names` undefined: any column is taken (offline). */
function make(expectation: Expectation, facts: ListFacts, names: readonly string[] | undefined): ListTest {
  switch (expectation.kind) {
    case 'within':
      return columnTests.fresh(
        { ...call(expectation.text), args: words(expectation.column, expectation.duration.text) },
        facts,
        known(names),
      );
    case 'implies':
      return implication(expectation, facts, names);
    case 'expression':
      return condition(expectation.text, expectation.text, facts, names);
    case 'call': {
      if (expectation.head === 'row') {
        const inner = /^row\s*\((.*)\)$/s.exec(expectation.text)?.[1] ?? '';
        return condition(inner, expectation.text, facts, names);
      }
      const maker = makers[expectation.head];
      if (!maker) throw usage(`"${expectation.text}": unknown expectation ${expectation.head}`);
      return maker(expectation, facts, known(names));
    }
  }
}

/** Offline every name is a column. */
function known(names: readonly string[] | undefined): readonly string[] {
  return names ?? anyName;
}

const call = (text: string): Call => ({ kind: 'call', head: 'fresh', args: [], text });
const words = (...texts: string[]) => texts.map((text) => ({ text, quoted: false }));

function condition(text: string, whole: string, facts: ListFacts, names: readonly string[] | undefined): ListTest {
  const expression = parseExpression(text, { names, where: `"${whole}"` });
  if (expression.names.length === 0) {
    throw usage(
      `"${whole}" names no column`,
      `Expectations of a list: ${[...listHeads].sort().join(', ')}, if … then …`,
    );
  }
  const findings = new Findings(facts.cap);
  return {
    row(entry, lookup) {
      if (!holds(expression, lookup)) findings.add(entry.id, entry.title, seen(expression.names, lookup));
    },
    finish: (total) => findings.outcome(`${total - findings.count} of ${total} rows hold`, text),
  };
}

function implication(
  { condition: when, consequence, text }: Expectation & { kind: 'implies' },
  facts: ListFacts,
  names: readonly string[] | undefined,
): ListTest {
  const premise = parseExpression(when, { names, where: `"${text}"` });
  const conclusion = parseExpression(consequence, { names, where: `"${text}"` });
  const findings = new Findings(facts.cap);
  let applies = 0;
  return {
    row(entry, lookup) {
      if (!holds(premise, lookup)) return;
      applies += 1;
      if (!holds(conclusion, lookup)) findings.add(entry.id, entry.title, seen(conclusion.names, lookup));
    },
    finish: () => findings.outcome(`${applies - findings.count} of ${applies} rows where ${when}`, consequence),
  };
}
