/** The state of a metric grant. Pure: the clock is a parameter. */
import { grantStatuses, type MetricGrant } from '../../contract/metrics.ts';
import { isDate, isDateTime } from '../../contract/validate.ts';
import { Failure, needed, rowName, usage } from '../../core/errors.ts';
import { readDay, readEnd, readInstant } from '../../core/periods.ts';

const [active, revoked, expired] = grantStatuses;
const dayMs = 86_400_000;

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

/**
 * When the grant expires; undefined: never.
 * @throws rejected for an expiry that cannot be read: "not expired" would look like an answer
 */
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

/** The same, for a choice. @throws rejected for a grant that leaves out which metrics it is for */
function isAbout(grant: MetricGrant, metric: string): boolean {
  if (grant.metric_ids !== null) needed(grant.metric_ids, 'metric_ids', rowName('grant', grant.id));
  return covers(grant, metric);
}

/** Whether the company or user is the grant's recipient. @throws rejected for a grant that names none */
function isFor(grant: MetricGrant, recipient: string): boolean {
  const lowerCase = recipient.toLowerCase();
  const { recipient_company_id: company, recipient_user_id: user, id } = grant;
  needed(company ?? user, 'recipient_company_id or recipient_user_id', rowName('grant', id));
  return [grant.recipient_company_id, grant.recipient_user_id].some((id) => id?.toLowerCase() === lowerCase);
}

/** @throws usage for several ids: whether one or all of them are meant is ambiguous */
export function oneMetric(text: string, source: string): string {
  const id = text.trim();
  if (id !== '' && !id.includes(',')) return id;
  throw usage(`${source} takes the id of one metric, got "${text}"`, 'run the command once for each');
}

interface GrantFilter {
  status?: string | undefined;
  /** Uuid of a company or a user. */
  recipient?: string | undefined;
  metric?: string | undefined;
  expired?: boolean | undefined;
}

/** Whether the grant matches all parts of the filter. */
export function matches(grant: MetricGrant, filter: GrantFilter, now: Date): boolean {
  const { status, recipient, metric } = filter;
  return (
    (status === undefined || grant.status === status) &&
    (recipient === undefined || isFor(grant, recipient)) &&
    (metric === undefined || isAbout(grant, metric)) &&
    (!filter.expired || isExpired(grant, now))
  );
}

/**
 * The instant that an expiry names: a date is the end of that day in UTC, `90d` (days), `12w` (weeks), `6m` (months) and `1y`
 * (years) count from now, and an ISO 8601 timestamp is taken as it is.
 * @throws usage when the text is not one of them
 */
export function expiryOf(text: string, now: Date, source: string): string {
  if (isDate(text)) return `${text}T23:59:59Z`;
  if (isDateTime(text)) return text;
  const span = spanOf(text);
  if (!span) {
    throw usage(
      `${source} must be a date such as 2026-12-31, or a time from now such as 90d, 12w, 6m, 1y, got "${text}"`,
    );
  }
  const at = shifted(now, span, 1);
  if (at.getUTCFullYear() <= 9999) return at.toISOString();
  throw usage(`${source} ${text} is beyond the year 9999`);
}

/**
 * The instant that lies `30d`, `12w`, `6m` or `1y` after now, or before it.
 * @throws usage when the text is not such a time
 */
export function instantFromNow(text: string, now: Date, direction: 'after' | 'before', source: string): Date {
  const span = spanOf(text);
  if (!span) throw usage(`${source} must be a time such as 30d, 12w, 6m or 1y, got "${text}"`);
  return shifted(now, span, direction === 'after' ? 1 : -1);
}

/**
 * The start of a day in UTC, an instant, or the time that lies `30d`, `12w`, `6m` or `1y` before now.
 * @throws usage for any other text
 */
export function instantBefore(text: string, now: Date, source: string): Date {
  if (isDate(text)) return new Date(`${text}T00:00:00Z`);
  if (isDateTime(text)) return new Date(text);
  if (spanOf(text)) return instantFromNow(text, now, 'before', source);
  throw usage(`${source} must be a date such as 2026-01-31, or an age such as 30d, 12w, 6m or 1y, got "${text}"`);
}

interface Span {
  count: number;
  unit: string;
}

/** `90d`, which depends on what time it is. */
export function isFromNow(text: string): boolean {
  return spanOf(text) !== undefined;
}

function spanOf(text: string): Span | undefined {
  const match = /^([1-9]\d{0,4})(d|w|mo?|y)$/i.exec(text);
  return match ? { count: Number(match[1]), unit: (match[2] as string).toLowerCase() } : undefined;
}

function shifted(now: Date, { count, unit }: Span, sign: 1 | -1): Date {
  if (unit === 'd' || unit === 'w') return new Date(now.getTime() + sign * count * dayMs * (unit === 'w' ? 7 : 1));
  // `3mo` as in conditions, `3m` as in grants from the beginning.
  const months = unit === 'y' ? count * 12 : count;
  const at = new Date(now);
  // Set to the first, moved, and set back to the day, so that 31 January plus a month is the last of February.
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + sign * months);
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(now.getUTCDate(), lastDay));
  return at;
}

/** In force: not ended, and not expired. */
export function isInForce(grant: MetricGrant, now: Date): boolean {
  return !isEnded(grant) && !isExpired(grant, now);
}

/** Revoked; this is permanent. */
export function isRevoked(grant: MetricGrant): boolean {
  return (grant.revoked_at ?? null) !== null || grant.status === revoked;
}

/** Whether a grant was created before the instant. @throws rejected without a date, and for an unreadable one */
export function isOlder({ id, created_at }: MetricGrant, than: Date): boolean {
  const read = (text: string) => readInstant(text) ?? readDay(text);
  const text = needed(created_at || undefined, 'created_at', rowName('grant', id));
  return timeOf(text, read, `created_at of the grant ${id}`) < than.getTime();
}

/** Whether a grant had expired at that instant, by its `expires_at`; false if it has none, whatever its status. */
export function expiredBefore(grant: MetricGrant, then: Date): boolean {
  const { status: _, ...rest } = grant;
  return isExpired(rest, then);
}

/** Warnings about a new grant that the API accepts. */
export function grantWarnings(grant: MetricGrant, now: Date): string[] {
  const warnings: string[] = [];
  if (!grant.recipient_company_id && !grant.recipient_user_id) warnings.push('the grant names no recipient');
  if (isExpired(grant, now)) {
    warnings.push(`the grant has already expired: ${grant.expires_at}`);
  }
  return warnings;
}
