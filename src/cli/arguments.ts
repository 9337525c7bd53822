/** Arguments that many commands take: targets, companies, and `KEY=VALUE` pairs. */
import { JsonSyntaxError, shortened, usage } from '../core/errors.ts';
import { NumberRangeError, parseJson } from '../core/json.ts';
import type { Argument } from './define.ts';

const list = { name: 'LIST', summary: 'a uuid, a slug or an exact name', asks: 'list' } as const satisfies Argument;
const attr = { name: 'ATTR', summary: 'a uuid, a slug or an exact name', asks: 'attr' } as const satisfies Argument;
const entry = { name: 'ENTRY', summary: 'a uuid or an exact title', asks: 'entry' } as const satisfies Argument;
const entries = { ...entry, summary: 'uuids or exact titles', variadic: true } as const satisfies Argument;

const someEntries = {
  ...entries,
  summary: 'uuids or exact titles; - reads them from stdin, one per line',
  optional: true,
  instead: ['where', 'filter', 'search', 'view', 'changedSince', 'all'],
} as const satisfies Argument;

export const targets = { list, attr, entry, someEntries };

/** One pair as it was written: text to be typed by what it names, or a JSON value. */
type Pair = { key: string } & ({ text: string } | { json: unknown });

/** Splits at the first `=`; `:=` says that JSON follows. `name` is the flag, for messages. */
export function pair(name: string, written: string): Pair {
  const at = written.indexOf('=');
  const json = at > 0 && written[at - 1] === ':';
  const key = written.slice(0, json ? at - 1 : Math.max(at, 0)).trim();
  if (key === '') throw usage(`${name} takes KEY=VALUE or KEY:=JSON, got "${written}"`);
  const value = written.slice(at + 1);
  return json ? { key, json: jsonOf(`${name} ${key}`, value) } : { key, text: value };
}

export function pairs(name: string, written: readonly string[] = []): Pair[] {
  return written.map((text) => pair(name, text));
}

/** The value of a JSON text that a user wrote; `what` names it in the message. */
export function jsonOf(what: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof NumberRangeError) throw usage(`${what}: ${error.message}`);
    if (!(error instanceof JsonSyntaxError)) throw error;
    const line = text.trim().replace(/\s*\n\s*/g, ' ');
    const hint = /^[[{]/.test(line) ? undefined : 'put JSON strings in double quotes';
    throw usage(`${what}: not JSON: ${error.message}: ${shortened(line)}`, hint);
  }
}
