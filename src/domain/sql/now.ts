/** What time it is in a statement: SQLite knows only the clock of this machine. */
import type { Statement } from './statement.ts';
import { isWord, type Token } from './tokens.ts';

/** Functions of SQLite that read `'now'`; without a time they take it. */
const timed = ['date', 'time', 'datetime', 'julianday', 'unixepoch', 'strftime', 'timediff'];

const keywords: Readonly<Record<string, string>> = {
  current_date: 'date',
  current_time: 'time',
  current_timestamp: 'datetime',
};

interface Change {
  at: number;
  end: number;
  text: string;
}

/**
 * The statement with the time written in, where it asks for it: `now` is called only then.
 * @param values of its parameters, which may ask for it as well
 */
export function atTime(
  { text, tokens }: Statement,
  now: () => Date,
  values: Readonly<Record<string, unknown>> = {},
): string {
  let time: string | undefined;
  const written = () => {
    time ??= `'${now().toISOString().slice(0, -1).replace('T', ' ')}'`;
    return time;
  };
  const changes = new Map<number, Change>();
  const change = (at: number, end: number, text: string) => changes.set(at, { at, end, text });
  for (const [index, token] of tokens.entries()) {
    const keyword = isWord(token, ...Object.keys(keywords)) ? keywords[token.value.toLowerCase()] : undefined;
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    if (keyword && before?.text !== '.' && !isWord(before, 'as') && next?.text !== '.' && next?.text !== '(') {
      change(token.at, token.end, `${keyword}(${written()})`);
    }
    if (next?.text !== '(' || before?.text === '.' || !isWord(token, ...timed)) continue;
    const inside = argumentsOf(tokens, index + 1);
    const isFormat = isWord(token, 'strftime');
    for (const { kind, value, at, end } of inside.slice(isFormat ? 1 : 0)) {
      const said = kind === 'parameter' ? values[value.slice(1)] : kind === 'string' ? value : undefined;
      if (typeof said === 'string' && said.toLowerCase() === 'now') change(at, end, written());
    }
    const isAlone = !inside.some(({ text: mark, depth }) => mark === ',' && depth === next.depth + 1);
    const at = inside.at(-1)?.end ?? next.end;
    if (isFormat && isAlone && inside.length > 0) change(at, at, `, ${written()}`);
    if (!isFormat && inside.length === 0) change(at, at, written());
  }
  return [...changes.values()]
    .sort((a, b) => b.at - a.at)
    .reduce((changed, { at, end, text: by }) => changed.slice(0, at) + by + changed.slice(end), text);
}

/** What is between a parenthesis and its end. */
function argumentsOf(tokens: readonly Token[], open: number): readonly Token[] {
  const depth = tokens[open]?.depth ?? 0;
  const length = tokens.slice(open + 1).findIndex((token) => token.text === ')' && token.depth === depth);
  return length < 0 ? [] : tokens.slice(open + 1, open + 1 + length);
}
