import { defineCommand } from '../../cli/define.ts';
import { editProfile } from '../../config/accounts.ts';
import { requireProfile } from '../../config/settings.ts';
import { calcColumns } from './columns.ts';

export default defineCommand({
  path: 'metrics calc add',
  summary: 'Save the definition of a computed metric',
  description:
    'The profile keeps it; a definition of the same name is replaced. It may use + - * /, prev(m, n), yoy(m), sum(m, n), avg(m, n), abs, round, min and max.',
  operations: [],
  args: [{ name: 'DEFINITION', summary: 'NAME = EXPRESSION' }],
  flags: {},
  examples: [
    { run: "comem -p demo metrics calc add 'net_new_arr = arr - prev(arr)'", says: '`-m net_new_arr` now shows it' },
    {
      run: "comem -p demo metrics calc add 'burn_multiple = sum(burn, 3) / (arr - prev(arr, 3))'",
      says: 'of three months',
    },
    { run: "comem -p demo metrics calc add 'cash_per_head = burn / headcount'", says: 'the quotient of two metrics' },
  ],
  stdout: 'object',
  async run(ctx, { args: { DEFINITION } }) {
    requireProfile(ctx.settings, ctx.profiles);
    const { readDefinition } = await import('../../domain/analysis/calc.ts');
    const { name, text } = readDefinition(DEFINITION, 'DEFINITION');
    await editProfile(ctx.folders, ctx.settings.profile.value, (profile) => {
      profile.calc = { ...profile.calc, [name]: text };
    });
    await ctx.out.value({ name, definition: text }, calcColumns);
  },
});
