/** Responses that hold more than they should: refused while they arrive, whatever their encoding and length say. */
import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { type Connection, networkConnection } from '../../src/client/network.ts';
import { withRetry, withTimeout } from '../../src/client/retry.ts';

const mebibyte = 1024 * 1024;
const limit = 2 * mebibyte;
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(listener: RequestListener, maxResponse = limit): Promise<[string, Connection]> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = networkConnection(origin, { maxResponse });
  closers.push(() => {
    void connection.close();
    server.closeAllConnections();
    server.close();
  });
  return [origin, connection];
}

const get = ([origin, { send }]: [string, Connection], signal?: AbortSignal) =>
  send({ method: 'GET', url: `${origin}/`, headers: {}, signal });

const encoders = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  br: (data: Buffer) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  deflate: deflateSync,
};
const encodings = Object.keys(encoders) as (keyof typeof encoders)[];

/** Writes until nobody reads any more. */
function endless(response: ServerResponse, piece: Buffer): void {
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
}

describe('a body', () => {
  test.each(encodings)('in %s that is longer than the limit is refused, and one of the limit is read', async (name) => {
    const whole = Buffer.alloc(limit, 'x');
    const good = await serve((_, response) => {
      response.setHeader('content-encoding', name).end(encoders[name](whole));
    });
    expect(whole.equals((await get(good)).body)).toBe(true);
    const bomb = await serve((_, response) => {
      response.setHeader('content-encoding', name).end(encoders[name](Buffer.alloc(limit + 1)));
    });
    await expect(get(bomb)).rejects.toMatchObject({ reason: 'tooLarge', message: expect.stringContaining('2 MiB') });
  });

  test.each(encodings)('in %s of random bytes is decoded as it comes', async (name) => {
    const whole = randomBytes(12 * mebibyte);
    const where = await serve((_, response) => {
      response.setHeader('content-encoding', name).end(encoders[name](whole));
    }, 16 * mebibyte);
    const { body, headers } = await get(where);
    expect(whole.equals(body)).toBe(true);
    expect(headers).not.toHaveProperty('content-encoding');
  });

  test('that never ends is refused, plain or encoded', async () => {
    await expect(get(await serve((_, response) => endless(response, Buffer.alloc(65_536, '1'))))).rejects.toMatchObject(
      {
        reason: 'tooLarge',
      },
    );
    for (const piece of [gzipSync(Buffer.alloc(mebibyte)), gzipSync(randomBytes(65_536))]) {
      const where = await serve((_, response) => endless(response.setHeader('content-encoding', 'gzip'), piece));
      await expect(get(where)).rejects.toMatchObject({ reason: 'tooLarge' });
    }
  });

  test('whose length says that it is too long is not read', async () => {
    const where = await serve((_, response) => void response.setHeader('content-length', limit + 1).write('['));
    await expect(get(where)).rejects.toMatchObject({ reason: 'tooLarge' });
  });

  test('that is too long is not asked for again', async () => {
    let sent = 0;
    const [origin, { send }] = await serve((_, response) => {
      sent += 1;
      response.end(Buffer.alloc(limit + 1));
    });
    const retrying = withRetry(send, { retries: 3, random: () => 0, now: () => new Date(), sleep: async () => {} });
    const request = { method: 'GET', url: `${origin}/`, headers: {} };
    await expect(retrying(request)).rejects.toMatchObject({ reason: 'tooLarge' });
    expect(sent).toBe(1);
  });

  test('that is cut off or damaged is a fault of the network', async () => {
    for (const size of [1000, 3 * mebibyte]) {
      const packed = gzipSync(randomBytes(size));
      for (const bad of [packed.subarray(0, -20), Buffer.concat([packed.subarray(0, 20), randomBytes(50), packed])]) {
        const where = await serve(
          (_, response) => void response.setHeader('content-encoding', 'gzip').end(bad),
          8 * mebibyte,
        );
        await expect(get(where)).rejects.toMatchObject({ reason: 'network', sent: true });
      }
    }
  });

  test('that stops in the middle ends with the time-out, and an interrupt ends it at once', async () => {
    const where = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip').write(gzipSync(randomBytes(mebibyte)).subarray(0, 600_000));
    });
    const [origin, { send }] = where;
    const late = withTimeout(send, 60)({ method: 'GET', url: `${origin}/`, headers: {} });
    await expect(late).rejects.toMatchObject({ reason: 'timeout' });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 30);
    await expect(get(where, stop.signal)).rejects.toMatchObject({ reason: 'aborted' });
  });

  test('of many small values is refused, because they take more memory than the text', async () => {
    const where = await serve((_, response) => response.end(`[${'{},'.repeat(mebibyte)}{}]`), 4 * mebibyte);
    await expect(get(where)).rejects.toMatchObject({ reason: 'tooLarge', message: expect.stringContaining('values') });
  });
});
