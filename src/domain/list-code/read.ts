/** Reads a list file, with every mistake at its line and column. */
import { optionTypes } from '../../contract/lists.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import { issues, isUuid } from '../../contract/validate.ts';
import { compare } from '../../core/decimal.ts';
import { isNumeric } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { isObject } from '../../core/objects.ts';
import { type AttributeSpec, ListSpec } from './spec.ts';

/** Where a value is in the file, from 1. */
export interface Place {
  line: number;
  column: number;
}

export interface Problem extends Place {
  message: string;
}

type Wrong = (path: string, message: string) => void;
type Loose = Record<string, unknown>;

/** Types with bounds (docs/server.md, "Attributes" 4). */
const numeric: readonly unknown[] = ['number', 'currency', 'rating'];

/** @returns the specification, and its problems; without problems it has its type */
export function readListSpec(value: unknown, place: (path: string) => Place): { spec: ListSpec; problems: Problem[] } {
  const problems: Problem[] = [];
  const wrong: Wrong = (path, message) => {
    problems.push({ ...place(path), message: path === '' ? message : `${path}: ${message}` });
  };
  const written = expanded(value);
  for (const { path, message } of issues(ListSpec, written)) {
    wrong(path, path === '' ? `a list file ${message} with a name` : `${message}${known(path, message)}`);
  }
  const attributes = objectsOf(isObject(written) ? written.attributes : undefined);
  for (const [index, attribute] of attributes) checkAttribute(attribute, `attributes.${index}`, wrong);
  distinct(attributes, 'id', 'attributes', wrong);
  distinct(attributes, 'slug', 'attributes', wrong);
  // Attributes of one name are told apart by their id or slug.
  const bare = attributes.filter(([, { id, slug }]) => id === undefined && slug === undefined);
  distinct(bare, 'name', 'attributes', wrong, '; two attributes of one name need their slug or id');
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { spec: written as ListSpec, problems };
}

/** What an unknown field may have meant. */
function known(path: string, message: string): string {
  if (message !== 'is not known here') return '';
  const steps = path.split('.').slice(0, -1);
  const field = path.slice(path.lastIndexOf('.') + 1);
  let schema: JsonSchema | undefined = ListSpec;
  for (const step of steps) schema = /^\d+$/.test(step) ? schema?.items : schema?.properties?.[step];
  const names = Object.keys(schema?.properties ?? {});
  const near = nearest(field, names);
  return near === undefined ? `; known are ${names.join(', ')}` : `; did you mean ${near}?`;
}

/** An option may be written as only its label. */
export function expanded(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.attributes)) return value;
  const attributes = value.attributes.map((attribute: unknown) => {
    if (!isObject(attribute) || !Array.isArray(attribute.options)) return attribute;
    const options = attribute.options.map((option: unknown) =>
      typeof option === 'string' ? { label: option } : option,
    );
    return { ...attribute, options };
  });
  return { ...value, attributes };
}

function checkAttribute(attribute: Loose, path: string, wrong: Wrong): void {
  const { type, min, max, currency, options } = attribute;
  const takes = (field: string, types: readonly unknown[]) => {
    if (attribute[field] !== undefined && typeof type === 'string' && !types.includes(type)) {
      wrong(`${path}.${field}`, `is for attributes of type ${types.join(', ')}, and this one is ${type}`);
    }
  };
  takes('options', optionTypes);
  takes('min', numeric);
  takes('max', numeric);
  if (currency !== undefined) takes('currency', ['currency']);
  if (isNumeric(min) && isNumeric(max) && compare(min, max) > 0) {
    wrong(`${path}.max`, `must not be below min (${min}), got ${max}`);
  }
  const written = objectsOf(options);
  distinct(written, 'id', `${path}.options`, wrong);
  distinct(written, 'label', `${path}.options`, wrong);
}

/** Two that should be one are both in the file: the second is the mistake. */
function distinct(all: readonly [number, Loose][], field: string, path: string, wrong: Wrong, more = ''): void {
  const seen = new Set<unknown>();
  for (const [index, one] of all) {
    const value = one[field];
    if (typeof value !== 'string') continue;
    const same = isUuid(value) ? value.toLowerCase() : value;
    if (seen.has(same)) wrong(`${path}.${index}.${field}`, `repeats ${JSON.stringify(value)}${more}`);
    seen.add(same);
  }
}

function objectsOf(value: unknown): [number, Loose][] {
  return (Array.isArray(value) ? value : []).flatMap((item: unknown, index): [number, Loose][] =>
    isObject(item) ? [[index, item]] : [],
  );
}

/** The specification without what one server gave: for a list of another. */
export function withoutIds({ id: _, ...list }: ListSpec): ListSpec {
  const bare = ({ id: _id, ...attribute }: AttributeSpec): AttributeSpec =>
    attribute.options === undefined
      ? attribute
      : { ...attribute, options: attribute.options.map(({ id: _option, ...option }) => option) };
  return { ...list, ...(list.attributes === undefined ? {} : { attributes: list.attributes.map(bare) }) };
}
