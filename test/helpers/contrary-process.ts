/** The contrary server as a process of its own, for tests that wait for a child synchronously. */
import { spawn } from 'node:child_process';
import { bundle } from './bundle.ts';
import { temporaryFolder } from './cli.ts';
import type { Contrary, ContraryOptions } from './contrary-server.ts';

export type ContraryProcess = Omit<Contrary, 'requests'>;

/** Starts it and waits for its address. It ends with `close`, or with this process. */
export async function spawnContrary(options: Omit<ContraryOptions, 'before'> = {}): Promise<ContraryProcess> {
  const program = await bundle(new URL('contrary-main.ts', import.meta.url), temporaryFolder());
  const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.once('exit', (code) => reject(new Error(`the contrary server ended with ${code}`)));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
  });
  return {
    ...(JSON.parse(line) as Omit<ContraryProcess, 'close'>),
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
