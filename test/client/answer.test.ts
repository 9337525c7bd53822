import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerIssue } from '../../src/client/answer-shape.ts';
import { createClient } from '../../src/client/client.ts';
import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { requiredFields } from '../../src/contract/required-fields.ts';
import { baseType, type JsonSchema } from '../../src/contract/schema.ts';
import { Failure } from '../../src/core/errors.ts';

const id = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';

function answering(body: unknown, status = 200) {
  const text = body === undefined ? '' : JSON.stringify(body);
  return createClient({
    baseUrl: 'https://api.example',
    credentials: { key: { secret: 'k' }, session: { secret: 's=1' } },
    company: id,
    transport: async () => ({ status, headers: {}, body: Buffer.from(text) }),
  });
}

async function outcome(sent: Promise<unknown>): Promise<unknown> {
  const error = await sent.catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure)) return error instanceof Error ? error.stack : 'accepted';
  return `${error.exitCode} ${error.code}: ${error.message}`;
}

describe('required fields', () => {
  const withResult = Object.values<Operation>(operations).filter(({ result }) => result);

  it('is named for every operation with a result, by fields that the API has', () => {
    expect(Object.keys(requiredFields).sort()).toEqual(withResult.map((op) => op.id).sort());
    for (const op of withResult) {
      for (const path of requiredFields[op.id] ?? []) {
        for (const name of path.split('|')) expect(fieldAt(op, name), `${op.id} ${name}`).toBeDefined();
      }
    }
  });

  it.each(withResult.map((op) => [op.id, op] as const))('an answer of %s that is not one is refused', (_, op) => {
    for (const body of [{}, [{}], null, 7, 'text', [null], [[]]]) {
      expect(answerIssue(op, body), JSON.stringify(body)).toMatch(/is missing from|must be an? /);
    }
  });

  it('further fields, null for what a database does not have, and new words of enums are welcome', () => {
    const grant = {
      id,
      status: 'lapsed',
      metric_ids: null,
      note: null,
      scope: ['metrics'],
      flavour: { of: 'vanilla' },
    };
    expect(answerIssue(operations.listGrants, [grant])).toBeUndefined();
    const attribute = { id, name: 'Owner', slug: 'owner', attribute_type: 'relation', config: null };
    const list = { id, name: 'Deals', slug: 'deals', list_attributes: [attribute] };
    expect(answerIssue(operations.getList, list)).toBeUndefined();
  });

  it('is found in whatever order the fields of each row come, and whatever else they have', () => {
    const needed = { id, title: 'A', values: {}, list_id: id } as const;
    const value = { ...needed, position: 1, archived: false, constructor: 1, unknown: [] };
    const names = Object.keys(value);
    const order = fc.shuffledSubarray(names).map((some) => [...new Set([...some, ...Object.keys(needed)])].reverse());
    const row = fc.record({ order, wrong: fc.option(fc.constantFrom(...names), { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), (rows) => {
        // No field is a list but the one that the API does not have.
        const data = rows.map(({ order: fields, wrong }) =>
          Object.fromEntries(fields.map((name) => [name, name === wrong ? [] : Reflect.get(value, name)])),
        );
        const isWrong = ({ order: fields, wrong = '' }: (typeof rows)[number]) =>
          fields.includes(wrong) && wrong !== 'constructor' && wrong !== 'unknown';
        const at = rows.findIndex(isWrong);
        const issue = answerIssue(operations.listEntries, data);
        if (at < 0) expect(issue).toBeUndefined();
        else expect(issue).toContain(`"${at}.${rows[at]?.wrong}" must be`);
      }),
    );
  });

  it('no value of any type gets past a field of another type', () => {
    const op = operations.getList;
    const whole = () => ({
      ...{ id, name: 'Deals', slug: 'deals', position: 1, description: 'all' },
      list_attributes: [
        { id, name: 'Stage', slug: 'stage', attribute_type: 'select', config: { options: [{ id: 'a' }] } },
      ],
    });
    expect(answerIssue(op, whole())).toBeUndefined();
    fc.assert(
      fc.property(fc.constantFrom('name', 'list_attributes', 'description'), fc.jsonValue(), (name, value) => {
        const right =
          name === 'list_attributes' ? Array.isArray(value) && value.length === 0 : typeof value === 'string';
        const optional = name !== 'list_attributes' && value === null;
        const found = answerIssue(op, { ...whole(), [name]: value });
        expect(found === undefined).toBe(right || optional);
      }),
    );
  });
});

function fieldAt(op: Operation, path: string): JsonSchema | undefined {
  const top = op.envelope === undefined ? op.result : op.result?.properties?.[op.envelope];
  const within = (schema: JsonSchema | undefined) => (schema && baseType(schema) === 'array' ? schema.items : schema);
  return path.split('.').reduce((schema, name) => within(within(schema)?.properties?.[name]), within(top));
}

describe('a write', () => {
  const params = { listId: other };
  const create = (body: unknown, values: Record<string, unknown> = { stage: 'o1' }) =>
    outcome(answering(body).call(operations.createEntry, { params, body: { title: 'Acme', values } }));

  it.each([
    ['an error body', { error: 'nope', status: 500 }, 'it says "nope"'],
    ['an error body with an id', { error: 'nope', status: 500, id }, 'it says "nope"'],
    ['nothing', undefined, 'the answer is empty'],
    ['no id', { title: 'Acme', values: {} }, 'comem needs "id", which is missing'],
    ['an empty id', { id: '', title: 'Acme' }, 'comem needs "id", which is missing'],
    ['a numeric id', { id: 7, title: 'Acme' }, '"id" must be a string, got 7'],
    ['an array', [{ id }], 'the answer must be an object'],
  ])('that is answered with %s proves nothing', async (_, body, says) => {
    const found = await create(body);
    expect(found).toMatch(/^6 unproven_write: POST /);
    expect(found).toContain(says);
  });

  it.each([
    ['the values', { id, title: 'Acme', values: {} }, '"values.stage": sent "o1", got nothing'],
    ['all values', { id, title: 'Acme' }, '"values": sent {"stage":"o1"}, got nothing'],
    ['a value', { id, title: 'Acme', values: { stage: null } }, '"values.stage": sent "o1", got null'],
    ['the title', { id, title: 'Untitled', values: { stage: 'o1' } }, '"title": sent "Acme", got "Untitled"'],
    ['the list', { id, list_id: id, title: 'Acme', values: { stage: 'o1' } }, `its "list_id" is "${id}"`],
  ])('whose answer shows that the server ignored %s is reported with its id', async (_, body, says) => {
    const found = await create(body);
    expect(found).toMatch(new RegExp(`^6 ignored_fields: .*${id} was written`));
    expect(found).toContain(says);
  });

  it('is accepted where the server wrote the same in its own way', async () => {
    const sent = {
      ...{
        size: 1.5,
        tags: ['a', 'b'],
        met: '2026-01-31',
        site: 'https://Acme.com',
        note: ' x ',
        hot: false,
        owner: null,
      },
      ...{ at: '2026-01-31T10:00:00+01:00', gone: [] },
    };
    const values = {
      ...{ size: '1.50', tags: ['b', 'a'], met: '2026-01-31T00:00:00Z', site: 'https://acme.com/', note: 'x', more: 1 },
      at: '2026-01-31 09:00:00.000+00',
    };
    expect(await create({ id: id.toUpperCase(), list_id: other.toUpperCase(), title: 'Acme', values }, sent)).toBe(
      'accepted',
    );
    expect(await create({ id, created_at: 'now' })).toBe('accepted');
  });

  it('of another resource than the one that was named is refused', async () => {
    const change = (answer: unknown) =>
      outcome(answering(answer).call(operations.updateEntry, { params, body: { id, title: 'B' } }));
    expect(await change({ id: other, title: 'B' })).toMatch(/^6 unproven_write: .*"id" must be/);
    expect(await change({ id: id.toUpperCase(), title: 'B' })).toBe('accepted');
  });

  it.each([
    ['an error body', { error: 'nope', status: 500 }],
    ['no envelope', { id, status: 'revoked' }],
    ['another grant', { grant: { id: other, status: 'revoked' } }],
    ['no state', { grant: { id } }],
  ])('that revokes a grant is not proved by %s', async (_, body) => {
    const sent = answering(body).call(operations.revokeGrant, { params: { id } });
    expect(await outcome(sent)).toMatch(/^6 unproven_write: PATCH/);
  });

  it('of a grant whose limits the server left out is reported', async () => {
    const grant = { id, company_id: id, scope: ['metrics'], metric_ids: ['mrr'], status: 'active' };
    const make = (answer: object, company?: string) =>
      outcome(
        answering({ grant: { ...grant, ...answer } }).call(operations.createGrant, {
          body: {
            companyId: company ?? id,
            scope: ['metrics'],
            metric_ids: ['mrr'],
            expires_at: '2027-01-01T00:00:00Z',
          },
        }),
      );
    expect(await make({})).toMatch(/ignored_fields: .*"expires_at"/);
    expect(await make({ expires_at: '2027-01-01 00:00:00+00', metric_ids: [] })).toMatch(
      /"metric_ids": sent \["mrr"\]/,
    );
    expect(await make({ expires_at: '2027-01-01' }, other)).toMatch(/^6 wrong_company: .* was written to the company/);
    expect(await make({ expires_at: '2027-01-01' })).toBe('accepted');
  });

  it('repeats no credential of the request, and at most 2,000 characters of the server', async () => {
    const said = async (error: string, status = 200) => {
      const client = createClient({
        baseUrl: 'https://api.example',
        credentials: { session: { secret: 'sid=secret-0123456789' } },
        company: id,
        transport: async () => ({ status, headers: {}, body: Buffer.from(JSON.stringify({ error, status: 400 })) }),
      });
      return String(await outcome(client.call(operations.updateList, { params, body: { name: 'x' } })));
    };
    for (const status of [200, 400, 500]) {
      expect(await said('you sent sid=secret-0123456789', status)).toMatch(/^[56] .*you sent \[redacted\]/);
      const long = await said('x'.repeat(10_000_000), status);
      expect(long.match(/x{100,}/)?.[0].length).toBeGreaterThan(1900);
      expect(long.length).toBeLessThan(2300);
    }
  });

  it('that deletes is refused by an error, and takes any other body', async () => {
    const remove = (body: unknown) => outcome(answering(body).call(operations.deleteList, { params }));
    expect(await remove({ error: 'nope' })).toMatch(/^6 unproven_write: .*it says "nope"/);
    expect([await remove(undefined), await remove({ success: true })]).toEqual(['accepted', 'accepted']);
  });
});
