import { defineCommand, flag } from '../../cli/define.ts';
import { chosenRows, hasRowFlags, openRowQuery, shortRowFlags, showChosen } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { Failure } from '../../core/errors.ts';
import { auditGrants, auditRules, instantFromNow } from '../../domain/grants.ts';
import { columnsOfCompanies, rowsOfCompanies } from '../company-rows.ts';
import { grantsWithCatalog } from './choice.ts';
import { auditColumns } from './columns.ts';

export default defineCommand({
  path: 'grants audit',
  summary: 'Find grants that need attention',
  description: [
    'Of the grants in force: no_expiry, historical_without_note, expiring (within --within), unknown_metric and archived_metric (by the catalog), overlapping (with an earlier grant to the same recipient), no_recipient; and expired_active for a grant that is active but has expired.',
    'Exit 0 whatever is found, 1 on findings with --exit-code.',
  ].join('\n\n'),
  operations: ['listGrants', 'getMetricCatalog'],
  flags: {
    ...shortRowFlags,
    within: flag.text('30d', 'report grants that end within this time; default 30d'),
    exitCode: flag.boolean('exit 1 when there are findings'),
  },
  examples: {
    'comem -p demo grants audit': 'all findings',
    "comem -p demo grants audit --where 'rule in (no_expiry, overlapping)' -o csv": 'findings of two rules',
    'comem -p demo grants audit --within 90d --exit-code': 'a job in CI, with 90 days of notice',
  },
  manyCompanies: true,
  async run(ctx, { flags }) {
    refuseRaw(ctx, 'it is computed from several requests');
    const withinOf = (now: Date) => instantFromNow(flags.within ?? '30d', now, '--within');
    withinOf(ctx.now());
    const columns = columnsOfCompanies(ctx, flags, auditColumns);
    const rules = { rule: auditRules };
    const question = await openRowQuery(ctx, columns, { flags, command: ['grants audit'], rules });
    let count = 0;
    const { rows, verdict } = await rowsOfCompanies(ctx, flags, async (companyId) => {
      const { grants, definitions: catalog } = await grantsWithCatalog(ctx, companyId);
      count += grants.length;
      const now = ctx.now();
      return auditGrants({ grants, catalog, now, soon: withinOf(now) });
    });
    const findings = await chosenRows(question, rows);
    await showChosen(ctx, { question, flags, pages: [findings] }, columns, {
      name: ({ id, rule }) => `${rule} ${id}`,
      counts: ['finding', 'findings'],
      empty: hasRowFlags(flags) ? 'No such findings.' : `No findings in ${count} grants.`,
    });
    verdict();
    if (findings.length === 0 || !flags.exitCode) return;
    throw new Failure('no', `the audit has ${amount(findings.length, 'finding', 'findings')}`, { code: 'findings' });
  },
});
