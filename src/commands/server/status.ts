import { defineCommand } from '../../cli/define.ts';
import { statusColumns } from './columns.ts';
import { databaseFlags, withExisting } from './database.ts';

export default defineCommand({
  path: 'server status',
  summary: 'Show the engine, schema, size and row counts of a database',
  description: 'Brings the schema up to date first, as every command that opens a database does.',
  operations: [],
  args: [],
  flags: databaseFlags,
  examples: [
    { run: 'comem server status -p demo', says: 'the database of the demo profile' },
    { run: 'comem server status --database postgres://comem@db.example/comem', says: 'a database on PostgreSQL' },
    { run: 'comem server status --data-dir ./data -o json', says: 'a database of your own, as JSON' },
  ],
  stdout: 'value',
  async run(ctx, { flags }) {
    await withExisting(ctx, flags, async (store, { label }) => {
      const { statusOf } = await import('../../server/status.ts');
      await ctx.out.value({ database: label, ...(await statusOf(store)) }, statusColumns, {
        id: (row) => row.database,
      });
    });
  },
});
