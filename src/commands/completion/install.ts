import { defineCommand } from '../../cli/define.ts';
import { install, installable, shellOf } from './setup.ts';

export default defineCommand({
  path: 'completion install',
  summary: 'Install completion in your shell',
  description:
    'Writes the script and, for bash and zsh, a few marked lines into ~/.bashrc or ~/.zshrc. It says what it changes. A second run changes nothing. For PowerShell add the line of `comem completion powershell` to $PROFILE.',
  operations: [],
  args: [
    { name: 'SHELL', summary: 'bash, zsh or fish; default: that of $SHELL', choices: installable, optional: true },
  ],
  flags: {},
  examples: [
    { run: 'comem completion install', says: 'for the shell that you use' },
    { run: 'comem completion install zsh', says: 'for another one' },
    { run: 'comem completion refresh', says: 'then read the names of your lists and metrics' },
  ],
  stdout: 'nothing',
  async run(ctx, { args }) {
    install(ctx, shellOf(ctx, args.SHELL));
  },
});
