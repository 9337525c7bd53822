import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { type Connection, networkConnection } from '../../src/client/network.ts';
import { withTimeout } from '../../src/client/retry.ts';
import { TransportError } from '../../src/core/errors.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<{ origin: string; server: Server; sockets: Set<Socket> }> {
  const server = createServer(listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, sockets };
}

interface Tunnel {
  to: string | undefined;
  authorization: string | undefined;
}

/** A proxy that opens tunnels, or refuses each with a status. */
async function serveProxy(refusal?: number): Promise<{ proxy: string; tunnels: Tunnel[] }> {
  const { origin: proxy, server } = await serve((_request, response) => response.writeHead(500).end());
  const tunnels: Tunnel[] = [];
  server.on('connect', ({ url, headers }, socket, head) => {
    tunnels.push({ to: url, authorization: headers['proxy-authorization'] });
    if (refusal !== undefined) return socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    const [host, port] = (url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on('error', () => undefined);
  });
  return { proxy, tunnels };
}

function open(origin: string, env: Record<string, string> = {}): Connection {
  const connection = networkConnection(origin, { env });
  closers.push(() => connection.close());
  return connection;
}

const text = (body: Uint8Array) => Buffer.from(body).toString('utf8');
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const pem = (what: string, lines: string[]) =>
  [`-----BEGIN ${what}-----`, ...lines, `-----END ${what}-----`, ''].join('\n');

/** Signed by itself, for localhost, until 2126. */
const key = pem('PRIVATE KEY', [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGislrssCNcvJXDiQ',
  's3bsdr5T8sFsLpv9Sg6yTsHCbvOhRANCAARHbYb8zN10AOarhhLcv8r05+CWYyEL',
  'SBvY13E2eBONf91gFZH+6HWkvHWu/X2YzZ9mOIyYNZkIjkA8wB4BxQek',
]);
const certificate = pem('CERTIFICATE', [
  'MIIBfjCCASWgAwIBAgIUSxr50t0bVnV/2nmAiZFdBgPu4l0wCgYIKoZIzj0EAwIw',
  'FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjE4MjEwNloYDzIxMjYxMDI5',
  'MTgyMTA2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO',
  'PQMBBwNCAARHbYb8zN10AOarhhLcv8r05+CWYyELSBvY13E2eBONf91gFZH+6HWk',
  'vHWu/X2YzZ9mOIyYNZkIjkA8wB4BxQeko1MwUTAdBgNVHQ4EFgQUNGaYCR/qV+sj',
  'Zg/CrZghaNwJcMswHwYDVR0jBBgwFoAUNGaYCR/qV+sjZg/CrZghaNwJcMswDwYD',
  'VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAswYi7QOISaAFoYcavE0qR',
  'o30dFj6yeQGFGe56bR/jsAIgKAZo+o+eYM3tsPS5lXj5m46sdOuVh2N4uizYM/cL',
  'jVo=',
]);

describe('the network transport', () => {
  test('sends method, path, headers and body, and reads the whole answer', async () => {
    const { origin } = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        response.setHeader('X-Two', ['a', 'b']);
        response
          .writeHead(201)
          .end(JSON.stringify({ method: request.method, url: request.url, body, x: request.headers.x }));
      });
    });
    const answer = await open(origin).send({
      method: 'POST',
      url: `${origin}/p?q=1`,
      headers: { x: 'y' },
      body: '{"ü":1}',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers['x-two']).toBe('a, b');
    expect(JSON.parse(text(answer.body))).toEqual({ method: 'POST', url: '/p?q=1', body: '{"ü":1}', x: 'y' });
  });

  test('keeps one connection for requests that follow each other', async () => {
    const { origin, sockets } = await serve((_request, response) => response.end('{}'));
    const connection = open(origin);
    for (let index = 0; index < 5; index += 1) await connection.send({ method: 'GET', url: `${origin}/`, headers: {} });
    expect(sockets.size).toBe(1);
  });

  test('closes a connection that is idle, before the server does, and none that waits for an answer', async () => {
    const { origin, server, sockets } = await serve((request, response) => {
      if (request.url === '/late') setTimeout(() => response.end('"late"'), 4500);
      else response.end('{}');
    });
    server.keepAliveTimeout = 0;
    const { send } = open(origin);
    const late = send({ method: 'GET', url: `${origin}/late`, headers: {} });
    await send({ method: 'GET', url: `${origin}/`, headers: {} });
    const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    expect(closed).toHaveLength(2);
    await Promise.race(closed);
    expect(text((await late).body)).toBe('"late"');
  });

  test('ends as a cancelled request when the command closes it: there is nothing to try again', async () => {
    const { origin } = await serve(() => {});
    const connection = open(origin);
    const sent = connection.send({ method: 'GET', url: `${origin}/`, headers: {} });
    const failed = expect(sent).rejects.toMatchObject({ reason: 'aborted' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await connection.close();
    await failed;
    const late = connection.send({ method: 'GET', url: `${origin}/`, headers: {} });
    await expect(late).rejects.toMatchObject({ reason: 'aborted' });
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('decodes %s', async (encoding, encode) => {
    const { origin } = await serve((request, response) => {
      expect(request.headers['accept-encoding']).toContain(encoding);
      response.setHeader('content-encoding', encoding);
      response.end(encode(Buffer.from('{"a":"é"}')));
    });
    const answer = await open(origin).send({ method: 'GET', url: `${origin}/`, headers: {} });
    expect(text(answer.body)).toBe('{"a":"é"}');
    expect(answer.headers['content-encoding']).toBeUndefined();
  });

  test('a body that does not decode is a broken answer', async () => {
    const { origin } = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(Buffer.from('{"a":1}')).subarray(0, 12));
    });
    const error = await failure(open(origin).send({ method: 'GET', url: `${origin}/`, headers: {} }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ sent: true, reason: 'network' });
  });

  test.each([
    ['content-length', { 'content-length': '100' }],
    ['chunks', {}],
  ])('a stream cut short (%s) is a failure, never a short body', async (_name, headers) => {
    const { origin } = await serve((_request, response) => {
      response.writeHead(200, headers);
      response.write('[1,2]', () => setImmediate(() => response.destroy()));
    });
    const error = await failure(open(origin).send({ method: 'GET', url: `${origin}/`, headers: {} }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ sent: true, reason: 'network' });
  });

  test('a redirect comes back as it is', async () => {
    let seen = 0;
    const { origin } = await serve((_request, response) => {
      seen += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const answer = await open(origin).send({ method: 'GET', url: `${origin}/`, headers: {} });
    expect([answer.status, answer.headers.location, seen]).toEqual([302, '/elsewhere', 1]);
  });

  test('a refused connection was certainly not sent; a reset one may have been', async () => {
    const gone = await serve(() => undefined);
    await closers.pop()?.();
    const refused = await failure(
      open(gone.origin).send({ method: 'POST', url: `${gone.origin}/`, headers: {}, body: '{}' }),
    );
    expect(refused).toMatchObject({ sent: false, reason: 'network', message: expect.stringContaining('refused') });

    const { origin } = await serve((request) => request.socket.destroy());
    const reset = await failure(open(origin).send({ method: 'POST', url: `${origin}/`, headers: {}, body: '{}' }));
    expect(reset).toMatchObject({
      sent: true,
      reason: 'network',
      message: expect.stringContaining('was closed before'),
    });
  });

  test.each([false, true])(
    'a server whose certificate nobody trusts sees no request (proxy: %s)',
    async (isProxied) => {
      let seen = 0;
      const server = createSecureServer({ key, cert: certificate }, () => {
        seen += 1;
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closers.push(() => new Promise((resolve) => server.close(() => resolve())));
      const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
      const { proxy, tunnels } = await serveProxy();
      const { send } = open(origin, isProxied ? { https_proxy: proxy } : {});
      const error = await failure(send({ method: 'POST', url: `${origin}/`, headers: {}, body: '{}' }));
      expect(error).toMatchObject({ sent: false, reason: 'network', message: expect.stringContaining('self-signed') });
      expect([seen, tunnels.length]).toEqual([0, isProxied ? 1 : 0]);
    },
  );

  test.each(['SSH-2.0 hello\r\n', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(70_000)}\r\n\r\n`])(
    'what is no response of HTTP is a failure: %.20j',
    async (bytes) => {
      const { origin, server } = await serve(() => {});
      server.on('connection', (socket) => socket.end(bytes));
      const error = await failure(open(origin).send({ method: 'GET', url: `${origin}/`, headers: {} }));
      expect(error).toMatchObject({ sent: true, reason: 'network', message: expect.stringContaining(`${origin}: `) });
    },
  );

  test('a host that does not exist is named', async () => {
    const origin = 'http://no-such-host.invalid';
    const error = await failure(open(origin).send({ method: 'GET', url: `${origin}/`, headers: {} }));
    expect(error).toMatchObject({ sent: false, message: expect.stringContaining('no-such-host.invalid') });
  });

  test('the time-out covers waiting for the answer and reading it', async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === '/half') response.write('[1');
    });
    const send = withTimeout(open(origin).send, 80);
    for (const path of ['/none', '/half']) {
      const error = await failure(send({ method: 'GET', url: origin + path, headers: {} }));
      expect(error).toMatchObject({ sent: true, reason: 'timeout', message: expect.stringContaining('0.08 s') });
    }
  });

  test("the caller's own signal ends a request, before and while it runs", async () => {
    const { origin } = await serve(() => undefined);
    const send = withTimeout(open(origin).send, 10_000);
    const stop = new AbortController();
    const running = failure(send({ method: 'GET', url: `${origin}/`, headers: {}, signal: stop.signal }));
    setTimeout(() => stop.abort(), 30);
    expect(await running).toMatchObject({ reason: 'aborted' });
    const before = await failure(send({ method: 'GET', url: `${origin}/`, headers: {}, signal: stop.signal }));
    expect(before).toMatchObject({ reason: 'aborted', sent: false });
  });

  test('proxy variables send the request through the proxy, unless NO_PROXY names the host', async () => {
    const { origin } = await serve((_request, response) => response.end('"direct"'));
    const { proxy, tunnels } = await serveProxy();
    const get = (env: Record<string, string>) =>
      open(origin, env).send({ method: 'GET', url: `${origin}/`, headers: {} });
    expect(text((await get({ HTTP_PROXY: proxy })).body)).toBe('"direct"');
    const authority = new URL(origin).host;
    expect(tunnels).toEqual([{ to: authority, authorization: undefined }]);
    expect(text((await get({ http_proxy: proxy, NO_PROXY: 'other.example,127.0.0.1' })).body)).toBe('"direct"');
    expect(tunnels).toHaveLength(1);
    expect(text((await get({ http_proxy: proxy.replace('//', '//me:p%40ss@') })).body)).toBe('"direct"');
    const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(tunnels[1]).toEqual({ to: authority, authorization });
  });

  test('a proxy that refuses is a failure with its status, and nothing was sent', async () => {
    let requests = 0;
    const { origin } = await serve(() => {
      requests += 1;
    });
    const { proxy } = await serveProxy(407);
    const { send } = open(origin, { http_proxy: proxy });
    const error = await failure(send({ method: 'POST', url: `${origin}/`, headers: {}, body: '{}' }));
    const message = expect.stringContaining('407');
    expect(error).toMatchObject({ sent: false, reason: 'network', message });
    expect(requests).toBe(0);
  });

  test('a dead proxy means that nothing was sent', async () => {
    const dead = await serve(() => undefined);
    await closers.pop()?.();
    const { origin } = await serve((_request, response) => response.end('{}'));
    const send = open(origin, { HTTP_PROXY: dead.origin }).send;
    const error = await failure(send({ method: 'POST', url: `${origin}/`, headers: {}, body: '{}' }));
    expect(error).toMatchObject({ sent: false, reason: 'network' });
  });
});
