import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand } from '../../cli/define.ts';
import { setUp, shellArgument } from './setup.ts';

export default defineCommand({
  path: 'completion uninstall',
  summary: 'Remove completion from your shell',
  description: 'Removes what `comem completion install` wrote, and the names that were kept for completion.',
  args: [shellArgument],
  examples: {
    'comem completion uninstall': 'from the shell that you use',
    'comem completion uninstall bash': 'from another one',
    'comem completion uninstall zsh': 'from zsh',
  },
  stdout: 'nothing',
  async run(ctx, { args }) {
    setUp(ctx, args.SHELL, false);
    rmSync(join(ctx.folders.cache, 'completion'), { recursive: true, force: true });
  },
});
