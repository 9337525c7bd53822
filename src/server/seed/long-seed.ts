/** JSON seeds that are too long to be read at once: points and entries are read while they are loaded. */
import { array, type Schema } from '../../contract/schema.ts';
import { issues } from '../../contract/validate.ts';
import { JsonSyntaxError, usage } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { JsonElements } from '../../core/json-stream.ts';
import type { Place } from '../../core/located.ts';
import { isObject } from '../../core/objects.ts';
import { placesOf } from '../../core/yaml.ts';
import type { SeedSource } from './load.ts';
import type { OpenFile } from './read-csv.ts';
import { type LongParts, Seed, SeedPoints } from './seed.ts';
import { SeedEntry } from './seed-lists.ts';

/** Text that is read at once. */
const atOnce = 64 * 1024;

const points = 'points';
const entries = 'lists.entries';
const parts = [...Object.keys(Seed.properties ?? {}), entries];

interface Element {
  path: string;
  text: string;
  line: number;
}

interface Read {
  values: unknown[];
  /** Where the value under a path is, which begins with its number among these. */
  place(path: string): Place;
}

/** JSON of any size. Throws a usage failure with its line. */
export async function readLongSeed(open: OpenFile, name: string): Promise<SeedSource & { long: LongParts }> {
  /** Of the elements that are being loaded, by the path of the first of them. */
  let current: { path: string; first: number; read: Read } | undefined;
  const lines = new Map<string, number[]>();

  const fail: SeedSource['fail'] = (path, says) => {
    const [part = '', index = ''] = path.split('.');
    const here = current && path.startsWith(`${current.path}.`) ? path.slice(current.path.length + 1) : undefined;
    const number = Number(here?.split('.')[0]) - (current?.first ?? 0);
    const line = lines.get(part)?.[Number(index)];
    if (here !== undefined && current && number >= 0) {
      const at = current.read.place([number, ...here.split('.').slice(1)].join('.'));
      return usage(`${name}, line ${at.line}, column ${at.column}: ${path} ${says}`);
    }
    return usage(`${name}${line === undefined ? '' : `, line ${line}`}: ${path === '' ? 'the file' : path} ${says}`);
  };

  const batches = async function* <T>(wanted: string, schema: Schema<T>) {
    let list = 0;
    let first = 0;
    for await (const elements of batchesOf(open, name)) {
      const [{ path }] = elements as [Element];
      if (path === 'lists') {
        list += elements.length;
        first = 0;
      }
      if (path !== wanted) continue;
      const found = await readJson(elements, name);
      const at = wanted === points ? points : `lists.${list}.entries`;
      current = { path: at, first, read: found };
      const [issue] = issues(array(schema), found.values);
      const [number = '', ...rest] = issue?.path.split('.') ?? [];
      if (issue) throw fail([at, first + Number(number), ...rest].join('.'), issue.message);
      yield { first, list, items: found.values as T[] };
      current = undefined;
      first += elements.length;
    }
  };

  const seed = await outline(open, name, lines);
  const [first, ...more] = issues(Seed, seed);
  if (first) throw fail(first.path, more.length === 0 ? first.message : `${first.message} (and ${more.length} more)`);
  const long = { points: () => batches(points, SeedPoints), entries: () => batches(entries, SeedEntry) };
  return { seed: seed as Seed, fail, long };
}

/** The seed without points and entries. */
async function outline(open: OpenFile, name: string, linesOf: Map<string, number[]>): Promise<unknown> {
  const found = new Map<string, unknown[]>();
  let left = '';
  const rest = (text: string) => {
    left = text;
  };
  for await (const elements of batchesOf(open, name, rest)) {
    const [{ path }] = elements as [Element];
    if (path === points || path === entries) continue;
    const values = found.get(path) ?? [];
    found.set(path, values);
    const lines = linesOf.get(path) ?? [];
    linesOf.set(path, lines);
    for (const { line } of elements) lines.push(line);
    for (const value of (await readJson(elements, name)).values) values.push(value);
  }
  const value = parsed(left, name, 1);
  return isObject(value) ? { ...value, ...Object.fromEntries(found) } : value;
}

/** Elements of one list each, as many as are read at once. */
async function* batchesOf(open: OpenFile, name: string, rest?: (left: string) => void): AsyncGenerator<Element[]> {
  let batch: Element[] = [];
  let size = 0;
  const full: Element[][] = [];
  const take = (text: string, path: string | undefined, line: number) => {
    const [before] = batch;
    if (before && (before.path !== path || size > atOnce || path === 'lists')) {
      full.push(batch);
      batch = [];
      size = 0;
    }
    batch.push({ path: path ?? '', text, line });
    size += text.length;
  };
  const split = new JsonElements(take, parts);
  for await (const text of textOf(open, name)) {
    split.write(text);
    yield* full.splice(0);
  }
  const left = split.left();
  if (split.repeated !== undefined) {
    throw usage(`${name} has "${split.repeated}" more than once`);
  }
  yield* full.splice(0);
  if (batch.length > 0) yield batch;
  rest?.(left);
}

async function* textOf(open: OpenFile, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of open()) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw usage(`${name} is not UTF-8 text`);
    throw error;
  }
}

/** The commas between elements are where they were, and so are the lines. */
async function readJson(elements: readonly Element[], name: string): Promise<Read> {
  const line = elements[0]?.line ?? 1;
  const text = `[${elements.map((element) => element.text).join(',')}]`;
  const place = await placesOf(text);
  return {
    values: parsed(text, name, line) as unknown[],
    place(path) {
      const at = place(path);
      return { line: at.line + line - 1, column: at.column };
    },
  };
}

function parsed(text: string, name: string, line: number): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw usage(`${name}, line ${line + error.line - 1}, column ${error.column}: ${error.says}`);
  }
}
