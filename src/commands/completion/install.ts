import { defineCommand } from '../../cli/define.ts';
import { setUp, shellArgument } from './setup.ts';

export default defineCommand({
  path: 'completion install',
  summary: 'Install completion in your shell',
  description:
    'Adds a few marked lines to ~/.bashrc, ~/.zshrc or the completions of fish, and says which file it changes. A second run changes nothing. For PowerShell add the line of `comem completion powershell` to $PROFILE.',
  args: [shellArgument],
  examples: {
    'comem completion install': 'for the shell that you use',
    'comem completion install zsh': 'for another one',
    'comem completion uninstall': 'take it back',
  },
  stdout: 'nothing',
  async run(ctx, { args }) {
    setUp(ctx, args.SHELL, true);
  },
});
