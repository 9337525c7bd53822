import { targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { requireNewFile } from '../../output/write/sinks.ts';

export default defineCommand({
  path: 'check init',
  summary: 'Write a first check file from what a list looks like now',
  description:
    'States the attributes and types of the list, its size within bounds, columns that are full, columns without repeated values, options in use, and the range of numbers. Every check that it writes passes now. Keep the checks that must hold. An existing file is not replaced.',
  operations: ['listLists', 'getList', 'listEntries'],
  args: [targets.list],
  flags: { archived: flag.boolean('look at archived entries too') },
  examples: {
    'comem -p demo check init deal-pipeline --out comem.checks.yaml': 'a first file',
    'comem -p demo check init portfolio --out pipeline.yaml': 'of another list, into a file of its own',
    'comem -p demo check init deal-pipeline --archived -O all.checks.yaml': 'what holds for archived entries too',
  },
  stdout: 'text',
  async run(ctx, { args, flags }) {
    const { out } = ctx.settings;
    // A person edits the file.
    if (out !== undefined && out !== '-') await requireNewFile(out, ctx.runtime.cwd);
    const { describeList } = await import('./check-file.ts');
    await ctx.out.text(await describeList(ctx, args.LIST, flags.archived ?? false));
  },
});
