import { describe, expect, test } from 'vitest';
import { prepare } from '../../src/client/request.ts';
import { operations } from '../../src/contract/index.ts';
import { type Operation, pathParams } from '../../src/contract/operation.ts';
import type { JsonSchema } from '../../src/contract/schema.ts';
import { Failure } from '../../src/core/errors.ts';
import { bodyLimits, type LimitRow, limits } from './limits.ts';
import { fields, nested, table } from './table.ts';

const all: Operation[] = Object.values(operations);
const uuid = '7c1d2e3f-1111-4222-8333-444455556666';

const nameOf = (op: { method: string; path: string }) => `${op.method} ${op.path}`;

function byName(endpoint: string): Operation {
  const found = all.find((op) => nameOf(op) === endpoint);
  if (!found) throw new Error(`the contract has no ${endpoint}`);
  return found;
}

/** A schema in the words of the table: `uuid`, `a|b`, `string`, with `?` when null is allowed. */
function word(schema: JsonSchema): string {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const choices = schema.enum?.filter((choice) => choice !== null).join('|');
  const base = choices ?? schema.format ?? types.find((type) => type !== 'null') ?? 'any';
  return `${base}${types.includes('null') ? '?' : ''}`;
}

/** `name:type` words of an object schema, sorted; `!` after the required ones. */
function words(schema: JsonSchema, onlyRequired = false): string[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => !onlyRequired || schema.required?.includes(name))
    .map(([name, own]) => `${name}:${word(own)}${!onlyRequired && schema.required?.includes(name) ? '!' : ''}`)
    .sort();
}

const split = (text: string) =>
  text
    .split(' ')
    .filter((part) => part !== '')
    .sort();

function bodyName(schema: JsonSchema | undefined): string {
  if (!schema) return 'empty';
  if (schema.type === 'array') return `array of ${bodyName(schema.items)}`;
  if (schema.title !== undefined) return schema.title;
  const [only] = Object.entries(schema.properties ?? {});
  return only ? `{${only[0]}: ${bodyName(only[1])}}` : 'object';
}

/** Every titled schema that the operations reach. */
function titled(): Map<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const visit = (schema: JsonSchema) => {
    if (schema.title !== undefined) found.set(schema.title, schema);
    for (const own of Object.values(schema.properties ?? {})) visit(own);
    if (schema.items) visit(schema.items);
  };
  for (const { result } of all) if (result) visit(result);
  return found;
}

describe('the contract against the table typed by hand', () => {
  test('has the same 23 endpoints in the same order', () => {
    expect(all.map(nameOf)).toEqual(table.map(nameOf));
    expect(table).toHaveLength(23);
  });

  test.each(table.map((row) => [nameOf(row), row] as const))('%s', (_name, row) => {
    const op = byName(nameOf(row));
    expect(op.credential).toBe(row.credential === 'Session' ? 'session' : 'key');
    expect(op.errors).toBe(row.errors);
    expect(words(op.query)).toEqual(split(row.query));
    expect(bodyName(op.result)).toBe(row.success);
    expect(op.body === undefined).toBe(row.body === undefined);
    if (op.body) expect(words(op.body, true)).toEqual(split(row.body ?? ''));
    expect(
      `${op.company.in}${op.company.in === 'header' ? '' : op.company.required ? ', required' : ', optional'}`,
    ).toBe(row.company);
    const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(pathParams(op.path)).toEqual(names);
    expect(words(op.params)).toEqual(names.map((name) => `${name}:uuid!`).sort());
  });

  test('envelopes, paging and empty bodies follow from the table', () => {
    for (const row of table) {
      const op = byName(nameOf(row));
      expect(op.envelope).toBe(/^\{(\w+): /.exec(row.success)?.[1]);
      const paging = /\boffset:/.test(row.query) ? 'offset' : /\bcursor:/.test(row.query) ? 'cursor' : 'none';
      expect(op.paging).toBe(paging);
    }
  });

  test.each(Object.entries(fields))('the fields of %s', (name, expected) => {
    const schema = titled().get(name);
    expect(schema, name).toBeDefined();
    expect(words(schema ?? {})).toEqual(split(expected));
  });

  test.each(Object.entries(nested))('the fields of %s', (place, expected) => {
    const [name = '', ...path] = place.split('.');
    const schema = path.reduce<JsonSchema | undefined>(
      (own, key) => (key === '*' ? own?.items : own?.properties?.[key]),
      titled().get(name),
    );
    expect(words(schema ?? {})).toEqual(split(expected));
  });

  test('defaults: series and published 24, versions actual, order desc, period current, withTotal false', () => {
    const usual = (endpoint: string, name: string) => byName(endpoint).query.properties?.[name]?.default;
    expect(usual('GET /api/metrics/series', 'limit')).toBe(24);
    expect(usual('GET /api/metrics/published/{companyId}', 'limit')).toBe(24);
    expect(usual('GET /api/metrics/series', 'versions')).toBe('actual');
    expect(usual('GET /api/metrics/series', 'order')).toBe('desc');
    expect(usual('GET /api/company/metrics', 'period')).toBe('current');
    expect(usual('GET /api/lists/{listId}/entries', 'withTotal')).toBe(false);
    expect(usual('GET /api/lists/{listId}/entries', 'limit')).toBeUndefined();
  });
});

/** Whether the client would send it: the check before every request. */
function sends(op: Operation, given: { query?: Record<string, unknown>; body?: Record<string, unknown> }): boolean {
  const params = Object.fromEntries(pathParams(op.path).map((name) => [name, uuid]));
  const required = (op.query.required ?? []).filter((name) => name !== 'companyId' && name !== 'periodType');
  const query = { ...Object.fromEntries(required.map((name) => [name, uuid])), ...given.query };
  try {
    prepare(op, { params, query, body: given.body }, { company: uuid });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    expect((error as Failure).exitCode).toBe(2);
    return false;
  }
}

const rows = (all: LimitRow[]) => all.map((row) => [`${row.endpoint}: ${row.rule}`, row] as const);

describe('every limit lets through what it should and nothing else', () => {
  test.each(rows(limits))('%s', (_name, { endpoint, accept, reject }) => {
    const op = byName(endpoint);
    for (const query of accept) expect(sends(op, { query }), JSON.stringify(query)).toBe(true);
    for (const query of reject) expect(sends(op, { query }), JSON.stringify(query)).toBe(false);
  });

  test.each(rows(bodyLimits))('%s', (_name, { endpoint, accept, reject }) => {
    const op = byName(endpoint);
    for (const body of accept) expect(sends(op, { body }), JSON.stringify(body)).toBe(true);
    for (const body of reject) expect(sends(op, { body }), JSON.stringify(body)).toBe(false);
  });

  test('an id of a path must be a uuid', () => {
    for (const op of all) {
      for (const name of pathParams(op.path)) {
        const params = { ...Object.fromEntries(pathParams(op.path).map((own) => [own, uuid])), [name]: 'my-list' };
        expect(() => prepare(op, { params, query: {}, body: {} }, { company: uuid }), op.id).toThrow(name);
      }
    }
  });

  test('what the table requires of query and body is missed by name', () => {
    for (const row of table) {
      const op = byName(nameOf(row));
      const required = [...split(row.query).filter((part) => part.endsWith('!')), ...split(row.body ?? '')];
      const params = Object.fromEntries(pathParams(op.path).map((name) => [name, uuid]));
      for (const name of required.map((part) => part.replace(/:.*/, '')).filter((own) => own !== 'companyId')) {
        expect(() => prepare(op, { params, query: {}, body: {} }, { company: uuid }), row.path).toThrow(
          `${name} is required`,
        );
      }
      if (row.company.endsWith('required')) {
        expect(() => prepare(op, { params, query: {}, body: {} }), row.path).toThrow('needs a company');
      }
    }
  });
});
