import { defineCommand } from '../../cli/define.ts';
import { deleteProfile, requireNamed, secretKinds } from '../../config/accounts.ts';
import { demoProfile, kindName } from '../../config/profile.ts';
import { usage } from '../../core/errors.ts';

export default defineCommand({
  path: 'profiles delete',
  summary: 'Delete a profile with its credentials and aliases',
  description: 'Nothing changes at the API.',
  args: [{ name: 'NAME', summary: 'the profile', picker: 'profile' }],
  examples: {
    'comem profiles delete acme --yes': 'delete without asking',
    'comem profiles delete acme': 'asks first, on a terminal',
    'comem profiles delete acme --yes && comem profiles list': 'and see which are left',
  },
  stdout: 'nothing',
  confirmsLocally: true,
  confirms: 'before it deletes',
  async run(ctx, { args: { NAME: name } }) {
    if (name === demoProfile) throw usage(`the profile "${demoProfile}" is built in and cannot be deleted`);
    const profile = requireNamed(ctx.profiles, name);
    const held = secretKinds.filter((kind) => profile[kind]).map(kindName);
    await ctx.confirm(`Delete profile "${name}"${held.length ? ` with its ${held.join(' and ')}` : ''}?`);
    for (const left of await deleteProfile(ctx.folders, name)) ctx.out.warn(left);
    ctx.out.note(`Deleted profile "${name}".`);
  },
});
