/** `writer.ts` as processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface Run {
  child: ChildProcess;
  lines: string[];
  /** Resolves when the process has ended; rejects with its stderr when it failed by itself. */
  done: Promise<void>;
  line(n: number): Promise<string>;
}

/** Bundles the writer into the folder and gives the program's path. */
export async function buildWriter(folder: string): Promise<string> {
  const program = join(folder, 'writer.mjs');
  const libsql = import.meta.resolve('libsql');
  await build({
    entryPoints: [new URL('writer.ts', import.meta.url).pathname],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    plugins: [
      {
        name: 'native',
        setup: (setup) => setup.onResolve({ filter: /^libsql$/ }, () => ({ path: libsql, external: true })),
      },
    ],
  });
  return program;
}

export function runWriter(program: string, ...args: string[]): Run {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let rest = '';
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  child.stdout.on('data', (data) => {
    const parts = (rest + data).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    child.emit('lines');
  });
  const done = new Promise<void>((resolve, reject) => {
    child.on('close', (code, signal) => (code === 0 || signal === 'SIGKILL' ? resolve() : reject(new Error(stderr))));
  });
  return {
    child,
    lines,
    done,
    async line(n) {
      while (lines.length <= n) {
        await Promise.race([new Promise((resolve) => child.once('lines', resolve)), done]);
        if (child.exitCode !== null && lines.length <= n) throw new Error(`ended early: ${stderr}`);
      }
      return lines[n] ?? '';
    },
  };
}
