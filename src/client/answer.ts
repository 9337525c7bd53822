/** What the body of an answer must be before anybody relies on it. Further fields are welcome. */
import type { Operation } from '../contract/operation.ts';
import { relied } from '../contract/relied.ts';
import { baseType, type JsonSchema } from '../contract/schema.ts';
import { ExactNumber, stringifyJson } from '../core/json.ts';

/** The schema of an operation's result without its envelope. */
export function resultSchema({ result, envelope }: Operation): JsonSchema | undefined {
  return envelope === undefined ? result : (result?.properties?.[envelope] ?? result);
}

/**
 * The first field that is missing though the contract says that it is relied on, or that is of another type than the
 * contract says. Null is like absent: databases write it for what they do not have. Enums and formats may grow.
 */
export function answerIssue(op: Operation, data: unknown): string | undefined {
  const schema = resultSchema(op);
  return (schema && wrongType(schema, data, '')) ?? missing(relied[op.id] ?? [], data);
}

function wrongType(schema: JsonSchema, value: unknown, path: string): string | undefined {
  if (value === null || value === undefined) {
    return path === '' ? `the answer must be ${article(baseType(schema))}, got ${shown(value)}` : undefined;
  }
  const type = baseType(schema);
  if (type !== undefined && type !== typeOf(value)) {
    if (type !== 'integer' || typeOf(value) !== 'number') {
      return `${path === '' ? 'the answer' : `"${path}"`} must be ${article(type)}, got ${shown(value)}`;
    }
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return items && first(value.entries(), ([index, item]) => itemIssue(items, item, join(path, index)));
  }
  if (type !== 'object') return undefined;
  const fields = value as Record<string, unknown>;
  const { properties, additionalProperties: others } = schema;
  if (typeof others === 'object') {
    return first(Object.entries(fields), ([name, item]) => wrongType(others, item, join(path, name)));
  }
  if (properties === undefined) return undefined;
  return first(Object.entries(properties), ([name, property]) =>
    Object.hasOwn(fields, name) ? wrongType(property, fields[name], join(path, name)) : undefined,
  );
}

/** Null is for fields: a row is an object. */
function itemIssue(schema: JsonSchema, item: unknown, path: string): string | undefined {
  if (item === null) return `"${path}" must be ${article(baseType(schema))}, got null`;
  return wrongType(schema, item, path);
}

/** `a.b`: within each `a`; `a|b`: one of them is enough; `a?`: null or an empty text is enough. */
function missing(paths: readonly string[], data: unknown): string | undefined {
  return first(paths, (path) => {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    return lacks(data, steps, last.replace('?', '').split('|'), last.endsWith('?'), '');
  });
}

function lacks(
  data: unknown,
  steps: readonly string[],
  names: readonly string[],
  orNull: boolean,
  path: string,
): string | undefined {
  if (Array.isArray(data)) {
    return first(data.entries(), ([index, item]) => lacks(item, steps, names, orNull, join(path, index)));
  }
  if (typeof data !== 'object' || data === null) return undefined;
  const [step, ...rest] = steps;
  if (step !== undefined) return lacks(own(data, step), rest, names, orNull, join(path, step));
  const found = names.some((name) => {
    const value = own(data, name);
    return value !== undefined && (orNull || (value !== null && value !== ''));
  });
  if (found) return undefined;
  return `${names.map((name) => `"${join(path, name)}"`).join(' or ')} is missing from ${shown(data)}`;
}

function own(data: object, name: string): unknown {
  return Object.hasOwn(data, name) ? Reflect.get(data, name) : undefined;
}

function first<T>(all: Iterable<T>, issue: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = issue(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function typeOf(value: unknown): string {
  if (value instanceof ExactNumber) return 'number';
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : 'a number that is too large';
  return Array.isArray(value) ? 'array' : typeof value;
}

function join(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

function article(type: string | undefined): string {
  return `${/^[aeio]/.test(type ?? '') ? 'an' : 'a'} ${type}`;
}

/** As much of a value as a message shows. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : stringifyJson(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
