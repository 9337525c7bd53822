/** The tour on a terminal: one command at a time, in a folder of its own. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Runtime } from '../../cli/context.ts';
import { askText } from '../../cli/prompts.ts';
import { runtimeWith, writeText } from '../../cli/runtime.ts';
import { Failure } from '../../core/errors.ts';
import { temporaryFolder } from '../../core/files.ts';
import { folded, foldedCommand, painter } from '../../output/terminal-text.ts';
import { commandLine, type Step } from './steps.ts';

/** @throws interrupted at Esc, ^C and ^D */
export async function walk(ctx: Context, steps: readonly Step[]): Promise<void> {
  const { runtime, program } = ctx;
  const folder = temporaryFolder('tour', runtime.env.TMPDIR);
  const isolated = tourRuntime(runtime, folder);
  const paint = await painter(runtime.terminal.color.stderr);
  const say = (text: string) => writeText(runtime.stderr, `${text}\n`);
  const tell = (text: string, color?: 'dim') => {
    const lines = folded(text, runtime.terminal.columns).split('\n');
    return say(lines.map((line) => (color ? paint(color, line) : line)).join('\n'));
  };
  try {
    await tell(
      `comem in ${steps.length} steps, on demo data in a temporary folder. Nothing of yours is read or changed.`,
    );
    for (const [at, step] of steps.entries()) {
      const command = foldedCommand(`$ ${commandLine(step)}`, runtime.terminal.columns, '');
      await say(`\n${paint('dim', `${at + 1}/${steps.length}`)}  ${step.says}`);
      await say(command.map((line) => paint('cyan', line)).join('\n'));
      const answer = await askText(runtime, { message: 'Enter runs it, s skips it, q ends:' });
      if (answer === 'q') break;
      if (answer === 's') continue;
      const code = await program.run(['-p', 'demo', ...step.words], isolated);
      if (runtime.signal.aborted) throw new Failure('interrupted', 'interrupted');
      if (code !== 0) await say(`The command ended with exit code ${code}.`);
      await tell(step.see, 'dim');
    }
    await tell('\nYour own company: `comem init`. All commands: `comem help`.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same terminal, with settings and data of its own. */
function tourRuntime(runtime: Runtime, folder: string): Runtime {
  const others = Object.entries(runtime.env).filter(([name]) => !name.startsWith('COMEM_'));
  const xdg = ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [
    `XDG_${kind}_HOME`,
    join(folder, kind.toLowerCase()),
  ]);
  const env = { ...Object.fromEntries([...others, ...xdg]), COMEM_PAGER: 'off' };
  return runtimeWith(runtime, { env, cwd: folder, now: () => new Date() });
}
