/** The lines that load completion in the start file of a shell. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import type { Argument } from '../../cli/define.ts';
import { usage } from '../../core/errors.ts';

/** PowerShell has no fixed place for its profile. */
const installable = ['bash', 'zsh', 'fish'] as const;

export const shellArgument = {
  name: 'SHELL',
  summary: 'bash, zsh or fish; default: that of $SHELL',
  choices: installable,
  optional: true,
} as const satisfies Argument;

const lines = {
  bash: ['command -v comem >/dev/null && source <(comem completion bash)'],
  zsh: [
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }',
    '(( $+commands[comem] )) && source <(comem completion zsh)',
  ],
  fish: ['type -q comem; and comem completion fish | source'],
};

const [first, last] = ['# >>> comem completion >>>', '# <<< comem completion <<<'];

/** Adds the lines between their marks, or removes them, and notes the change. @throws usage for another shell */
export function setUp({ runtime: { env }, out }: Context, name: string | undefined, isWanted: boolean): void {
  const shell = installable.find((known) => known === (name ?? basename(env.SHELL ?? '')));
  if (!shell)
    throw usage('SHELL is missing, and $SHELL is not bash, zsh or fish', 'run `comem completion install bash`');
  const home = env.HOME || homedir();
  const file = {
    bash: join(home, '.bashrc'),
    zsh: join(env.ZDOTDIR || home, '.zshrc'),
    fish: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish/completions/comem.fish'),
  }[shell];
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [before = '', after = ''] = text.split(new RegExp(`${first}[^]*?${last}\n?`));
  const start = before === '' || before.endsWith('\n') ? before : `${before}\n`;
  const changed = isWanted ? `${start}${[first, ...lines[shell], last].join('\n')}\n${after}` : before + after;
  if (changed === text) {
    out.note(`${file} needs no change.`);
    return;
  }
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, changed);
  } catch (error) {
    throw usage(`cannot write ${file}: ${(error as Error).message}`);
  }
  out.note(isWanted ? `Added completion to ${file}. Open a new shell to use it.` : `Removed completion from ${file}.`);
}
