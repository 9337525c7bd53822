import { defineCommand, flag } from '../../cli/define.ts';

const side = { summary: 'uuid, slug or exact name, PROFILE:LIST, PROFILE:, or a *.yaml file' } as const;

export default defineCommand({
  path: 'lists diff',
  summary: 'Compare two lists, or a list with its file',
  description:
    'The lists may belong to two profiles; `PROFILE:` on both sides compares all of their lists. Each row is a change that turns A into B: of the list, an attribute or an option. Attributes are matched by id, else by slug, else by name; options by id, else by label. Fields that a file leaves out, entries and the position among the lists are not compared.',
  operations: ['listLists', 'getList'],
  args: [
    { name: 'A', ...side, completionKind: 'list' },
    { name: 'B', ...side, completionKind: 'list' },
  ],
  flags: { exitCode: flag.boolean('exit 1 when they differ') },
  examples: {
    'comem -p demo lists diff deal-pipeline demo:hiring': 'two lists',
    'comem -p demo lists diff deal-pipeline lists/deal-pipeline.yaml --exit-code': 'a list and its file',
    'comem lists diff staging: production: --exit-code': 'all lists of two profiles',
  },
  withoutIds: true,
  async run(ctx, { args, flags }) {
    const { diffLists } = await import('./code/plan.ts');
    await diffLists(ctx, args.A, args.B, flags.exitCode ?? false);
  },
});
