import { defineCommand } from '../../cli/define.ts';
import { choiceFlags, chosenGrants } from './choice.ts';
import { revokeColumns } from './columns.ts';

export default defineCommand({
  path: 'grants revoke',
  summary: 'Revoke metric grants',
  description: [
    'Name grants by id, or choose among those that are not revoked yet: a grant must match every flag. With ids and flags, ids that do not match are skipped.',
    'Prints a row for each grant with the outcome revoked, unchanged (it had already ended), skipped or failed. `revoked` is confirmed by the response. A grant that the API refuses to revoke is looked up in the list before it counts as failed, so the command can be repeated.',
    'Shows a plan, and asks once for all grants. --plan-out writes the plan to a file for a review, and --plan revokes exactly its grants, unless one of them has changed since. Exit code 7 when some failed and some did not.',
  ].join('\n\n'),
  operations: ['revokeGrant', 'listGrants', 'getMetricCatalog'],
  args: [
    {
      name: 'ID',
      summary: 'uuids of grants; - reads them from stdin, one per line',
      variadic: true,
      optional: true,
      picker: 'grant',
      instead: Object.keys(choiceFlags),
    },
  ],
  flags: choiceFlags,
  examples: {
    'comem -p demo grants list --status active --limit 1 -o id | comem -p demo grants revoke - --dry-run':
      'shows the requests and sends nothing',
    "comem -p demo grants revoke --where 'metric_ids has mrr and created_at < 2025' --dry-run":
      'old grants of a metric',
    'comem -p demo grants revoke --expired --yes': 'revokes every expired grant',
    'comem -p demo grants revoke --older-than 1y -m mrr --plan-out plan.json\ncomem -p demo grants revoke --plan plan.json --yes':
      'a plan to review, and its execution',
  },
  writes: true,
  confirms: 'before it revokes',
  async run(ctx, { args, flags }) {
    if (!(await ctx.out.check(revokeColumns(() => undefined)))) return;
    ctx.requireCompany();
    const [{ checkWritable }, { revokeGrants }] = await Promise.all([
      import('../../cli/plan-file.ts'),
      import('./revocation.ts'),
    ]);
    await checkWritable(ctx, { '--plan-out': flags.planOut });
    const { chosen, finished } = await chosenGrants(ctx, args.ID, flags);
    await revokeGrants(ctx, chosen, flags.planOut);
    finished();
  },
});
