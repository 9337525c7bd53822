/** The shape of an answer: types, needed fields and periods. Unknown fields are accepted. */
import type { Operation } from '../contract/operation.ts';
import { answeredPeriods, requiredFields } from '../contract/required-fields.ts';
import { baseType, type JsonSchema } from '../contract/schema.ts';
import { shorten } from '../core/errors.ts';
import { ExactNumber, isObject, stringifyJson } from '../core/json.ts';
import { type PeriodType, parsePeriod, periodExamples } from '../core/periods.ts';

/** The schema of an operation's result without its envelope. */
export function resultSchema({ result, envelope }: Operation): JsonSchema | undefined {
  return envelope === undefined ? result : (result?.properties?.[envelope] ?? result);
}

/**
 * The first field that comem needs and that is missing, or that is of another type than the
 * contract says. Null is like absent: databases write it for what they do not have. Enums and formats may grow.
 */
export function answerIssue(op: Operation, data: unknown): string | undefined {
  const schema = resultSchema(op);
  const wrong = schema && wrongType(schema, data, true);
  if (!wrong) return missingField((requiredFields[op.id] ?? []).map(parseNeededField), data) ?? wrongPeriod(op, data);
  const field = wrong.path.length === 0 ? 'the answer' : `"${wrong.path.join('.')}"`;
  return `${field} must be ${article(baseType(wrong.schema))}, got ${formatValue(wrong.value)}`;
}

/** The path of a value, built on the way back up: an answer without an issue needs none. */
type Path = (string | number)[];

interface TypeMismatch {
  path: Path;
  schema: JsonSchema;
  value: unknown;
}

/** @param isNeeded whether null is wrong: null is for fields, and a row is an object */
function wrongType(schema: JsonSchema, value: unknown, isNeeded: boolean): TypeMismatch | undefined {
  if (value === null || value === undefined) return isNeeded ? { path: [], schema, value } : undefined;
  const type = typeOf(value);
  if (!hasType(schema, type)) return { path: [], schema, value };
  if (type === 'array') return schema.items && wrongItem(schema.items, value as unknown[]);
  return type === 'object' ? wrongField(schema, value as Record<string, unknown>) : undefined;
}

function wrongItem(schema: JsonSchema, items: readonly unknown[]): TypeMismatch | undefined {
  for (let index = 0; index < items.length; index += 1) {
    const wrong = wrongType(schema, items[index], items[index] === null);
    if (wrong) return prefixPath(index, wrong);
  }
  return undefined;
}

function wrongField(schema: JsonSchema, fields: Record<string, unknown>): TypeMismatch | undefined {
  const { properties, additionalProperties: others } = schema;
  if (typeof others === 'object') {
    for (const name in fields) {
      const wrong = wrongType(others, fields[name], false);
      if (wrong) return prefixPath(name, wrong);
    }
    return undefined;
  }
  if (!properties) return undefined;
  for (const name in properties) {
    const property = properties[name];
    const wrong = property && wrongType(property, fields[name], false);
    if (wrong) return prefixPath(name, wrong);
  }
  return undefined;
}

function prefixPath<Found extends { path: Path }>(name: string | number, issue: Found): Found {
  issue.path.unshift(name);
  return issue;
}

/** The first malformed period, or the first one of another grain than its row. */
function wrongPeriod({ id }: Operation, data: unknown): string | undefined {
  for (const path of answeredPeriods[id] ?? []) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    for (const holder of steps.reduce(fieldsIn, [data])) {
      if (!isObject(holder)) continue;
      const { [last]: key, periodType } = holder;
      if (typeof key !== 'string' || key === '') continue;
      const period = parsePeriod(key);
      if (!period) return `"${path}" must be a period such as 2006-01, 2006-Q1 or 2006, got ${formatValue(key)}`;
      if (isGrain(periodType) && periodType !== period.type) {
        return `"${path}" must be a ${periodType} such as ${periodExamples[periodType]}, got ${formatValue(key)}`;
      }
    }
  }
  return undefined;
}

function fieldsIn(holders: unknown[], step: string): unknown[] {
  return holders.flatMap((holder) => (isObject(holder) ? (holder[step] ?? []) : []));
}

function isGrain(text: unknown): text is PeriodType {
  return typeof text === 'string' && Object.hasOwn(periodExamples, text);
}

/** A field that comem needs, from its notation in the contract: `a.b`; one of `a|b`. */
interface NeededField {
  steps: readonly string[];
  names: readonly string[];
}

function parseNeededField(written: string): NeededField {
  const steps = written.split('.');
  const last = steps.pop() ?? '';
  return { steps, names: last.split('|') };
}

function missingField(fields: readonly NeededField[], data: unknown): string | undefined {
  for (const field of fields) {
    const lacking = findLack(data, field, 0);
    if (!lacking) continue;
    const named = field.names.map((name) => `"${[...lacking.path, name].join('.')}"`);
    return `comem needs ${named.join(' or ')}, which is missing from ${formatValue(lacking.value)}`;
  }
  return undefined;
}

/** @param depth the index of the next step */
function findLack(data: unknown, field: NeededField, depth: number): { path: Path; value: unknown } | undefined {
  if (Array.isArray(data)) {
    for (let index = 0; index < data.length; index += 1) {
      const lacking = findLack(data[index], field, depth);
      if (lacking) return prefixPath(index, lacking);
    }
    return undefined;
  }
  if (typeof data !== 'object' || data === null) return undefined;
  const fields = data as Record<string, unknown>;
  const step = field.steps[depth];
  if (step !== undefined) {
    const lacking = findLack(fields[step], field, depth + 1);
    return lacking && prefixPath(step, lacking);
  }
  const isThere = (value: unknown) => value !== undefined && value !== null && value !== '';
  return field.names.some((name) => isThere(fields[name])) ? undefined : { path: [], value: data };
}

function hasType({ type }: JsonSchema, actual: string): boolean {
  if (type === undefined || type === actual) return true;
  if (typeof type === 'string') return type === 'integer' && actual === 'number';
  return type.includes(actual) || (actual === 'number' && type.includes('integer'));
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

/** The beginning of a value, for messages. */
export function formatValue(value: unknown): string {
  return value === undefined ? 'nothing' : shorten(stringifyJson(value), 79);
}
