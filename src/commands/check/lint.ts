import { defineCommand, flag } from '../../cli/define.ts';
import { defaultFile } from './flags.ts';

export default defineCommand({
  path: 'check lint',
  summary: 'Read a check file without asking the API',
  description: 'Every mistake is shown with its line and column, exit 2. Columns of lists are not known here.',
  operations: [],
  args: [],
  flags: { file: flag.text('FILE', `the check file; default ${defaultFile}`, { short: 'f' }) },
  examples: [
    { run: 'comem check lint -f pipeline.yaml', says: 'the mistakes of one file' },
    { run: 'comem check lint', says: 'those of comem.checks.yaml' },
    { run: 'comem -p demo check init portfolio | comem check lint -f -', says: 'a file from stdin' },
  ],
  stdout: 'nothing',
  async run(ctx, { flags }) {
    const { readCheckFile } = await import('./check-file.ts');
    const file = flags.file ?? defaultFile;
    const sections = await readCheckFile(ctx, file, { ask: false });
    const checks = sections.reduce((count, section) => count + section.checks.length, 0);
    ctx.out.note(`${file} holds ${checks} checks in ${sections.length} sections.`);
  },
});
