/** Requests that are not what a client sends: other encodings, addresses and numbers. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/server/app.ts';
import { companies, now, sessions, tokens, type World, world } from './world.ts';

let w: World;
let server: Listening;
beforeEach(async () => {
  w = await world();
  server = await listen(w.store, { port: 0, now: () => now });
});
afterEach(async () => {
  await server.close();
  await w.close();
});

/** A request as bytes; the connection is closed after the response. */
function raw(head: string, body: Buffer | string = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(`${head}\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    let seen = '';
    socket.on('data', (data) => {
      seen += data;
    });
    socket.on('close', () => resolve(seen));
    socket.on('error', reject);
  });
}

const create = `POST /api/lists?companyId=${companies.fund} HTTP/1.1
Authorization: Bearer ${tokens.ann}
Content-Type: application/json`.replaceAll('\n', '\r\n');

describe('bytes that are not UTF-8', () => {
  it.each([
    ['Latin-1', Buffer.from('{"name":"Caf\xe9"}', 'latin1')],
    ['half a character', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xf0, 0x9f]), Buffer.from('"}')])],
    ['UTF-16', Buffer.from('{"name":"Café"}', 'utf16le')],
    ['a surrogate', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')])],
  ])('are refused in a body: %s', async (_, bytes) => {
    const answer = await raw(create, bytes);
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*"status":400/);
    expect((await w.call('listLists', { query: { companyId: companies.fund } })).body).toEqual([]);
  });

  it('are refused in a query', async () => {
    const list = (await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } })).body;
    for (const query of ['search=%ff', 'filter%5B%c3%28%5D=x', 'search=caf%C3%A9%C3']) {
      const got = await w.call('listEntries', { params: { listId: list.id }, query });
      expect([query, got.status, got.body.error]).toEqual([query, 400, expect.stringContaining('UTF-8')]);
    }
    for (const query of ['search=100%', 'search=%C3%A9%F0%9F%98%80', 'search=%zz']) {
      expect((await w.call('listEntries', { params: { listId: list.id }, query })).status).toBe(200);
    }
  });
});

describe('addresses that are not valid', () => {
  it.each([
    ['OPTIONS *', 400],
    ['GET //', 404],
    ['GET http://[/api/lists', 400],
    ['GET http://127.0.0.1/api/nothing', 404],
    ['OPTIONS /api/lists', 405],
  ])('%s is %i', async (line, status) => {
    const answer = await raw(`${line} HTTP/1.1`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    if (status !== 400 || answer.includes('{')) expect(answer).toContain(`"status":${status}`);
  });
});

describe('numbers beyond a double', () => {
  it('are refused wherever a number is stored', async () => {
    const list = (await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } })).body;
    const at = { params: { listId: list.id } };
    const attribute = (config: string) =>
      w.call('createAttribute', { ...at, body: `{"name":"N","attribute_type":"number","config":${config}}` });
    for (const config of ['{"min":1e400}', '{"max":-1e399}', '{"min":1,"max":1e309}']) {
      const got = await attribute(config);
      expect([config, got.status, got.body.error]).toEqual([config, 400, expect.stringContaining('finite')]);
    }
    for (const body of ['{"title":"E","values":{"n":1e-401}}']) {
      await attribute('{}');
      expect((await w.call('createEntry', { ...at, body })).body.error).toContain('out of range');
    }
    expect((await attribute('{"min":1e308,"max":1.7e308}')).status).toBe(201);
    for (const body of ['{"title":"E","values":{"n":1e400}}', '{"title":"E","position":1e400}']) {
      expect((await w.call('createEntry', { ...at, body })).status).toBe(400);
    }
    expect((await w.call('listEntries', { ...at, query: 'limit=1e400' })).status).toBe(400);
  });
});

describe('the clock', () => {
  it('of the API is in the Date of every answer', async () => {
    const { url } = server;
    const headers = { cookie: `comem-auth-token=${sessions.ann}` };
    const paths = [`/api/lists?companyId=${companies.fund}`, '/api/nothing', '/api/lists/%ff', '/healthz', '/readyz'];
    for (const path of paths) {
      const answer = await fetch(url + path, { headers });
      expect([path, answer.headers.get('date')]).toEqual([path, now.toUTCString()]);
    }
  });
});

describe('requests that cost more than their length', () => {
  it.each([400, 1001, 17_000])('with %i parameters are answered in a moment', async (count) => {
    const list = (await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } })).body;
    const began = performance.now();
    const query = Array.from({ length: count }, (_, n) => `filter[t]=${n}`).join('&');
    const { status, body } = await w.call('listEntries', { params: { listId: list.id }, query });
    expect(status).toBe(400);
    expect(body.error).toMatch(count > 1000 ? `query has ${count} parameters, and at most 1000 are allowed` : /t\b/);
    expect(performance.now() - began).toBeLessThan(3000);
  });

  it('with 200,000 brackets are refused', async () => {
    for (const body of ['['.repeat(200_000), `{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`]) {
      const answer = await raw(create, body);
      expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*is not JSON: nested deeper than 500 levels/);
    }
  });
});

it('a request without Host is refused as JSON', async () => {
  const bytes = await new Promise<string>((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () =>
      socket.write('GET /api/lists HTTP/1.1\r\nConnection: close\r\n\r\n'),
    );
    let all = '';
    socket.on('data', (data) => {
      all += data;
    });
    socket.on('close', () => resolve(all));
    socket.on('error', reject);
  });
  expect(bytes).toMatch(/^HTTP\/1\.1 400 /);
  expect(bytes).toMatch(/content-type: application\/json/i);
  expect(JSON.parse(bytes.slice(bytes.indexOf('{'), bytes.lastIndexOf('}') + 1))).toMatchObject({
    error: 'The request has no Host header',
    status: 400,
  });
});
