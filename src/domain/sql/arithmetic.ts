/** Divisions of a statement in which SQLite drops the fraction, found in its text: SQLite does not report them. */

/** Functions whose result is whole, and those whose result is whole where their argument is. */
const wholeFunctions: ReadonlySet<string> = new Set([
  ...['count', 'length', 'row_number', 'rank', 'dense_rank', 'ntile', 'instr', 'sign', 'unixepoch'],
]);
const keepingFunctions: ReadonlySet<string> = new Set(['sum', 'min', 'max', 'abs', 'coalesce', 'ifnull', 'nullif']);

/** Words after which a parenthesis is not the argument of a function. */
const keywords: ReadonlySet<string> = new Set(
  'select where having by on and or not in case when then else as from using over between like is'.split(' '),
);

interface Token {
  kind: 'number' | 'name' | 'sign';
  text: string;
  at: number;
}

const lexemes = [
  String.raw`(?<skipped>\s+|--[^\n]*|/\*[^]*?(?:\*/|$))`,
  String.raw`(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)`,
  String.raw`(?<name>"(?:[^"]|"")*"|\x60[^\x60]*\x60|\[[^\]]*\]|[\p{L}_][\p{L}\p{M}\p{N}_$]*)`,
  String.raw`(?<sign>'(?:[^']|'')*'|[:@$][\p{L}\p{N}_]+|[^])`,
].join('|');

function tokensOf(statement: string): Token[] {
  return [...statement.matchAll(new RegExp(lexemes, 'gu'))].flatMap(({ groups = {}, index: at }): Token[] => {
    const { number, name, sign } = groups;
    if (number !== undefined) return [{ kind: 'number', text: number, at }];
    if (name !== undefined) return [{ kind: 'name', text: name, at }];
    return sign === undefined ? [] : [{ kind: 'sign', text: sign, at }];
  });
}

/**
 * The divisions of whole numbers, each as it is written.
 * @param isWhole whether a column of this name holds whole numbers
 */
export function wholeDivisions(statement: string, isWhole: (column: string) => boolean): string[] {
  const tokens = tokensOf(statement);
  const operands = new Operands(tokens, isWhole);
  return tokens.flatMap(({ text }, at): string[] => {
    if (text !== '/') return [];
    const left = operands.before(at);
    const right = operands.after(at);
    if (!left || !right || !operands.isWhole(left) || !operands.isWhole(right)) return [];
    const last = tokens[right.end - 1];
    return [statement.slice(tokens[left.start]?.at, (last?.at ?? 0) + (last?.text.length ?? 0))];
  });
}

/** Tokens from `start` to before `end`. */
interface Span {
  start: number;
  end: number;
}

class Operands {
  constructor(
    private readonly tokens: readonly Token[],
    private readonly isWholeColumn: (column: string) => boolean,
  ) {}

  /** The product before a sign: `a * b` of `a * b / c`. */
  before(sign: number): Span | undefined {
    let start = this.startOf(sign);
    while (start !== undefined && start > 0 && /^[*/%]$/.test(this.textAt(start - 1))) {
      const earlier = this.startOf(start - 1);
      if (earlier === undefined) break;
      start = earlier;
    }
    return start === undefined ? undefined : { start, end: sign };
  }

  /** The factor after a sign. */
  after(sign: number): Span | undefined {
    const start = sign + 1;
    const first = this.tokens[start];
    if (first === undefined) return undefined;
    if (first.text === '(') return { start, end: this.closing(start) + 1 };
    let end = start + 1;
    while (this.textAt(end) === '.' && this.tokens[end + 1]?.kind === 'name') end += 2;
    if (first.kind === 'name' && this.textAt(end) === '(') end = this.closing(end) + 1;
    return { start, end };
  }

  /** Whether the value is a whole number; false where that is not known. */
  isWhole({ start, end }: Span): boolean {
    let at = start;
    while (at < end) {
      const token = this.tokens[at] as Token;
      const factor = this.after(at - 1);
      if (token.kind === 'sign' && /^[-+*/%]$/.test(token.text)) at += 1;
      else if (!factor || factor.end > end || !this.isWholeFactor(factor)) return false;
      else at = factor.end;
    }
    return end > start;
  }

  private isWholeFactor({ start, end }: Span): boolean {
    const { kind, text } = this.tokens[start] as Token;
    if (kind === 'number') return /^\d+$/.test(text);
    if (text === '(') return this.isWhole({ start: start + 1, end: end - 1 });
    if (kind !== 'name') return false;
    if (this.textAt(end - 1) !== ')') return this.isWholeColumn(bareName(this.tokens[end - 1]?.text ?? ''));
    const name = text.toLowerCase();
    if (wholeFunctions.has(name)) return true;
    if (!keepingFunctions.has(name)) return false;
    const comma = this.tokens.findIndex((token, at) => at > start + 1 && at < end && token.text === ',');
    return this.isWhole({ start: start + 2, end: comma < 0 ? end - 1 : comma });
  }

  /** Where the factor before a token begins. */
  private startOf(end: number): number | undefined {
    const last = this.tokens[end - 1];
    if (last === undefined) return undefined;
    let start = last.text === ')' ? this.opening(end - 1) : end - 1;
    const isCalled = last.text === ')' && this.tokens[start - 1]?.kind === 'name';
    if (isCalled && !keywords.has(this.textAt(start - 1).toLowerCase())) start -= 1;
    while (this.textAt(start - 1) === '.') start -= 2;
    return start < 0 ? undefined : start;
  }

  private closing(at: number): number {
    let depth = 0;
    for (let index = at; index < this.tokens.length; index += 1) {
      depth += depthOf(this.textAt(index));
      if (depth === 0) return index;
    }
    return this.tokens.length - 1;
  }

  private opening(at: number): number {
    let depth = 0;
    for (let index = at; index >= 0; index -= 1) {
      depth += depthOf(this.textAt(index));
      if (depth === 0) return index;
    }
    return 0;
  }

  private textAt(index: number): string {
    return this.tokens[index]?.text ?? '';
  }
}

function depthOf(text: string): number {
  return text === '(' ? 1 : text === ')' ? -1 : 0;
}

function bareName(text: string): string {
  return text.replace(/^["`[]|["`\]]$/g, '').toLowerCase();
}
