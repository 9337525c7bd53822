import { defineCommand } from '../../cli/define.ts';
import { renameProfile } from '../../config/accounts.ts';

export default defineCommand({
  path: 'profiles rename',
  summary: 'Give a profile another name',
  description: 'Its credentials stay where they are. The built-in profile demo keeps its name.',
  operations: [],
  args: [
    { name: 'OLD', summary: 'the profile' },
    { name: 'NEW', summary: 'its new name' },
  ],
  flags: {},
  examples: [{ run: 'comem profiles rename default acme', says: 'the profile default is called acme from now on' }],
  stdout: 'nothing',
  async run(ctx, { args }) {
    await renameProfile(ctx.folders, args.OLD, args.NEW);
    ctx.out.note(`Profile "${args.OLD}" is now "${args.NEW}".`);
  },
});
