import { defineCommand } from '../../cli/define.ts';
import { defaultFolder, folderFlag } from './code/flags.ts';

export default defineCommand({
  path: 'lists pull',
  summary: 'Write lists as YAML files, for git',
  description: [
    'One file for each list: its fields, its attributes in their order, their options, tones and limits. It contains ids but no entries: with an id, a new name in the file is a rename. `lists apply` writes new ids too.',
    'An existing file keeps its name and its comments; its content is replaced. The JSON Schema of the files is written next to them, and a comment at their start points editors to it.',
  ].join('\n\n'),
  operations: ['listLists', 'getList'],
  args: [{ name: 'LIST', summary: 'uuids, slugs or exact names; default: every list', optional: true, variadic: true }],
  flags: folderFlag,
  examples: {
    'comem -p demo lists pull -d lists': 'every list, as lists/SLUG.yaml',
    'comem -p demo lists pull deal-pipeline hiring': 'two of them',
    'comem -p demo lists pull hiring -d roles': 'one list, into another folder',
  },
  async run(ctx, { args, flags }) {
    const { pullLists } = await import('./code/folder.ts');
    await pullLists(ctx, args.LIST ?? [], flags.dir ?? defaultFolder);
  },
});
