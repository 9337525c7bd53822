/**
 * The values that each recipient of a company's grants could read, and when. The API does not list a company's own
 * reports: where the history has none, the values of the series are the most that a grant can have revealed.
 */
import type { MetricDefinition, MetricGrant, PublishedPeriod } from '../../contract/metrics.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { endMonth, monthsIn, parsePeriod } from '../../core/periods.ts';
import { groupBy, sameValue } from '../../core/same.ts';
import { covers, expiryAt } from '../grants.ts';
import { shownUnit } from '../series/units.ts';
import { newestOf } from './find.ts';
import { instantOf, linesOf } from './steps.ts';
import { type History, numberOf, type Point, type Resource, type Revision } from './versions.ts';

interface ReadableValue {
  value: Numeric | null;
  /** Milliseconds since 1970; `to` is undefined for a current value. */
  from: number;
  to: number | undefined;
}

/** The values of one metric in one period, oldest first. */
interface ReadableLine {
  metricId: string;
  periodKey: string;
  values: readonly ReadableValue[];
}

export class ReadableValues {
  readonly lines: ReadableLine[] = [];
  /** The rank of each period in time, and the start of its first value. */
  private readonly periods = new Map<string, { rank: number; from: number }>();

  constructor(readonly basis: 'series' | 'published') {}

  addPoint(versions: readonly Revision<Point>[]): void {
    const [first] = versions;
    if (!first) return;
    const { metricId, periodKey } = first.value;
    const written = instantOf(first.value.updatedAt ?? undefined);
    const firstRead = instantOf(first.seenFrom) ?? 0;
    const values = versions.map(({ value, seenFrom, seenTo }, index) => ({
      value: numberOf(value.value),
      // Before the first sync only the API's own time is known.
      from: index === 0 ? Math.min(written ?? firstRead, firstRead) : (instantOf(seenFrom) ?? 0),
      to: instantOf(seenTo),
    }));
    this.add({ metricId, periodKey, values });
  }

  /** Adds published values: each lasts until the next report of its period. */
  addReports(snapshots: Iterable<Revision<Resource>>): void {
    const sent = [...snapshots].flatMap(({ value: { body } }) => {
      const { periodKey = '', sentAt = '', versionNumber, data = {} }: PublishedPeriod = body;
      const report = { periodKey, version: Number(versionNumber ?? 0), from: instantOf(sentAt) ?? 0 };
      return Object.entries(data).flatMap(([metricId, value]) =>
        value === null || isNumeric(value) ? [{ ...report, metricId, value }] : [],
      );
    });
    for (const reports of groupBy(sent, ({ periodKey, metricId }) => `${periodKey} ${metricId}`).values()) {
      const each = reports.filter(
        (report, at) => reports.findIndex(({ version }) => version === report.version) === at,
      );
      each.sort((a, b) => a.from - b.from || a.version - b.version);
      const values = each.map(({ value, from }, at) => ({ value, from, to: each[at + 1]?.from }));
      const [{ metricId, periodKey }] = each as [(typeof each)[number]];
      this.add({ metricId, periodKey, values });
    }
  }

  private add(line: ReadableLine): void {
    this.lines.push(line);
    const { periodKey, values } = line;
    const known = this.periods.get(periodKey);
    const from = Math.min(values[0]?.from ?? 0, known?.from ?? Number.POSITIVE_INFINITY);
    this.periods.set(periodKey, { rank: rankOf(periodKey), from });
  }

  /** Whether the period was the newest one at some time from `from` to `to`. */
  isNewest(periodKey: string, from: number, to: number): boolean {
    const period = this.periods.get(periodKey);
    if (!period) return false;
    const later = [...this.periods.values()].filter(({ rank }) => rank > period.rank).map((each) => each.from);
    return Math.max(period.from, from) <= Math.min(to, Math.min(Number.POSITIVE_INFINITY, ...later) - 1);
  }
}

/** The newest publication is that of the last month; of several, the shortest period (docs/server.md, "Published metrics" 5). */
function rankOf(periodKey: string): number {
  const period = parsePeriod(periodKey);
  return period ? endMonth(period) * 12 - monthsIn[period.type] : 0;
}

interface Recipient {
  kind: 'company' | 'user';
  id: string;
}

export function recipientOf(grant: MetricGrant): Recipient | undefined {
  const { recipient_company_id: company, recipient_user_id: user } = grant;
  if (company) return { kind: 'company', id: company };
  return user ? { kind: 'user', id: user } : undefined;
}

/** The time in which the grant is in force: `[from, to)` in milliseconds since 1970. */
export function inForce(grant: MetricGrant): { from: number; to: number } {
  const ends = [expiryAt(grant), instantOf(grant.revoked_at ?? undefined)].filter((at) => at !== undefined);
  return { from: instantOf(grant.created_at) ?? 0, to: Math.min(Number.POSITIVE_INFINITY, ...ends) };
}

/** Whether the grant opens a metric in a period at some time from `from` to `to`. */
function opens(
  grant: MetricGrant,
  readable: ReadableValues,
  { metricId, periodKey }: ReadableLine,
  { from, to }: Moments,
): boolean {
  if (from > to || !covers(grant, metricId)) return false;
  return grant.include_historical === true || readable.isNewest(periodKey, from, to);
}

export interface LedgerValue {
  recipient: Recipient;
  metricId: string;
  periodKey: string;
  value: Numeric | null;
  since: number;
  /** The value at the end of the history; undefined: there is none. */
  now: Numeric | null | undefined;
  outcome: 'unchanged' | 'restated' | 'removed';
  /** The latest end of the grants; undefined: one of them has no end. */
  until: number | undefined;
  grants: MetricGrant[];
}

interface Moments {
  from: number;
  to: number;
}

/** The grants that open a value at some time between two moments. */
function openingGrants(
  grants: readonly MetricGrant[],
  readable: ReadableValues,
  { line, value, span }: { line: ReadableLine; value: ReadableValue; span: Moments },
): MetricGrant[] {
  const end = (value.to ?? Number.POSITIVE_INFINITY) - 1;
  return grants.filter((grant) => {
    const { from, to } = inForce(grant);
    const common = { from: Math.max(value.from, from, span.from), to: Math.min(end, to - 1, span.to) };
    return opens(grant, readable, line, common);
  });
}

/**
 * The values that each recipient could read at some time between two moments. Of several values of one line it is the
 * last that is not the value now.
 */
export function readableIn(grants: readonly MetricGrant[], readable: ReadableValues, span: Moments): LedgerValue[] {
  const recipients = new Map(grants.flatMap((grant) => recipientOf(grant) ?? []).map((each) => [each.id, each]));
  return [...recipients.values()].flatMap((recipient) => {
    const granted = grants.filter((grant) => recipientOf(grant)?.id === recipient.id);
    return readable.lines.flatMap((line): LedgerValue[] => {
      const { metricId, periodKey, values } = line;
      const last = values.at(-1);
      const now = last?.to === undefined ? last?.value : undefined;
      const isNow = ({ value }: ReadableValue) => now !== undefined && sameValue(now, value);
      const read = values.flatMap((value) => {
        const opening = openingGrants(granted, readable, { line, value, span });
        return opening.length > 0 ? [{ value, opening }] : [];
      });
      const match = read.findLast(({ value }) => !isNow(value)) ?? read.at(-1);
      if (!match) return [];
      const { value: then, opening } = match;
      const spans = opening.map(inForce);
      const until = Math.max(...spans.map(({ to }) => to));
      return [
        {
          recipient,
          metricId,
          periodKey,
          value: then.value,
          now,
          grants: opening,
          since: Math.max(then.from, Math.min(...spans.map(({ from }) => from))),
          outcome: now === undefined ? 'removed' : isNow(then) ? 'unchanged' : 'restated',
          until: Number.isFinite(until) ? until : undefined,
        },
      ];
    });
  });
}

/** Whether grants opened the value of a moment before it changed. */
export function couldRead(
  grants: readonly MetricGrant[],
  readable: ReadableValues,
  { line, moment }: { line: ReadableLine; moment: number },
): boolean {
  const value = line.values.find(({ from, to }) => from <= moment && (to === undefined || to > moment));
  const span = { from: 0, to: Number.POSITIVE_INFINITY };
  return value !== undefined && openingGrants(grants, readable, { line, value, span }).length > 0;
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
export function revealedValues(
  wanted: MetricGrant,
  grants: readonly MetricGrant[],
  readable: ReadableValues,
  now: number,
): Revealed[] {
  const recipient = recipientOf(wanted);
  const earlier = grants.filter((grant) => recipientOf(grant)?.id === recipient?.id);
  return readable.lines.flatMap((line): Revealed[] => {
    const { metricId, periodKey, values } = line;
    const current = values.at(-1);
    if (!current || current.to !== undefined || !opens(wanted, readable, line, { from: now, to: now })) return [];
    const span = { from: 0, to: now };
    const read = values.findLast((value) => openingGrants(earlier, readable, { line, value, span }).length > 0);
    if (read && sameValue(read.value, current.value)) return [];
    const kind = read ? 'changed' : 'new';
    return [{ metricId, periodKey, value: current.value, before: read?.value, kind }];
  });
}

/** The newest version of each grant: only its end changes. */
export async function grantsOf(history: History, company: string): Promise<MetricGrant[]> {
  const newest = await newestOf(history, 'grant', { owner: company });
  const grants = newest.map(({ value: { id, body } }): MetricGrant => ({ ...body, id }));
  return grants.sort((a, b) => ((a.created_at ?? '') < (b.created_at ?? '') ? -1 : 1));
}

/** The published values where the history has any, else the actual values by month. */
export async function readableValues(history: History, company: string): Promise<ReadableValues> {
  const snapshots: Revision<Resource>[] = [];
  for await (const version of history.resources('snapshot', { owner: company })) snapshots.push(version);
  const published = new ReadableValues('published');
  published.addReports(snapshots);
  if (published.lines.length > 0) return published;
  const series = new ReadableValues('series');
  const months = history.points(company, { periodType: 'month', versions: ['actual'] });
  for await (const versions of linesOf(months, ({ metricId, periodKey }) => `${metricId} ${periodKey}`)) {
    series.addPoint(versions);
  }
  return series;
}

export async function unitsOf(history: History, company: string): Promise<ReadonlyMap<string, string>> {
  const [newest] = await newestOf(history, 'company', { id: company });
  const currency = typeof newest?.value.body.currency === 'string' ? newest.value.body.currency : undefined;
  const definitions = await newestOf(history, 'definition', { owner: company });
  return new Map(
    definitions.flatMap(({ value: { id, body } }): [string, string][] => {
      const { unit, unitLabel }: MetricDefinition = body as Partial<MetricDefinition> as MetricDefinition;
      const label = shownUnit({ unit, unitLabel, currency });
      return label === undefined ? [] : [[id, label]];
    }),
  );
}
