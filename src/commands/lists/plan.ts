import { defineCommand, flag } from '../../cli/define.ts';
import { defaultFolder, folderFlag, planFlags } from './code/flags.ts';

export default defineCommand({
  path: 'lists plan',
  summary: 'Show what list files would change, and what that does to the entries',
  description: [
    'Each change is a row: of a list, an attribute or an option, with what it is now and what it would be. Where it meets data the entries are read, archived ones too: removing an option says how many entries have it, deleting an attribute how many values go, a new required how many entries are empty.',
    'What a file leaves out stays as it is, and null clears a description, icon, color or tone. Attributes and options that are listed are all there are: others are deletions, which lists apply does with --prune alone. A list without a file is left alone.',
    'Mistakes are all named at once, with line and column; so is what the API cannot do, such as another type for an attribute, with the way out.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries'],
  args: [
    { name: 'LIST', summary: 'lists by slug, name, id or file; default: every file', optional: true, variadic: true },
  ],
  flags: {
    ...folderFlag,
    ...planFlags,
    exitCode: flag.boolean('exit 1 when there are changes'),
  },
  examples: [
    { run: 'comem -p demo lists plan -d lists', says: 'after `lists pull` and an edit' },
    { run: 'comem -p demo lists plan --exit-code --json', says: 'in CI: exit 1 when somebody changed a list by hand' },
  ],
  stdout: 'rows',
  withoutIds: true,
  async run(ctx, { args, flags }) {
    const { showPlan } = await import('./code/apply.ts');
    await showPlan(
      ctx,
      { dir: flags.dir ?? defaultFolder, only: args.LIST ?? [], bySlug: flags.bySlug },
      flags.exitCode ?? false,
    );
  },
});
