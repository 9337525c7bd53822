/** What goes into the reading of one group of sections, and what comes out. */
import type { Context } from '../../cli/context.ts';
import { listGrants } from '../../contract/metric-operations.ts';
import type { CheckSection } from '../../domain/checks/check-file.ts';
import { grantTest } from '../../domain/checks/grant-checks.ts';
import type { Aggregates, Baseline, CheckSpec, Outcome } from '../../domain/checks/model.ts';

export interface RunOptions {
  /** How many findings of one check are kept. */
  cap: number;
  baseline?: Baseline | undefined;
}

/** What one group of sections came to: a result for each check, or why the data could not be read. */
export interface GroupResult {
  /** By check. */
  outcomes: Map<CheckSpec, Outcome>;
  /** For a baseline, by section: `count`, `sum(value)`. */
  aggregates: Aggregates;
}

/** What reports call a section: `list pipeline`, `metrics acme`, `grants`. */
export function subjectOf({ subject, label }: CheckSection): string {
  return label === '' ? subject : `${subject} ${label}`;
}

export async function readGrantChecks(
  ctx: Context,
  sections: readonly CheckSection[],
  { cap }: RunOptions,
): Promise<GroupResult> {
  const company = sections[0]?.company;
  const companyId = company === undefined ? ctx.requireCompany() : ctx.companyOf(company, 'company');
  const client = await ctx.client();
  const grants = await client.call(listGrants, { query: { companyId } });
  const facts = { grants, now: ctx.now(), cap };
  const outcomes: GroupResult['outcomes'] = new Map();
  for (const section of sections) {
    const { allowEmpty } = section;
    for (const spec of section.checks) outcomes.set(spec, grantTest(spec.expect)({ ...facts, allowEmpty }));
  }
  return { outcomes, aggregates: {} };
}
