import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Signals } from '../../src/main.ts';

const heard = () => process.listenerCount('SIGTERM') - before.length;
let before: NodeJS.SignalsListener[];
beforeEach(() => {
  before = process.listeners('SIGTERM') as NodeJS.SignalsListener[];
});
afterEach(() => {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    for (const listener of process.listeners(name)) {
      if (!before.includes(listener as NodeJS.SignalsListener)) process.removeListener(name, listener as () => void);
    }
  }
});

/** Work that ends on demand. */
function work() {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => done, end };
}
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('work that keeps the process from hearing of signals', () => {
  it('leaves them to the system until the last of several has ended', async () => {
    const signals = new Signals();
    signals.watched();
    expect(heard()).toBe(1);
    const [first, second, third] = [work(), work(), work()];
    const ends = [signals.unheard(first.run), signals.unheard(second.run)];
    await turn();
    expect(heard()).toBe(0);
    first.end();
    await ends[0];
    expect(heard()).toBe(0);
    ends.push(signals.unheard(third.run));
    await turn();
    second.end();
    await ends[1];
    expect(heard()).toBe(0);
    third.end();
    await ends[2];
    expect(heard()).toBe(1);
  });

  it('that fails is heard again, and one that begins meanwhile does not listen', async () => {
    const signals = new Signals();
    const slow = work();
    const running = signals.unheard(slow.run);
    await turn();
    signals.watched();
    expect(heard()).toBe(0);
    await expect(signals.unheard(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(heard()).toBe(0);
    slow.end();
    await running;
    expect(heard()).toBe(1);
  });

  it('does not begin after a signal', async () => {
    const signals = new Signals();
    signals.watched();
    process.emit('SIGTERM', 'SIGTERM');
    await expect(signals.unheard(() => 1)).rejects.toMatchObject({ kind: 'interrupted' });
    expect(signals.code).toBe(143);
  });
});
