import { describe, expect, test } from 'vitest';
import { retryAfterMs, sleep, withRetry } from '../../src/client/retry.ts';
import { TransportError } from '../../src/core/errors.ts';
import type { WireRequest, WireResponse } from '../../src/core/wire.ts';

type Step = number | 'sent' | 'unsent' | 'timeout' | 'aborted' | WireResponse;

const now = new Date('2026-03-31T09:00:00Z');

function scripted(steps: Step[], retries = 3) {
  const waits: number[] = [];
  const notes: string[] = [];
  let calls = 0;
  const send = async (): Promise<WireResponse> => {
    const step = steps[calls];
    calls += 1;
    if (step === undefined) throw new Error('called once too often');
    if (step === 'sent' || step === 'unsent') throw new TransportError('broken', step === 'sent', 'network');
    if (step === 'timeout') throw new TransportError('late', true, 'timeout');
    if (step === 'aborted') throw new TransportError('stopped', true, 'aborted');
    return typeof step === 'number' ? { status: step, headers: {}, body: new Uint8Array() } : step;
  };
  const transport = withRetry(send, {
    retries,
    random: () => 0.5,
    now: () => now,
    sleep: async (ms) => {
      waits.push(ms);
    },
    note: (text) => notes.push(text),
  });
  const run = (method: string) =>
    transport({ method, url: 'https://x.example/api/lists?secret=1', headers: {} } satisfies WireRequest).then(
      (response) => response.status,
      (error: unknown) => (error instanceof TransportError ? error.reason : String(error)),
    );
  return { run, waits, notes, calls: () => calls };
}

describe('retrying', () => {
  const rows: [string, Step[], number | string, number][] = [
    // method, what comes, the outcome, how many calls
    ['GET', [503, 200], 200, 2],
    ['GET', ['sent', 'timeout', 200], 200, 3],
    ['GET', [500, 502, 503, 504], 504, 4],
    ['GET', ['sent', 'sent', 'sent', 'sent'], 'network', 4],
    ['GET', [404], 404, 1],
    ['GET', [400], 400, 1],
    ['GET', [401], 401, 1],
    ['GET', ['aborted'], 'aborted', 1],
    ['PATCH', [500, 200], 200, 2],
    ['PATCH', ['sent', 200], 200, 2],
    ['DELETE', ['timeout', 204], 204, 2],
    ['POST', [429, 201], 201, 2],
    ['POST', ['unsent', 201], 201, 2],
    ['POST', [500], 500, 1],
    ['POST', [503], 503, 1],
    ['POST', ['sent'], 'network', 1],
    ['POST', ['timeout'], 'timeout', 1],
  ];
  test.each(rows)('%s %j gives %s', async (method, steps, outcome, calls) => {
    const script = scripted(steps);
    expect(await script.run(method)).toBe(outcome);
    expect(script.calls()).toBe(calls);
  });

  test('no retries when the request forbids them', async () => {
    expect(await scripted([503], 0).run('GET')).toBe(503);
  });

  test('waits grow, with jitter, up to eight seconds', async () => {
    const script = scripted([...Array<number>(9).fill(500), 200], 9);
    await script.run('GET');
    expect(script.waits).toEqual([187.5, 375, 750, 1500, 3000, 6000, 6000, 6000, 6000]);
  });

  test('Retry-After is obeyed in seconds and as a date, and not when it is too long', async () => {
    const asks = (after: string): WireResponse => ({
      status: 429,
      headers: { 'retry-after': after },
      body: new Uint8Array(),
    });
    const script = scripted([asks('2'), asks('Tue, 31 Mar 2026 09:00:05 GMT'), 200]);
    expect(await script.run('POST')).toBe(200);
    expect(script.waits).toEqual([2000, 5000]);
    const long = scripted([asks('3600')]);
    expect(await long.run('GET')).toBe(429);
    expect(long.waits).toEqual([]);
  });

  test('reads Retry-After', () => {
    expect(retryAfterMs({ 'retry-after': '0' }, now)).toBe(0);
    expect(retryAfterMs({ 'retry-after': 'Tue, 31 Mar 2026 08:00:00 GMT' }, now)).toBe(0);
    const date = 'Tue, 31 Mar 2020 08:00:00 GMT';
    expect(retryAfterMs({ 'retry-after': 'Tue, 31 Mar 2020 08:00:07 GMT', date }, now)).toBe(7000);
    expect(
      retryAfterMs({ 'retry-after': 'Tue, 31 Mar 2099 08:00:00 GMT', date: 'Tue, 31 Mar 2099 07:59:58 GMT' }, now),
    ).toBe(2000);
    expect(retryAfterMs({ 'retry-after': 'soon' }, now)).toBeUndefined();
    expect(retryAfterMs({}, now)).toBeUndefined();
  });

  test('each wait is noted with its endpoint, without the query', async () => {
    const script = scripted([503, 200]);
    await script.run('GET');
    expect(script.notes).toEqual(['GET /api/lists: the server failed (503); trying again in 0.2 s']);
  });

  test('a DELETE whose first answer was lost and that is now 404 is done; one that was never sent is not', async () => {
    const lost = scripted(['sent', 404]);
    expect(await lost.run('DELETE')).toBe(204);
    expect(lost.notes.at(-1)).toContain('an earlier attempt deleted it');
    expect(await scripted([502, 404]).run('DELETE')).toBe(204);
    expect(await scripted(['unsent', 404]).run('DELETE')).toBe(404);
    expect(await scripted([429, 404]).run('DELETE')).toBe(404);
    expect(await scripted(['sent', 404]).run('PATCH')).toBe(404);
  });

  test('an abort ends the wait', async () => {
    const stop = new AbortController();
    const waiting = sleep(60_000, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ reason: 'aborted' });
    await expect(sleep(60_000, stop.signal)).rejects.toMatchObject({ reason: 'aborted' });
  });
});
