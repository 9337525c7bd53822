/** Waits for one of some keys. */
import { emitKeypressEvents } from 'node:readline';
import { isAccessible } from '../output/terminal-text.ts';
import type { Runtime } from './context.ts';
import { left } from './prompt.ts';
import { writeText } from './runtime.ts';

interface Key {
  name?: string;
  ctrl?: boolean;
}

/** @param says is gone when the key is pressed. @throws interrupted at Esc, ^C, ^D and the end of stdin */
export async function pressKey<K extends string>(runtime: Runtime, says: string, keys: readonly K[]): Promise<K> {
  const { stdin, stderr, signal } = runtime;
  const terminal: NodeJS.ReadableStream & { setRawMode?(on: boolean): unknown } = stdin;
  if (signal.aborted) throw left();
  emitKeypressEvents(terminal);
  terminal.setRawMode?.(true);
  let stop = () => {};
  try {
    return await new Promise<K>((resolve, reject) => {
      const leave = () => reject(left());
      const pressed = (_: string | undefined, { name = '', ctrl = false }: Key = {}) => {
        const key = keys.find((one) => one === (name === 'return' ? 'enter' : name));
        if (name === 'escape' || (ctrl && (name === 'c' || name === 'd'))) leave();
        else if (key !== undefined && !ctrl) resolve(key);
      };
      terminal.on('keypress', pressed).once('end', leave);
      signal.addEventListener('abort', leave);
      stop = () => {
        terminal.removeListener('keypress', pressed).removeListener('end', leave);
        signal.removeEventListener('abort', leave);
      };
      terminal.resume();
      stderr.write(says);
    });
  } finally {
    stop();
    terminal.pause();
    terminal.setRawMode?.(false);
    await writeText(stderr, isAccessible(runtime.env) ? '\n' : `\r${' '.repeat(says.length)}\r`);
  }
}
