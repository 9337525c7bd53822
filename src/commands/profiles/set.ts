import { defineCommand } from '../../cli/define.ts';
import { editProfile, requireNamed, secretKinds } from '../../config/accounts.ts';
import { findProfile, kindName } from '../../config/profile.ts';
import { profileKeys, setKeys } from '../../config/profile-keys.ts';
import { originOf } from '../../config/settings.ts';
import { profileColumns, profileRow } from './columns.ts';

export default defineCommand({
  path: 'profiles set',
  summary: 'Change the settings of a profile',
  description: `The settings are ${Object.entries(profileKeys)
    .map(([key, { says }]) => `${key} (${says})`)
    .join('; ')}.\n\nAn empty value removes a setting. A profile that does not exist is created if base-url is given.`,
  args: [
    { name: 'NAME', summary: 'the profile', picker: 'profile' },
    { name: 'KEY=VALUE', summary: 'a setting and its value', variadic: true },
  ],
  examples: {
    'comem profiles set demo output=json': 'JSON on a terminal too',
    'comem profiles set demo readonly=true': 'no writes from this profile',
    'comem profiles set demo company=': 'no default company',
  },
  stdout: 'object',
  async run(ctx, { args: { NAME: name, 'KEY=VALUE': words } }) {
    const profile = await editProfile(ctx.folders, name, (changed, file) => {
      const exists = findProfile(file, name) !== undefined;
      setKeys(changed, words, name, ctx.runtime.cwd);
      if (!exists && changed.baseUrl === undefined) requireNamed(file, name);
    });
    const { baseUrl } = profile;
    for (const kind of secretKinds) {
      const origin = profile[kind]?.origin;
      if (origin === undefined || baseUrl === undefined || origin === originOf(baseUrl)) continue;
      ctx.out.warn(`the ${kindName(kind)} of "${name}" was saved for ${origin} and is not sent to ${baseUrl}`);
    }
    const file = { ...ctx.profiles, profiles: { [name]: profile } };
    const row = profileRow(file, name);
    await ctx.out.value(row, profileColumns, { id: () => name });
  },
});
