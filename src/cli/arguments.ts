/** Targets and pairs of a command line, and bodies of writes: named flags, under `--data`, under `--body`. */
import { JsonSyntaxError, shorten, usage } from '../core/errors.ts';
import { isObject, NumberRangeError, parseJson } from '../core/json.ts';
import { maxLevels } from '../core/limits.ts';
import type { Context } from './context.ts';
import { type Argument, flag } from './define.ts';

type Fields = Record<string, unknown>;

interface BodyInput {
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
export async function bodyOf<T extends Fields>(ctx: Context, named: T, input: BodyInput): Promise<T & Fields> {
  let body: Fields = named;
  if (input.data !== undefined) body = mergeFields(body, dataOf(await ctx.readArgument(input.data)));
  for (const text of pairs('--body', input.body)) {
    const value = 'json' in text ? text.json : text.text;
    body = mergeFields(body, nestFields(text.key, value));
  }
  // The contract checks these fields before they are sent, like those of named flags.
  return body as T & Fields;
}

/** Refuses `--body` and `--data` that cannot be read, as far as the command line tells. */
export function checkBody({ body, data }: BodyInput): void {
  pairs('--body', body);
  if (data !== undefined && !/^[@-]/.test(data)) dataOf(data);
}

function dataOf(text: string): Fields {
  const data = jsonOf('--data', text);
  if (!isObject(data)) throw usage('--data must be a JSON object, such as {"name":"Deals"}');
  return data;
}

/** `bodyOf` for an update: a usage failure when there is nothing to change, with `meant` as its hint. */
export async function changes<T extends Fields>(
  ctx: Context,
  named: T,
  input: BodyInput,
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

function nestFields(key: string, value: unknown): Fields {
  const names = key.split('.');
  if (names.length > maxLevels) {
    throw usage(`--body: the key has ${names.length} names between its dots, and the limit is ${maxLevels} levels`);
  }
  if (names.includes('')) throw usage(`--body: "${key}" has an empty name between its dots`);
  return names.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value) as Fields;
}

/** A new object. Built from entries, so that no name (`__proto__`) is special. */
function mergeFields(under: Fields, over: Fields): Fields {
  const all = new Map(Object.entries(under));
  for (const [name, value] of Object.entries(over)) {
    const before = all.get(name);
    all.set(name, isObject(before) && isObject(value) ? mergeFields(before, value) : value);
  }
  return Object.fromEntries(all);
}

const list = { name: 'LIST', summary: 'a uuid, a slug or an exact name', picker: 'list' } as const satisfies Argument;
const attr = { name: 'ATTR', summary: 'a uuid, a slug or an exact name', picker: 'attr' } as const satisfies Argument;
const entry = { name: 'ENTRY', summary: 'a uuid or an exact title', picker: 'entry' } as const satisfies Argument;
const entries = { ...entry, summary: 'uuids or exact titles', variadic: true } as const satisfies Argument;

const someEntries = {
  ...entries,
  summary: 'uuids or exact titles; - reads them from stdin, one per line',
  optional: true,
  instead: ['where', 'filter', 'search', 'view', 'changedSince', 'all'],
} as const satisfies Argument;

export const targets = { list, attr, entry, someEntries };

/** The operations that find and read a list with its entries, and those that write lists and their attributes. */
export const listReads = ['listLists', 'getList', 'listEntries'] as const;
export const listWrites = ['createList', 'updateList', 'createAttribute', 'updateAttribute'] as const;

/** A parsed pair: a text that the named field gives a type, or a JSON value. */
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

/** The value of a JSON text that a user wrote; `name` is the flag or argument in the message. */
export function jsonOf(name: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof NumberRangeError) throw usage(`${name}: ${error.message}`);
    if (!(error instanceof JsonSyntaxError)) throw error;
    const line = text.trim().replace(/\s*\n\s*/g, ' ');
    if (line === '') throw usage(`${name}: not JSON: it is empty`);
    const hint = /^[[{]/.test(line) ? undefined : 'put JSON strings in double quotes';
    throw usage(`${name}: not JSON: ${error.message}: ${shorten(line)}`, hint);
  }
}
