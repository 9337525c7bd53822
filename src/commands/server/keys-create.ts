import { defineCommand, flag } from '../../cli/define.ts';
import { scopes } from '../../contract/metrics.ts';
import { usage } from '../../core/errors.ts';
import { expiryOf } from '../../domain/grants.ts';
import { newKeyColumns } from './columns.ts';
import { databaseFlags, timeOf, withExisting } from './database.ts';

export default defineCommand({
  path: 'server keys create',
  summary: 'Create an API key or a session in a database',
  description:
    'The secret is shown once: the database stores its hash. A key is bound to one company and belongs to a user; for a ' +
    'company without users, an operator is created.',
  flags: {
    ...databaseFlags,
    company: flag.text('ID|NAME', 'the company of the key; default: the only one', { short: 'c' }),
    user: flag.text('EMAIL', 'the owner of the key; default: the only member', { hidden: true }),
    name: flag.text('NAME', 'the name in listings'),
    scope: flag.list('SCOPE', 'what it can read; default: everything', { choices: Object.values(scopes) }),
    expires: flag.text('DATE|90d', 'when it expires; default: a key never, a session in a year'),
    as: flag.text('key|session', 'an API key, or a session (a Cookie header)', {
      choices: ['key', 'session'],
      also: { session: 'session' },
    }),
  },
  examples: {
    'comem server keys create --dir ./data --name ci --expires 90d': 'a key for the only company',
    'comem server keys create --dir ./data --as session -o json': 'a session cookie',
    'comem server keys create --dir ./data --scope metrics.actuals:read': 'a key that reads metrics',
  },
  stdout: 'object',
  async run(ctx, { flags: { company, user, name, scope, expires, as, ...choice } }) {
    await withExisting(ctx, choice, async (store, { options: { dataDir } }) => {
      const now = await timeOf(ctx, store);
      const expiresAt = expires === undefined ? undefined : new Date(expiryOf(expires, now, '--expires')).toISOString();
      if (expiresAt !== undefined && expiresAt < now.toISOString())
        throw usage(`--expires ${expires} is in the past`, 'give a later date, or a time from now such as 90d');
      const { createKey } = await import('../../server/keys.ts');
      const request = { session: as === 'session', company, user, name, scopes: scope, expiresAt, now, dataDir };
      await ctx.out.value(await createKey(store, request), newKeyColumns);
      ctx.out.note('The secret is not shown again.');
    });
  },
});
