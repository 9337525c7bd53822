import { forgetNames } from '../../cli/completion/names.ts';
import { defineCommand } from '../../cli/define.ts';
import { installable, shellOf, uninstall } from './setup.ts';

export default defineCommand({
  path: 'completion uninstall',
  summary: 'Remove completion from your shell',
  description: 'Removes what `comem completion install` wrote, and the names that were kept for completion.',
  operations: [],
  args: [
    { name: 'SHELL', summary: 'bash, zsh or fish; default: that of $SHELL', choices: installable, optional: true },
  ],
  flags: {},
  examples: [
    { run: 'comem completion uninstall', says: 'from the shell that you use' },
    { run: 'comem completion uninstall bash', says: 'from another one' },
    { run: 'comem completion uninstall zsh', says: 'from zsh' },
  ],
  stdout: 'nothing',
  async run(ctx, { args }) {
    uninstall(ctx, shellOf(ctx, args.SHELL));
    forgetNames(ctx.folders);
  },
});
