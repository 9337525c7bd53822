/** `writer.ts` and servers as processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { bundle } from '../helpers/bundle.ts';
import { start, temporaryFolder } from '../helpers/cli.ts';

export interface Run {
  child: ChildProcess;
  lines: string[];
  /** Resolves when the process has ended; rejects with its stderr when it failed by itself. */
  done: Promise<void>;
  line(n: number): Promise<string>;
}

/** Bundles the writer into the folder and gives the program's path. */
export function buildWriter(folder: string): Promise<string> {
  return bundle(new URL('writer.ts', import.meta.url), folder);
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

/** `comem serve` of the built program, or of another one, when it answers. It ends with the test. */
export async function serveProgram(port: number, database: readonly string[], program?: string): Promise<ChildProcess> {
  const argv = ['serve', '--seed', 'none', '--port', String(port), ...database];
  const child = start(argv, { home: temporaryFolder(), program });
  child.stderr?.resume();
  onTestFinished(() => void child.kill('SIGKILL'));
  const until = Date.now() + 20_000;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer?.ok) return child;
    if (child.exitCode !== null || Date.now() > until) throw new Error(`the server on port ${port} did not start`);
    await sleep(50);
  }
}
