/** The built program on a real pseudo-terminal: what is typed goes in, what appears is waited for, never a time. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterFile } from './after-file.ts';
import { binary } from './cli.ts';

const host = join(import.meta.dirname, '../../scripts/terminal.py');

/** What the special keys send. */
export const keys = { enter: '\r', esc: '\u001b', down: '\u001b[B', interrupt: '\u0003', end: '\u0004' };

export interface OnTerminal {
  /** Resolves when the text appears after what was seen before; colors and movements are left out. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** What is left on the screen, without escapes, everything that appeared, and the exit code. */
  ended: Promise<{ screen: string; raw: string; code: number | null }>;
}

/** Starts the program; `home` has its XDG folders. */
export function onTerminal(
  argv: readonly string[],
  {
    home,
    env = {},
    rows = 30,
    columns = 100,
  }: { home: string; env?: Record<string, string | undefined>; rows?: number; columns?: number },
): OnTerminal {
  const xdg = Object.fromEntries(
    ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, join(home, kind.toLowerCase())]),
  );
  const child = spawn('python3', [host, String(rows), String(columns), process.execPath, binary, ...argv], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TERM: 'xterm-256color', COMEM_PAGER: 'off', ...xdg, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // Kills nothing where the program has ended.
  afterFile(() => {
    child.kill();
  });
  let raw = '';
  let from = 0;
  const waiting = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    for (const look of waiting) look();
  });
  // The program may end before everything is typed.
  child.stdin.on('error', () => {});
  const ended = new Promise<{ screen: string; raw: string; code: number | null }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ screen: plain(kept(raw)), raw, code }));
  });
  const shows = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        const at = plain(raw).indexOf(text, from);
        if (at < 0) return;
        from = at + text.length;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      ended.then(({ screen }) => reject(new Error(`ended without showing "${text}":\n${screen.slice(from)}`)), reject);
      look();
    });
  return { shows, type: (text) => child.stdin.write(text), ended };
}

/** Without lines that were erased: a slow machine shows progress. */
function kept(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of a terminal.
  return text.replace(/[^\n]*\r\x1b\[K/g, '');
}

/** Without escape sequences and carriage returns. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of a terminal.
  return text.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', '');
}
