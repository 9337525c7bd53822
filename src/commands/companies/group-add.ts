import { defineCommand } from '../../cli/define.ts';
import { groupsOf } from '../../config/profile.ts';
import { companiesIn } from '../company-rows.ts';
import { editCurrent, groupColumns, groupName, groupRow } from './groups.ts';

export default defineCommand({
  path: 'companies group add',
  summary: 'Add companies to a group',
  description:
    'Creates the group if it does not exist. `-c @NAME` then names all of its companies in the metrics commands; `@all` is every company with an alias or in a group.',
  args: [
    { name: 'NAME', summary: 'the group', completionKind: 'group', picker: 'text' },
    { name: 'COMPANY', summary: 'a uuid, an alias or another @GROUP', variadic: true, picker: 'company' },
  ],
  examples: {
    'comem -p demo companies group add software lumen tessera': '`-c @software` means the two',
    'comem -p demo companies group add software lumen tessera -o json': 'the group for a program',
    'comem -p demo companies group add software lumen tessera && comem -p demo -c @software metrics live':
      'use it at once',
  },
  stdout: 'object',
  async run(ctx, { args: { NAME, COMPANY } }) {
    const group = groupName(NAME);
    const added = companiesIn(ctx, COMPANY);
    const profile = await editCurrent(ctx, (changed, name) => {
      const before = groupsOf(changed, name);
      const members = Object.hasOwn(before, group) ? (before[group] ?? []) : [];
      changed.groups = { ...changed.groups, [group]: [...new Set([...members, ...added])] };
    });
    await ctx.out.value(groupRow(ctx, group, profile.groups?.[group] ?? []), groupColumns);
  },
});
