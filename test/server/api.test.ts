import { createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OperationId, operations } from '../../src/contract/index.ts';
import { fillPath, type Operation } from '../../src/contract/operation.ts';
import { choices, type JsonSchema } from '../../src/contract/schema.ts';
import { createApi } from '../../src/server/api.ts';
import { createApp, listen } from '../../src/server/app.ts';
import { companies, now, sessions, tokens, unknown, type World, world } from './world.ts';

let w: World;
beforeEach(async () => {
  w = await world();
});
afterEach(() => w.close());

const ids = Object.keys(operations) as OperationId[];
function plausibleValue(name: string, schema: JsonSchema = {}): string {
  if (name === 'companyId' || name === 'vcCompanyId') return companies.fund;
  if (schema.format === 'uuid') return unknown;
  return choices(schema)?.[0] ?? 'x';
}

/** Parameters and body that get past validation, whether the thing exists or not. */
function plausible(id: OperationId) {
  const op: Operation = operations[id];
  const fill = (fields: Operation['params'] | undefined): Record<string, string> =>
    Object.fromEntries(
      (fields?.required ?? []).map((name) => [name, plausibleValue(name, fields?.properties?.[name])]),
    );
  return {
    params: fill(op.params),
    query: fill(op.query),
    ...(op.body && { body: { ...fill(op.body), ...(id === 'createGrant' && { scope: ['metrics'] }) } }),
  };
}

describe('credentials', () => {
  it.each(ids)('%s refuses none, the wrong kind, an unknown, expired or revoked one', async (id) => {
    const { credential } = operations[id];
    const key = { authorization: `Bearer ${tokens.ann}` };
    const session = { cookie: `comem-auth-token=${sessions.ann}` };
    const refused = async (headers: Record<string, string>) => {
      const got = await w.call(id, { ...plausible(id), as: null, headers });
      expect(got.status).toBe(401);
      return got.body.error as string;
    };
    const wanted = credential === 'key' ? 'API key' : 'web session';
    expect(await refused({})).toContain(wanted);
    expect(await refused(credential === 'key' ? session : key)).toContain(`${wanted} (`);
    expect(await refused(credential === 'key' ? session : key)).toMatch(/, not an? /);
    if (credential === 'key') {
      expect(await refused({ authorization: 'Bearer cmk_nope' })).toContain('unknown');
      expect(await refused({ authorization: tokens.ann })).toContain(wanted);
      expect(await refused({ authorization: `Bearer ${tokens.expired}` })).toContain('expired');
      expect(await refused({ authorization: `Bearer ${tokens.revoked}` })).toContain('revoked');
    } else {
      expect(await refused({ cookie: 'comem-auth-token=nope' })).toContain('unknown');
      expect(await refused({ cookie: `comem-auth-token=${sessions.expired}` })).toContain('expired');
      expect(await refused({ cookie: `comem-auth-token=${sessions.ended}` })).toContain('revoked');
    }
    const allowed = await w.call(id, { ...plausible(id), as: null, headers: { ...key, ...session } });
    expect(allowed.status).not.toBe(401);
  });

  it('take an OAuth token only for series and catalog', async () => {
    for (const id of ids.filter((one) => operations[one].credential === 'key')) {
      const got = await w.call(id, {
        ...plausible(id),
        query: { periodType: 'month', ...plausible(id).query },
        as: tokens.oauth,
      });
      expect([id, got.status]).toEqual([id, /Series|Catalog/.test(id) ? 200 : 401]);
    }
  });

  it('put a session cookie together from its pieces', async () => {
    const read = (cookie: string) =>
      w.call('listLists', { query: { companyId: companies.fund }, as: null, headers: { cookie } });
    const [a, b, c] = [sessions.ann.slice(0, 5), sessions.ann.slice(5, 9), sessions.ann.slice(9)];
    const name = 'comem-auth-token';
    expect((await read(`${name}.1=${b}; x=y; ${name}.0=${a}; ${name}.2=${c}`)).status).toBe(200);
    expect((await read(`${name}.0=${a}; ${name}.2=${c}`)).status).toBe(401);
    expect((await read(`x${name}=${sessions.ann}`)).status).toBe(401);
  });

  it('are kept only as hashes', async () => {
    const rows = JSON.stringify([
      await w.store.db.selectFrom('tokens').selectAll().execute(),
      await w.store.db.selectFrom('sessions').selectAll().execute(),
    ]);
    for (const secret of [...Object.values(tokens), ...Object.values(sessions)]) expect(rows).not.toContain(secret);
  });
});

describe('requests', () => {
  const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const answer = await w.api({ method, url: `http://embedded${path}`, headers, ...(body !== undefined && { body }) });
    return { ...answer, json: JSON.parse(Buffer.from(answer.body).toString()) };
  };
  const key = { authorization: `Bearer ${tokens.ann}` };
  const create = `/api/lists?companyId=${companies.fund}`;

  it('to unknown paths and methods are 404 and 405 in the same shape', async () => {
    for (const path of [
      '/',
      '/api',
      '/api/lists/',
      '/api/lists//entries',
      '/API/lists',
      '/api/listsx',
      '/api/lists/a/b/c',
    ]) {
      const got = await send('GET', path);
      expect([path, got.status, got.json]).toEqual([path, 404, { error: expect.stringContaining(path), status: 404 }]);
    }
    const got = await send('PUT', '/api/lists');
    expect([got.status, got.headers.allow, got.json.status]).toEqual([405, 'GET, POST', 405]);
    expect((await send('GET', '/api/lists/templates/instantiate')).headers.allow).toBe('POST');
    expect((await send('HEAD', `/api/lists/${unknown}/attributes`)).headers.allow).toBe('POST, PATCH, DELETE');
  });

  it('with a body that is not JSON, none that is taken, or too large, are refused', async () => {
    const status = async (type: string | undefined, body: string) =>
      (await send('POST', create, { ...key, ...(type && { 'content-type': type }) }, body)).status;
    expect(await status('application/json', '{"name":"A"}')).toBe(201);
    expect(await status('Application/JSON; charset=utf-8', '{"name":"A"}')).toBe(201);
    expect(await status('application/merge-patch+json', '{"name":"A"}')).toBe(201);
    expect(await status('text/plain', '{"name":"A"}')).toBe(415);
    expect(await status(undefined, '{"name":"A"}')).toBe(415);
    expect(await status('application/json', '{"name":"A"')).toBe(400);
    expect(await status('application/json', 'null')).toBe(400);
    expect(await status('application/json', '')).toBe(400);
    expect(await status('application/json', `{"name":"${'x'.repeat(1024 * 1024)}"}`)).toBe(413);
    expect(await status('application/json', '['.repeat(500_000))).toBe(400);
    expect(await status('application/json', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toBe(400);
  });

  it('that a path parameter makes unreadable are 400', async () => {
    const got = await send('GET', '/api/lists/%ff', { cookie: `comem-auth-token=${sessions.ann}` });
    expect([got.status, got.json.details.issues[0].path]).toEqual([400, 'listId']);
  });

  it('that fail inside tell nothing of it', async () => {
    const errors: unknown[] = [];
    const api = createApi(w.store, { now: () => now, onError: (error) => errors.push(error) });
    await w.store.db.schema.alterTable('grants').renameColumn('company_id', 'lost').execute();
    const answer = await api({
      method: 'GET',
      url: `http://embedded/api/metrics/grants?companyId=${companies.fund}`,
      headers: key,
    });
    expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([
      500,
      '{"error":"Internal error","status":500}',
    ]);
    expect(String(errors)).toContain('company_id');
  });

  it('go through the wrappers, outermost first', async () => {
    const order: string[] = [];
    const api = createApi(w.store, {
      wrappers: ['a', 'b'].map((name) => (request, next) => {
        order.push(name);
        return next(request);
      }),
    });
    await api({ method: 'GET', url: 'http://embedded/', headers: {} });
    expect(order).toEqual(['a', 'b']);
  });
});

describe('over HTTP', () => {
  it('answers as it does in process', async () => {
    const app = await createApp(w.store, { now: () => now });
    for (const id of ids) {
      const { params, query, body } = plausible(id);
      const { method, path, credential } = operations[id];
      const headers: Record<string, string> =
        credential === 'key'
          ? { authorization: `Bearer ${tokens.ben}` }
          : { cookie: `comem-auth-token=${sessions.ben}` };
      if (body) headers['content-type'] = 'application/json';
      const url = `${fillPath(path, params)}?${new URLSearchParams(query as Record<string, string>)}`;
      const text = body && JSON.stringify(body);
      const direct = await w.api({ method, url: `http://embedded${url}`, headers, ...(text && { body: text }) });
      const got = await app.inject({ method, url, headers, ...(text && { body: text }) });
      const stable = (bytes: string) => bytes.replace(/"id":"[^"]*"|-\d+"/g, '');
      expect([id, got.statusCode, stable(got.body)]).toEqual([
        id,
        direct.status,
        stable(Buffer.from(direct.body).toString()),
      ]);
    }
    await app.close();
  });

  it('keeps the error shape for what HTTP itself refuses', async () => {
    const { url, port, close } = await listen(w.store, { port: 0, now: () => now });
    const headers = { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' };
    const large = await fetch(`${url}/api/lists?companyId=${companies.fund}`, {
      method: 'POST',
      headers,
      body: `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`,
    });
    expect([large.status, await large.json()]).toMatchObject([413, { status: 413, error: expect.any(String) }]);
    const odd = await fetch(`${url}/api/lists`, { method: 'PUT' });
    expect([odd.status, odd.headers.get('allow'), await odd.json()]).toMatchObject([405, 'GET, POST', { status: 405 }]);
    const bad = await fetch(`${url}/api/lists/%zz`, { headers: { cookie: `comem-auth-token=${sessions.ann}` } });
    expect([bad.status, await bad.json()]).toMatchObject([400, { status: 400 }]);
    const text = await fetch(`${url}/api/lists?companyId=${companies.fund}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body: 'x',
    });
    expect([text.status, await text.json()]).toMatchObject([415, { status: 415 }]);
    const raw = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      let seen = '';
      socket.on('data', (data) => {
        seen += data;
      });
      socket.on('close', () => resolve(seen));
    });
    expect(raw).toMatch(/^HTTP\/1.1 400 [\s\S]*"status":400/);
    await close();
    await expect(fetch(url)).rejects.toThrow();
  });

  it('gives every digit and every byte of a body', async () => {
    const { url, close } = await listen(w.store, { port: 0, now: () => now });
    const list = (await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } })).body;
    await w.call('createAttribute', { params: { listId: list.id }, body: { name: 'N', attribute_type: 'number' } });
    const answer = await fetch(`${url}/api/lists/${list.id}/entries`, {
      method: 'POST',
      headers: { cookie: `comem-auth-token=${sessions.ann}`, 'content-type': 'application/json' },
      body: '{"title":"\u{1F600}é","values":{"n":12345678901234567890.10}}',
    });
    const text = await answer.text();
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(text).toContain('"title":"\u{1F600}é","values":{"n":12345678901234567890.10}');
    const gone = await fetch(`${url}/api/lists/${list.id}`, {
      method: 'DELETE',
      headers: { cookie: `comem-auth-token=${sessions.ann}` },
    });
    expect([gone.status, await gone.text()]).toEqual([204, '']);
    await close();
  });

  it('takes facets and searches of ten thousand characters', async () => {
    const { url, close } = await listen(w.store, { port: 0, now: () => now });
    const list = (await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } })).body;
    await w.call('createAttribute', { params: { listId: list.id }, body: { name: 'T', attribute_type: 'text' } });
    const text = '\u{1F600}'.repeat(5000);
    const body = { title: text, values: { t: text } };
    const { id } = (await w.call('createEntry', { params: { listId: list.id }, body })).body;
    const headers = { cookie: `comem-auth-token=${sessions.ann}` };
    const query = new URLSearchParams({ search: text, 'filter[t]': text });
    const answer = await fetch(`${url}/api/lists/${list.id}/entries?${query}`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([200, [{ id }]]);
    await close();
  });

  it('lets a request in flight finish when it closes', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let arrived = () => {};
    const inside = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { port, close } = await listen(w.store, {
      port: 0,
      wrappers: [
        async (request, next) => {
          arrived();
          await held;
          return next(request);
        },
      ],
    });
    const status = new Promise<number | undefined>((resolve, reject) => {
      httpRequest({ port, host: '127.0.0.1', path: '/api/nothing' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    await inside;
    const closed = close();
    release();
    expect(await status).toBe(404);
    await closed;
  });

  it('names a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    await expect(listen(w.store, { port })).rejects.toThrow(`port ${port} on 127.0.0.1 is already in use`);
    other.close();
  });
});
