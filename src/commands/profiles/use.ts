import { defineCommand } from '../../cli/define.ts';
import { requireNamed } from '../../config/accounts.ts';
import { updateProfiles } from '../../config/profile.ts';

export default defineCommand({
  path: 'profiles use',
  summary: 'Select the profile of commands without -p',
  args: [{ name: 'NAME', summary: 'the profile', picker: 'profile' }],
  examples: [
    { run: 'comem profiles use demo', says: 'commands now use the demo' },
    { run: 'comem profiles use work', says: 'commands now use the profile work' },
    { run: 'comem profiles use demo && comem lists list', says: 'and see what it holds' },
  ],
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
