import { ExactNumber, isInteger, isNumeric, type Numeric } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import type { Format, JsonSchema } from './schema.ts';

/** A violation of a schema. `path` is dotted (`config.options.0.label`); '' is the value itself. */
export interface Issue {
  path: string;
  message: string;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const dateTimePattern = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$/;

const formats: Record<Format, { is: (text: string) => boolean; description: string }> = {
  uuid: { is: isUuid, description: 'a UUID' },
  date: { is: isDate, description: 'a date (YYYY-MM-DD)' },
  'date-time': { is: isDateTime, description: 'an ISO 8601 timestamp' },
};

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** An id as any server may give it: it stays one part of a path, and one line. */
export function isId(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && text.length <= 200 && !/[\s\p{C}]/u.test(text);
}

/** A calendar date that exists, as YYYY-MM-DD. */
export function isDate(text: string): boolean {
  const match = datePattern.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (days[month - 1] ?? 0);
}

/** An ISO 8601 timestamp with a zone. */
export function isDateTime(text: string): boolean {
  const match = dateTimePattern.exec(text);
  return (
    match !== null &&
    isDate(match[1] as string) &&
    Number(match[2]) < 24 &&
    Number(match[3]) < 60 &&
    Number(match[4]) <= 60
  );
}

/** Validation stops after this many issues. */
export const maxIssues = 100;

/** Validates `value` against `schema`; empty when it is valid. Never changes the value. */
export function issues(schema: JsonSchema, value: unknown, path = ''): Issue[] {
  const wrong = (message: string): Issue[] => [{ path, message }];
  if (schema.type !== undefined) {
    const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
    if (!types.some((type) => isOfType(type, value))) return wrong(`must be ${types.map(withArticle).join(' or ')}`);
  }
  if (schema.enum && !schema.enum.includes(value)) {
    return wrong(`must be one of ${schema.enum.filter((v) => v !== null).join(', ')}`);
  }
  if (schema.const !== undefined && schema.const !== value) return wrong(`must be ${JSON.stringify(schema.const)}`);
  if (schema.anyOf && !schema.anyOf.some((option) => issues(option, value).length === 0)) {
    return wrong('matches none of the allowed forms');
  }
  if (typeof value === 'string') return stringIssues(schema, value).map((message) => ({ path, message }));
  if (isNumeric(value)) return numberIssues(schema, value).map((message) => ({ path, message }));
  if (Array.isArray(value)) return arrayIssues(schema, value, path);
  if (typeof value === 'object' && value !== null) return objectIssues(schema, value as Record<string, unknown>, path);
  return [];
}

function stringIssues(schema: JsonSchema, value: string): string[] {
  const messages: string[] = [];
  // JSON Schema counts code points, not UTF-16 units.
  const length = schema.minLength === undefined && schema.maxLength === undefined ? 0 : [...value].length;
  if (schema.minLength !== undefined && length < schema.minLength) {
    messages.push(schema.minLength === 1 ? 'must not be empty' : `must have at least ${schema.minLength} characters`);
  }
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    messages.push(`must have at most ${schema.maxLength} characters`);
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    messages.push(schema.says === undefined ? `must match ${schema.pattern}` : `must be ${schema.says}`);
  }
  if (schema.format !== undefined && !formats[schema.format].is(value)) {
    messages.push(`must be ${formats[schema.format].description}`);
  }
  return messages;
}

function numberIssues(schema: JsonSchema, exact: Numeric): string[] {
  const messages: string[] = [];
  const value = Number(exact);
  if (schema.minimum !== undefined && value < schema.minimum) messages.push(`must be at least ${schema.minimum}`);
  if (schema.maximum !== undefined && value > schema.maximum) messages.push(`must be at most ${schema.maximum}`);
  return messages;
}

function arrayIssues(schema: JsonSchema, value: unknown[], path: string): Issue[] {
  const issuesFound: Issue[] = [];
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    const message = schema.minItems === 1 ? 'must not be empty' : `must have at least ${schema.minItems} items`;
    issuesFound.push({ path, message });
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    issuesFound.push({ path, message: `must have at most ${schema.maxItems} items` });
  }
  const { contains, items } = schema;
  if (contains && !value.some((item) => issues(contains, item).length === 0)) {
    issuesFound.push({ path, message: `must contain ${JSON.stringify(contains.const ?? contains)}` });
  }
  if (!items) return issuesFound;
  for (const [index, item] of value.entries()) {
    if (issuesFound.length >= maxIssues) break;
    issuesFound.push(...issues(items, item, join(path, String(index))));
  }
  return issuesFound;
}

function objectIssues(schema: JsonSchema, value: Record<string, unknown>, path: string): Issue[] {
  const issuesFound: Issue[] = [];
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) issuesFound.push({ path: join(path, name), message: 'is required' });
  }
  const known = schema.properties ?? {};
  for (const [name, item] of Object.entries(value)) {
    if (issuesFound.length >= maxIssues) break;
    const property = Object.hasOwn(known, name) ? known[name] : undefined;
    if (property) issuesFound.push(...issues(property, item, join(path, name)));
    else if (schema.additionalProperties === false)
      issuesFound.push({ path: join(path, name), message: `is not known here${meant(name, Object.keys(known))}` });
    else if (typeof schema.additionalProperties === 'object') {
      issuesFound.push(...issues(schema.additionalProperties, item, join(path, name)));
    }
  }
  return issuesFound;
}

function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `; did you mean ${near}?`;
  return known.length === 0 ? '' : `; known are ${known.join(', ')}`;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
    case 'integer':
      return isNumeric(value) && isInteger(value);
    case 'number':
      return value instanceof ExactNumber || (typeof value === 'number' && Number.isFinite(value));
    default:
      return typeof value === type;
  }
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
