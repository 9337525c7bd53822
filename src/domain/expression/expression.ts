/**
 * Expressions over named values: `value > 100 and stage = "Won"`, `arr = 12 * mrr ± 1%`.
 *
 * One grammar serves filters, row conditions, identities and thresholds. The text is parsed by jsep; nothing is ever
 * compiled or evaluated as JavaScript.
 *
 * Operators, loosest first: `or` · `and` · `= == != < <= > >= in contains matches` · `±` (or `+-`) · `+ -` ·
 * `* /` · `not` (binds tightest: write `not (a = 1)`). A name with a hyphen is read as one word when it is a known name, else as a subtraction; any name may be
 * in backticks. Text is in single or double quotes; `10%` is 0.1; `[a, b]` is a list.
 *
 * An empty value (null, absent) equals only `null`: every other comparison with it is false, and arithmetic on it is
 * empty, so that a missing number is never taken for zero.
 */
import jsep from 'jsep';
import { usage } from '../../core/errors.ts';

/** The functions of the language with how many arguments each takes. */
const arities: Record<string, number> = {
  lower: 1,
  upper: 1,
  trim: 1,
  length: 1,
  abs: 1,
  round: 1,
  empty: 1,
  starts: 2,
  ends: 2,
};

export type Node =
  | { kind: 'literal'; value: unknown }
  | { kind: 'percent'; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'list'; items: Node[] }
  | { kind: 'unary'; operator: string; of: Node }
  | { kind: 'binary'; operator: string; left: Node; right: Node }
  | { kind: 'call'; name: string; args: Node[] };

/** A parsed expression with every name and function that it uses. */
export interface Expression {
  readonly text: string;
  readonly names: readonly string[];
  readonly root: Node;
}

const comparisons = ['=', '==', '!=', '<', '<=', '>', '>=', 'in', 'contains', 'matches'];

configure();

function configure(): void {
  for (const operator of Object.keys(jsep.binary_ops)) jsep.removeBinaryOp(operator);
  for (const operator of Object.keys(jsep.unary_ops)) jsep.removeUnaryOp(operator);
  jsep.addBinaryOp('or', 1);
  jsep.addBinaryOp('and', 2);
  for (const operator of comparisons) jsep.addBinaryOp(operator, 4);
  jsep.addBinaryOp('±', 5);
  jsep.addBinaryOp('+-', 5);
  jsep.addBinaryOp('+', 6);
  jsep.addBinaryOp('-', 6);
  jsep.addBinaryOp('*', 7);
  jsep.addBinaryOp('/', 7);
  jsep.addUnaryOp('-');
  jsep.addUnaryOp('not');
  jsep.hooks.add('gobble-token', readToken);
}

interface ParserState {
  expr: string;
  index: number;
  node?: unknown;
}

/** The names that may hold a hyphen, while one expression is parsed. */
let hyphenated: ReadonlySet<string> = new Set();

/** What jsep's own words cannot hold: backticks around any name, hyphens inside a known one, and `10%`. */
function readToken(this: unknown, state: { node?: unknown }): void {
  const parser = (this ?? state) as ParserState;
  const rest = parser.expr.slice(parser.index);
  const percent = /^(\d+(?:\.\d+)?|\.\d+)%/.exec(rest);
  const quoted = /^`([^`]+)`/.exec(rest);
  const word = /^[A-Za-z_][\w-]*/.exec(rest)?.[0];
  const known = word?.includes('-') ? longestKnown(word) : undefined;
  if (percent) state.node = { type: 'Percent', value: Number(percent[1]) / 100 };
  else if (quoted) state.node = { type: 'Identifier', name: quoted[1] };
  else if (known) state.node = { type: 'Identifier', name: known };
  parser.index += percent?.[0].length ?? quoted?.[0].length ?? known?.length ?? 0;
}

function longestKnown(word: string): string | undefined {
  for (let end = word.length; end > 0; end = word.lastIndexOf('-', end - 1)) {
    const name = word.slice(0, end);
    if (name.includes('-') && hyphenated.has(name)) return name;
  }
  return undefined;
}

/**
 * Parses an expression.
 * @param text what the user wrote
 * @param options.names the known names; any other name is refused with the nearest ones. Absent: every name is taken.
 * @param options.where what the text is, as messages call it
 * @throws Failure usage, with the column at which it went wrong
 */
export function parseExpression(text: string, options: { names?: Iterable<string>; where?: string } = {}): Expression {
  const known = options.names ? new Set(options.names) : undefined;
  const where = options.where ?? 'expression';
  let tree: unknown;
  hyphenated = known ?? new Set();
  try {
    refuseLooseNot(text);
    tree = jsep(text);
  } catch (error) {
    const index = (error as { index?: number }).index ?? 0;
    const says = (error as { description?: string }).description ?? (error as Error).message;
    throw usage(
      `${where}: ${says.toLowerCase()} at column ${index + 1} of ${JSON.stringify(text)}`,
      otherLanguage(text),
    );
  } finally {
    hyphenated = new Set();
  }
  const names = new Set<string>();
  const refuse = (message: string) => usage(`${where}: ${message} in ${JSON.stringify(text)}`, otherLanguage(text));
  const root = convert(tree, refuse, names);
  const unknown = known && [...names].find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw usage(`${where}: unknown name ${unknown}`, `Known names: ${[...(known ?? [])].join(', ')}.`);
  }
  return { text, names: [...names], root };
}

/** How this language says what others say otherwise. */
const translations: readonly [RegExp, string][] = [
  [/&&/, 'write `and` for &&'],
  [/\|\|/, 'write `or` for ||'],
  [/<>/, 'write != for <>'],
  [/!(?!=)/, 'write not (…) for !'],
  [/~/, 'write `contains`, or `matches` for a regular expression'],
  [/\bis\s+not\b/i, 'write != null, or not (empty(NAME))'],
  [/\bis\b/i, 'write = null, or empty(NAME)'],
  [/\b(like|ilike)\b/i, 'write `contains` for a part of a text'],
  [/\b(AND|OR|NOT|IN)\b/, '`and`, `or`, `not` and `in` are written in small letters'],
  [/\bin\s*\(/, 'write a list in square brackets: in ["a", "b"]'],
];

function otherLanguage(text: string): string | undefined {
  return translations.find(([pattern]) => pattern.test(outsideQuotes(text)))?.[1];
}

/** The text with blanks for everything in quotes. */
function outsideQuotes(text: string): string {
  return text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`/g, (quoted) => ' '.repeat(quoted.length));
}

/** `not a = 1` would negate only `a`, which nobody means. */
function refuseLooseNot(text: string): void {
  const loose = /\bnot\s+(?!not\b)[A-Za-z_][\w-]*\s*(?![\w-]*\s*\()/.exec(outsideQuotes(text));
  if (loose) throw Object.assign(new Error('write not (…), with parentheses'), { index: loose.index });
}

type Refuse = (message: string) => Error;

// biome-ignore lint/suspicious/noExplicitAny: jsep's tree is untyped; this function is where it becomes ours.
function convert(tree: any, refuse: Refuse, names: Set<string>): Node {
  switch (tree?.type) {
    case 'Literal':
      return { kind: 'literal', value: tree.value };
    case 'Percent':
      return { kind: 'percent', value: tree.value };
    case 'Identifier':
      names.add(tree.name);
      return { kind: 'name', name: tree.name };
    case 'ArrayExpression':
      return { kind: 'list', items: tree.elements.map((item: unknown) => convert(item, refuse, names)) };
    case 'UnaryExpression':
      return { kind: 'unary', operator: tree.operator, of: convert(tree.argument, refuse, names) };
    case 'BinaryExpression':
      return {
        kind: 'binary',
        operator: tree.operator,
        left: convert(tree.left, refuse, names),
        right: checkedRight(tree.operator, convert(tree.right, refuse, names), refuse),
      };
    case 'CallExpression':
      return convertCall(tree, refuse, names);
    case 'MemberExpression':
      if (tree.computed) throw refuse('square brackets after a name mean nothing here');
      return memberName(tree, refuse, names);
    case 'Compound':
      throw refuse(tree.body.length === 0 ? 'nothing to evaluate' : 'an operator is missing between two values');
    default:
      throw refuse(`${foreign[tree?.type] ?? 'something here'} is not part of the language`);
  }
}

function checkedRight(operator: string, right: Node, refuse: Refuse): Node {
  if (operator === 'matches' && right.kind === 'literal') {
    try {
      new RegExp(String(right.value), 'u');
    } catch (error) {
      throw refuse(`${(error as Error).message}`);
    }
  }
  if (operator === 'in' && right.kind === 'literal') throw refuse('`in` needs a list such as ["a", "b"]');
  return right;
}

const foreign: Record<string, string> = {
  SequenceExpression: 'a list in round brackets',
  ThisExpression: '`this`',
  ConditionalExpression: '? :',
  AssignmentExpression: 'an assignment',
};

/** `values.stage` is one name, so that columns that clash with fixed ones can be named. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
function memberName(tree: any, refuse: Refuse, names: Set<string>): Node {
  const words: string[] = [];
  let at = tree;
  for (; at.type === 'MemberExpression' && !at.computed; at = at.object) words.unshift(at.property.name);
  if (at.type !== 'Identifier') throw refuse('a dot is allowed only between names');
  const name = [at.name, ...words].join('.');
  names.add(name);
  return { kind: 'name', name };
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
function convertCall(tree: any, refuse: Refuse, names: Set<string>): Node {
  const name: string = tree.callee?.name ?? '';
  const arity = Object.hasOwn(arities, name) ? arities[name] : undefined;
  if (arity === undefined) throw refuse(`unknown function ${name || '?'}; known: ${Object.keys(arities).join(', ')}`);
  if (tree.arguments.length !== arity) {
    throw refuse(`${name} takes ${arity} argument${arity === 1 ? '' : 's'}, got ${tree.arguments.length}`);
  }
  return { kind: 'call', name, args: tree.arguments.map((item: unknown) => convert(item, refuse, names)) };
}
