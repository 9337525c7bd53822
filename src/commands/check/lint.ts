import { defineCommand } from '../../cli/define.ts';
import { amount } from '../../cli/words.ts';
import { checkFileArgument, checkFileFlag, chosenFile } from './flags.ts';

export default defineCommand({
  path: 'check lint',
  summary: 'Read a check file without asking the API',
  description: 'Every mistake is shown with its line and column, exit 2. Columns of lists are not known here.',
  args: [checkFileArgument],
  flags: checkFileFlag,
  examples: {
    'comem check lint pipeline.yaml': 'the mistakes of one file',
    'comem check lint': 'those of comem.checks.yaml',
    'comem -p demo check init portfolio | comem check lint -': 'a file from stdin',
  },
  stdout: 'nothing',
  async run(ctx, { args, flags }) {
    const { readCheckFile } = await import('./check-file.ts');
    const file = chosenFile(args.FILE, flags);
    const sections = await readCheckFile(ctx, file, { ask: false });
    const checks = sections.reduce((count, section) => count + section.checks.length, 0);
    ctx.out.note(
      `${file} holds ${amount(checks, 'check', 'checks')} in ${amount(sections.length, 'section', 'sections')}.`,
    );
  },
});
