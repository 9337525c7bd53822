/** A reviewed plan of `grants revoke`: its grants with recipients and metrics at that time, and their preview. */
import type { Context } from '../../cli/context.ts';
import { withPast } from '../../cli/past.ts';
import { isPlan, type PlanFile, readPlanFile, writePlanFile } from '../../cli/plan-file.ts';
import { timeText } from '../../cli/words.ts';
import { listGrants } from '../../contract/metric-operations.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { isId } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { isRevoked } from '../../domain/grants.ts';
import { grantsOf, type Revealed, readableValues, revealedValues, unitsOf } from '../../domain/history/ledger.ts';
import type { Column } from '../../output/column.ts';
import { amountColumn, type MetricRow, metric, period, unit } from '../metrics/columns.ts';

/** A grant to revoke; `skipped` is the reason why one that was named is not. */
export interface ChosenGrant {
  id: string;
  grant?: MetricGrant | undefined;
  skipped?: string;
}

/** Grants that are revoked already, and those that the flags leave out, are not sent. */
export function isToSend({ grant, skipped }: ChosenGrant): boolean {
  return skipped === undefined && !(grant && isRevoked(grant));
}

/** The terms of a grant. Not its status: a grant that was revoked since is done. */
const fields = ['recipient_company_id', 'recipient_user_id', 'scope', 'metric_ids', 'include_historical', 'expires_at'];

interface GrantsPlan extends PlanFile {
  comem: 'grants-plan';
  made_at: string;
  company: string;
  grants: ({ id: string } & Record<string, unknown>)[];
}

/** Writes the plan. @returns the number of its grants @throws usage when a grant is missing, or the file cannot be written */
export async function writePlan(ctx: Context, file: string, chosen: readonly ChosenGrant[]): Promise<number> {
  const included = chosen.filter(isToSend);
  const absent = included.find(({ grant }) => grant === undefined);
  if (absent)
    throw usage(`the company has no grant ${absent.id}; no plan was written`, '`comem grants list` shows them');
  const plan: GrantsPlan = {
    comem: 'grants-plan',
    version: 1,
    made_at: ctx.now().toISOString(),
    baseUrl: ctx.settings.baseUrl.value,
    company: ctx.requireCompany(),
    grants: included.map(({ id, grant }) => ({ id, ...terms(grant) })),
  };
  await writePlanFile(ctx, file, plan);
  return included.length;
}

/** The grants of a plan. @throws usage when the file is not a plan, is for another company, or a grant has changed */
export async function chosenByPlan(ctx: Context, file: string): Promise<ChosenGrant[]> {
  const plan = readPlanFile(ctx, file, { lists: {}, parse: asPlan, command: 'grants revoke' });
  const company = ctx.requireCompany();
  if (plan.company.toLowerCase() !== company.toLowerCase()) {
    throw usage(`--plan ${file} was made for company ${plan.company}, and this would write to ${company}`);
  }
  const grants = await (await ctx.client()).call(listGrants);
  const byId = new Map(grants.map((grant) => [grant.id?.toLowerCase(), grant]));
  const chosen = plan.grants.map(({ id, ...before }) => ({ id, before, grant: byId.get(id.toLowerCase()) }));
  const changed = chosen.flatMap(({ id, before, grant }) => {
    if (!grant) return [`${id} no longer exists`];
    const now = terms(grant);
    const names = fields.filter((name) => stringifyJson(before[name] ?? null) !== stringifyJson(now[name] ?? null));
    return names.length > 0 ? [`${id} has another ${names.join(', ')}`] : [];
  });
  if (changed.length === 0) return chosen.map(({ id, grant }) => ({ id, grant }));
  const more = changed.length > 5 ? ` and ${changed.length - 5} more` : '';
  throw usage(
    `the grants have changed since the plan was made: ${changed.slice(0, 5).join('; ')}${more}; nothing was written`,
    'make a new plan with --plan-out',
  );
}

/** The plan that a JSON value is, or undefined. */
function asPlan(value: unknown): GrantsPlan | undefined {
  const hasId = (grant: unknown) =>
    typeof grant === 'object' && grant !== null && 'id' in grant && typeof grant.id === 'string' && isId(grant.id);
  const isSound = ({ company, grants }: Record<string, unknown>) =>
    typeof company === 'string' && Array.isArray(grants) && grants.every(hasId);
  return isPlan<GrantsPlan>(value, 'grants-plan', isSound) ? value : undefined;
}

function terms(grant: MetricGrant | undefined): Record<string, unknown> {
  const pairs = fields.map((name) => [name, grant && Reflect.get(grant, name)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

type RevealedRow = Revealed & MetricRow;

export async function previewGrant(ctx: Context, grant: MetricGrant & { companyId: string }, mirror?: string) {
  const { rows, basis, seenAt } = await withPast(
    ctx,
    async ({ history, times, newest }) => {
      const { companyId } = grant;
      const readable = await readableValues(history, companyId);
      const units = await unitsOf(history, companyId);
      const values = revealedValues(grant, await grantsOf(history, companyId), readable, times.newest);
      const rows = values.map((row): RevealedRow => ({ ...row, unit: units.get(row.metricId) ?? '' }));
      return { rows, basis: readable.basis, seenAt: newest.seenAt };
    },
    mirror,
  );
  const values =
    basis === 'series' ? 'values of the series, the most that its reports can contain' : 'published values';
  ctx.out.note(`Nothing was created. By the mirror of ${timeText(seenAt)}: ${values}.`);
  await ctx.out.rows(rows, columns, {
    id: (row) => row.metricId,
    counts: ['value', 'values'],
    empty: 'The recipient could read all of it before.',
  });
}

const columns: Column<RevealedRow>[] = [
  { ...metric, rank: 1 },
  { ...period, saidOnce: false, required: false },
  { key: 'kind', heading: 'Reveals', rank: 3, get: (row) => row.kind },
  { ...amountColumn<RevealedRow>('value', 'Value', (row) => row.value), rank: 4 },
  { ...amountColumn<RevealedRow>('before', 'Could read', (row) => row.before), rank: 5 },
  unit,
];
