import { defineCommand } from '../../cli/define.ts';
import { databaseFlags, withStore } from './database.ts';

export default defineCommand({
  path: 'server reset',
  summary: 'Empty a database',
  description:
    'Deletes everything in it: companies, people, keys, lists, metrics. The demo profile, and `comem serve` on this ' +
    'machine, then fill it with demo data again.',
  flags: databaseFlags,
  examples: {
    'comem server reset -p demo --yes': 'restore the demo data',
    'comem server reset --dir ./data': 'ask, then empty a database of your own',
    'comem server reset --dir ./data --yes': 'empty it without asking',
  },
  stdout: 'nothing',
  confirmsLocally: true,
  confirms: 'before it deletes',
  async run(ctx, { flags }) {
    await withStore(ctx, flags, async (store, { label }) => {
      const { companiesIn } = await import('../../server/store/people.ts');
      const { emptyStore } = await import('../../server/store/store.ts');
      const count = (await companiesIn(store.db)).length;
      await ctx.confirm(`Delete everything in ${label} (${count} ${count === 1 ? 'company' : 'companies'})?`);
      await emptyStore(store);
      ctx.out.note(`${label} is empty.`);
    });
  },
});
