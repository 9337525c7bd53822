/** YAML (and JSON, which is YAML too) with exact numbers and positions. */
import type * as Yaml from 'yaml';
import { Failure } from './errors.ts';
import { ExactNumber, isInRange, isObject, NumberRangeError, numeric, stringifyJson } from './json.ts';
import { maxLevels, maxYamlAliases, maxYamlCharacters, maxYamlTokens, maxYamlValues } from './limits.ts';

/** A number as JSON writes it keeps its literal. */
const exactTag = (type: 'int' | 'float', test: RegExp): Yaml.ScalarTag => ({
  tag: `tag:yaml.org,2002:${type}`,
  default: true,
  test,
  identify: (value) => type === 'float' && value instanceof ExactNumber,
  resolve(text, onError) {
    if (isInRange(text)) return numeric(text);
    onError(new NumberRangeError(text).message);
    return text;
  },
  stringify: ({ value }) => String(value),
});

const exactTags = [
  exactTag('int', /^-?(?:0|[1-9]\d*)$/),
  exactTag('float', /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/),
];

/** `resolveNodes` limits the aliases. */
const noCount = { maxAliasCount: -1 };

/** Ignores directives for YAML 1.1, where `no` is false and `<<` merges maps. */
const schema = {
  schema: 'core',
  customTags: (tags: Yaml.Tags) => [...exactTags, ...tags],
  logLevel: 'error',
} satisfies Yaml.ParseOptions & Yaml.DocumentOptions & Yaml.SchemaOptions;

/** Text that is not YAML, with the place of the mistake as data. */
export class YamlSyntaxError extends Failure {
  constructor(
    name: string,
    readonly place: TextPosition,
    readonly says: string,
  ) {
    super('usage', `${name}, line ${place.line}, column ${place.column}: ${says}`);
  }
}

/** Reads one YAML document. @throws Failure usage with line and column for what is not YAML, or is beyond the limits */
export async function readYaml(text: string, name: string): Promise<LocatedValue> {
  const yaml = await import('yaml');
  const { document, place, aliases } = parse(yaml, text, name);
  const value: unknown = document.toJS(noCount);
  if (aliases > 0) refuseExpansion(value, name);
  return { value, place };
}

/** The positions of the values of a JSON text, which is parsed at the first call. */
export async function placesOf(text: string): Promise<LocatedValue['place']> {
  const yaml = await import('yaml');
  let place: LocatedValue['place'] | undefined;
  return (path) => {
    place ??= parse(yaml, text, 'the file').place;
    return place(path);
  };
}

interface Parsed {
  document: Yaml.Document.Parsed;
  aliases: number;
  place: LocatedValue['place'];
}

/** @throws YamlSyntaxError at the first mistake */
function parse(yaml: typeof Yaml, text: string, name: string): Parsed {
  const lines = new yaml.LineCounter();
  const placeAt = (offset: number): TextPosition => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const composer = new yaml.Composer({
    ...schema,
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const [document, second] = composer.compose(tokensOf(yaml, text, { name, lines }), true, text.length);
  // The composer gives a document for any text, an empty one too.
  if (!document) throw new RangeError('a text has a document');
  const { targets, errors } = resolveNodes(yaml, document as Yaml.Document.Parsed);
  const [error] = [...document.errors, ...errors].sort((a, b) => a.pos[0] - b.pos[0]);
  if (error) throw new YamlSyntaxError(name, placeAt(error.pos[0]), error.message.replace(/\.$/, ''));
  if (second) {
    throw new YamlSyntaxError(name, placeAt(second.range[0]), 'a second document starts here; only one is allowed');
  }
  const nodeOf = nodesOf(yaml, document as Yaml.Document.Parsed, targets);
  return {
    document: document as Yaml.Document.Parsed,
    aliases: targets.size,
    place: (path) => placeAt(nodeOf(path)?.range?.[0] ?? 0),
  };
}

/** Tokens, with the limits of length and depth checked before anything is built. */
function* tokensOf(
  yaml: typeof Yaml,
  text: string,
  { name, lines }: { name: string; lines: Yaml.LineCounter },
): Generator<Yaml.CST.Token> {
  if (text.length > maxYamlCharacters) {
    throw tooMuch(name, `${text.length} characters of YAML, and the limit is ${maxYamlCharacters}`);
  }
  lines.addNewLine(0);
  const parser = new yaml.Parser(lines.addNewLine);
  let count = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    count += lexeme.trim() === '' ? 0 : 1;
    if (count > maxYamlTokens) throw tooMuch(name, `more than ${maxYamlTokens} tokens of YAML`);
    yield* parser.next(lexeme);
    // The document and a scalar are on the stack, too.
    if (parser.stack.length > maxLevels + 2) {
      const { line, col } = lines.linePos(parser.offset);
      throw new YamlSyntaxError(name, { line, column: col }, `nested deeper than ${maxLevels} levels`);
    }
  }
  yield* parser.end();
}

function tooMuch(name: string, says: string): Failure {
  return new Failure('usage', `${name} has ${says}`, { hint: 'split the file, or write long tables as CSV or NDJSON' });
}

/** Turns keys into text and finds the target of each alias. */
function resolveNodes(yaml: typeof Yaml, document: Yaml.Document.Parsed) {
  const errors: Yaml.YAMLParseError[] = [];
  const anchors = new Map<string, Yaml.Node>();
  const targets = new Map<Yaml.Alias, Yaml.Node>();
  const refuse = ({ range }: { range?: Yaml.Range | null | undefined }, says: string) => {
    const [from = 0, to = from] = range ?? [];
    errors.push(new yaml.YAMLParseError([from, to], 'BAD_ALIAS', says));
  };
  yaml.visit(document, {
    Alias(_, alias, path) {
      const target = anchors.get(alias.source);
      if (targets.size >= maxYamlAliases) {
        refuse(alias, `more than ${maxYamlAliases} aliases`);
        return yaml.visit.BREAK;
      }
      if (!target) refuse(alias, `the alias *${alias.source} has no anchor &${alias.source} before it`);
      else if (path.includes(target)) refuse(alias, `the alias *${alias.source} is inside its own value`);
      else targets.set(alias, target);
      return undefined;
    },
    Scalar(_, scalar) {
      if (scalar.anchor !== undefined) anchors.set(scalar.anchor, scalar);
      if (typeof scalar.value !== 'number' || Number.isFinite(scalar.value)) return;
      refuse(scalar, `${scalar.source} is not a number that can be kept`);
    },
    Seq(_, seq) {
      if (seq.anchor !== undefined) anchors.set(seq.anchor, seq);
    },
    Map(_, map) {
      if (map.anchor !== undefined) anchors.set(map.anchor, map);
      errors.push(...repeatedKeys(yaml, map));
    },
  });
  return { targets, errors };
}

/** `2006:` and `"2006":` are the same key, and `1.10:` is not `1.1:`. */
function repeatedKeys(yaml: typeof Yaml, { items }: Yaml.YAMLMap): Yaml.YAMLParseError[] {
  const keys = new Set<string>();
  return items.flatMap(({ key }) => {
    const [from = 0, to = from] = (yaml.isNode(key) && key.range) || [];
    if (!yaml.isScalar(key))
      return [new yaml.YAMLParseError([from, to], 'BLOCK_AS_IMPLICIT_KEY', 'a key must be text')];
    const text = keyText(key);
    key.value = text;
    const isNew = !keys.has(text);
    keys.add(text);
    return isNew ? [] : [new yaml.YAMLParseError([from, to], 'DUPLICATE_KEY', 'Map keys must be unique')];
  });
}

function keyText(key: Yaml.Scalar): string {
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

/** Limits the size with aliases written out: readers walk a shared value once for each alias. @throws Failure usage */
function refuseExpansion(value: unknown, name: string): void {
  const sizes = new Map<object, { values: number; levels: number }>();
  const sizeOf = (item: unknown): { values: number; levels: number } => {
    if (typeof item !== 'object' || item === null || item instanceof ExactNumber) return { values: 1, levels: 0 };
    const known = sizes.get(item);
    if (known) return known;
    const size = { values: 1, levels: 0 };
    for (const child of Object.values(item)) {
      const { values, levels } = sizeOf(child);
      size.values += values;
      size.levels = Math.max(size.levels, levels);
    }
    size.levels += 1;
    if (size.values > maxYamlValues) throw tooMuch(name, `aliases that stand for more than ${maxYamlValues} values`);
    if (size.levels > maxLevels) throw tooMuch(name, `aliases that make it deeper than ${maxLevels} levels`);
    sizes.set(item, size);
    return size;
  };
  sizeOf(value);
}

/** The text with another value; what stays keeps its comments and its form. */
export async function rewriteYaml(text: string, value: unknown): Promise<string> {
  const yaml = await import('yaml');
  const { document } = parse(yaml, text, 'the file');
  if (sameData(document.toJS(noCount), value)) return text;
  document.contents = rewriteNode(yaml, document, document.contents, value) as typeof document.contents;
  // New strings are written as JSON writes them.
  return document.toString({
    defaultKeyType: 'PLAIN',
    defaultStringType: 'QUOTE_DOUBLE',
    doubleQuotedAsJSON: true,
    flowCollectionPadding: /[{[] /.test(text),
    lineWidth: 0,
  });
}

function rewriteNode(yaml: typeof Yaml, document: Yaml.Document, node: unknown, value: unknown): unknown {
  if (yaml.isNode(node) && sameData(node.toJS(document, noCount), value)) return node;
  if (yaml.isMap(node) && isObject(value)) {
    const keyOf = ({ key }: Yaml.Pair) => keyText(key as Yaml.Scalar);
    const first = node.items[0]?.key;
    node.items = node.items.filter((pair) => Object.hasOwn(value, keyOf(pair)));
    let next = 0;
    for (const [key, item] of Object.entries(value)) {
      const position = node.items.findIndex((pair) => keyOf(pair) === key);
      const pair = node.items[position];
      if (pair) pair.value = rewriteNode(yaml, document, pair.value, item);
      else node.items.splice(next, 0, document.createPair(key, item));
      next = (pair ? position : next) + 1;
    }
    const top = node.items[0]?.key;
    // The comment above the first key is one above the map.
    if (yaml.isScalar(first) && yaml.isScalar(top) && top !== first) {
      top.commentBefore = first.commentBefore ?? null;
      first.commentBefore = null;
    }
    return node;
  }
  if (yaml.isSeq(node) && Array.isArray(value)) {
    const rest = [...node.items];
    const [first] = rest;
    node.items = value.map((item) => rewriteNode(yaml, document, takeItem(yaml, document, rest, item), item));
    // The parser attaches the comment above the first item to the sequence.
    if (yaml.isNode(first) && node.items[0] !== first && node.commentBefore) {
      first.commentBefore = node.commentBefore;
      node.commentBefore = null;
    }
    return node;
  }
  const created = document.createNode(value);
  if (yaml.isScalar(node)) {
    created.comment = node.comment ?? null;
    created.commentBefore = node.commentBefore ?? null;
    created.spaceBefore = node.spaceBefore ?? false;
  }
  return created;
}

/** Removes the item with the same id, slug, label or name from `rest`, or the same scalar, and gives it. */
function takeItem(yaml: typeof Yaml, document: Yaml.Document, rest: unknown[], item: unknown): unknown {
  const isSame = (node: unknown, key: string) => {
    const other: unknown = yaml.isNode(node) ? node.toJS(document, noCount) : undefined;
    return isObject(item) && isObject(other) ? item[key] !== undefined && item[key] === other[key] : item === other;
  };
  const positions = ['id', 'slug', 'label', 'name'].map((key) => rest.findIndex((node) => isSame(node, key)));
  const position = positions.find((at) => at >= 0);
  return position === undefined ? undefined : rest.splice(position, 1)[0];
}

function sameData(a: unknown, b: unknown): boolean {
  return stringifyJson(a ?? null) === stringifyJson(b ?? null) && (a === undefined) === (b === undefined);
}

/** The nodes of a document by path, or the nearest to it. */
function nodesOf(yaml: typeof Yaml, document: Yaml.Document.Parsed, targets: ReadonlyMap<Yaml.Alias, Yaml.Node>) {
  const maps = new Map<Yaml.YAMLMap, Map<string, unknown>>();
  /** Cached: each mistake in a long map looks up its position. */
  const valuesOf = (map: Yaml.YAMLMap): Map<string, unknown> => {
    const known = maps.get(map);
    if (known) return known;
    const values = new Map(map.items.map(({ key, value }) => [yaml.isScalar(key) ? keyText(key) : '', value]));
    maps.set(map, values);
    return values;
  };
  return (path: string): Yaml.Node | undefined => {
    let node: Yaml.Node | undefined = document.contents ?? undefined;
    for (const step of path.split('.')) {
      const target = yaml.isAlias(node) ? targets.get(node) : node;
      const next = yaml.isSeq(target) ? target.items[Number(step)] : yaml.isMap(target) && valuesOf(target).get(step);
      if (!yaml.isNode(next)) return node;
      node = next;
    }
    return node;
  };
}

/** A value from a text, with the position of each of its parts. */
export interface TextPosition {
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
}

export interface LocatedValue {
  value: unknown;
  /** The position of the value at a dotted path (`points.0.period`), or of its nearest parent. */
  place(path: string): TextPosition;
}

/** Characters that YAML's readers refuse or take for a line break, and that JSON leaves as they are. */
const unprintable = /[\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

/** Keys that no reader takes for anything but text; YAML 1.1 has more words for yes and no than YAML 1.2. */
const bareKey = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z_]\w*$/i;

const maxKeyLength = 1000;

/** A value as YAML text. Numbers keep their digits. */
export function writeYaml(value: unknown): string {
  return `${nodeText(value, '\n').trimStart()}\n`;
}

/** The text after a key or a dash. @param separator a line break and the indentation of the value's lines */
function nodeText(value: unknown, separator: string): string {
  if (Array.isArray(value)) return value.length > 0 ? separator + itemsText(value, separator) : ' []';
  if (isObject(value)) {
    const text = membersText(value, separator);
    return text === '' ? ' {}' : separator + text;
  }
  return ` ${scalarText(value)}`;
}

function itemsText(items: readonly unknown[], separator: string): string {
  // The first line of an item follows its dash.
  return items.map((item) => `- ${nodeText(item, `${separator}  `).trimStart()}`).join(separator);
}

function membersText(object: object, separator: string): string {
  let text = '';
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const before = text === '' ? '' : separator;
    text += `${before}${writtenKey(key, separator)}:${nodeText(value, `${separator}  `)}`;
  }
  return text;
}

function writtenKey(key: string, separator: string): string {
  if (key.length > maxKeyLength) return `? ${stringText(key)}${separator}`;
  return bareKey.test(key) ? key : stringText(key);
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return stringText(value);
  if (value instanceof ExactNumber) return value.text;
  return JSON.stringify(value) ?? 'null';
}

function stringText(text: string): string {
  // YAML has no escape for half a surrogate pair.
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
