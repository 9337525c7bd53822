/** Literals of expressions, read by the type of the other side, and unknown options. */
import { RE2JS } from 're2js';
import { difference, product } from '../../core/decimal.ts';
import { type Failure, usage } from '../../core/errors.ts';
import { type Numeric, numeric } from '../../core/json.ts';
import { maxPatternCharacters } from '../../core/limits.ts';
import { nearest, nearestHint } from '../../core/nearest.ts';
import { type Node, problem, type Source } from './parser.ts';
import { type Duration, parseDuration, parseTime, periodSpan, type Span, timeWord, withoutDistance } from './time.ts';
import { type Column, type Option, type Scope, type Type, type Typed, typeNames } from './typed.ts';

export type Literal = { type: Type; value: Numeric | string | boolean | Span | Duration };

const scales: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, B: 1e9, '%': 0.01 };

/** `1_500`, `1.5k`, `20M`, `2.5%`, exactly. */
export function numberOf(text: string, negative = false): Numeric {
  if (negative) return difference(0, numberOf(text));
  const plain = text.replaceAll('_', '');
  const sign = /[kKMB%]$/.exec(plain)?.[0];
  const digits = numeric(plain.replace(/[kKMB%]$/, '').replace(/^\./, '0.'));
  if (sign === undefined) return digits;
  return product(digits, scales[sign] ?? 1);
}

/** Reads a literal without context; undefined for other nodes. @throws usage for a date that does not exist */
export function plainLiteral(node: Node, source: Source, now: () => Date): Literal | undefined {
  switch (node.kind) {
    case 'number':
      return { type: 'number', value: numberOf(node.text) };
    case 'text':
      return { type: 'text', value: node.text.normalize() };
    case 'date':
      return { type: 'time', value: timeOf(node, source, now) };
    case 'duration':
      return { type: 'duration', value: parseDuration(node.text) ?? { ms: 0, months: 0 } };
    case 'constant':
      return node.value === null ? undefined : { type: 'boolean', value: node.value };
    case 'name': {
      const time = node.quoted ? undefined : wordSpan(node.name, now);
      return time && { type: 'time', value: time };
    }
    default:
      return undefined;
  }
}

export function wordSpan(word: string, now: () => Date): Span | undefined {
  const time = timeWord(word.toLowerCase(), now);
  return time && !('start' in time) ? periodSpan(time) : time;
}

/** @throws usage for a word that is both a column and a date */
export function refuseTimeWord(
  node: Node,
  { source, now, isColumn }: Pick<LiteralContext, 'source' | 'now' | 'isColumn'>,
): void {
  if (node.kind !== 'name' || node.quoted || !isColumn(node.name) || !timeWord(node.name.toLowerCase(), now)) return;
  const says = `${node.name} is both a column and a date`;
  throw problem(source, node.at, says, `write "${node.name}" for the date, \`${node.name}\` for the column`);
}

function timeOf(node: Node & { text: string }, source: Source, now: () => Date): Span {
  const word = node.kind === 'text' ? wordSpan(node.text, now) : undefined;
  if (word) return word;
  const span = parseTime(
    withoutDistance(node.text)
      .toUpperCase()
      .replace(/^(\d{4}-)(\d)(?!\d)/, '$1$2'),
  );
  if (span) return span;
  const [, year, month = '', day = ''] = /^(\d{4})-(\d{1,2})(?:-(\d{1,2}))?$/.exec(node.text) ?? [];
  const padded = year && [year, month.padStart(2, '0'), ...(day ? [day.padStart(2, '0')] : [])].join('-');
  const hint =
    padded && parseTime(padded) ? `write ${padded}` : 'dates are 2024-01-31, 2024-01, 2024-Q1, 2024-W05 or 2024';
  throw problem(source, node.at, `${node.text} is not a date`, hint);
}

export interface UnknownOption {
  column: string;
  text: string;
  /** Lazy: an expression may name thousands. */
  failure(): Failure;
}

/** Reads a literal by the type of a column; undefined for other nodes. @throws usage with the right spelling */
export function literalFor<Row>(
  node: Node,
  { name, column }: { name: string; column: Column<Row> },
  { source, now, isColumn, names, unknownOptions }: LiteralContext,
): Literal | undefined {
  const { type } = column;
  const text = node.kind === 'name' ? node.name : 'text' in node ? node.text : wordOf(node, type);
  const isName = node.kind === 'name';
  if (type === 'date' || type === 'time') refuseTimeWord(node, { source, now, isColumn });
  if (isName && (node.quoted || (isColumn(node.name) && type !== 'option' && type !== 'options'))) return undefined;
  if (text === undefined) return plainLiteral(node, source, now);
  if (column.idOf && (isName || node.kind === 'text')) return { type: 'text', value: column.idOf(text) };
  if (type === 'option' || type === 'options') {
    const [option, other] = findOptions(column.options, text);
    if (option && other) {
      throw problem(
        source,
        node.at,
        `several options of ${name} are called ${text}`,
        `give an id: ${option.id}, ${other.id}`,
      );
    }
    if (isName && isColumn(text)) {
      if (!option) return undefined;
      const says = `${text} is both a column and an option of ${name}`;
      throw problem(source, node.at, says, `write "${text}" for the option, \`${text}\` for the column`);
    }
    const { options } = column;
    if (!option && options) {
      unknownOptions.push({
        column: name,
        text,
        failure: () => noOption(name, options, { text, at: node.at, source }),
      });
    }
    return { type: 'option', value: option?.id ?? text };
  }
  if (type === 'date' || type === 'time') {
    if (node.kind === 'text' || (node.kind === 'number' && /^\d{4}$/.test(node.text))) {
      return { type: 'time', value: timeOf(node, source, now) };
    }
    const period = isName && !isColumn(text) ? parseTime(text) : undefined;
    if (period) return { type: 'time', value: period };
  }
  if (type === 'boolean' && isName) {
    const word = { yes: 'true', no: 'false', y: 'true', n: 'false' }[text.toLowerCase()];
    if (word) throw problem(source, node.at, `${name} is true or false, not ${text}`, `write ${word}`);
  }
  const literal = plainLiteral(node, source, now);
  if (literal || !isName) return literal;
  if (type !== 'text' && nearest(text, names) !== undefined) return undefined;
  throw problem(source, node.at, `unknown name ${text}`, writing(name, type, text));
}

function writing(name: string, type: Column<never>['type'], text: string): string {
  if (type === 'text') return `put a text in quotes: "${text}"`;
  if (type === 'number') return `${name} is a number: compare it with one, such as 20M, or with a column`;
  return type === 'boolean' ? 'write true or false' : dates;
}

const dates = 'dates are 2024-01-31, 2024-01, 2024-Q1, 2024 or today - 30d';

/** An option may be called `true`. */
function wordOf(node: Node, type: Column<never>['type']): string | undefined {
  const isWord = node.kind === 'constant' && node.value !== null && (type === 'option' || type === 'options');
  return isWord ? String(node.value) : undefined;
}

export interface LiteralContext {
  source: Source;
  now: () => Date;
  isColumn(name: string): boolean;
  names: readonly string[];
  unknownOptions: UnknownOption[];
}

/** Finds options by id, or by label in any letter case; several if labels repeat. */
function findOptions(options: readonly Option[] = [], text: string): readonly Option[] {
  const exact = options.filter(({ id }) => id === text);
  if (exact.length > 0) return exact;
  const called = options.filter(({ label }) => label === text);
  if (called.length > 0) return called;
  const folded = text.normalize().toLowerCase();
  return options.filter(({ label }) => label.normalize().toLowerCase() === folded);
}

function noOption(
  name: string,
  options: readonly Option[],
  { text, at, source }: { text: string; at: number; source: Source },
): Failure {
  const labels = options.map(({ label }) => label);
  if (labels.length === 0) return problem(source, at, `${name} has no options`);
  const hint = nearestHint(text, labels, `options are ${labels.join(', ')}`);
  return problem(source, at, `unknown option "${text}" of ${name}`, hint);
}

export function isNull(node: Node): boolean {
  return node.kind === 'text' ? node.text === '' : node.kind === 'constant' && node.value === null;
}

/** @throws usage for `level = null`, if `null` is an option of the column */
export function refuseNullOption<Row>(of: Typed<Row>, at: number, source: Source): void {
  if (of.kind !== 'column' || findOptions(of.column.options, 'null').length === 0) return;
  throw problem(source, at, `null is an option of ${of.name}`, `write "null" for it, or ${of.name} is empty`);
}

export function mismatch(source: Source, at: number, left: ComparedSide, right: ComparedSide): Error {
  const says = `${left.name} is ${typeNames[left.type]}, and ${right.name} is ${typeNames[right.type]}`;
  return problem(source, at, says, spelling(left, right) ?? spelling(right, left));
}

interface ComparedSide {
  /** The column's name, or the text of the literal. */
  name: string;
  type: Type;
  isColumn: boolean;
}

function spelling(column: ComparedSide, literal: ComparedSide): string | undefined {
  if (!column.isColumn || literal.isColumn) return undefined;
  const bare = literal.name.replace(/^"(.*)"$/, '$1');
  if (column.type === 'number' && literal.type === 'text' && /^-?[\d.]+$/.test(bare))
    return `write ${bare} without quotes`;
  if (column.type === 'number' && literal.type === 'duration')
    return bare.endsWith('m') ? `${bare} is months: write ${bare.slice(0, -1)}M for millions` : undefined;
  if (column.type === 'text') return `put a text in quotes: ${JSON.stringify(bare)}`;
  if (column.type === 'boolean') return 'write true or false';
  if (column.type === 'time') return literal.type === 'duration' ? `write today - ${bare}` : dates;
  return undefined;
}

export function sideOf<Row>(node: Node, { type, kind }: Typed<Row>): ComparedSide {
  const name =
    node.kind === 'name'
      ? node.name
      : node.kind === 'text'
        ? JSON.stringify(node.text)
        : 'text' in node
          ? node.text
          : 'the expression';
  return { name, type, isColumn: kind === 'column' };
}

/** The failure for a name that is neither a column nor a word of the language. */
export function unknownName<Row>(
  source: Source,
  { name, at }: Node & { kind: 'name' },
  { column, names, now }: Scope<Row>,
): Error {
  const isOperand = (part: string) => column(part) !== undefined || /^\d+$/.test(part) || wordSpan(part, now);
  const minus = [...name.matchAll(/-/g)].map(({ index }) => [name.slice(0, index), name.slice(index + 1)]);
  const subtraction = [name.split('-'), ...minus].find((parts) => parts.length > 1 && parts.every(isOperand));
  const hint = subtraction
    ? `a minus needs blanks: ${subtraction.join(' - ')}`
    : nearestHint(name, names, `columns are ${names.join(', ')}`);
  return problem(source, at, `unknown name ${name}`, hint);
}

const maxListed = 5;

export class UnknownOptions<Row> {
  /** The options that no row holds so far, by column and text. */
  private readonly missing = new Map<string, Map<string, UnknownOption>>();
  /** Ids in rows that are no options of their columns. */
  private readonly removed = new Map<string, Set<string>>();

  constructor(
    private readonly scope: Scope<Row>,
    options: Iterable<UnknownOption>,
  ) {
    for (const option of options) {
      const ofColumn = this.missing.get(option.column) ?? new Map<string, UnknownOption>();
      if (!ofColumn.has(option.text)) ofColumn.set(option.text, option);
      this.missing.set(option.column, ofColumn);
      this.removed.set(option.column, new Set());
    }
  }

  get isEmpty(): boolean {
    return this.missing.size === 0;
  }

  read(row: Row): void {
    for (const [name, options] of this.missing) {
      const column = this.scope.column(name);
      for (const id of [column?.get(row)].flat()) {
        if (typeof id !== 'string') continue;
        options.delete(id);
        const removed = this.removed.get(name);
        if (removed && removed.size < maxListed && column?.options?.every((option) => option.id !== id) !== false)
          removed.add(id);
      }
      if (options.size === 0) this.missing.delete(name);
    }
  }

  failure(): Failure | undefined {
    for (const [name, options] of this.missing) {
      for (const { failure } of options.values()) {
        const { message, hint } = failure();
        const ids = [...(this.removed.get(name) ?? [])];
        const ofRows = `options that were removed are named by their ids: ${ids.join(', ')}`;
        return usage(message, ids.length === 0 ? hint : ofRows);
      }
    }
    return undefined;
  }
}

/** Compiles a regular expression; `wrong` is the reason why it cannot. */
export function pattern(source: string): { test(text: string): boolean } | { wrong: string } {
  if (source.length > maxPatternCharacters) {
    return { wrong: `${source.length} characters of a pattern, and the limit is ${maxPatternCharacters}` };
  }
  try {
    const compiled = RE2JS.compile(source);
    return { test: (text) => compiled.matcher(text).find() };
  } catch (error) {
    return { wrong: (error as Error).message.replace(/^error parsing regexp: /, '') };
  }
}

/** SQL's `like` in any letter case: `%` is any text, `_` is one character. */
export function likePattern(text: string): string {
  const parts = [...text].map((character) =>
    character === '%' ? '.*' : character === '_' ? '.' : RE2JS.quote(character),
  );
  return `(?is)^${parts.join('')}$`;
}
