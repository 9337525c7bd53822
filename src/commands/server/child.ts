/** Runs another program with our streams and signals, and its exit code. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Runtime } from '../../cli/context.ts';
import { Failure, usage } from '../../core/errors.ts';

/**
 * Runs a command to its end with our own stdin, stdout and stderr, and passes on the signals that we get.
 * @returns its exit code; 128 and the signal's number when a signal ended it, as shells have it
 * @throws usage when the program is not found
 */
export function runChild(
  runtime: Runtime,
  [program = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: runtime.cwd, env: { ...environment }, stdio: 'inherit' });
    const pass = () => {
      const name = runtime.signal.reason instanceof Error ? runtime.signal.reason.message : 'SIGTERM';
      // ^C on a terminal reaches the process group by itself; a second one would interrupt the program's cleanup.
      if (name === 'SIGINT' && runtime.terminal.stdinIsTTY) return;
      child.kill(name === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
    };
    if (runtime.signal.aborted) pass();
    runtime.signal.addEventListener('abort', pass, { once: true });
    const done = () => runtime.signal.removeEventListener('abort', pass);
    child.on('error', (error: NodeJS.ErrnoException) => {
      done();
      reject(refused(program, error));
    });
    child.on('close', (code, signal) => {
      done();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

function refused(program: string, error: NodeJS.ErrnoException): Failure {
  if (error.code === 'ENOENT') return usage(`program "${program}" not found`, 'put a command after --');
  if (error.code === 'EACCES') return usage(`cannot run "${program}": permission denied`);
  return new Failure('usage', `cannot run "${program}": ${error.message}`, { cause: error });
}
