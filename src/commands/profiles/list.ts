import { defineCommand } from '../../cli/define.ts';
import { shortRowFlags, showRows } from '../../cli/query.ts';
import { profileNames } from '../../config/profile.ts';
import { type ProfileRow, profileColumns, profileRow } from './columns.ts';

export default defineCommand({
  path: 'profiles list',
  summary: 'List the profiles',
  description: 'Shows where each API key and session is saved, but never the secrets.',
  flags: shortRowFlags,
  examples: {
    'comem profiles list': 'all profiles, including the built-in demo',
    'comem profiles list -o id': 'their names, one per line',
    'comem profiles list --json': 'the same for a program',
  },
  async run(ctx, { flags }) {
    const rows = profileNames(ctx.profiles).map((name) => profileRow(ctx.profiles, name));
    const name = ({ name }: ProfileRow) => name;
    const empty = 'No such profiles.';
    await showRows(ctx, async () => rows, profileColumns, { flags, command: ['profiles list'], name, id: name, empty });
  },
});
