import { defineCommand } from '../../cli/define.ts';
import { renameProfile } from '../../config/accounts.ts';

export default defineCommand({
  path: 'profiles rename',
  summary: 'Rename a profile',
  description: 'Its credentials stay where they are. The built-in profile demo cannot be renamed.',
  args: [
    { name: 'OLD', summary: 'the profile', picker: 'profile' },
    { name: 'NEW', summary: 'its new name', picker: 'text' },
  ],
  examples: {
    'comem profiles rename default acme': 'rename the profile default to acme',
    'comem profiles rename work acme': 'rename the profile work to acme',
    'comem profiles rename work team && comem profiles use team': 'and use it from now on',
  },
  stdout: 'nothing',
  async run(ctx, { args }) {
    await renameProfile(ctx.folders, args.OLD, args.NEW);
    ctx.out.note(`Profile "${args.OLD}" is now "${args.NEW}".`);
  },
});
