import { listReads, listWrites } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { defaultFolder, folderFlag, planFlags } from './code/flags.ts';

export default defineCommand({
  path: 'lists apply',
  summary: 'Change lists to match their files',
  description: [
    'Shows the plan on stderr, sends it, and writes the ids that the server assigned into the files. A second run writes nothing. `comem help lists plan` explains the files.',
    'Attributes and options that a file does not have are deleted only with --prune, and only after everything else succeeded. With --by slug the files of one profile create the lists of another; their ids do not change.',
    'Prints the counts of lists and attributes; an option belongs to its attribute, which counts as updated. Exit 7 when some writes failed and some did not: run the same command for the rest.',
  ].join('\n\n'),
  operations: [...listReads, ...listWrites, 'deleteAttribute'],
  args: [
    { name: 'LIST', summary: 'lists by slug, name, id or file; default: every file', optional: true, variadic: true },
  ],
  flags: {
    ...folderFlag,
    ...planFlags,
    prune: flag.boolean('delete attributes and options that the files do not have'),
  },
  examples: {
    'comem -p demo lists apply -d lists --yes': 'after `lists pull` and an edit',
    'comem -p demo lists apply --prune --dry-run': 'only the requests, including deletions',
    'comem -p demo lists apply hiring --yes': 'only one list',
  },
  stdout: 'object',
  writes: true,
  confirms: 'before it writes',
  async run(ctx, { args, flags: { dir = defaultFolder, by, prune } }) {
    const { applyLists } = await import('./code/plan.ts');
    await applyLists(ctx, { dir, only: args.LIST ?? [], bySlug: by === 'slug', prune });
  },
});
