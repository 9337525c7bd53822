/** The tokens of a text in SQLite's SQL. */

export interface Token {
  /** A `name` is bare, or quoted by `"`, a backtick or brackets; what SQLite cannot read is `wrong`. */
  kind: 'name' | 'string' | 'number' | 'parameter' | 'mark' | 'wrong';
  /** As it is written. */
  text: string;
  /** The name without its quotes; else the text. */
  value: string;
  quoted: boolean;
  at: number;
  /** After its last character. */
  end: number;
  /** How many parentheses are open around it. */
  depth: number;
}

interface Lexed {
  tokens: Token[];
  /** The quote or comment that the text ends in. */
  open: string | undefined;
}

const blank = /(?:\s|\uFEFF)+|--[^\n]*/y;
const comment = /\/\*[\s\S]*?(?:\*\/|$)/y;
const number = /0[xX][0-9a-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const word = /[A-Za-z_\u0080-\uFFFF][A-Za-z0-9_$\u0080-\uFFFF]*/y;
const parameter = /\?\d*|[:@$][A-Za-z_\u0080-\uFFFF][A-Za-z0-9_$\u0080-\uFFFF]*/y;
const mark = /->>|->|<=|>=|<>|!=|==|<<|>>|\|\||[-+*/%&|~<>=(),.;]/y;

export function lex(text: string): Lexed {
  const tokens: Token[] = [];
  let at = 0;
  let depth = 0;
  let open: string | undefined;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const add = (kind: Token['kind'], written: string, value = written, quoted = false) => {
    if (written === ')') depth = Math.max(0, depth - 1);
    tokens.push({ kind, text: written, value, quoted, at, end: at + written.length, depth });
    if (written === '(' && kind === 'mark') depth += 1;
    at += written.length;
  };
  while (at < text.length) {
    const skipped = match(blank);
    const remark = skipped === undefined ? match(comment) : undefined;
    if (skipped !== undefined || remark !== undefined) {
      if (remark !== undefined && (remark.length < 4 || !remark.endsWith('*/'))) open = '/*';
      at += (skipped ?? remark ?? '').length;
      continue;
    }
    const first = text[at] ?? '';
    const closing = { "'": "'", '"': '"', '`': '`', '[': ']' }[first];
    if (closing !== undefined) {
      const end = endOfQuote(text, at, closing);
      if (end === undefined) {
        open = first;
        add('wrong', text.slice(at));
        continue;
      }
      const inner = text.slice(at + 1, end - 1);
      const value = first === '[' ? inner : inner.replaceAll(closing + closing, closing);
      add(first === "'" ? 'string' : 'name', text.slice(at, end), value, true);
      continue;
    }
    const found = match(number);
    if (found !== undefined) {
      add('number', found);
      continue;
    }
    const name = match(word);
    if (name !== undefined) add('name', name);
    else {
      const placed = match(parameter);
      if (placed !== undefined) add('parameter', placed);
      else add(match(mark) === undefined ? 'wrong' : 'mark', match(mark) ?? first);
    }
  }
  return { tokens, open };
}

/** After the closing quote; undefined without one. A doubled quote is one of the text, but not in brackets. */
function endOfQuote(text: string, from: number, closing: string): number | undefined {
  for (let at = text.indexOf(closing, from + 1); at >= 0; at = text.indexOf(closing, at + 1)) {
    if (closing === ']' || text[at + 1] !== closing) return at + 1;
    at += 1;
  }
  return undefined;
}

/** Whether an SQL token is the bare word, in any letter case. */
export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'name' && !token.quoted && words.includes(token.value.toLowerCase());
}
