import { describe, expect, it } from 'vitest';
import { inOrder, limiter } from '../../src/core/concurrency.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('inOrder', () => {
  it('keeps the order of the sources, whichever is first', async () => {
    const source = (name: string, turns: number) =>
      async function* () {
        for (let part = 0; part < 3; part += 1) {
          for (let left = turns; left > 0; left -= 1) await turn();
          yield `${name}${part}`;
        }
      };
    const sources = [source('a', 9), source('b', 1), source('c', 0), source('d', 4)];
    const expected = ['a0', 'a1', 'a2', 'b0', 'b1', 'b2', 'c0', 'c1', 'c2', 'd0', 'd1', 'd2'];
    for (const inFlight of [1, 2, 8]) expect(await all(inOrder(sources, { inFlight, ahead: 1 }))).toEqual(expected);
  });

  it('reads no more sources at once, and no further ahead, than it may', async () => {
    let open = 0;
    let most = 0;
    const read = [0, 0, 0, 0, 0];
    const sources = read.map(
      (_, index) =>
        async function* () {
          open += 1;
          most = Math.max(most, open);
          for (let item = 0; item < 10; item += 1) {
            read[index] = item + 1;
            yield item;
          }
          open -= 1;
        },
    );
    const iterator = inOrder(sources, { inFlight: 3, ahead: 2 });
    await iterator.next();
    for (let left = 20; left > 0; left -= 1) await turn();
    expect(read.slice(1)).toEqual([2, 2, 0, 0]);
    expect(await all(iterator)).toHaveLength(49);
    expect(most).toBe(3);
  });

  it('gives what comes before a failure, then the failure, and lets the others go', async () => {
    const closed: string[] = [];
    const source = (name: string, fails: boolean) =>
      async function* () {
        try {
          yield name;
          if (fails) throw new Error(`${name} is broken`);
          yield name;
        } finally {
          closed.push(name);
        }
      };
    const given: string[] = [];
    const reading = async () => {
      const sources = [source('a', false), source('b', true), source('c', false)];
      for await (const item of inOrder(sources, { inFlight: 3, ahead: 1 })) given.push(item);
    };
    await expect(reading()).rejects.toThrow('b is broken');
    expect(given).toEqual(['a', 'a', 'b']);
    await turn();
    expect(closed).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  it('does not wait for a source that will never answer when its reader leaves', async () => {
    const silent = async function* (): AsyncGenerator<string> {
      await new Promise(() => {});
    };
    const one = async function* () {
      yield 'one';
    };
    for await (const item of inOrder([one, silent], { inFlight: 2, ahead: 1 })) {
      expect(item).toBe('one');
      break;
    }
  });
});

describe('limiter', () => {
  it('runs at most so many at once, first come first served, failures too', async () => {
    const slot = limiter(2);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) =>
        slot(async () => {
          order.push(index);
          running += 1;
          most = Math.max(most, running);
          await turn();
          running -= 1;
          if (index === 1) throw new Error('no');
          return index;
        }),
      ),
    );
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
    expect(results.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'],
    ]);
  });
});
