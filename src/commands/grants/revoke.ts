import { defineCommand } from '../../cli/define.ts';
import { grantIds } from '../../cli/grant-ids.ts';
import { revokeAll, revokeVerdict } from '../../cli/revoke.ts';
import { operations } from '../../contract/index.ts';
import { revokeColumns } from '../../output/metric-columns.ts';

const op = operations.revokeGrant;

export default defineCommand({
  path: 'grants revoke',
  summary: 'Revoke metric grants',
  description: [
    'Prints a row for each grant with the outcome revoked, unchanged (it had ended already) or failed. A grant that the API refuses to revoke is looked up in the list before it counts as failed, so that the command may be repeated.',
    'Asks once for all of them; without a terminal it needs --yes. Exit code 7 when some failed and some did not.',
  ].join('\n\n'),
  operations: ['revokeGrant', 'listGrants'],
  args: [{ name: 'ID', summary: 'uuids of grants; - reads them from stdin, one a line', variadic: true }],
  flags: {},
  examples: [
    {
      run: 'comem -p demo grants list --status active --limit 1 -o id | comem -p demo grants revoke - --dry-run',
      says: 'shows the requests and sends nothing',
    },
    {
      run: 'comem -p demo grants list --expired -o id | comem -p demo grants revoke - --yes',
      says: 'revokes every grant whose time is over',
    },
  ],
  stdout: 'rows',
  writes: true,
  async run(ctx, { args }) {
    if (!(await ctx.out.check(revokeColumns))) return;
    const ids = await grantIds(ctx, args.ID);
    const [first] = ids;
    ctx.requireCompany();
    await ctx.prepare(
      ids.map((id) => ({ op, input: { params: { id } } })),
      first && `Revoke ${ids.length === 1 ? `the grant ${first}` : `${ids.length} grants`}?`,
    );
    const results = first === undefined ? [] : revokeAll(await ctx.client(), ids);
    async function* rows() {
      for (const result of results) yield (await result).row;
    }
    try {
      await ctx.out.rows(rows(), revokeColumns, { empty: 'No grants were named.' });
    } finally {
      // Fewer rows may be asked for than grants were revoked.
      await Promise.allSettled(results);
    }
    const failure = revokeVerdict(await Promise.all(results));
    if (failure) throw failure;
  },
});
