import { describe, expect, test } from 'vitest';
import { type ClientOptions, createClient } from '../../src/client/client.ts';
import { operations } from '../../src/contract/index.ts';
import { Failure, TransportError } from '../../src/core/errors.ts';
import { ExactNumber } from '../../src/core/json.ts';
import type { WireRequest, WireResponse } from '../../src/core/wire.ts';

const company = '11111111-1111-4111-8111-111111111111';
const listId = '22222222-2222-4222-8222-222222222222';
const entryId = '33333333-3333-4333-8333-333333333333';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
}

function scripted(answer: Answer | TransportError = {}, options: Partial<ClientOptions> = {}) {
  const requests: WireRequest[] = [];
  const client = createClient({
    baseUrl: 'https://api.example/memory',
    credentials: { key: { secret: 'key-1' }, session: { secret: 'sid=1; sid.1=2' } },
    company,
    profile: 'prod',
    async transport(request): Promise<WireResponse> {
      requests.push(request);
      if (answer instanceof TransportError) throw answer;
      const text = answer.text ?? (answer.body === undefined ? '' : JSON.stringify(answer.body));
      return { status: answer.status ?? 200, headers: answer.headers ?? {}, body: Buffer.from(text) };
    },
    ...options,
  });
  return { client, requests };
}

const failure = async (promise: Promise<unknown>): Promise<Failure> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Failure);
  return error as Failure;
};

describe('what is sent', () => {
  test('the company goes where the endpoint names it, else into the header', async () => {
    const { client, requests } = scripted({ body: [] });
    await client.call(operations.listLists);
    await client.call(operations.listEntries, { params: { listId } });
    const { client: grants, requests: sent } = scripted({ body: { grant: { id: entryId } } });
    await grants.call(operations.createGrant, { body: { scope: ['metrics'] } as never });
    expect(requests.map(({ url, headers }) => [url, headers['x-company-id']])).toEqual([
      [`https://api.example/memory/api/lists?companyId=${company}`, undefined],
      [`https://api.example/memory/api/lists/${listId}/entries`, company],
    ]);
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ companyId: company, scope: ['metrics'] });
  });

  test('a company of the call outranks the one that is set', async () => {
    const { client, requests } = scripted({ body: { grants: [] } });
    await client.call(operations.listGrants, { query: { companyId: entryId } });
    expect(requests[0]?.url).toContain(`companyId=${entryId}`);
  });

  test('catalog and series work without a company, lists does not', async () => {
    const { client, requests } = scripted({ body: { definitions: [] } }, { company: undefined });
    await client.call(operations.getMetricCatalog);
    expect(requests[0]?.url).toBe('https://api.example/memory/api/metrics/catalog');
    const error = await failure(client.call(operations.listLists));
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('GET /api/lists needs a company') });
    expect(error.hint).toContain('-c');
    expect(requests).toHaveLength(1);
  });

  test('each endpoint gets its own credential and never the other', async () => {
    const { client, requests } = scripted({
      body: { id: listId, name: 'A', slug: 'a', list_attributes: [], metrics: {} },
    });
    await client.call(operations.getList, { params: { listId } });
    await client.call(operations.getLiveMetrics);
    expect(requests.map(({ headers }) => [headers.cookie, headers.authorization])).toEqual([
      ['sid=1; sid.1=2', undefined],
      [undefined, 'Bearer key-1'],
    ]);
  });

  test('facets are filter[slug]=value, repeated; booleans are words; undefined is left out', async () => {
    const { client, requests } = scripted({ body: [] });
    const query = { filter: { stage: ['a&b', 'ü'], 'x y': ['1'] }, archived: true, search: undefined, limit: 5 };
    await client.call(operations.listEntries, { params: { listId }, query });
    const sent = new URL(requests[0]?.url ?? '').searchParams;
    expect([...sent]).toEqual([
      ['filter[stage]', 'a&b'],
      ['filter[stage]', 'ü'],
      ['filter[x y]', '1'],
      ['archived', 'true'],
      ['limit', '5'],
    ]);
  });

  test('a body is JSON with every digit; an endpoint without a body sends none', async () => {
    const { client, requests } = scripted({
      body: { id: entryId, canStep: true, grant: { id: entryId, status: 'revoked' } },
    });
    const values = { size: new ExactNumber('12345678901234567890.10') };
    await client.call(operations.createEntry, { params: { listId }, body: { title: 'A', values } });
    await client.call(operations.stepEntry, { params: { listId, entryId } });
    await client.call(operations.revokeGrant, { params: { id: entryId } });
    expect(requests.map(({ body }) => body)).toEqual([
      '{"title":"A","values":{"size":12345678901234567890.10}}',
      '{}',
      undefined,
    ]);
    expect(requests.map(({ headers }) => headers['content-type'])).toEqual([
      'application/json',
      'application/json',
      undefined,
    ]);
  });

  test('describe gives the same request without credential values, and sends nothing', async () => {
    const { client, requests } = scripted({}, { headers: { 'user-agent': 'comem/9' } });
    const shown = await client.describe(operations.updateEntry, {
      params: { listId },
      body: { id: entryId, title: 'B' },
    });
    expect(shown).toEqual({
      method: 'PATCH',
      url: `https://api.example/memory/api/lists/${listId}/entries`,
      headers: {
        accept: 'application/json',
        'user-agent': 'comem/9',
        'content-type': 'application/json',
        'x-company-id': company,
        cookie: '[redacted]',
      },
      body: { id: entryId, title: 'B' },
    });
    expect(requests).toEqual([]);
  });
});

describe('what is refused before it is sent', () => {
  test('a value that breaks the contract: field, rule and value are named, by the name that the caller knows', async () => {
    const { client, requests } = scripted(
      {},
      { fieldName: ({ name }) => (name === 'limit' ? '--page-size' : undefined) },
    );
    const error = await failure(client.call(operations.listEntries, { params: { listId }, query: { limit: 900 } }));
    expect(error).toMatchObject({ exitCode: 2, message: '--page-size must be at most 500, got 900' });
    const two = await failure(
      client.call(operations.getMetricSeries, { query: { periodType: 'quarter', fromPeriod: '2006-01', limit: 0 } }),
    );
    expect(two.message).toContain('periodType must be month when versions contain actual, got quarter');
    expect(two.message).toContain('--page-size must be at least 1, got 0');
    expect(two.message).toContain('fromPeriod must be a quarter such as 2006-Q1, got 2006-01');
    expect(requests).toEqual([]);
  });

  test('a pattern is reported in words', async () => {
    const error = await failure(
      scripted().client.call(operations.getPublishedMetrics, {
        params: { companyId: company },
        query: { period: '2006' },
      }),
    );
    expect(error.message).toBe('period must be a month or quarter such as 2006-01 or 2006-Q1, got "2006"');
  });

  test('a missing credential: which kind, which command sets it, and that the other one is there', async () => {
    const { client, requests } = scripted({}, { credentials: { key: { secret: 'k', from: 'COMEM_API_KEY' } } });
    const error = await failure(client.call(operations.listLists));
    expect(error).toMatchObject({ exitCode: 4, code: 'credential_missing' });
    expect(error.message).toBe(
      'GET /api/lists needs a session cookie, but profile "prod" has none; an API key is set (COMEM_API_KEY), but this endpoint does not accept it',
    );
    expect(error.hint).toContain('comem auth login -p prod --stdin session');
    expect(error.hint).toContain('COMEM_SESSION_COOKIE');
    expect(requests).toEqual([]);
  });

  test('a stored credential goes only to the origin that it was saved for', async () => {
    const saved = { secret: 'sid=1', origin: 'https://other.example' };
    const { client, requests } = scripted({ body: [] }, { credentials: { session: saved } });
    const error = await failure(client.call(operations.listLists));
    expect(error).toMatchObject({ exitCode: 4, message: expect.stringContaining('https://other.example') });
    expect(requests).toEqual([]);
    const there = scripted({ body: [] }, { credentials: { session: { ...saved, origin: 'https://api.example' } } });
    await there.client.call(operations.listLists);
    expect(there.requests).toHaveLength(1);
  });

  test('a credential with a line break in it never becomes a header', async () => {
    const { client } = scripted({}, { credentials: { session: { secret: async () => 'a=b\r\nx-evil: 1' } } });
    const error = await failure(client.call(operations.listLists));
    expect(error).toMatchObject({ exitCode: 4 });
    expect(error.message).not.toContain('evil');
  });

  test.each(['//evil.example/x', 'https://evil.example/', 'api/lists', '.evil.example/x', '@evil.example/'])(
    'a path that leaves the base URL: %s',
    async (path) => {
      const { client, requests } = scripted({}, { baseUrl: 'https://api.example' });
      if (path.startsWith('//')) {
        // Behind the base URL two slashes are a path of the same host.
        await client.request({ method: 'GET', path, credential: 'key' });
        expect(new URL(requests[0]?.url ?? '').origin).toBe('https://api.example');
        return;
      }
      expect(await failure(client.request({ method: 'GET', path, credential: 'key' }))).toMatchObject({ exitCode: 2 });
      expect(requests).toEqual([]);
    },
  );
});

describe('what comes back', () => {
  test('numbers are exact', async () => {
    const answer = { text: '{"metrics":{"mrr":1.10,"arr":12345678901234567890,"nrr":3}}' };
    const exact = await scripted(answer).client.call(operations.getLiveMetrics);
    expect(exact.metrics).toEqual({
      mrr: new ExactNumber('1.10'),
      arr: new ExactNumber('12345678901234567890'),
      nrr: 3,
    });
  });

  test.each([200, 201, 202, 203, 226])('%i is success', async (status) => {
    const { client } = scripted({ status, body: { id: listId } });
    expect(await client.send(operations.createList, { body: { name: 'A' } })).toMatchObject({
      status,
      data: { id: listId },
    });
  });

  test("a number whose exponent is out of range is the server's mistake, and costs no more than its text", async () => {
    for (const number of ['1e999999999', '-1.5E-401', '0e99999']) {
      const { client } = scripted({ text: `[{"id":"${listId}","name":"A","count":${number}}]` });
      const error = await failure(client.call(operations.listLists));
      expect([error.exitCode, error.message]).toEqual([
        6,
        expect.stringContaining(`the number ${number} is out of range`),
      ]);
      expect((await failure(client.request({ method: 'GET', path: '/x', credential: 'key' }))).exitCode).toBe(6);
    }
  });

  test('an envelope is taken off where it is, and not missed where it is not', async () => {
    const grant = { id: entryId, status: 'active', metric_ids: [] };
    for (const body of [{ grants: [grant], more: 1 }, [grant]]) {
      expect(await scripted({ body }).client.call(operations.listGrants)).toEqual([grant]);
    }
    const preferences = { vcCompanyId: company };
    for (const body of [{ preferences }, preferences]) {
      const query = { vcCompanyId: company };
      expect(await scripted({ body }).client.call(operations.getMetricPreferences, { query })).toEqual(preferences);
    }
  });

  test('numbers keep their digits, unknown fields stay', async () => {
    const { client } = scripted({ text: '\uFEFF{"metrics":{"mrr":1.10},"extra":true}' });
    const live = await client.call(operations.getLiveMetrics);
    expect(String(live.metrics?.mrr)).toBe('1.10');
    expect(live).toHaveProperty('extra', true);
  });

  test('an empty body is fine where the API gives none; it does not prove any other write or read', async () => {
    for (const status of [200, 202, 204]) {
      const { client } = scripted({ status });
      expect(await client.call(operations.deleteList, { params: { listId } })).toBeUndefined();
      const write = client.call(operations.updateList, { params: { listId }, body: { name: 'A' } });
      expect(await failure(write)).toMatchObject({
        exitCode: 6,
        code: 'unproven_write',
        hint: expect.stringContaining('check before you repeat it'),
      });
      expect(await failure(client.call(operations.listLists))).toMatchObject({ exitCode: 6, code: 'wrong_answer' });
    }
  });

  const refusals: [number, number][] = [
    [400, 6],
    [401, 4],
    [403, 4],
    [404, 3],
    [405, 6],
    [409, 6],
    [422, 6],
    [429, 5],
    [500, 5],
    [503, 5],
  ];
  test.each(refusals)('%i is exit %i, with the words of the server', async (status, exitCode) => {
    const body = { error: 'Nein: "so" nicht', status: 999, details: { issues: [{ path: 'name', message: 'is odd' }] } };
    const error = await failure(scripted({ status, body }).client.call(operations.getList, { params: { listId } }));
    expect(error).toMatchObject({ exitCode, status, details: body.details });
    expect(error.message).toBe(
      `Nein: "so" nicht (GET /memory/api/lists/${listId} of profile "prod" answered ${status})`,
    );
    expect(error.request).toEqual({ method: 'GET', url: `https://api.example/memory/api/lists/${listId}` });
    expect(JSON.stringify({ ...error, cause: undefined })).not.toContain('sid=1');
  });

  test('a refusal without a body has the words of its status', async () => {
    const error = await failure(scripted({ status: 404 }).client.call(operations.getList, { params: { listId } }));
    expect(error.message).toMatch(/^not found /);
  });

  test('HTML: to a session it means signed out, to a key that this is not the API, from a gateway its status', async () => {
    const html = { status: 200, text: '<!doctype html><title>Log in</title>' };
    expect(await failure(scripted(html).client.call(operations.listLists))).toMatchObject({
      exitCode: 4,
      code: 'signed_out',
    });
    expect(await failure(scripted(html).client.call(operations.getLiveMetrics))).toMatchObject({ exitCode: 6 });
    const gateway = { ...html, status: 502 };
    expect(await failure(scripted(gateway).client.call(operations.listLists))).toMatchObject({
      exitCode: 5,
      status: 502,
    });
    const missing = { ...html, status: 404 };
    expect(await failure(scripted(missing).client.call(operations.getLiveMetrics))).toMatchObject({ exitCode: 6 });
  });

  test('JSON of another shape is not the API', async () => {
    expect(await failure(scripted({ body: { data: [] } }).client.call(operations.listLists))).toMatchObject({
      exitCode: 6,
    });
    expect(await failure(scripted({ body: [] }).client.call(operations.getLiveMetrics))).toMatchObject({ exitCode: 6 });
    expect(await failure(scripted({ text: 'OK' }).client.call(operations.getLiveMetrics))).toMatchObject({
      exitCode: 6,
    });
  });

  test.each([
    [
      'COMEM_SESSION_COOKIE',
      401,
      'the session of COMEM_SESSION_COOKIE may have expired: put the Cookie header of a new one into it',
    ],
    ['COMEM_SESSION_COOKIE_FILE', 401, 'may have expired: put the Cookie header of a new one into its file'],
    [
      'COMEM_SESSION_COOKIE',
      302,
      'the session of COMEM_SESSION_COOKIE may have expired: put the Cookie header of a new one into it',
    ],
    ['profile "prod"', 401, 'may have expired: copy the Cookie header again and run `comem auth login -p prod --stdin'],
    ['profile "prod"', 302, 'may have expired: copy the Cookie header again and run `comem auth login -p prod --stdin'],
    ['profile "prod"', 308, 'check the base URL: it must not redirect'],
  ])('a session of %s that is answered with %i says where it came from', async (from, status, hint) => {
    const credentials = { session: { secret: 'sid=1', from } };
    const headers = { location: 'https://login.example/' };
    const { client } = scripted({ status, headers, body: { error: 'no' } }, { credentials });
    const error = await failure(client.call(operations.listLists));
    expect(error.hint).toContain(hint);
    expect(error.hint?.includes('expired')).toBe(status !== 308);
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is a credential failure that names the target',
    async (status) => {
      const headers = { location: 'https://login.example/?token=secret' };
      const error = await failure(scripted({ status, headers, text: '<a>' }).client.call(operations.listLists));
      expect(error).toMatchObject({ exitCode: 4, code: 'redirected' });
      expect(error.message).toContain('https://login.example/');
      expect(error.message).not.toContain('secret');
    },
  );

  test('a step body of any status is data, an Error body is a failure', async () => {
    const params = { listId, entryId };
    const rejection = { queued: false, canStep: false, error: 'archived' };
    for (const status of [200, 400, 404, 409, 422]) {
      const reply = await scripted({ status, body: rejection }).client.send(operations.stepEntry, { params });
      expect(reply).toMatchObject({ status, data: rejection });
    }
    const body = { error: 'no', status: 409 };
    expect(await failure(scripted({ status: 409, body }).client.call(operations.stepEntry, { params }))).toMatchObject({
      exitCode: 6,
    });
  });

  test('a write whose outcome is unknown says to look before repeating; one that was not sent does not', async () => {
    const create = (answer: Answer | TransportError) =>
      failure(scripted(answer).client.call(operations.createEntry, { params: { listId }, body: { title: 'A' } }));
    for (const answer of [
      new TransportError('cut', true, 'network'),
      { status: 504 },
      new TransportError('late', true, 'timeout'),
    ]) {
      const error = await create(answer);
      expect(error).toMatchObject({
        exitCode: 5,
        retryable: false,
        hint: expect.stringContaining('check before you repeat'),
      });
    }
    expect(await create(new TransportError('refused', false, 'network'))).toMatchObject({
      exitCode: 5,
      retryable: true,
    });
    expect(await create({ status: 429 })).toMatchObject({ exitCode: 5, retryable: true });
    const read = await failure(scripted(new TransportError('cut', true, 'network')).client.call(operations.listLists));
    expect(read).toMatchObject({ exitCode: 5, retryable: true });
  });

  test('an interruption is one', async () => {
    const error = await failure(
      scripted(new TransportError('stopped', true, 'aborted')).client.call(operations.listLists),
    );
    expect(error).toMatchObject({ exitCode: 130, hint: undefined });
  });

  test('an interrupted write that was sent may have been done', async () => {
    const stopped = (sent: boolean) => scripted(new TransportError('stopped', sent, 'aborted')).client;
    const write = { params: { listId }, body: { name: 'A' } };
    expect(await failure(stopped(true).call(operations.updateList, write))).toMatchObject({
      exitCode: 130,
      hint: expect.stringContaining('check before you repeat it'),
    });
    expect(await failure(stopped(false).call(operations.updateList, write))).toMatchObject({ hint: undefined });
  });

  test('a raw request gives any status back, JSON as data and other bodies as text', async () => {
    const { client, requests } = scripted({ status: 418, body: { a: 1 } });
    const reply = await client.request({
      method: 'PUT',
      path: '/any?x=1',
      credential: 'session',
      body: '{}',
      headers: { a: 'b' },
    });
    expect(reply).toMatchObject({ status: 418, data: { a: 1 } });
    expect(requests[0]).toMatchObject({
      method: 'PUT',
      url: 'https://api.example/memory/any?x=1',
      headers: { a: 'b', cookie: 'sid=1; sid.1=2', 'content-type': 'application/json' },
    });
    expect(requests[0]?.headers['x-company-id']).toBeUndefined();
    const text = await scripted({ text: '<p>' }).client.request({ method: 'GET', path: '/', credential: 'key' });
    expect(text.data).toBe('<p>');
  });
});
