/** Checks of one company's grants, read once. */

import { companyOf } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { operations } from '../../contract/index.ts';
import type { CheckSection } from '../../domain/checks/check-file.ts';
import { grantTest } from '../../domain/checks/grant-checks.ts';
import type { GroupResult, RunOptions } from './group.ts';

export async function readGrantChecks(
  ctx: Context,
  sections: readonly CheckSection[],
  { cap }: RunOptions,
): Promise<GroupResult> {
  const company = sections[0]?.company;
  const companyId = company === undefined ? ctx.requireCompany() : companyOf(ctx, company, 'company:');
  const client = await ctx.client();
  const grants = await client.call(operations.listGrants, { query: { companyId } });
  const facts = { grants, now: ctx.runtime.now(), cap };
  const outcomes: GroupResult['outcomes'] = new Map();
  for (const section of sections) {
    for (const spec of section.checks) outcomes.set(spec, grantTest(spec.expect)(facts));
  }
  return { outcomes, aggregates: {} };
}
