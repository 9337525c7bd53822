/** The state of metric grants, and the rules of `grants audit`. Pure: the clock is a parameter. */
import { grantStatuses, type MetricDefinition, type MetricGrant } from '../contract/metrics.ts';
import { isDate, isDateTime } from '../contract/validate.ts';
import { Failure, listSome, requireField, rowName, usage } from '../core/errors.ts';
import { dayOfTime, minuteOfTime, readDay, readEnd, readInstant } from '../core/periods.ts';
import { groupBy } from '../core/same.ts';
import { parseDuration, shiftSpan, withoutDistance } from './expression/time.ts';

const [active, revoked, expired] = grantStatuses;

/** No longer in force: `revoked_at` is set, or the status is not active. */
export function isEnded(grant: MetricGrant): boolean {
  return (grant.revoked_at ?? null) !== null || (grant.status !== undefined && grant.status !== active);
}

/** Past its `expires_at`, or of the status expired. A grant without an expiry never expires. */
export function isExpired(grant: MetricGrant, now: Date): boolean {
  if (grant.status === expired) return true;
  const end = expiryAt(grant);
  return end !== undefined && end <= now.getTime();
}

/** When the grant expires; undefined: never. @throws rejected for an expiry that cannot be read */
export function expiryAt({ id, expires_at }: MetricGrant): number | undefined {
  return expires_at ? timeOf(expires_at, readEnd, `expires_at of the grant ${id}`) : undefined;
}

function timeOf(text: string, read: typeof readInstant, field: string): number {
  const at = read(text);
  if (at !== undefined) return at;
  throw new Failure('rejected', `${field} is ${JSON.stringify(text)}, which cannot be read as a time`, {
    code: 'unreadable_time',
  });
}

/** Whether the grant covers the metric: it is named, or none is, which means all metrics. */
export function covers(grant: MetricGrant, metric: string): boolean {
  const named = grant.metric_ids ?? [];
  return named.length === 0 || named.includes(metric);
}

/** Whether a filter by metric chooses the grant. @throws rejected for a grant without the field */
function isAbout(grant: MetricGrant, metric: string): boolean {
  if (grant.metric_ids !== null) requireField(grant.metric_ids, 'metric_ids', rowName('grant', grant.id));
  return covers(grant, metric);
}

/** Whether the company or user is the grant's recipient. @throws rejected for a grant that names none */
function isFor(grant: MetricGrant, recipient: string): boolean {
  const lowerCase = recipient.toLowerCase();
  requireRecipient(grant);
  return [grant.recipient_company_id, grant.recipient_user_id].some((id) => id?.toLowerCase() === lowerCase);
}

function requireRecipient(grant: MetricGrant): void {
  requireField(recipientOf(grant), 'recipient_company_id or recipient_user_id', rowName('grant', grant.id));
}

/** @throws usage for several ids: whether one or all of them are meant is ambiguous */
export function oneMetric(text: string, source: string): string {
  const id = text.trim();
  if (id !== '' && !id.includes(',')) return id;
  throw usage(`${source} takes the id of one metric, got "${text}"`, 'run the command once for each');
}

interface GrantTerms {
  status?: string | undefined;
  recipient?: string | undefined;
  metric?: string | undefined;
  expired?: boolean | undefined;
}

export function matches(grant: MetricGrant, filter: GrantTerms, now: Date): boolean {
  const { status, recipient, metric } = filter;
  return (
    (status === undefined || grant.status === status) &&
    (recipient === undefined || isFor(grant, recipient)) &&
    (metric === undefined || isAbout(grant, metric)) &&
    (!filter.expired || isExpired(grant, now))
  );
}

/** The time that lies `90d`, `12w`, `6m` or `1y` after now; undefined for another text. */
function timeFromNow(text: string, now: Date): Date | undefined {
  if (!/^[1-9]\d{0,4}(d|w|mo?|y)$/i.test(text)) return undefined;
  const duration = parseDuration(text.toLowerCase());
  const time = now.getTime();
  return duration && new Date(shiftSpan({ start: time, end: time }, duration, 1).start);
}

export function isFromNow(text: string): boolean {
  return timeFromNow(text, new Date(0)) !== undefined;
}

/** The instant that an expiry names: a date is the end of that day in UTC, `90d` counts from now. @throws usage */
export function expiryOf(typed: string, now: Date, source: string): string {
  const text = withoutDistance(typed);
  if (isDate(text)) return `${text}T23:59:59Z`;
  if (isDateTime(text)) return text;
  const at = timeFromNow(text, now);
  if (at && at.getUTCFullYear() <= 9999) return at.toISOString();
  if (at) throw usage(`${source} ${text} is beyond the year 9999`);
  throw usage(
    `${source} must be a date such as 2026-12-31, or a time from now such as 90d, 12w, 6m, 1y, got "${text}"`,
  );
}

/** @throws usage when the text is not a time such as `30d` */
export function instantFromNow(text: string, now: Date, source: string): Date {
  const at = timeFromNow(text, now);
  if (at) return at;
  throw usage(`${source} must be a duration such as 30d, 12w, 6m or 1y, got "${text}"`);
}

export function isInForce(grant: MetricGrant, now: Date): boolean {
  return !isEnded(grant) && !isExpired(grant, now);
}

export function isRevoked(grant: MetricGrant): boolean {
  return (grant.revoked_at ?? null) !== null || grant.status === revoked;
}

/** Whether a grant was created before the instant. @throws rejected without a date, and for an unreadable one */
export function isOlder({ id, created_at }: MetricGrant, than: Date): boolean {
  const read = (text: string) => readInstant(text) ?? readDay(text);
  const text = requireField(created_at || undefined, 'created_at', rowName('grant', id));
  return timeOf(text, read, `created_at of the grant ${id}`) < than.getTime();
}

/** Whether a grant had expired at that instant, by its `expires_at`; false if it has none, whatever its status. */
export function expiredBefore(grant: MetricGrant, then: Date): boolean {
  const { status: _, ...rest } = grant;
  return isExpired(rest, then);
}

export function grantWarnings(grant: MetricGrant, now: Date): string[] {
  const warnings: string[] = [];
  if (!grant.recipient_company_id && !grant.recipient_user_id) warnings.push('the grant names no recipient');
  if (isExpired(grant, now)) {
    const end = readInstant(grant.expires_at ?? '');
    warnings.push(`the grant has already expired: ${end === undefined ? grant.expires_at : minuteOfTime(end)}`);
  }
  return warnings;
}

/** The rules of an audit. Only grants in force count. */
export const auditRules = [
  'no_expiry',
  'historical_without_note',
  'expiring',
  'expired_active',
  'unknown_metric',
  'archived_metric',
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
  const groups = groupBy(inForce, (grant) => recipientOf(grant) ?? '');
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

type NewFinding = (rule: AuditRule, detail: string) => AuditFinding;

/** Each pair is found once, at the later of the two. */
function overlaps(grant: MetricGrant, group: readonly MetricGrant[], finding: NewFinding): AuditFinding[] {
  if (recipientOf(grant) === null) return [];
  const others = group.slice(0, group.indexOf(grant)).filter((other) => sharedMetrics(other, grant) !== undefined);
  const [first] = others;
  const ids = others.map(({ id }) => String(id));
  return first ? [finding('overlapping', `${sharedMetrics(first, grant)} granted by ${listSome(ids, 3)} too`)] : [];
}

/** The metrics that both grants give, in words; undefined when there are none. */
function sharedMetrics(a: MetricGrant, b: MetricGrant): string | undefined {
  const [first, second] = [a.metric_ids ?? [], b.metric_ids ?? []];
  if (first.length === 0 && second.length === 0) return 'all metrics are';
  const both =
    first.length === 0 ? second : second.length === 0 ? first : first.filter((metric) => second.includes(metric));
  if (both.length === 0) return undefined;
  return `${listSome(both, 5)} ${both.length === 1 ? 'is' : 'are'}`;
}

export function recipientOf({ recipient_company_id, recipient_user_id }: MetricGrant): string | null {
  const ids = [recipient_company_id, recipient_user_id].filter((id) => id !== undefined && id !== null && id !== '');
  return ids.length === 0 ? null : ids.join(' ');
}

export interface MatrixRow {
  metric: string;
  /** The access of each recipient: `history`, or only the `latest` publication. */
  recipients: Record<string, 'latest' | 'history'>;
}

/**
 * The readers of each metric under the grants in force, and the recipients of all of these.
 * @throws rejected for a grant in force that names no recipient
 */
export function grantMatrix(
  grants: readonly MetricGrant[],
  metrics: readonly string[],
  now: Date,
): { rows: MatrixRow[]; readers: readonly string[] } {
  const inForce = grants.filter((grant) => isInForce(grant, now));
  for (const grant of inForce) requireRecipient(grant);
  const groups = groupBy(inForce, (grant) => recipientOf(grant) ?? '');
  const rows = metrics.map((metric): MatrixRow => {
    const readers = [...groups].flatMap(([recipient, group]) => {
      const opening = group.filter((grant) => covers(grant, metric));
      if (opening.length === 0) return [];
      return [[recipient, opening.some((grant) => grant.include_historical) ? 'history' : 'latest'] as const];
    });
    return { metric, recipients: Object.fromEntries(readers) };
  });
  return { rows, readers: [...groups.keys()] };
}
