import { defineCommand } from '../../cli/define.ts';
import { folded, foldedCommand } from '../../output/terminal-text.ts';
import { commandLine, steps } from './walk.ts';

export default defineCommand({
  path: 'tour',
  summary: 'Show comem in five minutes, on demo data',
  description: [
    'Each step shows a command, runs it when you press Enter, and says what to see. Type s to skip a step, q to end the tour.',
    'The commands run on demo data in a temporary folder, which is removed at the end. Your settings, credentials and your own demo data are neither read nor changed. Without a terminal the steps are only printed.',
  ].join('\n\n'),
  operations: [],
  args: [],
  flags: {},
  examples: [
    { run: 'comem tour', says: 'one command at a time' },
    { run: 'comem tour --no-input', says: 'print the steps and run nothing' },
    { run: 'comem tour --no-input --out tour.txt', says: 'the steps in a file' },
  ],
  stdout: 'text',
  unsettled: true,
  async run(ctx) {
    const { terminal } = ctx.runtime;
    if (ctx.settings.input && terminal.stdoutIsTTY) return (await import('./walk.ts')).walk(ctx, steps);
    const columns = terminal.stdoutIsTTY ? terminal.columns : Number.POSITIVE_INFINITY;
    const texts = steps.map((step, at) => {
      const command = foldedCommand(`$ ${commandLine(step)}`, columns, '   ').join('\n');
      return `${folded(`${at + 1}. ${step.says}`, columns)}\n${command}\n${folded(`   ${step.see}`, columns)}\n`;
    });
    await ctx.out.text(texts.join('\n'));
  },
});
