import { describe, expect, it } from 'vitest';
import type { Transport, WireRequest } from '../../src/core/wire.ts';
import { type FaultOptions, faultWrappers, parseDuration, parseFault } from '../../src/server/faults.ts';

const request = (method: string, path: string, headers = {}): WireRequest => ({
  method,
  url: `http://x${path}`,
  headers,
});

/** The API behind the faults counts what reaches it. */
function world(options: FaultOptions, clock?: () => number) {
  const taken: string[] = [];
  const api: Transport = async ({ method, url }) => {
    taken.push(`${method} ${url}`);
    return { status: 200, headers: {}, body: new Uint8Array() };
  };
  const send = faultWrappers(options, clock).reduceRight<Transport>((next, wrap) => (r) => wrap(r, next), api);
  const status = async (...args: Parameters<typeof request>) => {
    try {
      return (await send(request(...args))).status;
    } catch (error) {
      return (error as Error).message.includes('after') ? 'lost' : 'dropped';
    }
  };
  return { taken, status };
}

describe('--fail', () => {
  it('fails K of every N matching requests, and no others', async () => {
    const { status, taken } = world({ faults: [parseFault('POST /api/lists/*/entries=503@1/3')] });
    const seen = [];
    for (let i = 0; i < 6; i += 1) seen.push(await status('POST', '/api/lists/a/entries'));
    expect(seen).toEqual([200, 200, 503, 200, 200, 503]);
    expect(await status('POST', '/api/lists/a/attributes')).toBe(200);
    expect(await status('GET', '/api/lists/a/entries?limit=3')).toBe(200);
    expect(taken).toHaveLength(6);
  });

  it('loses the answer after the write was taken, or drops it before', async () => {
    const after = world({ faults: [parseFault('PATCH *=drop-after')] });
    expect(await after.status('PATCH', '/x')).toBe('lost');
    expect(after.taken).toHaveLength(1);
    const before = world({ faults: [parseFault('*=drop@1/1')] });
    expect(await before.status('GET', '/x')).toBe('dropped');
    expect(before.taken).toHaveLength(0);
  });

  it.each([
    ['', /must be METHOD PATH=FAULT/],
    ['POST /a', /must be METHOD PATH=FAULT/],
    ['FETCH /a=503', /must be METHOD PATH=FAULT/],
    ['POST a=503', /must be METHOD PATH=FAULT/],
    ['POST /a=200', /FAULT is 400 to 599, drop, drop-after or html/],
    ['POST /a=explode', /FAULT is 400 to 599/],
    ['POST /a=503@3/2', /PATH=FAULT@K\/N/],
    ['POST /a=503@1/0', /PATH=FAULT@K\/N/],
    ['POST /a=503@often', /@K\/N/],
    ['GET /a?limit=1=503', /must be METHOD PATH=FAULT/],
  ])('refuses %j', (text, message) => {
    expect(() => parseFault(text)).toThrow(message);
  });
});

describe('sessions that expire', () => {
  it('refuses a session from the given age on, and no key', async () => {
    let now = 0;
    const { status } = world({ sessionMs: parseDuration('--expire-session', '60s') }, () => now);
    const cookie = { cookie: 'comem-auth-token=abc' };
    expect(await status('GET', '/api/lists', cookie)).toBe(200);
    now = 59_999;
    expect(await status('GET', '/api/lists', cookie)).toBe(200);
    now = 60_000;
    expect(await status('GET', '/api/lists', cookie)).toBe(401);
    expect(await status('GET', '/api/metrics/catalog', cookie)).toBe(200);
  });

  it('refuses every session from 0s on', async () => {
    const { status } = world({ sessionMs: parseDuration('--expire-session', '0s') }, () => 0);
    expect(await status('GET', '/api/lists', { cookie: 'comem-auth-token=abc' })).toBe(401);
  });

  it.each([
    [() => parseDuration('--latency', '20'), /--latency 20: must be a duration/],
    [() => parseDuration('--latency', '-1s'), /must be a duration/],
  ])('refuses what is malformed', (read, message) => {
    expect(read).toThrow(message);
  });
});
