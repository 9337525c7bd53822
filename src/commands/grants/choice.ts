/** Reads grants, and chooses those of `grants revoke`: ids, ids on stdin, and flags that select among all. */

import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag, inGroup } from '../../cli/define.ts';
import { chosenRows, openRowQuery, rowFlags } from '../../cli/query.ts';
import { getMetricCatalog, listGrants } from '../../contract/metric-operations.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { isUuid } from '../../contract/validate.ts';
import { type Failure, usage } from '../../core/errors.ts';
import { expiredBefore, isOlder, isRevoked, matches, oneMetric } from '../../domain/grants.ts';
import { momentOf } from '../../domain/history/steps.ts';
import { grantColumns, grantRules } from './columns.ts';
import type { ChosenGrant } from './plan.ts';

/** The grants of a company. */
export async function grantsOf(ctx: Context, companyId: string | undefined) {
  return (await ctx.client()).call(listGrants, inCompany(companyId));
}

/** The grants of a company with its catalog. */
export async function grantsWithCatalog(ctx: Context, companyId: string | undefined) {
  const client = await ctx.client();
  const [grants, { definitions }] = await Promise.all([
    grantsOf(ctx, companyId),
    client.call(getMetricCatalog, inCompany(companyId)),
  ]);
  return { grants, definitions };
}

const inCompany = (companyId: string | undefined) => (companyId === undefined ? {} : { query: { companyId } });

/** Flags of both `grants list` and `grants revoke`. */
export const filterFlags = {
  recipient: flag.text('COMPANY|USER', 'grants to this company (uuid or alias) or user (uuid)', {}),
  metrics: flag.text('ID', 'grants under which this metric may be read', {
    short: 'm',
    also: { metric: 'VALUE' },
  }),
  expired: flag.boolean('expired grants'),
  olderThan: flag.text('90d', 'created, or with --expired expired, longer ago: 90d, 12w, 6m, 1y'),
};

export const choiceFlags = {
  ...rowFlags,
  ...inGroup('ROWS', {
    ...filterFlags,
    all: flag.boolean('every grant of the company'),
  }),
  ...inGroup('PLAN', {
    planOut: flag.text('FILE', 'write the plan there and revoke nothing'),
    plan: flag.text('FILE', 'revoke the grants of this plan, unless one has changed'),
  }),
};

type GrantChoice = Partial<FlagValues<typeof choiceFlags>>;

/** The filter for grants that match all flags; `key` names it among those of a command. @throws usage */
export function grantFilter(ctx: Context, flags: GrantChoice & { status?: string }) {
  const { status, recipient, expired, olderThan } = flags;
  const metric = flags.metrics === undefined ? undefined : oneMetric(flags.metrics, '--metrics');
  const to = recipient === undefined ? undefined : ctx.companyOf(recipient, '--recipient');
  const startAt = (now: Date) =>
    olderThan === undefined ? undefined : new Date(momentOf(olderThan, () => now, 'first', '--older-than'));
  startAt(ctx.now());
  const key = [status, to, metric, expired, olderThan];
  return {
    isOpen: key.every((value) => value === undefined || value === false),
    key,
    async filter<Grant extends MetricGrant>(grants: readonly Grant[]): Promise<Grant[]> {
      if (metric !== undefined) await checkMetric(ctx, metric, grants);
      // Expiry goes by the clock of the server, which is known now.
      const now = ctx.now();
      const start = startAt(now);
      return grants.filter(
        (grant) =>
          matches(grant, { status, recipient: to, metric, expired }, now) &&
          (start === undefined || (expired ? expiredBefore(grant, start) : isOlder(grant, start))),
      );
    },
  };
}

/** Ids are taken without a lookup; flags choose among the rest, or narrow the ids. @throws usage for none */
export async function chosenGrants(
  ctx: Context,
  ids: readonly string[],
  flags: GrantChoice,
): Promise<{ chosen: ChosenGrant[]; finished(): void }> {
  const { all, plan, planOut } = flags;
  const { isOpen, key, filter } = grantFilter(ctx, flags);
  const narrowing = !isOpen || flags.where !== undefined || flags.changedSince !== undefined;
  if (plan !== undefined) {
    if (ids.length > 0 || narrowing || all || planOut !== undefined) {
      throw usage('--plan names the grants', 'leave out ids and the other flags');
    }
    const { chosenByPlan } = await import('./plan.ts');
    return { chosen: await chosenByPlan(ctx, plan), finished() {} };
  }
  if (all && (narrowing || ids.length > 0)) {
    throw usage('--all chooses every grant and cannot be used with another flag or id', 'give one of them');
  }
  if (ids.length === 0 && !narrowing && !all) {
    throw usage(
      'no grants are chosen',
      'give ids, - for ids on stdin, or choose with --where, --recipient, -m, --expired, --older-than or --all',
    );
  }
  const named = await grantIds(ctx, ids);
  const command = ['grants revoke', flags.where, ...key];
  const question = await openRowQuery(ctx, grantColumns, { flags, command, rules: grantRules });
  const { finished } = question;
  const unlike = named.filter((id) => !isUuid(id));
  const isComplete = !narrowing && !all && planOut === undefined;
  const { input, yes, dryRun } = ctx.settings;
  // A question names the recipients.
  const asks = input && !yes && !dryRun;
  if (isComplete && unlike.length === 0 && !asks) return { chosen: named.map((id) => ({ id })), finished };
  const grants = await (await ctx.client()).call(listGrants);
  const byId = new Map(grants.map((grant) => [grant.id?.toLowerCase(), grant]));
  // The ids of another server may be of any form, but a mistyped one is not sent.
  const unknown = unlike.find((id) => !byId.has(id.toLowerCase()));
  if (unknown !== undefined) throw notAnId(unknown);
  if (isComplete) return { chosen: named.map((id) => ({ id, grant: byId.get(id.toLowerCase()) })), finished };
  const matching = (await filter(grants)).filter((grant) => ids.length > 0 || !isRevoked(grant));
  const selected = await chosenRows(question, matching);
  if (flags.one) await (await import('../../cli/row-query.ts')).onlyRow(selected, ({ id }) => String(id));
  if (ids.length === 0) {
    return { chosen: selected.flatMap((grant) => (grant.id === undefined ? [] : [{ id: grant.id, grant }])), finished };
  }
  const chosen = named.map((id) => {
    const grant = byId.get(id.toLowerCase());
    if (!grant || selected.includes(grant)) return { id, grant };
    return { id, grant, skipped: 'not chosen by the flags' };
  });
  return { chosen, finished };
}

/** A mistyped metric would choose only the grants for all metrics. @throws Failure `notFound` */
async function checkMetric(ctx: Context, metric: string, grants: readonly MetricGrant[]): Promise<void> {
  if (grants.some(({ metric_ids }) => metric_ids?.includes(metric))) return;
  const { requireMetrics } = await import('../metrics/read.ts');
  await requireMetrics(ctx, [metric], ctx.settings.companies.value);
}

export function notAnId(text: string): Failure {
  return usage(`a grant id is a uuid, got "${text}"`, '`comem grants list` shows the ids');
}

const isCompany = ({ settings: { aliases } }: Context, word: string): boolean => Object.hasOwn(aliases, word);

/** The ids given, `-` for those on stdin (one per line; blank lines are ignored), each once. */
async function grantIds(ctx: Context, words: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of words) {
    if (!isUuid(text) && isCompany(ctx, text)) {
      throw usage(`a grant id is a uuid, and "${text}" is a company`, `did you mean --recipient ${text}?`);
    }
    const lines = text === '-' ? (await ctx.readStdin()).split('\n') : [text];
    ids.push(...lines.map((line) => line.trim()).filter((line) => line !== ''));
  }
  return [...new Map(ids.map((id) => [id.toLowerCase(), id])).values()];
}
