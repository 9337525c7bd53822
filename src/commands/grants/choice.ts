/** Which grants `grants revoke` means: ids, ids on stdin, and flags that choose among all. */

import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag } from '../../cli/define.ts';
import { getMetricCatalog, listGrants } from '../../contract/metric-operations.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { isUuid } from '../../contract/validate.ts';
import { Failure, usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import {
  expiredBefore,
  instantBefore,
  instantFromNow,
  isOlder,
  isRevoked,
  matches,
  oneMetric,
} from '../../domain/grants/grants.ts';
import { type ChosenGrant, chosenByPlan } from './plan.ts';

export const choiceFlags = {
  recipient: flag.text('COMPANY|USER', 'grants to this company (uuid or alias) or user (uuid)'),
  metric: flag.text('ID', 'grants that include this metric'),
  expired: flag.boolean('expired grants'),
  olderThan: flag.text('90d', 'with --expired: expired longer ago than 90d, 12w, 6m, 1y'),
  createdBefore: flag.text('WHEN', 'created before a date, or longer ago than 90d'),
  all: flag.boolean('every grant of the company'),
  planOut: flag.text('FILE', 'write the plan there and revoke nothing'),
  plan: flag.text('FILE', 'revoke the grants of this plan, unless one has changed'),
};

type GrantChoice = Partial<FlagValues<typeof choiceFlags>>;

/**
 * Ids are taken without a lookup. Flags choose grants that are not revoked yet and match all flags; with ids, they
 * narrow what was named.
 * @throws usage when no grants are chosen
 */
export async function chosenGrants(ctx: Context, ids: readonly string[], flags: GrantChoice): Promise<ChosenGrant[]> {
  const { recipient, expired, olderThan, createdBefore, all, plan, planOut } = flags;
  const metric = flags.metric === undefined ? undefined : oneMetric(flags.metric, '--metric');
  const narrowing = expired === true || [recipient, metric, olderThan, createdBefore].some((one) => one !== undefined);
  if (plan !== undefined) {
    if (ids.length > 0 || narrowing || all || planOut !== undefined) {
      throw usage('--plan contains the grants', 'leave out ids and the other flags');
    }
    return chosenByPlan(ctx, plan);
  }
  if (all && (narrowing || ids.length > 0)) {
    throw usage('--all chooses every grant and cannot go with another flag or id', 'give one of them');
  }
  if (ids.length === 0 && !narrowing && !all) {
    throw usage(
      'no grants are chosen',
      'give ids, - for ids on stdin, or choose with --recipient, --metric, --expired, --created-before or --all',
    );
  }
  const now = ctx.runtime.now();
  const to = recipient === undefined ? undefined : ctx.companyOf(recipient, '--recipient');
  const age = olderThan === undefined ? undefined : instantFromNow(olderThan, now, 'before', '--older-than');
  const created = createdBefore === undefined ? undefined : instantBefore(createdBefore, now, '--created-before');
  const named = await grantIds(ctx, ids);
  if (!narrowing && !all && planOut === undefined) return named.map((id) => ({ id }));
  const grants = await (await ctx.client()).call(listGrants);
  if (metric !== undefined) await checkMetric(ctx, metric, grants);
  const chosen = (grant: MetricGrant) =>
    matches(grant, { recipient: to, metric, expired }, now) &&
    (age === undefined || (expired ? expiredBefore(grant, age) : isOlder(grant, age))) &&
    (created === undefined || isOlder(grant, created));
  if (ids.length === 0) {
    return grants.flatMap((grant) =>
      grant.id !== undefined && !isRevoked(grant) && chosen(grant) ? [{ id: grant.id, grant }] : [],
    );
  }
  const byId = new Map(grants.map((grant) => [grant.id?.toLowerCase(), grant]));
  return named.map((id) => {
    const grant = byId.get(id.toLowerCase());
    if (!grant || chosen(grant)) return { id, grant };
    return { id, grant, skipped: 'not chosen by the flags' };
  });
}

/** A mistyped metric would choose only the grants for all metrics. @throws Failure `notFound` */
export async function checkMetric(ctx: Context, metric: string, grants: readonly MetricGrant[]): Promise<void> {
  const named = grants.flatMap(({ metric_ids }) => metric_ids ?? []);
  if (named.includes(metric)) return;
  const known = await catalogOf(ctx);
  if (known === undefined || known.includes(metric)) return;
  const near = nearest(metric, [...known, ...named]);
  throw new Failure(
    'notFound',
    `--metric ${metric}: neither the catalog nor any grant of the company has this metric`,
    {
      code: 'unknown_metric',
      hint: near === undefined ? 'run `comem metrics catalog` to list the metrics' : `did you mean ${near}?`,
    },
  );
}

/** Undefined when it cannot be read: then the metric is not checked. */
async function catalogOf(ctx: Context): Promise<string[] | undefined> {
  try {
    const { definitions } = await (await ctx.client()).call(getMetricCatalog, {
      query: { companyId: ctx.requireCompany() },
    });
    return definitions.map(({ metricId }) => metricId);
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'interrupted' && error.kind !== 'bug') return undefined;
    throw error;
  }
}

/** @throws usage when the id is not a uuid */
export function grantId(text: string): string {
  if (isUuid(text)) return text;
  throw usage(`a grant id is a uuid, got "${text}"`, '`comem grants list` shows the ids');
}

/** The ids given, `-` for those on stdin (one per line; blank lines are ignored), each once. */
async function grantIds(ctx: Context, given: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of given) {
    const lines = text === '-' ? (await ctx.readStdin()).split('\n') : [text];
    ids.push(...lines.map((line) => line.trim()).filter((line) => line !== ''));
  }
  return [...new Map(ids.map((id) => [grantId(id).toLowerCase(), id])).values()];
}
