import { defineCommand } from '../../cli/define.ts';
import { choiceFlags, chosenGrants } from './choice.ts';
import { revokeColumns } from './columns.ts';
import { revokeGrants } from './selected.ts';

export default defineCommand({
  path: 'grants revoke',
  summary: 'Revoke metric grants',
  description: [
    'Names grants by id, or chooses among those that are not revoked yet: every flag that is given must hold. With ids and flags, only those of the ids that the flags choose; the others are skipped.',
    'Prints a row for each grant with the outcome revoked, unchanged (it had ended already), skipped or failed. Revoked means that the answer says so. A grant that the API refuses to revoke is looked up in the list before it counts as failed, so that the command may be repeated.',
    'Shows a plan and asks once for all of them; without a terminal it needs --yes. --plan-out keeps the plan in a file to be reviewed, and --plan revokes exactly its grants, unless what one of them grants has changed since. Exit code 7 when some failed and some did not.',
  ].join('\n\n'),
  operations: ['revokeGrant', 'listGrants', 'getMetricCatalog'],
  args: [
    { name: 'ID', summary: 'uuids of grants; - reads them from stdin, one a line', variadic: true, optional: true },
  ],
  flags: choiceFlags,
  examples: [
    {
      run: 'comem -p demo grants list --status active --limit 1 -o id | comem -p demo grants revoke - --dry-run',
      says: 'shows the requests and sends nothing',
    },
    { run: 'comem -p demo grants revoke --expired --yes', says: 'revokes every grant whose time is over' },
    {
      run: 'comem -p demo grants revoke --older-than 1y --metric mrr --plan-out plan.json\ncomem -p demo grants revoke --plan plan.json --yes',
      says: 'a plan to review, and its execution',
    },
  ],
  stdout: 'rows',
  writes: true,
  async run(ctx, { args, flags }) {
    if (!(await ctx.out.check(revokeColumns))) return;
    ctx.requireCompany();
    await revokeGrants(ctx, await chosenGrants(ctx, args.ID, flags), flags.planOut);
  },
});
