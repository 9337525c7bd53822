import { defineCommand, flag } from '../../cli/define.ts';
import { forgetSecrets, requireNamed, secretKinds } from '../../config/accounts.ts';
import { kindName } from '../../config/profile.ts';

export default defineCommand({
  path: 'auth logout',
  summary: 'Forget the API key, the session, or both',
  description: 'Removes them from the keyring or file. The profile stays; `comem profiles delete` deletes it.',
  args: [{ name: 'KIND', summary: 'only the key, or only the session', optional: true, choices: ['key', 'session'] }],
  flags: {
    apiKey: flag.boolean('only the API key', { hidden: true }),
    session: flag.boolean('only the session', { hidden: true }),
  },
  examples: {
    'comem auth logout': 'forget both credentials of the current profile',
    'comem auth logout session -p acme': 'forget the session, keep the API key',
    'comem auth logout key': 'forget the API key, keep the session',
  },
  stdout: 'nothing',
  async run(ctx, { args, flags }) {
    const { profile } = ctx.settings;
    if (profile.origin !== 'default') requireNamed(ctx.profiles, profile.value);
    const chosen = secretKinds.filter(
      (kind) => kind === args.KIND || (kind === 'key' ? flags.apiKey : flags.session) === true,
    );
    const kinds = chosen.length > 0 ? chosen : secretKinds;
    const { removed, left } = await forgetSecrets(ctx.folders, profile.value, kinds);
    for (const kind of removed) ctx.out.note(`Removed the ${kindName(kind)} of profile "${profile.value}".`);
    if (removed.length === 0) {
      const what = kinds.map(kindName).join(' or ');
      ctx.out.note(`Profile "${profile.value}" has no ${what}: nothing to remove.`);
    }
    for (const text of left) ctx.out.warn(text);
    for (const name of kinds.flatMap((kind) => (kind === 'key' ? keyVariables : sessionVariables))) {
      if (ctx.runtime.env[name]) ctx.out.warn(`${name} is still set in the environment`);
    }
  },
});

const keyVariables = ['COMEM_API_KEY', 'COMEM_API_KEY_FILE'];
const sessionVariables = ['COMEM_SESSION_COOKIE', 'COMEM_SESSION_COOKIE_FILE'];
