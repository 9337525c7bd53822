/** The contrary server as a process of its own, for tests that wait for a child synchronously. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Contrary, ContraryOptions } from './contrary-server.ts';

export type ContraryProcess = Omit<Contrary, 'requests'>;

/** Starts it and waits for its address. It ends with `close`, or with this process. */
export async function spawnContrary(options: Omit<ContraryOptions, 'before'> = {}): Promise<ContraryProcess> {
  const source = `
    import { startContrary } from './contrary-server.ts';
    const { requests, close, ...started } = await startContrary(${JSON.stringify(options)});
    process.stdout.write(JSON.stringify(started) + '\\n');
    process.stdin.on('end', () => process.exit()).resume();
  `;
  const resolveDir = fileURLToPath(new URL('.', import.meta.url));
  const stdin = { contents: source, resolveDir, loader: 'ts' as const };
  const built = await build({ stdin, bundle: true, write: false, platform: 'node', format: 'esm', target: 'node20' });
  const child = spawn(process.execPath, ['--input-type=module', '-e', built.outputFiles[0]?.text ?? ''], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
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
