/** A secret printed by a command of the user's (`--key-command 'op read …'`), run whenever the secret is needed. */
import { spawn } from 'node:child_process';
import { Failure } from '../core/errors.ts';
import type { Environment } from './store.ts';

/** Long enough for a person to unlock a vault. */
const limitMs = 120_000;
const enough = 64 * 1024;

/**
 * Runs the command in the shell and gives what it printed, trimmed.
 * @throws credential with the command's own stderr when it fails, prints nothing, or takes two minutes
 */
export async function secretFromCommand(command: string, env: Environment, signal?: AbortSignal): Promise<string> {
  const failed = (what: string, hint?: string) =>
    new Failure('credential', `the key command \`${command}\` ${what}`, { hint, code: 'key_command' });
  const { code, stdout, stderr } = await runShell(command, env, signal).catch((error: Error) => {
    if (signal?.aborted) throw new Failure('interrupted', 'interrupted', { cause: error });
    throw failed(error.name === 'AbortError' ? 'took longer than two minutes' : `did not start: ${error.message}`);
  });
  const said = stderr.trim() || undefined;
  if (code !== 0) throw failed(`ended with ${code}${said ? `: ${said}` : ''}`, 'run it yourself to see what it needs');
  const secret = stdout.trim();
  if (secret === '') throw failed(`printed nothing${said ? `: ${said}` : ''}`);
  if (/[\r\n]/.test(secret)) throw failed('printed several lines; it must print only the key');
  return secret;
}

function runShell(command: string, env: Environment, signal: AbortSignal | undefined) {
  const timeout = AbortSignal.timeout(limitMs);
  return new Promise<{ code: number | string; stdout: string; stderr: string }>((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        text[name] = (text[name] + chunk).slice(0, enough);
      });
    }
    child.on('error', reject);
    child.on('close', (code, killed) => resolve({ code: code ?? killed ?? 'an unknown status', ...text }));
  });
}
