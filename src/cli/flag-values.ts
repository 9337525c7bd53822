/** The text after a flag as a typed value, checked against the flag's rules. */
import { issues } from '../contract/validate.ts';
import { shortened, usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import type { Flag } from './define.ts';

/** As much of a value as a message shows. */
const longest = 80;

/** @throws usage naming the flag, the value and the rule */
export function flagValue(name: string, flag: Flag, text: string): string | number {
  const wrong = (rule: string) => usage(`${name} ${rule}, but got ${quoted(text)}`);
  checkChoice(name, flag.choices, text);
  if (flag.pattern && !new RegExp(flag.pattern.source, 'u').test(text)) throw wrong(`must be ${flag.pattern.says}`);
  const value = flag.kind === 'integer' || flag.kind === 'number' ? numberOf(flag, text, wrong) : text;
  const broken = flag.schema && issues(flag.schema, value)[0];
  if (broken) throw wrong(broken.message);
  return value;
}

/** @throws usage when there are choices and `text` is none of them; `name` is a flag or an argument */
export function checkChoice(name: string, choices: readonly string[] | undefined, text: string): void {
  if (!choices || choices.includes(text)) return;
  const near = nearest(text, choices);
  throw usage(`${name} must be ${listed(choices)}, but got ${quoted(text)}`, near && `did you mean ${near}?`);
}

/** In quotes, shortened to a readable length. */
function quoted(text: string): string {
  return JSON.stringify(shortened(text, longest));
}

function numberOf(flag: Flag, text: string, wrong: (rule: string) => Error): number {
  const whole = flag.kind === 'integer';
  const value = Number(text);
  const written = whole ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  if (!written.test(text) || !Number.isFinite(value)) throw wrong(`must be a ${whole ? 'whole ' : ''}number`);
  if (whole && !Number.isSafeInteger(value)) throw wrong(`must be a whole number of at most 2^53 - 1`);
  const { minimum, maximum } = flag;
  if (minimum !== undefined && maximum !== undefined && (value < minimum || value > maximum)) {
    throw wrong(`must be ${minimum} to ${maximum}`);
  }
  if (minimum !== undefined && value < minimum) throw wrong(`must be at least ${minimum}`);
  if (maximum !== undefined && value > maximum) throw wrong(`must be at most ${maximum}`);
  return value;
}

/** `a, b or c`. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
