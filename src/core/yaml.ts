/**
 * YAML (and JSON, which is YAML too) with numbers kept exact and places kept. The only file that knows the YAML library.
 *
 * YAML's own reader turns `1.10` into 1.1 and 12345678901234567890 into 12345678901234567000; here every number keeps
 * its literal when a double would lose it (see `json.ts`).
 */
import type * as Yaml from 'yaml';
import { Failure } from './errors.ts';
import { ExactNumber, stringifyJson } from './json.ts';
import type { Located, Place } from './located.ts';
import { isObject } from './objects.ts';
import { keyText, plain } from './yaml-values.ts';

/** How an ExactNumber is printed: its literal, as any number. */
const exactTag: Yaml.ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof ExactNumber,
  resolve: (text) => text,
  stringify: ({ value }) => String(value),
};

/** Text that is not YAML, with the place of the mistake as data. */
export class YamlSyntaxError extends Failure {
  constructor(
    name: string,
    readonly place: Place,
    readonly says: string,
  ) {
    super('usage', `${name}, line ${place.line}, column ${place.column}: ${says}`);
  }
}

/**
 * Reads one YAML document. `name` is what the text is called in messages.
 * Throws a usage failure with line and column when it is not YAML, or more than one document.
 */
export async function readYaml(text: string, name: string): Promise<Located> {
  const yaml = await import('yaml');
  const { document, lines } = parse(yaml, text);
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    const says = error.code === 'MULTIPLE_DOCS' ? 'a second document starts here; only one is allowed' : error.message;
    throw new YamlSyntaxError(name, { line, column: col }, says.replace(/\.$/, ''));
  }
  return { value: plain(yaml, document, name), place: (path) => placeOf(yaml, document, lines, path) };
}

/** Where the values of a JSON text are; the text is read for it at the first call. */
export async function placesOf(text: string): Promise<Located['place']> {
  const yaml = await import('yaml');
  let read: ReturnType<typeof parse> | undefined;
  return (path) => {
    read ??= parse(yaml, text);
    return placeOf(yaml, read.document, read.lines, path);
  };
}

function parse(yaml: typeof Yaml, text: string): { document: Yaml.Document.Parsed; lines: Yaml.LineCounter } {
  const lines = new yaml.LineCounter();
  // The library compares each key with all others.
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  yaml.visit(document, { Map: (_, map) => void document.errors.push(...repeatedKeys(yaml, map)) });
  document.errors.sort((a, b) => a.pos[0] - b.pos[0]);
  return { document, lines };
}

function repeatedKeys(yaml: typeof Yaml, { items }: Yaml.YAMLMap): Yaml.YAMLParseError[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ key }) => {
    if (!yaml.isScalar(key)) return [];
    const isNew = !seen.has(key.value);
    seen.add(key.value);
    const [from = 0, to = from] = key.range ?? [];
    return isNew ? [] : [new yaml.YAMLParseError([from, to], 'DUPLICATE_KEY', 'Map keys must be unique')];
  });
}

function placeOf(yaml: typeof Yaml, document: Yaml.Document.Parsed, lines: Yaml.LineCounter, path: string): Place {
  const { line, col } = lines.linePos(nodeAt(yaml, document, path)?.range?.[0] ?? 0);
  return { line, column: col };
}

/**
 * The text with another value: what stays keeps its comments, its place and the way it is written.
 * Items of sequences are matched by their `id`, `slug`, `label` or `name`, else by their place.
 */
export async function rewriteYaml(text: string, value: unknown): Promise<string> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { customTags: [exactTag], prettyErrors: false });
  if (document.contents && sameData(plain(yaml, document, 'the file'), value)) return text;
  document.contents = rewritten(yaml, document, document.contents, value) as typeof document.contents;
  // New strings are written as JSON writes them.
  return document.toString({
    defaultKeyType: 'PLAIN',
    defaultStringType: 'QUOTE_DOUBLE',
    doubleQuotedAsJSON: true,
    flowCollectionPadding: /[{[] /.test(text),
    lineWidth: 0,
  });
}

function rewritten(yaml: typeof Yaml, document: Yaml.Document, before: unknown, value: unknown): unknown {
  const kept = yaml.isNode(before) ? plain(yaml, document, 'the file', before) : undefined;
  if (yaml.isNode(before) && sameData(kept, value)) return before;
  if (yaml.isMap(before) && isObject(value)) {
    const pairs = before.items;
    const keyOf = (pair: Yaml.Pair) => (yaml.isScalar(pair.key) ? keyText(pair.key) : String(pair.key));
    before.items = pairs.filter((pair) => Object.hasOwn(value, keyOf(pair)));
    let at = 0;
    for (const [key, item] of Object.entries(value)) {
      const found = before.items.findIndex((pair) => keyOf(pair) === key);
      const pair = before.items[found];
      if (pair === undefined) before.items.splice(at, 0, headedPair(yaml, document.createPair(key, item), before, at));
      else pair.value = rewritten(yaml, document, pair.value, item);
      at = (found < 0 ? at : found) + 1;
    }
    return before;
  }
  if (yaml.isSeq(before) && Array.isArray(value)) {
    const rest = [...before.items];
    const [first] = rest;
    before.items = value.map((item, index) => {
      const found = partnerOf(yaml, document, rest, item, index);
      return rewritten(yaml, document, found, item);
    });
    // The comment above the first item is kept at the sequence, and belongs to the item.
    if (yaml.isNode(first) && before.items[0] !== first && before.commentBefore) {
      first.commentBefore = before.commentBefore;
      before.commentBefore = null;
    }
    return before;
  }
  const made = document.createNode(value);
  if (yaml.isScalar(before) && yaml.isScalar(made)) {
    made.comment = before.comment ?? null;
    made.commentBefore = before.commentBefore ?? null;
    made.spaceBefore = before.spaceBefore ?? false;
  }
  return made;
}

/** A comment above the first key of a map is one above the map. */
function headedPair(yaml: typeof Yaml, pair: Yaml.Pair, { items: [first] }: Yaml.YAMLMap, at: number): Yaml.Pair {
  if (at === 0 && yaml.isScalar(pair.key) && yaml.isScalar(first?.key)) {
    pair.key.commentBefore = first.key.commentBefore ?? null;
    first.key.commentBefore = null;
  }
  return pair;
}

/** Takes the item of the sequence that means the same thing out of `rest`. */
function partnerOf(yaml: typeof Yaml, document: Yaml.Document, rest: unknown[], item: unknown, index: number): unknown {
  const plainOf = (node: unknown) => (yaml.isNode(node) ? plain(yaml, document, 'the file', node) : undefined);
  const known = isObject(item) ? ['id', 'slug', 'label', 'name'].filter((key) => Object.hasOwn(item, key)) : [];
  for (const key of known) {
    const found = rest.findIndex((node) => {
      const other = plainOf(node);
      return isObject(item) && isObject(other) && Object.hasOwn(other, key) && other[key] === item[key];
    });
    if (found >= 0) return take(rest, found);
  }
  const found = known.length > 0 ? -1 : rest.findIndex((node, at) => at === index && node !== undefined);
  return found < 0 ? undefined : take(rest, found);
}

/** Leaves the others at their places. */
function take(rest: unknown[], index: number): unknown {
  const [found] = rest.splice(index, 1, undefined);
  return found;
}

function sameData(a: unknown, b: unknown): boolean {
  return stringifyJson(a ?? null) === stringifyJson(b ?? null) && (a === undefined) === (b === undefined);
}

const keysOfMaps = new WeakMap<object, Map<string, Yaml.Pair>>();

/** The pairs of a map by key, gathered once: every mistake of a long map asks for its place. */
function keysOf(yaml: typeof Yaml, map: Yaml.YAMLMap): Map<string, Yaml.Pair> {
  const known = keysOfMaps.get(map);
  if (known) return known;
  const keys = new Map<string, Yaml.Pair>();
  for (const pair of map.items) {
    const text = yaml.isScalar(pair.key) ? keyText(pair.key) : '';
    if (!keys.has(text)) keys.set(text, pair);
  }
  keysOfMaps.set(map, keys);
  return keys;
}

function nodeAt(yaml: typeof Yaml, document: Yaml.Document.Parsed, path: string): Yaml.Node | undefined {
  const resolve = (item: unknown): unknown => (yaml.isAlias(item) ? item.resolve(document) : item);
  let found: Yaml.Node | undefined = document.contents ?? undefined;
  let rest = path === '' ? [] : path.split('.');
  while (rest.length > 0) {
    const here = resolve(found);
    if (yaml.isSeq(here)) {
      const next = here.items[Number(rest[0])];
      if (!yaml.isNode(next)) return found;
      found = next;
      rest = rest.slice(1);
    } else if (yaml.isMap(here)) {
      // A key may hold a dot itself: the longest key that fits is the one meant.
      const keys = keysOf(yaml, here);
      let length = rest.length;
      while (length > 0 && !keys.has(rest.slice(0, length).join('.'))) length -= 1;
      const pair = keys.get(rest.slice(0, length).join('.'));
      if (length === 0 || !pair) return found;
      const { key, value } = pair;
      rest = rest.slice(length);
      // A leaf is pointed at by its key's line when it has no node of its own (`key:` with nothing after it).
      if (!yaml.isNode(value)) return yaml.isNode(key) ? key : found;
      found = value;
    } else return found;
  }
  return found;
}
