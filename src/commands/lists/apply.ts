import { defineCommand, flag } from '../../cli/define.ts';
import { defaultFolder, folderFlag, planFlags } from './code/flags.ts';

export default defineCommand({
  path: 'lists apply',
  summary: 'Make lists what their files say',
  description: [
    'Shows the plan on stderr, asks on a terminal (without one it needs --yes), sends it, and notes the ids that the server gave in the files. A second run writes nothing. `comem help lists plan` says what a file means.',
    'Attributes and options that a file does not have are deleted with --prune alone, and after everything else went well. With --by-slug the files of one profile make the lists of another; their ids stay as they are.',
    'Prints the counts. Exit 7 when some writes failed and some did not: the same command does the rest.',
  ].join('\n\n'),
  operations: [
    'listLists',
    'getList',
    'listEntries',
    'createList',
    'updateList',
    'createAttribute',
    'updateAttribute',
    'deleteAttribute',
  ],
  args: [
    { name: 'LIST', summary: 'lists by slug, name, id or file; default: every file', optional: true, variadic: true },
  ],
  flags: {
    ...folderFlag,
    ...planFlags,
    prune: flag.boolean('delete attributes and options that the files do not have'),
  },
  examples: [
    { run: 'comem -p demo lists apply -d lists --yes', says: 'after `lists pull` and an edit' },
    { run: 'comem -p demo lists apply --prune --dry-run', says: 'the requests alone, deletions among them' },
  ],
  stdout: 'object',
  writes: true,
  async run(ctx, { args, flags: { dir = defaultFolder, bySlug, prune } }) {
    const { applyLists } = await import('./code/apply.ts');
    await applyLists(ctx, { dir, only: args.LIST ?? [], bySlug, prune });
  },
});
