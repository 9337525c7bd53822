/**
 * What each recipient of a company's grants could read, and when. The API has no listing of one's own publications:
 * where the history has none, the values of the series are the most that a grant can have revealed.
 */
import type { MetricGrant } from '../../contract/metrics.ts';
import type { Numeric } from '../../core/json.ts';
import { endMonth, monthsIn, parsePeriod } from '../../core/periods.ts';
import { sameValue } from '../../core/same.ts';
import { covers, expiryAt } from '../grants/grants.ts';
import { numberOf, type Publications } from './restated.ts';
import { instantOf } from './stays.ts';
import type { Point, Version } from './versions.ts';

/** A value as a reader may have found it. */
interface Readable {
  value: Numeric | null;
  /** Milliseconds since 1970; `to` undefined: still. */
  from: number;
  to: number | undefined;
}

/** The values that a company can have published, by metric and period, oldest first. */
export class Shown {
  private readonly found: { metricId: string; periodKey: string; values: readonly Readable[] }[] = [];
  /** By period: its place in time, and when its first value came. */
  private readonly periods = new Map<string, { place: number; from: number }>();

  constructor(readonly basis: 'series' | 'published') {}

  /** Of the actual values by month: the versions of one point. */
  addPoint(line: readonly Version<Point>[]): void {
    const [first] = line;
    if (!first) return;
    const { metricId, periodKey } = first.value;
    const written = instantOf(first.value.updatedAt ?? undefined);
    const seen = instantOf(first.seenFrom) ?? 0;
    this.add(
      metricId,
      periodKey,
      line.map(({ value, seenFrom, seenTo }, index) => ({
        value: numberOf(value.value),
        // Before the first sync the API's own time is the only one.
        from: index === 0 ? Math.min(written ?? seen, seen) : (instantOf(seenFrom) ?? 0),
        to: instantOf(seenTo),
      })),
    );
  }

  /** Adds reports, whose versions and times of sending are known exactly. */
  addPublications(publications: Publications): void {
    for (const { periodKey, metricId, sent } of publications.all()) {
      this.add(
        metricId,
        periodKey,
        sent.map(({ value, sentAt }, index) => ({
          value,
          from: instantOf(sentAt) ?? 0,
          to: instantOf(sent[index + 1]?.sentAt),
        })),
      );
    }
  }

  private add(metricId: string, periodKey: string, values: readonly Readable[]): void {
    this.found.push({ metricId, periodKey, values });
    const known = this.periods.get(periodKey);
    const from = Math.min(values[0]?.from ?? 0, known?.from ?? Number.POSITIVE_INFINITY);
    this.periods.set(periodKey, { place: known?.place ?? placeOf(periodKey), from });
  }

  all(): readonly { metricId: string; periodKey: string; values: readonly Readable[] }[] {
    return this.found;
  }

  /** Whether the period was the newest one at some time from `from` to `to`. */
  isNewest(periodKey: string, from: number, to: number): boolean {
    const own = this.periods.get(periodKey);
    if (!own) return false;
    const later = [...this.periods.values()].filter(({ place }) => place > own.place).map((each) => each.from);
    return Math.max(own.from, from) <= Math.min(to, Math.min(Number.POSITIVE_INFINITY, ...later) - 1);
  }
}

/** The newest publication is that of the last month; of several, the shortest period (docs/server.md, "Published metrics" 5). */
function placeOf(periodKey: string): number {
  const period = parsePeriod(periodKey);
  return period ? endMonth(period) * 12 - monthsIn[period.type] : 0;
}

/** A company or a user. */
interface Recipient {
  kind: 'company' | 'user';
  id: string;
}

export function recipientOf(grant: MetricGrant): Recipient | undefined {
  const { recipient_company_id: company, recipient_user_id: user } = grant;
  if (company) return { kind: 'company', id: company };
  return user ? { kind: 'user', id: user } : undefined;
}

/** When the grant is in force: `[from, to)` in milliseconds since 1970. */
export function inForce(grant: MetricGrant): { from: number; to: number } {
  const ends = [expiryAt(grant), instantOf(grant.revoked_at ?? undefined)].filter((at) => at !== undefined);
  return { from: instantOf(grant.created_at) ?? 0, to: Math.min(Number.POSITIVE_INFINITY, ...ends) };
}

function opens(
  grant: MetricGrant,
  shown: Shown,
  metricId: string,
  periodKey: string,
  from: number,
  to: number,
): boolean {
  if (from > to || !covers(grant, metricId)) return false;
  return grant.include_historical === true || shown.isNewest(periodKey, from, to);
}

export interface LedgerValue {
  recipient: Recipient;
  metricId: string;
  periodKey: string;
  /** The value that could be read at the time. */
  value: Numeric | null;
  since: number;
  /** The value at the end of the history; undefined: there is none. */
  now: Numeric | null | undefined;
  outcome: 'unchanged' | 'restated' | 'removed';
  /** Until when any of the grants is in force; undefined: it has no end. */
  until: number | undefined;
  grants: MetricGrant[];
}

/** The values that each recipient could read at a time. */
export function readableAt(grants: readonly MetricGrant[], shown: Shown, at: number): LedgerValue[] {
  const byRecipient = new Map<string, { recipient: Recipient; grants: MetricGrant[] }>();
  for (const grant of grants) {
    const recipient = recipientOf(grant);
    const { from, to } = inForce(grant);
    if (!recipient || from > at || to <= at) continue;
    const known = byRecipient.get(recipient.id) ?? { recipient, grants: [] };
    known.grants.push(grant);
    byRecipient.set(recipient.id, known);
  }
  const values = shown.all().flatMap(({ metricId, periodKey, values }) => {
    const then = values.find(({ from, to }) => from <= at && (to === undefined || to > at));
    return then ? [{ metricId, periodKey, then, now: values.at(-1) }] : [];
  });
  return [...byRecipient.values()].flatMap(({ recipient, grants: own }) =>
    values.flatMap(({ metricId, periodKey, then, now }): LedgerValue[] => {
      const opening = own.filter((grant) => opens(grant, shown, metricId, periodKey, at, at));
      if (opening.length === 0) return [];
      const current = now?.to === undefined ? now?.value : undefined;
      const until = Math.max(...opening.map((grant) => inForce(grant).to));
      return [
        {
          ...{ recipient, metricId, periodKey, value: then.value, now: current, grants: opening },
          since: Math.max(then.from, Math.min(...opening.map((grant) => inForce(grant).from))),
          outcome: current === undefined ? 'removed' : sameValue(current, then.value) ? 'unchanged' : 'restated',
          until: Number.isFinite(until) ? until : undefined,
        },
      ];
    }),
  );
}

export interface Revealed {
  metricId: string;
  periodKey: string;
  value: Numeric | null;
  /** The value that the recipient could read last; undefined: none ever. */
  before: Numeric | null | undefined;
  kind: 'new' | 'changed';
}

/** The values that a grant would open and that no earlier grant of its recipient did. */
export function revealed(wanted: MetricGrant, grants: readonly MetricGrant[], shown: Shown, now: number): Revealed[] {
  const recipient = recipientOf(wanted);
  const earlier = grants.filter((grant) => recipientOf(grant)?.id === recipient?.id);
  return shown.all().flatMap(({ metricId, periodKey, values }): Revealed[] => {
    const current = values.at(-1);
    if (!current || current.to !== undefined || !opens(wanted, shown, metricId, periodKey, now, now)) return [];
    const read = values.findLast(({ from, to }) =>
      earlier.some((grant) => {
        const span = inForce(grant);
        const [start, end] = [Math.max(from, span.from), Math.min((to ?? now + 1) - 1, span.to - 1)];
        return opens(grant, shown, metricId, periodKey, start, end);
      }),
    );
    if (read && sameValue(read.value, current.value)) return [];
    const kind = read ? 'changed' : 'new';
    return [{ metricId, periodKey, value: current.value, before: read?.value, kind }];
  });
}
