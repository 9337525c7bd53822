/** The executor of many writes, on its own: no server, no clock. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BulkOptions, createBulk, type Outcome, type Send, type Step } from '../../src/client/bulk.ts';
import { Failure, type FailureKind } from '../../src/core/errors.ts';

const options = (changes: Partial<BulkOptions> = {}): BulkOptions => ({
  concurrency: 4,
  retries: 2,
  random: () => 0,
  ...changes,
});
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};
const words = (outcomes: readonly Outcome<unknown>[]) =>
  outcomes.map((outcome) => (outcome.is === 'done' ? `done ${outcome.value}` : outcome.is));
const failing = (kind: FailureKind, more: ConstructorParameters<typeof Failure>[2] = {}): Send<string> => ({
  send: () => Promise.reject(new Failure(kind, kind, more)),
});
const fine = (value = 'it'): Send<string> => ({ send: async () => value });

/** Steps that record when they begin and end. */
function recorder() {
  const events: string[] = [];
  let flying = 0;
  let most = 0;
  const step = (name: string, length: number, more: Partial<Send<string>> = {}): Send<string> => ({
    ...more,
    async send() {
      flying += 1;
      most = Math.max(most, flying);
      events.push(`+${name}`);
      await turns(length);
      events.push(`-${name}`);
      flying -= 1;
      return name;
    },
  });
  return { events, step, most: () => most };
}

describe('order and concurrency', () => {
  const aStep = fc.record({
    length: fc.integer({ min: 0, max: 5 }),
    chain: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    alone: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    fails: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
    known: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
  });

  it('holds its bound, sends each step once, keeps chains in order, and lone steps apart', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aStep, { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        async (plans, concurrency) => {
          const flying = new Set<number>();
          const sent: number[] = [];
          const steps = plans.map(({ length, chain, alone, fails, known }, index): Step<number> => {
            if (known) return { outcome: { is: 'done', value: index } };
            return {
              ...(chain !== undefined && { chain }),
              alone,
              async send() {
                for (const other of flying) {
                  if (alone || plans[other]?.alone) throw new Error('a lone step has company');
                  if (chain !== undefined && plans[other]?.chain === chain) throw new Error('a chain runs twice');
                }
                flying.add(index);
                sent.push(index);
                if (flying.size > concurrency) throw new Error('too many at once');
                await turns(length);
                flying.delete(index);
                if (fails) throw new Failure('rejected', `no ${index}`);
                return index;
              },
            };
          });
          const seen: number[] = [];
          const running = createBulk(options({ concurrency })).run(steps, (index) => void seen.push(index));
          const read: Outcome<number>[] = [];
          for await (const outcome of running) read.push(outcome);
          expect(read).toEqual(await running.ended);
          const toSend = plans.flatMap(({ known }, index) => (known ? [] : [index]));
          expect([...sent].sort((a, b) => a - b)).toEqual(toSend);
          expect([...seen].sort((a, b) => a - b)).toEqual(toSend);
          for (const [index, outcome] of read.entries()) {
            const fails = plans[index]?.fails && !plans[index]?.known;
            expect(outcome).toMatchObject(fails ? { failure: { message: `no ${index}` } } : { value: index });
          }
          for (const chain of ['a', 'b']) {
            const ofChain = sent.filter((index) => plans[index]?.chain === chain && !plans[index]?.alone);
            expect(ofChain).toEqual([...ofChain].sort((a, b) => a - b));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('uses all slots, and a chain takes one of them only', async () => {
    const { step, most, events } = recorder();
    const chained = [1, 2, 3].map((n) => step(`c${n}`, 3, { chain: 'c' }));
    await createBulk(options({ concurrency: 3 })).run([...chained, step('x', 3), step('y', 3)]).ended;
    expect(most()).toBe(3);
    expect(events.slice(0, 3)).toEqual(['+c1', '+x', '+y']);
    expect(events.filter((event) => event.includes('c'))).toEqual(['+c1', '-c1', '+c2', '-c2', '+c3', '-c3']);
  });

  it('gives outcomes in order as they are known, and writes on when nobody reads them', async () => {
    const { step, events } = recorder();
    const running = createBulk(options()).run([step('a', 1), step('b', 9), step('c', 1)]);
    for await (const outcome of running) {
      expect([outcome, events.includes('-b')]).toEqual([{ is: 'done', value: 'a' }, false]);
      break;
    }
    expect(words(await running.ended)).toEqual(['done a', 'done b', 'done c']);
  });

  it('of no steps ends at once', async () => {
    const running = createBulk(options()).run([]);
    for await (const outcome of running) throw new Error(String(outcome));
    expect(await running.ended).toEqual([]);
  });

  it('asks whether a step is ready when its turn comes', async () => {
    let ready = true;
    const first: Send<string> = {
      async send() {
        ready = false;
        return 'first';
      },
    };
    const steps = [first, { ...fine(), ready: () => ready }, fine('last')];
    expect(words(await createBulk(options({ concurrency: 1 })).run(steps).ended)).toEqual([
      'done first',
      'notTried',
      'done last',
    ]);
  });
});

describe('stop rules', () => {
  it.each(['credential', 'interrupted'] as const)('%s ends this run and later ones', async (kind) => {
    const bulk = createBulk(options({ concurrency: 1 }));
    const known: Step<string> = { outcome: { is: 'done', value: 'known' } };
    expect(words(await bulk.run([fine(), failing(kind), fine(), known]).ended)).toEqual([
      'done it',
      'failed',
      'notTried',
      'done known',
    ]);
    const later = await bulk.run([fine()]).ended;
    expect([bulk.stopped, later]).toMatchObject([true, [{ is: 'notTried', why: { kind } }]]);
  });

  it('other failures do not', async () => {
    const steps = [failing('rejected'), failing('notFound'), failing('tryLater'), fine()];
    const bulk = createBulk(options({ concurrency: 1 }));
    expect(words(await bulk.run(steps).ended)).toEqual(['failed', 'failed', 'failed', 'done it']);
    expect(bulk.stopped).toBe(false);
  });

  it('so many missing answers in a row do, an answer between them starts again', async () => {
    const late = failing('tryLater');
    const run = async (...steps: Send<string>[]) =>
      words(await createBulk(options({ concurrency: 1, patience: 3 })).run(steps).ended);
    expect(await run(late, late, late, fine())).toEqual(['failed', 'failed', 'failed', 'notTried']);
    expect(await run(late, late, fine(), late, late, fine())).not.toContain('notTried');
    expect(await run(late, late, failing('rejected'), late, late, fine())).not.toContain('notTried');
  });

  it('a signal ends it; what is in flight is waited for', async () => {
    const abort = new AbortController();
    const { step } = recorder();
    const aborting: Send<string> = {
      async send() {
        abort.abort();
        return 'last';
      },
    };
    const bulk = createBulk(options({ concurrency: 2, signal: abort.signal }));
    const outcomes = await bulk.run([step('slow', 5), aborting, fine(), fine()]).ended;
    expect(words(outcomes)).toEqual(['done slow', 'done last', 'notTried', 'notTried']);
    expect(outcomes[3]).toMatchObject({ why: { kind: 'interrupted' } });
  });
});

describe('what is fatal', () => {
  it.each([
    ['a bug', new Failure('bug', 'oops')],
    ['an error that is no failure', new TypeError('oops')],
    ['a failure of this machine', new Failure('usage', 'oops')],
  ])('%s: nothing more is sent, what is in flight ends, and it is thrown', async (_, error) => {
    const { step, events } = recorder();
    const bad: Send<string> = { send: () => Promise.reject(error) };
    const bulk = createBulk(options({ concurrency: 2 }));
    const running = bulk.run([step('a', 5), bad, step('b', 0)]);
    await expect(running.ended).rejects.toBe(error);
    expect([events, bulk.stopped]).toEqual([['+a', '-a'], true]);
    const reading = (async () => {
      for await (const outcome of running) void outcome;
    })();
    await expect(reading).rejects.toBe(error);
  });

  it('not input that is invalid for one step, and what the caller says', async () => {
    const invalid = failing('usage', { code: 'invalid_input' });
    expect(words(await createBulk(options()).run([invalid, fine()]).ended)).toEqual(['failed', 'done it']);
    const isFatal = ({ kind }: Failure) => kind === 'notFound';
    await expect(createBulk(options({ isFatal })).run([failing('notFound')]).ended).rejects.toThrow('notFound');
  });

  it('what the listener throws, such as a journal that cannot be written', async () => {
    const { step, events } = recorder();
    const running = createBulk(options({ concurrency: 1 })).run([step('a', 0), step('b', 0), step('c', 0)], () => {
      throw new Failure('usage', 'disk full');
    });
    await expect(running.ended).rejects.toThrow('disk full');
    expect(events).not.toContain('+c');
  });
});

describe('verification', () => {
  it('replaces a failure, sees when all is sent, and takes no slot', async () => {
    const { step, events } = recorder();
    const checked: Send<string> = {
      ...failing('notFound'),
      async verify(failure, sent) {
        await sent;
        return { is: 'done', value: `${failure.kind} after ${events.length}` };
      },
    };
    const running = createBulk(options({ concurrency: 1 })).run([checked, step('a', 1), step('b', 1)]);
    expect(words(await running.ended)).toEqual(['done notFound after 4', 'done a', 'done b']);
  });

  it('that fails itself leaves the first failure', async () => {
    const verify = () => Promise.reject(new Failure('tryLater', 'no list'));
    const [outcome] = await createBulk(options()).run([{ ...failing('rejected'), verify }]).ended;
    expect(outcome).toMatchObject({ is: 'failed', failure: { kind: 'rejected' } });
  });
});

describe('a request without an answer', () => {
  const lost = () => new Failure('tryLater', 'lost', { retryable: false, code: 'network' });
  /** A server that takes requests, or not, and loses the first answers. */
  function server(lose: number, takes: boolean) {
    const made: string[] = [];
    let sends = 0;
    const step: Send<string> = {
      async send() {
        sends += 1;
        if (takes || sends > lose) made.push('it');
        if (sends <= lose) throw lost();
        return 'it';
      },
      find: async () => made[0],
    };
    return { made, step, sends: () => sends };
  }
  const run = (step: Send<string>, changes: Partial<BulkOptions> = {}) =>
    createBulk(options(changes)).run([step]).ended.then(words);

  it('is looked up: created once, whether or not it was taken', async () => {
    const taken = server(1, true);
    expect([await run(taken.step), taken.made, taken.sends()]).toEqual([['done it'], ['it'], 1]);
    const ignored = server(2, false);
    expect([await run(ignored.step), ignored.made, ignored.sends()]).toEqual([['done it'], ['it'], 3]);
  });

  it('fails after the last retry', async () => {
    const { step, made, sends } = server(9, false);
    expect([await run(step, { retries: 1 }), made, sends()]).toEqual([['failed'], [], 2]);
  });

  it('of an earlier process is looked up before anything is sent', async () => {
    const found = { ...fine('new'), sentBefore: true, find: async () => 'old' };
    expect(await run(found)).toEqual(['done old']);
    const absent = { ...fine('new'), sentBefore: true, find: async () => undefined };
    expect(await run(absent)).toEqual(['done new']);
  });

  it('is not sent again where it cannot be looked up, nor after another failure', async () => {
    let sends = 0;
    const send = async () => {
      sends += 1;
      throw lost();
    };
    const find = () => Promise.reject(new Failure('tryLater', 'no list'));
    expect([await run({ send, find }), sends]).toEqual([['failed'], 1]);
    expect([await run({ send }), sends]).toEqual([['failed'], 2]);
    expect(await run({ ...failing('tryLater'), find: () => Promise.reject(new Error('not asked')) })).toEqual([
      'failed',
    ]);
  });

  it('ends when it is interrupted while it waits', async () => {
    const abort = new AbortController();
    const step: Send<string> = {
      async send() {
        setImmediate(() => abort.abort());
        throw lost();
      },
      find: async () => undefined,
    };
    const [outcome] = await createBulk(options({ signal: abort.signal })).run([step]).ended;
    expect(outcome).toMatchObject({ is: 'failed', failure: { kind: 'interrupted' } });
  });
});
