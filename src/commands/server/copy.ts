import { defineCommand, flag } from '../../cli/define.ts';
import { copiedColumns } from './columns.ts';
import { anyDatabase, opened, requireDatabase } from './database.ts';

export default defineCommand({
  path: 'server copy',
  summary: 'Copy a database into an empty one of any engine',
  description:
    'Copies everything: lists, metrics, people, keys and sessions, which stay valid. It is one transaction: every table ' +
    'is read back, and a different count or checksum undoes the copy.\n\n' +
    'Stop the servers of both databases first: writes to the source during the copy are not included.',
  operations: [],
  args: [],
  flags: {
    from: flag.text('DB', 'the folder or postgres:// address to read', { required: true }),
    to: flag.text('DB', 'the empty folder or postgres:// address to fill', { required: true }),
  },
  examples: [
    { run: 'comem server copy --from ./data --to postgres://comem@db.example/comem', says: 'a folder to PostgreSQL' },
    { run: 'comem server copy --from postgres://comem@db.example/comem --to ./copy', says: 'and back' },
    { run: 'comem server copy --from ./data --to ./copy', says: 'a backup of a folder' },
  ],
  stdout: 'rows',
  async run(ctx, { flags: { from = '', to = '' } }) {
    const [source, target] = [await anyDatabase(ctx, from, '--from'), await anyDatabase(ctx, to, '--to')];
    requireDatabase(source, '--from');
    const { copyStore } = await import('../../server/copy.ts');
    await opened(source, (reading) =>
      opened(target, async (writing) => {
        const copied = await copyStore(reading, writing, (table) => ctx.out.progress(`copying ${table}`));
        ctx.out.progress(undefined);
        await ctx.out.rows(copied, copiedColumns, { id: (row) => row.table });
        ctx.out.note(`${target.label} holds all of ${source.label}; counts and checksums agree.`);
      }),
    );
  },
});
