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
  return (schema && wrongType(schema, data, [])) ?? missing(relied[op.id] ?? [], data);
}

/** Where a value is in the answer. One array for the whole walk: a text for each of a page's fields takes longer than it. */
type Path = (string | number)[];

function wrongType(schema: JsonSchema, value: unknown, path: Path): string | undefined {
  if (value === null || value === undefined) {
    return path.length === 0 ? `the answer must be ${article(baseType(schema))}, got ${shown(value)}` : undefined;
  }
  const found = typeOf(value);
  if (!fits(schema, found)) {
    const what = path.length === 0 ? 'the answer' : `"${path.join('.')}"`;
    return `${what} must be ${article(baseType(schema))}, got ${shown(value)}`;
  }
  if (Array.isArray(value)) return schema.items && wrongItem(schema.items, value, path);
  if (found !== 'object') return undefined;
  const fields = value as Record<string, unknown>;
  const { properties, additionalProperties: others } = schema;
  const all = typeof others === 'object';
  for (const name in all ? fields : properties) {
    const property = all ? others : properties?.[name];
    if (property === undefined || !Object.hasOwn(fields, name)) continue;
    path.push(name);
    const issue = wrongType(property, fields[name], path);
    if (issue !== undefined) return issue;
    path.pop();
  }
  return undefined;
}

/** Null is for fields: a row is an object. */
function wrongItem(schema: JsonSchema, items: readonly unknown[], path: Path): string | undefined {
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    path.push(index);
    const issue =
      item === null
        ? `"${path.join('.')}" must be ${article(baseType(schema))}, got null`
        : wrongType(schema, item, path);
    if (issue !== undefined) return issue;
    path.pop();
  }
  return undefined;
}

/** `a.b`: within each `a`; `a|b`: one of them is enough; `a?`: null or an empty text is enough. */
interface Relied {
  steps: readonly string[];
  names: readonly string[];
  orNull: boolean;
}

function missing(paths: readonly string[], data: unknown): string | undefined {
  for (const written of paths) {
    const steps = written.split('.');
    const last = steps.pop() ?? '';
    const names = last.replace('?', '').split('|');
    const issue = lacks(data, { steps, names, orNull: last.endsWith('?') }, 0, []);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

/** @param depth how many of the steps are behind */
function lacks(data: unknown, field: Relied, depth: number, path: Path): string | undefined {
  if (Array.isArray(data)) {
    for (let index = 0; index < data.length; index += 1) {
      path.push(index);
      const issue = lacks(data[index], field, depth, path);
      if (issue !== undefined) return issue;
      path.pop();
    }
    return undefined;
  }
  if (typeof data !== 'object' || data === null) return undefined;
  const step = field.steps[depth];
  if (step !== undefined) {
    path.push(step);
    const issue = lacks(own(data, step), field, depth + 1, path);
    if (issue === undefined) path.pop();
    return issue;
  }
  const found = field.names.some((name) => {
    const value = own(data, name);
    return value !== undefined && (field.orNull || (value !== null && value !== ''));
  });
  if (found) return undefined;
  const names = field.names.map((name) => `"${[...path, name].join('.')}"`);
  return `${names.join(' or ')} is missing from ${shown(data)}`;
}

function own(data: object, name: string): unknown {
  return Object.hasOwn(data, name) ? Reflect.get(data, name) : undefined;
}

function fits({ type }: JsonSchema, found: string): boolean {
  if (type === undefined || type === found) return true;
  if (typeof type !== 'string') return type.some((one) => fits({ type: one }, found));
  return type === 'integer' && found === 'number';
}

function typeOf(value: unknown): string {
  switch (typeof value) {
    case 'object':
      if (value instanceof ExactNumber) return 'number';
      return Array.isArray(value) ? 'array' : 'object';
    case 'number':
      return Number.isFinite(value) ? 'number' : 'a number that is too large';
    default:
      return typeof value;
  }
}

function article(type: string | undefined): string {
  return `${/^[aeio]/.test(type ?? '') ? 'an' : 'a'} ${type}`;
}

/** As much of a value as a message shows. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : stringifyJson(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
