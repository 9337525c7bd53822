import { defineCommand } from '../../cli/define.ts';
import { databaseFlags, timeOf, withExisting } from './database.ts';

export default defineCommand({
  path: 'server keys revoke',
  summary: 'Revoke keys and sessions of a database',
  description: 'The server refuses them from the next request on.',
  args: [{ name: 'ID', summary: 'ids as `server keys list` shows them', variadic: true }],
  flags: databaseFlags,
  examples: {
    'comem server keys revoke 4f0c63a4-6d5e-4c0a-9a41-0a6a2c8f6c55 --yes': 'one key',
    'comem server keys revoke "$(comem server keys list -p demo --where \'status = expired\' --limit 1 -o id)" -p demo --yes':
      'one that has expired',
    'comem server keys revoke 4f0c63a4-6d5e-4c0a-9a41-0a6a2c8f6c55 --dir ./data --yes': 'of a database of your own',
  },
  stdout: 'nothing',
  confirmsLocally: true,
  confirms: 'before it revokes',
  async run(ctx, { args: { ID: ids }, flags }) {
    await withExisting(ctx, flags, async (store) => {
      const now = await timeOf(ctx, store);
      const { requireKeys, revokeKey } = await import('../../server/keys.ts');
      const keys = await requireKeys(store, ids, now);
      await ctx.confirm(`Revoke ${keys.map(({ kind, name, id }) => `${kind} ${name || id}`).join(', ')}?`);
      for (const { id } of keys) {
        const revoked = await revokeKey(store, id, now);
        ctx.out.note(revoked ? `Revoked ${id}.` : `${id} was already revoked.`);
      }
    });
  },
});
