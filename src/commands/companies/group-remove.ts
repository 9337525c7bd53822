import { defineCommand } from '../../cli/define.ts';
import { suggestAlias } from '../../config/companies.ts';
import { groupsOf } from '../../config/profile.ts';
import { Failure, usage } from '../../core/errors.ts';
import { companiesIn } from '../company-rows.ts';
import { editCurrent, groupName } from './groups.ts';

export default defineCommand({
  path: 'companies group remove',
  summary: 'Remove companies from a group, or the group',
  description: 'Without companies the whole group is removed. The companies and their aliases do not change.',
  args: [
    { name: 'NAME', summary: 'the group', completionKind: 'group' },
    { name: 'COMPANY', summary: 'a uuid or alias; default: the whole group', variadic: true, optional: true },
  ],
  examples: {
    'comem -p demo companies group remove software': 'remove the group software',
    'comem -p demo companies group remove software lumen': 'remove one company from it',
    'comem -p demo companies group remove software && comem -p demo companies group list': 'and see which are left',
  },
  stdout: 'nothing',
  async run(ctx, { args: { NAME, COMPANY } }) {
    const group = groupName(NAME);
    const removed = companiesIn(ctx, COMPANY ?? []);
    await editCurrent(ctx, (changed, name) => {
      const groups = groupsOf(changed, name);
      const members = Object.hasOwn(groups, group) ? groups[group] : undefined;
      if (!members) {
        const known = Object.keys(groups).sort();
        const hint = known.length
          ? `${suggestAlias(group, known)}its groups are ${known.join(', ')}`
          : 'it has no groups';
        throw new Failure('notFound', `profile "${name}" has no group "${group}" of companies`, { hint });
      }
      const left = removed.length === 0 ? [] : members.filter((id) => !removed.includes(id));
      changed.groups = { ...changed.groups, [group]: left };
      if (left.length > 0) return;
      delete changed.groups[group];
      if (Object.hasOwn(groupsOf(undefined, name), group)) {
        throw usage(`the group "${group}" of the profile "${name}" is built in and cannot be removed`);
      }
    });
    ctx.out.note(removed.length === 0 ? `Removed the group "${group}".` : `Removed from the group "${group}".`);
  },
});
