import { defineCommand, flag } from '../../cli/define.ts';
import { defaultFolder, folderFlag, planFlags } from './code/flags.ts';

export default defineCommand({
  path: 'lists plan',
  summary: 'Show what list files would change, and the impact on entries',
  description: [
    'Each change is a row: of a list, an attribute or an option, with its value now and after it. If a change affects data, entries are read, archived ones too: the row says how many entries have a removed option, how many values a deleted attribute has, and how many entries lack a required value.',
    'What a file leaves out stays, and null clears a description, icon, color or tone. `lists pull` writes null for what is not set, so that a currency or a bound that was added is a change; the API cannot clear these. Attributes and options are complete lists: others are deletions, which `lists apply` does only with --prune. A list without a file is not changed, and a note names it.',
    'All mistakes are reported at once, with line and column; so are changes that the API cannot do, such as another type for an attribute, with an alternative.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries'],
  args: [
    { name: 'LIST', summary: 'lists by slug, name, id or file; default: every file', optional: true, variadic: true },
  ],
  flags: { ...folderFlag, ...planFlags, exitCode: flag.boolean('exit 1 when there are changes') },
  examples: {
    'comem -p demo lists plan -d lists': 'after `lists pull` and an edit',
    'comem -p demo lists plan --exit-code --json': 'in CI: exit 1 when a list was changed by hand',
    'comem -p demo lists plan deal-pipeline': 'only one list',
  },
  isLiveOnly: true,
  withoutIds: true,
  async run(ctx, { args, flags }) {
    const { showPlan } = await import('./code/plan.ts');
    await showPlan(
      ctx,
      { dir: flags.dir ?? defaultFolder, only: args.LIST ?? [], bySlug: flags.by === 'slug' },
      flags.exitCode ?? false,
    );
  },
});
