import { defineCommand } from '../../cli/define.ts';
import { requireNamed } from '../../config/accounts.ts';
import { updateProfiles } from '../../config/profile.ts';

export default defineCommand({
  path: 'profiles use',
  summary: 'Select the profile of commands without -p',
  args: [{ name: 'NAME', summary: 'the profile', picker: 'profile' }],
  examples: {
    'comem profiles use demo': 'commands now use the demo',
    'comem profiles use work': 'commands now use the profile work',
    'comem profiles use demo && comem lists list': 'and see what it holds',
  },
  stdout: 'nothing',
  async run(ctx, { args: { NAME: name } }) {
    await updateProfiles(ctx.folders, (file) => {
      requireNamed(file, name);
      file.current = name;
    });
    ctx.out.note(`Commands now use profile "${name}".`);
    if (ctx.runtime.env.COMEM_PROFILE && ctx.runtime.env.COMEM_PROFILE !== name) {
      ctx.out.warn(`COMEM_PROFILE is set to "${ctx.runtime.env.COMEM_PROFILE}" and overrides it`);
    }
  },
});
