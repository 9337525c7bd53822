import { defineCommand } from '../../cli/define.ts';
import { setUp, shellArgument } from './setup.ts';

export default defineCommand({
  path: 'completion install',
  summary: 'Install completion in your shell',
  description:
    'Adds a few marked lines to ~/.bashrc, ~/.zshrc or the completions of fish, and says which file it changes. A second run changes nothing. For PowerShell add the line of `comem completion powershell` to $PROFILE.',
  args: [shellArgument],
  examples: [
    { run: 'comem completion install', says: 'for the shell that you use' },
    { run: 'comem completion install zsh', says: 'for another one' },
    { run: 'comem completion uninstall', says: 'take it back' },
  ],
  stdout: 'nothing',
  async run(ctx, { args }) {
    setUp(ctx, args.SHELL, true);
  },
});
