/** Bodies of writes: named flags, overridden by `--data`, overridden by `--body`. */
import { usage } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { mostLevels } from '../core/limits.ts';
import { jsonOf, pairs } from './arguments.ts';
import type { Context } from './context.ts';
import { flag } from './define.ts';

type Fields = Record<string, unknown>;

interface GivenBody {
  body?: readonly string[];
  data?: string;
}

/** The flags of commands whose body may have fields that are not in the API description. */
export const bodyFieldFlags = {
  body: flag.list('KEY=VALUE', 'another body field; KEY:=JSON for JSON, a.b:=1 for nested'),
  data: flag.text('JSON|@FILE|-', 'a JSON object that overrides the named flags; - reads stdin'),
};

/**
 * The body of a write. Objects are merged key by key and anything else is replaced, so `--body config.max:=5` keeps
 * the rest of `config`.
 */
export async function bodyOf<T extends Fields>(ctx: Context, named: T, input: GivenBody): Promise<T & Fields> {
  let body: Fields = named;
  if (input.data !== undefined) body = merged(body, dataOf(await ctx.readArgument(input.data)));
  for (const text of pairs('--body', input.body)) {
    const value = 'json' in text ? text.json : text.text;
    body = merged(body, nested(text.key, value));
  }
  // The contract checks these fields before they are sent, like those of named flags.
  return body as T & Fields;
}

/** Refuses `--body` and `--data` that cannot be read, as far as the command line tells. */
export function checkBody({ body, data }: GivenBody): void {
  pairs('--body', body);
  if (data !== undefined && !/^[@-]/.test(data)) dataOf(data);
}

function dataOf(text: string): Fields {
  const data = jsonOf('--data', text);
  if (!isObject(data)) throw usage('--data must be a JSON object, such as {"name":"Deals"}');
  return data;
}

/** `bodyOf` for an update: a usage failure when there is nothing to change, with a hint of what was meant if it is known. */
export async function changes<T extends Fields>(
  ctx: Context,
  named: T,
  input: GivenBody,
  meant?: string,
): Promise<T & Fields> {
  const body = await bodyOf(ctx, named, input);
  if (Object.keys(body).length > 0) return body;
  throw usage('nothing to change', meant ?? 'give at least one flag to change; --help lists them');
}

/** The value of a required flag. */
export function requireValue<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw usage(`${name} is required`);
  return value;
}

function nested(key: string, value: unknown): Fields {
  const names = key.split('.');
  if (names.length > mostLevels) {
    throw usage(`--body: the key has ${names.length} names between its dots, and the limit is ${mostLevels} levels`);
  }
  if (names.includes('')) throw usage(`--body: "${key}" has an empty name between its dots`);
  return names.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value) as Fields;
}

/** A new object. Built from entries, so that no name (`__proto__`) is special. */
function merged(under: Fields, over: Fields): Fields {
  const all = new Map(Object.entries(under));
  for (const [name, value] of Object.entries(over)) {
    const before = all.get(name);
    all.set(name, isObject(before) && isObject(value) ? merged(before, value) : value);
  }
  return Object.fromEntries(all);
}
