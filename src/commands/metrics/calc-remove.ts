import { defineCommand } from '../../cli/define.ts';
import { editProfile } from '../../config/accounts.ts';
import { suggested } from '../../config/companies.ts';
import { requireProfile } from '../../config/settings.ts';
import { Failure } from '../../core/errors.ts';

export default defineCommand({
  path: 'metrics calc remove',
  summary: 'Remove the definition of a computed metric',
  operations: [],
  args: [{ name: 'NAME', summary: 'the computed metric', names: 'calc' }],
  flags: {},
  examples: [
    { run: 'comem -p demo metrics calc remove net_new_arr', says: 'forget the definition' },
    {
      run: 'comem -p demo metrics calc remove net_new_arr && comem -p demo metrics calc list',
      says: 'and see which are left',
    },
    { run: 'comem metrics calc remove net_new_arr', says: 'of the profile that is in use' },
  ],
  stdout: 'nothing',
  async run(ctx, { args: { NAME: metric } }) {
    requireProfile(ctx.settings, ctx.profiles);
    const name = ctx.settings.profile.value;
    await editProfile(ctx.folders, name, (profile) => {
      const { [metric]: found, ...others } = profile.calc ?? {};
      if (found === undefined) {
        const known = Object.keys(others).sort();
        const hint = `${suggested(metric, known)}${known.length ? `its definitions are ${known.join(', ')}` : 'it has none'}`;
        throw new Failure('notFound', `profile "${name}" has no computed metric "${metric}"`, { hint });
      }
      profile.calc = others;
    });
    ctx.out.note(`Removed the definition of ${metric} from profile "${name}".`);
  },
});
