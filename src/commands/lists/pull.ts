import { defineCommand } from '../../cli/define.ts';
import { defaultFolder, folderFlag } from './code/flags.ts';

export default defineCommand({
  path: 'lists pull',
  summary: 'Write lists as YAML files, for git',
  description: [
    'One file for each list: its fields, its attributes in their order, their options, tones and limits. Entries are not in it. Ids are, so that another name in the file is a rename; lists apply notes them too.',
    'A file that is there already keeps its name, and its comments; what it says is replaced by what the list is. The JSON Schema of the files is put beside them, and a comment at their head tells editors of it.',
  ].join('\n\n'),
  operations: ['listLists', 'getList'],
  args: [{ name: 'LIST', summary: 'uuids, slugs or exact names; default: every list', optional: true, variadic: true }],
  flags: folderFlag,
  examples: [
    { run: 'comem -p demo lists pull -d lists', says: 'every list, as lists/SLUG.yaml' },
    { run: 'comem -p demo lists pull deal-pipeline hiring', says: 'two of them' },
  ],
  stdout: 'rows',
  async run(ctx, { args, flags }) {
    const { pullLists } = await import('./code/pull.ts');
    await pullLists(ctx, args.LIST ?? [], flags.dir ?? defaultFolder);
  },
});
