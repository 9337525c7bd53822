import { defineCommand, flag } from '../../cli/define.ts';
import { checkAlias } from '../../config/profile.ts';
import { isUuid } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';
import { companyColumns } from '../profiles/columns.ts';
import { editCurrent } from './groups.ts';

export default defineCommand({
  path: 'companies add',
  summary: 'Add an alias for a company',
  description: 'The alias works wherever a company is named: -c, and the targets of commands.',
  args: [
    { name: 'ALIAS', summary: 'a short name that you choose', picker: 'text' },
    { name: 'ID', summary: 'the uuid of the company', picker: 'text' },
  ],
  flags: { default: flag.boolean('make it the default company of the profile too', { hidden: true }) },
  examples: {
    'comem -p demo companies add analytics c0ffee00-0000-4000-8000-000000000011':
      '`-c analytics` now means this company',
    'comem -p demo companies add analytics c0ffee00-0000-4000-8000-000000000011 -o json': 'the same for a program',
    'comem -p demo companies add analytics c0ffee00-0000-4000-8000-000000000011 && comem -p demo -c analytics metrics live':
      'use it at once',
  },
  stdout: 'object',
  async run(ctx, { args, flags }) {
    const alias = checkAlias(args.ALIAS);
    const id = args.ID.trim();
    if (!isUuid(id)) {
      const hint = '-c takes the name of a company, too; `comem companies list` shows uuids';
      throw usage(`ID must be the uuid of a company, got "${args.ID}"`, hint);
    }
    const profile = await editCurrent(ctx, (changed) => {
      const current = Object.hasOwn(changed.companies ?? {}, alias) ? changed.companies?.[alias] : undefined;
      if (current !== undefined && current !== id) {
        const hint = `remove it first with \`comem companies remove ${alias}\``;
        throw usage(`the alias "${alias}" already means ${current}`, hint);
      }
      changed.companies = { ...changed.companies, [alias]: id };
      if (flags.default) changed.company = id;
    });
    await ctx.out.value({ alias, id, default: profile.company === id }, companyColumns);
  },
});
