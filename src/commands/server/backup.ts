import { resolve } from 'node:path';
import { defineCommand } from '../../cli/define.ts';
import { usage } from '../../core/errors.ts';
import { requireNewFile } from '../../output/write/sinks.ts';
import { backUpTo, databaseFlags, databaseOf, withExisting } from './database.ts';

export default defineCommand({
  path: 'server backup',
  summary: 'Copy a SQLite database while it is used',
  description:
    'The copy is of one moment, complete, and readable by its owner only. To restore it, put it as comem.db into a new ' +
    'folder and start the servers with that folder. PostgreSQL has pg_dump and pg_basebackup.',
  args: [{ name: 'FILE', summary: 'the file to write, which must not exist', completionKind: 'file' }],
  flags: databaseFlags,
  examples: {
    'comem server backup monday.db --dir ./data': 'a copy of a database of your own',
    'comem server backup "$(date +%F).db" --dir ./data': 'named after the day, for a line of cron',
    'comem server backup demo.db -p demo': 'a copy of the demo',
  },
  stdout: 'nothing',
  async run(ctx, { args, flags }) {
    if (args.FILE === '') throw usage('the name of the file is empty', 'name the file to write');
    const file = resolve(ctx.runtime.cwd, args.FILE);
    await requireNewFile(args.FILE, ctx.runtime.cwd);
    const { options, label } = await databaseOf(ctx, flags);
    if (options.database !== undefined)
      throw usage(`${label} is a PostgreSQL database`, 'use pg_dump or pg_basebackup');
    await withExisting(ctx, flags, async ({ engine }) => {
      await backUpTo(engine, args.FILE, file);
      ctx.out.note(`Copied ${label} to ${args.FILE}.`);
    });
  },
});
