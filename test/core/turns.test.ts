import { expect, it } from 'vitest';
import { withTurns } from '../../src/core/concurrency.ts';

/** Items that each take a while. */
function* slow(count: number) {
  for (let n = 0; n < count; n += 1) {
    const end = performance.now() + 5;
    while (performance.now() < end);
    yield n;
  }
}

it('gives all items in their order, and lets events in between', async () => {
  const given: (number | string)[] = [];
  setImmediate(() => given.push('event'));
  for await (const item of withTurns(slow(40), undefined)) given.push(item);
  expect(given.filter((item) => item !== 'event')).toEqual(Array.from({ length: 40 }, (_, n) => n));
  expect(given.at(-1)).not.toBe('event');
  expect(given).toContain('event');
});

it('ends once the signal has aborted', async () => {
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  const given: number[] = [];
  const all = async () => {
    for await (const item of withTurns(slow(40), stop.signal)) given.push(item);
  };
  await expect(all()).rejects.toMatchObject({ kind: 'interrupted' });
  expect(given.length).toBeLessThan(40);
});
