/** A reviewed plan of `grants revoke` as a file: which grants, and what they said when the plan was made. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { operations } from '../../contract/index.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { isUuid } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';
import { parseJson, stringifyJson } from '../../core/json.ts';
import { isRevoked } from '../../domain/grants/grants.ts';
import { fileSink } from '../../output/write/file-sink.ts';

/** A grant to revoke; `skipped` says why one that was named is not. */
export interface ChosenGrant {
  id: string;
  grant?: MetricGrant;
  skipped?: string;
}

/** What a grant gives to whom. Its status is not among it: one that was revoked since is done. */
const fields = ['recipient_company_id', 'recipient_user_id', 'scope', 'metric_ids', 'include_historical', 'expires_at'];

interface Plan {
  plan: 'grants revoke';
  version: 1;
  made_at: string;
  base_url: string;
  company: string;
  grants: ({ id: string } & Record<string, unknown>)[];
}

/** Writes the plan, whole or not at all. @throws usage when a grant is not there, or the file cannot be written */
export async function writePlan(ctx: Context, file: string, chosen: readonly ChosenGrant[]): Promise<number> {
  const meant = chosen.filter(({ skipped, grant }) => skipped === undefined && !(grant && isRevoked(grant)));
  const absent = meant.find(({ grant }) => grant === undefined);
  if (absent)
    throw usage(`the company has no grant ${absent.id}; no plan was written`, '`comem grants list` shows them');
  const plan: Plan = {
    plan: 'grants revoke',
    version: 1,
    made_at: ctx.runtime.now().toISOString(),
    base_url: ctx.settings.baseUrl.value ?? '',
    company: ctx.requireCompany(),
    grants: meant.map(({ id, grant }) => ({ id, ...saying(grant) })),
  };
  const sink = await fileSink(file, ctx.runtime.cwd, '--plan-out');
  await sink.write(`${stringifyJson(plan, 2)}\n`);
  await sink.end();
  return meant.length;
}

/** The grants of a plan. @throws usage when the file is no plan, is for another company, or a grant has changed since */
export async function chosenByPlan(ctx: Context, file: string): Promise<ChosenGrant[]> {
  const plan = await readPlan(ctx, file);
  const company = ctx.requireCompany();
  if (plan.base_url !== (ctx.settings.baseUrl.value ?? '') || plan.company.toLowerCase() !== company.toLowerCase()) {
    throw usage(
      `the plan is for company ${plan.company} at ${plan.base_url}, and this would write to ${company} at ${ctx.settings.baseUrl.value}`,
    );
  }
  const grants = await (await ctx.client()).call(operations.listGrants);
  const byId = new Map(grants.map((grant) => [grant.id?.toLowerCase(), grant]));
  const chosen = plan.grants.map(({ id, ...said }) => ({ id, said, grant: byId.get(id.toLowerCase()) }));
  const changed = chosen.flatMap(({ id, said, grant }) => {
    if (!grant) return [`${id} is no longer there`];
    const now = saying(grant);
    const names = fields.filter((name) => stringifyJson(said[name] ?? null) !== stringifyJson(now[name] ?? null));
    return names.length > 0 ? [`${id} has another ${names.join(', ')}`] : [];
  });
  if (changed.length === 0) return chosen.map(({ id, grant }) => ({ id, grant }));
  throw usage(
    `the grants have changed since the plan was made: ${changed.slice(0, 5).join('; ')}${changed.length > 5 ? ` and ${changed.length - 5} more` : ''}; nothing was written`,
    'make a new plan with --plan-out',
  );
}

async function readPlan({ runtime }: Context, file: string): Promise<Plan> {
  let text: string;
  try {
    text = await readFile(resolve(runtime.cwd, file), 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const says: Record<string, string> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' };
    throw usage(`--plan ${file} cannot be read: ${says[code ?? ''] ?? message}`);
  }
  const plan = read(text) as Partial<Plan> | null;
  const entries = plan?.grants;
  const sound =
    plan?.plan === 'grants revoke' &&
    plan.version === 1 &&
    typeof plan.company === 'string' &&
    Array.isArray(entries) &&
    entries.every((grant) => typeof grant?.id === 'string' && isUuid(grant.id));
  if (!sound) throw usage(`--plan ${file} is no plan of \`comem grants revoke\``, 'make one with --plan-out');
  return plan as Plan;
}

function read(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function saying(grant: MetricGrant | undefined): Record<string, unknown> {
  const pairs = fields.map((name) => [name, grant && Reflect.get(grant, name)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}
