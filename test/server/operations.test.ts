/** A server that is left running: its probes, its limits, and what it says when its surroundings fail. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogOptions } from '../../src/server/app.ts';
import { type Listening, type ListenOptions, listen } from '../../src/server/app.ts';
import { faultWrappers, parseFault } from '../../src/server/faults.ts';
import { sql } from '../../src/server/store/kysely.ts';
import { openStore, type Store, writeMeta } from '../../src/server/store/store.ts';
import { companies, now, sessions, tokens, type World, world } from './world.ts';

let folder: string;
let w: World;
let server: Listening | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comem-operations-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await w.close();
  await rm(folder, { recursive: true, force: true });
});

async function serving(options: Partial<ListenOptions> = {}): Promise<string> {
  w = await world({}, { dataDir: folder, busyMs: 100 });
  server = await listen(w.store, { port: 0, now: () => now, ...options });
  return server.url;
}

type Line = Record<string, unknown>;

/** A log and the lines that were written to it, without their times. */
function logged(): { log: LogOptions; lines: Line[] } {
  const lines: Line[] = [];
  const write = (line: string) => {
    const { time, ...fields } = JSON.parse(line) as Line;
    expect(time).toMatch(/Z$/);
    lines.push(fields);
  };
  return { log: { level: 'info', format: 'json', write }, lines };
}

const requestsOf = (lines: readonly Line[]) => lines.filter(({ method }) => method !== undefined);

/** What the server sends until it ends the connection. */
function raw(url: string, talk: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => talk(socket));
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

const lists = (url: string) =>
  fetch(`${url}/api/lists?companyId=${companies.fund}`, { headers: { cookie: `comem-auth-token=${sessions.ann}` } });
const create = (url: string) =>
  fetch(`${url}/api/lists?companyId=${companies.fund}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' },
    // More than fits into pages that have room.
    body: JSON.stringify({ name: 'More', description: 'x'.repeat(20_000) }),
  });

describe('probes', () => {
  it('tell a server that lives from one that can answer, to anyone', async () => {
    const url = await serving();
    for (const path of ['/healthz', '/readyz']) {
      const answer = await fetch(url + path);
      expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
    }
    const version = (
      await w.store.db.selectFrom('meta').select('value').where('key', '=', 'schema_version').execute()
    )[0];
    await writeMeta(w.store.db, 'schema_version', '999');
    const newer = await fetch(`${url}/readyz`);
    expect([newer.status, ((await newer.json()) as { error: string }).error]).toEqual([
      503,
      'The database was migrated by a newer comem; update this one',
    ]);
    await writeMeta(w.store.db, 'schema_version', '0');
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await writeMeta(w.store.db, 'schema_version', version?.value ?? '');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});

describe('the end of a server', () => {
  it('lets requests in flight finish, and takes no new ones', async () => {
    let arrived = () => {};
    let release = () => {};
    const inside = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const url = await serving({
      wrappers: [
        async (request, next) => {
          arrived();
          await gate;
          return next(request);
        },
      ],
    });
    const under = create(url);
    await inside;
    const closed = server?.close();
    await expect(lists(url)).rejects.toThrow();
    release();
    expect((await under).status).toBe(201);
    await closed;
    expect((await w.call('listLists', { query: { companyId: companies.fund } })).body).toHaveLength(1);
    server = undefined;
  });
});

describe('limits', () => {
  const limits = { head: 300, request: 600, silence: 900, idle: 300 };

  it('a head or a body that never ends is answered 408', async () => {
    const url = await serving({ limits });
    expect(await raw(url, (socket) => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n'))).toContain(
      '408 Request Timeout',
    );
    const body = 'POST /api/lists HTTP/1.1\r\nHost: localhost\r\ncontent-length: 9\r\n\r\n{';
    const answer = await raw(url, (socket) => socket.write(body));
    expect(answer).toContain('408 Request Timeout');
    expect(answer).toContain('"error":"The request took too long to arrive","status":408');
  });

  it('a connection that asks nothing more is ended', async () => {
    const url = await serving({ limits });
    const answer = await raw(url, (socket) => socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    expect(answer).toContain('{"status":"ok"}');
  });

  it('headers beyond 256 KiB and a body beyond 1 MiB are refused', async () => {
    const { log, lines } = logged();
    const url = await serving({ log });
    const head = await raw(url, (socket) => {
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
      for (let n = 0; n < 1000; n += 1) socket.write(`h${n}: ${'b'.repeat(1000)}\r\n`);
    });
    expect(head).toContain('431 Request Header Fields Too Large');
    expect(requestsOf(lines)).toEqual([{ level: 'info', method: '-', status: 431, ms: 0 }]);
    const body = await fetch(`${url}/api/lists`, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
    expect([body.status, await body.json()]).toEqual([
      413,
      { error: 'The body is larger than 1048576 bytes', status: 413 },
    ]);
  });
});

describe('the record of a request', () => {
  it('says what was asked, and no secret', async () => {
    const { log, lines } = logged();
    const url = await serving({ log });
    await lists(url);
    await create(url);
    await fetch(`${url}/api/lists?companyId=${companies.fund}&token=${tokens.ben}`, {
      headers: { cookie: `comem-auth-token=${tokens.ben}` },
    });
    await fetch(`${url}/secret-path-${tokens.ben}`);
    await fetch(`${url}/api/lists`, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
    await fetch(`${url}/readyz`);
    // The session sees three companies and names none: the list says which one it is.
    const [list] = (await (await lists(url)).json()) as { id: string }[];
    const cookie = `comem-auth-token=${sessions.ann}`;
    await fetch(`${url}/api/lists/${list?.id}/entries`, { headers: { cookie } });
    await fetch(`${url}/api/lists/${list?.id}/entries`, { headers: { cookie }, method: 'POST', body: '{}' });
    const entries = '/api/lists/:listId/entries';
    expect(requestsOf(lines)).toEqual([
      {
        level: 'info',
        method: 'GET',
        route: '/api/lists',
        status: 200,
        ms: expect.any(Number),
      },
      {
        level: 'info',
        method: 'POST',
        route: '/api/lists',
        status: 201,
        ms: expect.any(Number),
      },
      { level: 'info', method: 'GET', route: '/api/lists', status: 401, ms: expect.any(Number) },
      { level: 'info', method: 'GET', status: 404, ms: expect.any(Number) },
      { level: 'info', method: 'POST', route: '/api/lists', status: 413, ms: expect.any(Number) },
      {
        level: 'info',
        method: 'GET',
        route: '/api/lists',
        status: 200,
        ms: expect.any(Number),
      },
      {
        level: 'info',
        method: 'GET',
        route: entries,
        status: 200,
        ms: expect.any(Number),
      },
      { level: 'info', method: 'POST', route: entries, status: 415, ms: expect.any(Number) },
    ]);
    const text = JSON.stringify(lines);
    for (const secret of [...Object.values(tokens), ...Object.values(sessions)]) expect(text).not.toContain(secret);
  });
});

describe('a client that goes away', () => {
  it('leaves one record, of what it asked', async () => {
    const { log, lines } = logged();
    const url = await serving({
      log,
      wrappers: [(request, next) => new Promise((resolve) => setTimeout(() => resolve(next(request)), 300))],
    });
    const head = `GET /api/lists?companyId=${companies.fund} HTTP/1.1\r\nHost: localhost\r\nCookie: comem-auth-token=${sessions.ann}\r\n\r\n`;
    await raw(url, (socket) => {
      socket.write(head);
      setTimeout(() => socket.resetAndDestroy(), 100);
    });
    while (requestsOf(lines).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await lists(url)).status).toBe(200);
    expect(requestsOf(lines).map(({ method, route, status }) => [method, route, status])).toEqual([
      ['GET', '/api/lists', 200],
      ['GET', '/api/lists', 200],
    ]);
  });
});

describe('the record of a request under injected faults', () => {
  it('is written too, whoever answered, also when nobody did', async () => {
    const { log, lines } = logged();
    const faults = ['GET /api/lists=503@1/1', 'POST *=drop', 'PATCH *=drop-after', 'DELETE *=html'].map(parseFault);
    const url = await serving({ log, wrappers: faultWrappers({ faults }) });
    const at = `${url}/api/lists/${companies.fund}/entries`;
    expect((await lists(url)).status).toBe(503);
    await expect(create(url)).rejects.toThrow();
    await expect(fetch(at, { method: 'PATCH', body: '{}' })).rejects.toThrow();
    expect((await fetch(at, { method: 'DELETE' })).status).toBe(200);
    // Not even a path that can be read.
    expect(
      await raw(url, (socket) => socket.write('GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')),
    ).toContain(' 400 ');
    const ms = expect.any(Number);
    const entries = '/api/lists/:listId/entries';
    expect(requestsOf(lines)).toEqual([
      { level: 'error', method: 'GET', route: '/api/lists', status: 503, ms },
      { level: 'info', method: 'POST', route: '/api/lists', status: 0, ms },
      { level: 'info', method: 'PATCH', route: entries, status: 0, ms },
      { level: 'info', method: 'DELETE', route: entries, status: 200, ms },
      { level: 'info', method: 'GET', status: 400, ms },
    ]);
  });
});

describe('a database whose surroundings fail', () => {
  /** Reads as before, refuses writes with the message, and writes again when the trouble is over. */
  async function survives(trouble: (store: Store) => Promise<() => Promise<unknown>>, message: string): Promise<void> {
    const { log, lines } = logged();
    const url = await serving({ log });
    expect((await create(url)).status).toBe(201);
    const over = await trouble(w.store);
    const refused = await create(url);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect([refused.status, await refused.json()]).toEqual([503, { error: message, status: 503 }]);
    expect(lines.filter((line) => 'message' in line)).toEqual([
      { level: 'info', message: expect.stringMatching(/^listening at http/) },
      { level: 'error', message: expect.stringMatching(/^a request failed inside the server: ./) },
    ]);
    expect(await (await lists(url)).json()).toHaveLength(1);
    await over();
    expect((await create(url)).status).toBe(201);
    expect(await (await lists(url)).json()).toHaveLength(2);
  }

  it('a lock that another process holds', async () => {
    await survives(async () => {
      const other = await openStore({ dataDir: folder });
      let free = () => {};
      let writing: Promise<void> | undefined;
      const held = new Promise<void>((holds) => {
        const until = new Promise<void>((resolve) => {
          free = resolve;
        });
        writing = other.write(async () => {
          holds();
          await until;
        });
      });
      await held;
      return async () => {
        free();
        await writing;
        await other.close();
      };
    }, 'The database is busy; nothing was written');
  });

  it('a lock that another process holds for a while holds up only writes', async () => {
    w = await world({}, { dataDir: folder, busyMs: 20_000 });
    server = await listen(w.store, { port: 0, now: () => now });
    const { url } = server;
    const other = await openStore({ dataDir: folder });
    let written = false;
    let write: Promise<Response> | undefined;
    await other.write(async () => {
      write = create(url).finally(() => {
        written = true;
      });
      // Far more than would be answered between two turns of a wait inside the library.
      for (let n = 0; n < 20; n += 1) expect((await lists(url)).status).toBe(200);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect(written).toBe(false);
    });
    expect((await write)?.status).toBe(201);
    await other.close();
  });

  it('a full disk', async () => {
    await survives(async ({ db }) => {
      // The same error as a disk without room: the file may not grow.
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
      await sql`pragma max_page_count = ${sql.raw(String(rows[0]?.page_count))}`.execute(db);
      return () => sql`pragma max_page_count = 1000000`.execute(db);
    }, 'The disk of the database is full; nothing was written');
  });

  it('files that may only be read', async () => {
    await survives(async ({ db }) => {
      await sql`pragma query_only = on`.execute(db);
      return () => sql`pragma query_only = off`.execute(db);
    }, 'The database is read-only; nothing was written');
  });
});
