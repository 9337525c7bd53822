import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Signals } from '../../src/main.ts';

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const heard = () => process.listenerCount('SIGTERM');

// Libraries that other tests loaded into this process listen, too, and end it when a signal is emitted.
const others = new Map<NodeJS.Signals, NodeJS.SignalsListener[]>();
beforeEach(() => {
  for (const name of names) {
    others.set(name, process.listeners(name) as NodeJS.SignalsListener[]);
    process.removeAllListeners(name);
  }
});
afterEach(() => {
  for (const name of names) {
    process.removeAllListeners(name);
    for (const listener of others.get(name) ?? []) process.on(name, listener);
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

it('leaves the second signal to the system, which ends a process that is busy', () => {
  const signals = new Signals();
  const before = process.listeners('SIGINT').length;
  const signal = signals.watched();
  const heard = process.listeners('SIGINT').at(-1);
  heard?.('SIGINT');
  expect([signal.aborted, signals.code]).toEqual([true, 130]);
  expect(process.listeners('SIGINT')).toHaveLength(before);
  expect(process.listeners('SIGTERM')).not.toContain(heard);
});
