import { defineCommand } from '../../cli/define.ts';
import { firstAlias } from '../../config/companies.ts';
import { usage } from '../../core/errors.ts';
import { fiscalColumns } from '../profiles/columns.ts';
import { editCurrent } from './groups.ts';

const setting = 'fiscal-year-start';

export default defineCommand({
  path: 'companies set',
  summary: 'Change the settings of a company',
  description: `${setting}=4 says that the fiscal years of the company begin in April: --last ytd and --last fy2026 of several companies then mean the fiscal year of each. An empty value removes the setting. --fy-start overrides it.`,
  args: [
    { name: 'NAME', summary: 'the company, a uuid or an alias', picker: 'company' },
    { name: 'KEY=VALUE', summary: `${setting}=MONTH, 1 to 12` },
  ],
  examples: {
    [`comem -p demo companies set lumen ${setting}=4`]: 'its fiscal years begin in April',
    [`comem -p demo companies set lumen ${setting}=`]: 'they are calendar years again',
    [`comem -p demo companies set lumen ${setting}=7 -o json`]: 'the alias as it is now',
  },
  stdout: 'object',
  async run(ctx, { args }) {
    const id = ctx.companyOf(args.NAME, 'NAME');
    const [key, value = ''] = args['KEY=VALUE'].split('=', 2).map((part) => part.trim());
    if (key !== setting) throw usage(`unknown setting "${key}"`, `the setting is ${setting}=MONTH`);
    if (value !== '' && !/^(?:[1-9]|1[0-2])$/.test(value))
      throw usage(`${setting} must be a month from 1 to 12, got "${value}"`);
    const profile = await editCurrent(ctx, (changed) => {
      const { [id]: _, ...others } = changed.fiscalYearStart ?? {};
      changed.fiscalYearStart = value === '' ? others : { ...others, [id]: Number(value) };
    });
    const alias = firstAlias(ctx.settings.aliases, id) ?? args.NAME;
    const fiscalYearStart = profile.fiscalYearStart?.[id] ?? 1;
    await ctx.out.value({ alias, id, default: id === ctx.company(), fiscalYearStart }, fiscalColumns);
  },
});
