/** Divisions of SQL whose operands may all be whole, so that SQLite drops the fraction. */

/** Functions with integer results, and those whose result is one of their arguments. */
const wholeFunctions = /^(?:count|length|row_number|rank|dense_rank|ntile|instr|sign|unixepoch)$/;
const keepingFunctions = /^(?:sum|min|max|abs|coalesce|ifnull|nullif|iif|lag|lead|first_value|last_value|nth_value)$/;
const keywords =
  /^(?:select|distinct|all|from|where|group|order|by|having|limit|offset|on|using|join|left|inner|cross|window|and|or|not|is|in|like|between|with|union|except|intersect|asc|desc|collate|partition|rows|range)$/;

const token = new RegExp(
  [
    String.raw`(?<skipped>\s+|--[^\n]*|/\*[^]*?(?:\*/|$))`,
    String.raw`(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)`,
    String.raw`(?<name>[\p{L}_][\p{L}\p{M}\p{N}_$]*|"(?:[^"]|"")*"|\x60[^\x60]*\x60|\[[^\]]*\])`,
    String.raw`(?<value>'(?:[^']|'')*'|[:@$?][\p{L}\p{N}_$]*)`,
    String.raw`(?<sign>\|\||[^])`,
  ].join('|'),
  'gu',
);

interface Operand {
  isWhole: boolean;
  from: number;
  to: number;
  /** A name that may be that of a function. */
  name?: string;
  /** The name of a table, before a point. */
  isQualifier?: boolean;
}

/** A pair of parentheses, the statement around them, or a `case`. */
interface Group {
  opener?: Operand | undefined;
  from: number;
  isCase: boolean;
  /** `over (…)` and `filter (…)`, which do not change the type of the function before them. */
  isWindow: boolean;
  /** The type that `cast` names. */
  castTo?: string;
  /** Whether the finished expressions are whole. */
  isWhole?: boolean;
  /** After `from`, and in the conditions of a `case`. */
  isIgnored: boolean;
  expression?: { isWhole: boolean } | undefined;
  /** Factors and divisors up to here. */
  term?: { isWhole: boolean; from: number } | undefined;
  operand?: Operand | undefined;
  isDivided: boolean;
}

/** @param isWholeColumn whether a column, in lower case, holds whole numbers. Gives the divisions as they are written. */
export function wholeDivisions(statement: string, isWholeColumn: (column: string) => boolean): string[] {
  if (!statement.includes('/')) return [];
  const aliases = new Set<string>();
  // A result may be named after the place that divides it.
  readDivisions(statement, isWholeColumn, aliases);
  return readDivisions(statement, (name) => aliases.has(name) || isWholeColumn(name), aliases);
}

function readDivisions(statement: string, isWholeName: (name: string) => boolean, aliases: Set<string>): string[] {
  const divisions: string[] = [];
  const groups: Group[] = [];
  let group = groupAt(0);

  const endOperand = () => {
    const { operand, term, isDivided } = group;
    if (!operand) return;
    if (term && isDivided && term.isWhole && operand.isWhole) divisions.push(statement.slice(term.from, operand.to));
    group.term = { isWhole: operand.isWhole && (term?.isWhole ?? true), from: term?.from ?? operand.from };
    group.operand = undefined;
    group.isDivided = false;
  };
  const endTerm = () => {
    endOperand();
    if (group.term) group.expression = { isWhole: group.term.isWhole && (group.expression?.isWhole ?? true) };
    group.term = undefined;
  };
  const endExpression = () => {
    endTerm();
    if (group.expression && !group.isIgnored) group.isWhole = group.expression.isWhole && (group.isWhole ?? true);
    group.expression = undefined;
  };
  const nameResult = (name: string) => {
    endTerm();
    if (group.opener?.name === 'cast') group.castTo = name;
    else if (group.expression?.isWhole) aliases.add(name);
  };
  const open = (from: number, kind: Partial<Group>) => {
    groups.push(group);
    group = { ...groupAt(from), opener: group.operand, ...kind };
  };
  const close = (to: number) => {
    endExpression();
    const { opener, from, isWindow } = group;
    const isWhole = isWholeResult(group);
    group = groups.pop() ?? groupAt(to);
    group.operand = isWindow && opener ? { ...opener, to } : { isWhole, from: opener?.from ?? from, to };
  };

  let isNamed = false;
  let isWindow = false;
  for (const { 0: text, index: from, groups: kind = {} } of statement.matchAll(token)) {
    if (kind.skipped !== undefined) continue;
    const to = from + text.length;
    const word = kind.name?.replace(/^["`[]|["`\]]$/g, '').toLowerCase();
    const [afterAs, afterOver] = [isNamed, isWindow];
    isNamed = word === 'as';
    isWindow = word === 'over' || word === 'filter';
    if (kind.number !== undefined) group.operand = { isWhole: /^\d+$/.test(text), from, to };
    else if (kind.value !== undefined) group.operand = { isWhole: false, from, to };
    else if (text === '(') open(from, { isWindow: afterOver });
    else if (text === ')') close(to);
    else if (text === '.') {
      if (group.operand) group.operand.isQualifier = true;
    } else if (text === '*' || text === '/' || text === '%') {
      endOperand();
      group.isDivided = text === '/';
    } else if (text === '+' || text === '-') {
      if (group.operand) endTerm();
    } else if (word === undefined) endExpression();
    else if (isNamed) endTerm();
    else if (isWindow || afterOver) continue;
    else if (afterAs) nameResult(word);
    else if (word === 'case') open(from, { isCase: true, opener: undefined });
    else if (group.isCase && /^(?:when|then|else|end)$/.test(word)) {
      endExpression();
      group.isIgnored = word === 'when';
      if (word === 'end') close(to);
    } else if (keywords.test(word)) {
      endExpression();
      if (word === 'from') group.isIgnored = true;
      if (word === 'select') group.isIgnored = false;
    } else if (group.operand && !group.operand.isQualifier) nameResult(word);
    else group.operand = { isWhole: isWholeName(word), from: group.operand?.from ?? from, to, name: word };
  }
  endExpression();
  return divisions;
}

function groupAt(from: number): Group {
  return { from, isCase: false, isWindow: false, isIgnored: false, isDivided: false };
}

function isWholeResult({ opener, castTo, isWhole = false }: Group): boolean {
  const called = opener?.name;
  if (called === undefined) return isWhole;
  if (called === 'cast') return castTo?.startsWith('int') === true;
  return wholeFunctions.test(called) || (keepingFunctions.test(called) && isWhole);
}
