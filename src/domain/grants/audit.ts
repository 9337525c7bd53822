/** The rules of `grants audit`. Only grants in force count. */
import type { MetricDefinition, MetricGrant } from '../../contract/metrics.ts';
import { dayOfTime } from '../../core/periods.ts';
import { covers, expiryAt, isEnded, isExpired, isInForce } from './grants.ts';

export const auditRules = [
  'no_expiry',
  'historical_without_note',
  'expiring',
  'expired_active',
  'unknown_metric',
  'archived_metric',
  'duplicate',
  'overlapping',
  'no_recipient',
] as const;
type AuditRule = (typeof auditRules)[number];

export interface AuditFinding {
  id: string;
  rule: AuditRule;
  recipient: string | null;
  detail: string;
}

interface AuditFacts {
  grants: readonly MetricGrant[];
  catalog: readonly Pick<MetricDefinition, 'metricId' | 'archived'>[];
  now: Date;
  /** Grants that end before this are expiring. */
  soon: Date;
}

/** Findings in the order of the grants, and of the rules within each. */
export function auditGrants({ grants, catalog, now, soon }: AuditFacts): AuditFinding[] {
  const archived = new Map(catalog.map(({ metricId, archived: is }) => [metricId, is]));
  const inForce = grants.filter((grant) => isInForce(grant, now));
  const groups = groupByRecipient(inForce);
  return grants.flatMap((grant) => {
    const recipient = recipientOf(grant);
    const finding = (rule: AuditRule, detail: string): AuditFinding => ({
      id: grant.id ?? '',
      rule,
      recipient,
      detail,
    });
    // Expired and not ended: the server still counts it as active.
    if (!isEnded(grant) && isExpired(grant, now)) {
      return [finding('expired_active', `active, and expired ${dayOfTime(String(grant.expires_at))}`)];
    }
    if (!isInForce(grant, now)) return [];
    const findings: AuditFinding[] = [];
    const end = expiryAt(grant);
    if (end === undefined) findings.push(finding('no_expiry', 'it never expires'));
    else if (end < soon.getTime()) {
      findings.push(finding('expiring', `it expires ${dayOfTime(String(grant.expires_at))}`));
    }
    if (grant.include_historical && (grant.note ?? '').trim() === '') {
      findings.push(finding('historical_without_note', 'historical access without a note'));
    }
    for (const metric of grant.metric_ids ?? []) {
      const state = archived.get(metric);
      if (state === undefined) findings.push(finding('unknown_metric', `the catalog has no metric ${metric}`));
      else if (state) findings.push(finding('archived_metric', `the metric ${metric} is archived`));
    }
    if (recipient === null) findings.push(finding('no_recipient', 'it names no recipient'));
    return [...findings, ...overlaps(grant, groups.get(recipient ?? '') ?? [], finding)];
  });
}

type Finding = (rule: AuditRule, detail: string) => AuditFinding;

/** Each pair is found once, at the later of the two. */
function overlaps(grant: MetricGrant, group: readonly MetricGrant[], finding: Finding): AuditFinding[] {
  if (recipientOf(grant) === null) return [];
  const before = group.slice(0, group.indexOf(grant));
  const same = before.filter((other) => isSame(other, grant));
  const others = before.filter((other) => !same.includes(other) && shared(other, grant) !== undefined);
  const [first] = others;
  return [
    ...(same.length > 0 ? [finding('duplicate', `it grants the same as ${named(same)}`)] : []),
    ...(first ? [finding('overlapping', `${shared(first, grant)} granted by ${named(others)} too`)] : []),
  ];
}

/** The same metrics, scope and history for the same recipient. */
function isSame(a: MetricGrant, b: MetricGrant): boolean {
  const words = ({ metric_ids, scope, include_historical }: MetricGrant) =>
    JSON.stringify([[...(metric_ids ?? [])].sort(), [...(scope ?? [])].sort(), include_historical ?? false]);
  return words(a) === words(b);
}

/** The metrics that both grants give, in words; undefined when there are none. */
function shared(a: MetricGrant, b: MetricGrant): string | undefined {
  const [first, second] = [a.metric_ids ?? [], b.metric_ids ?? []];
  if (first.length === 0 && second.length === 0) return 'all metrics are';
  const both =
    first.length === 0 ? second : second.length === 0 ? first : first.filter((metric) => second.includes(metric));
  if (both.length === 0) return undefined;
  return `${both.slice(0, 5).join(', ')}${both.length > 5 ? ' and more' : ''} ${both.length === 1 ? 'is' : 'are'}`;
}

function named(grants: readonly MetricGrant[]): string {
  const more = grants.length > 3 ? ` and ${grants.length - 3} more` : '';
  return `${grants
    .slice(0, 3)
    .map(({ id }) => id)
    .join(', ')}${more}`;
}

/** A company, a user, or both. */
export function recipientOf({ recipient_company_id, recipient_user_id }: MetricGrant): string | null {
  const ids = [recipient_company_id, recipient_user_id].filter((id) => id !== undefined && id !== null && id !== '');
  return ids.length === 0 ? null : ids.join(' ');
}

function groupByRecipient(grants: readonly MetricGrant[]): Map<string, MetricGrant[]> {
  const groups = new Map<string, MetricGrant[]>();
  for (const grant of grants) {
    const key = recipientOf(grant) ?? '';
    const group = groups.get(key);
    if (group) group.push(grant);
    else groups.set(key, [grant]);
  }
  return groups;
}

/** Who may read one metric. */
export interface MatrixRow {
  metric: string;
  /** By recipient: `history`, or `latest` for only the latest publication. */
  recipients: Record<string, 'latest' | 'history'>;
}

/** Who may read what under the grants in force, and how many recipients may read other metrics only. */
export function grantMatrix(
  grants: readonly MetricGrant[],
  metrics: readonly string[],
  now: Date,
): { rows: MatrixRow[]; recipients: readonly string[]; others: number } {
  const groups = groupByRecipient(grants.filter((grant) => isInForce(grant, now)));
  const rows = metrics.map((metric): MatrixRow => {
    const readers = [...groups].flatMap(([recipient, group]) => {
      const opening = group.filter((grant) => covers(grant, metric));
      if (opening.length === 0) return [];
      return [[recipient, opening.some((grant) => grant.include_historical) ? 'history' : 'latest'] as const];
    });
    return { metric, recipients: Object.fromEntries(readers) };
  });
  const recipients = [...groups.keys()].filter((id) => rows.some((row) => Object.hasOwn(row.recipients, id)));
  return { rows, recipients, others: groups.size - recipients.length };
}
