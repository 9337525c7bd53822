/** The states of each resource of the demo, from its creation to its newest. */
import type { CustomListEntry } from '../../contract/lists.ts';
import { demo } from '../../core/demo.ts';
import { numeric } from '../../core/json.ts';
import { parsePeriod } from '../../core/periods.ts';
import type { Point, Resource } from '../../domain/history/versions.ts';
import { demoCompanies } from '../../server/demo/credentials.ts';
import { stableId } from '../../server/model/names.ts';
import type { SeedPublication } from '../../server/seed/seed.ts';
import { type Body, snapshotId } from './now.ts';

/** A value exists from its last writing on; one that was restated had another number until then. */
export function pointStates(point: Point): State<Point>[] {
  const written = Date.parse(point.updatedAt ?? '');
  const before = beforeRestatement(point);
  if (!before) return [{ at: written, value: point }];
  return [
    { at: Date.parse(before.updatedAt), value: before },
    { at: written, value: point },
  ];
}

/** A grant was active until it was revoked or expired. */
export function grantStates({ kind, owner, id, body }: Resource): State<Resource>[] {
  const { revoked_at: revoked, revoked_by: _, expires_at: expires, ...rest } = body;
  const created = Date.parse(String(body.created_at));
  const before = {
    ...rest,
    ...(expires !== undefined && { expires_at: expires }),
    status: 'active',
    updated_at: body.created_at,
  };
  const end = body.status === 'revoked' ? revoked : body.status === 'expired' ? expires : undefined;
  if (end === undefined) return [{ at: created, value: { kind, owner, id, body } }];
  return [
    { at: created, value: { kind, owner, id, body: before } },
    { at: Date.parse(String(end)), value: { kind, owner, id, body } },
  ];
}

/** Reports as they were sent: a second version takes the place of the first. */
export function snapshotLines(
  snapshots: readonly Resource[],
  publications: readonly SeedPublication[],
): State<Resource>[][] {
  const lines = new Map<string, State<Resource>[]>();
  for (const snapshot of snapshots) lines.set(snapshot.id, [{ at: sentAt(snapshot.body), value: snapshot }]);
  for (const snapshot of snapshots) {
    const { owner, body } = snapshot;
    if (Number(body.versionNumber) < 2) continue;
    const slug = demoCompanies.find(({ id }) => id === owner)?.slug;
    const former = publications.find(
      (report) => report.company === slug && report.period === body.periodKey && Number(report.version_number) === 1,
    );
    if (!former) continue;
    const known = Object.keys(body.data as Body);
    const reportId = stableId('report', owner, String(body.periodKey), 1);
    const data = Object.fromEntries(Object.entries(former.data ?? {}).filter(([id]) => known.includes(id)));
    const earlier: Body = {
      ...body,
      reportId,
      versionNumber: 1,
      sentAt: new Date(former.sent_at ?? '').toISOString(),
      data,
    };
    const id = snapshotId(earlier);
    lines.set(id, [
      { at: sentAt(earlier), value: { ...snapshot, id, body: earlier } },
      { at: sentAt(body), value: undefined },
    ]);
  }
  return [...lines.values()];
}

function sentAt(body: Body): number {
  return Date.parse(String(body.sentAt));
}

/** The page of a company: the newest report of each time. */
export function publishedStates(
  published: Resource,
  snapshots: readonly (readonly State<Resource>[])[],
): State<Resource>[] {
  const { body, owner, id } = published;
  const reports = snapshots.flatMap((states) => states.filter(({ value }) => value?.owner === id));
  const sent = reports
    .flatMap(({ at, value }) => (value ? [{ at, report: value.body }] : []))
    .sort((a, b) => a.at - b.at);
  let newest: Body | undefined;
  const states = sent.flatMap(({ at, report }): State<Resource>[] => {
    const monthOf = (report: Body) => parsePeriod(String(report.periodKey))?.index ?? 0;
    if (report.periodType !== 'month' || (newest && monthOf(report) < monthOf(newest))) return [];
    newest = report;
    const { reportId, periodKey, versionNumber, sentAt: when, data } = report;
    const publication = {
      ...(body.publication as Body),
      reportId,
      periodKey,
      versionNumber,
      sentAt: when,
      shareToken: `demo-${slugOf(id)}-${String(periodKey).toLowerCase()}-v${versionNumber}`,
    };
    return [
      { at, value: { kind: 'published', owner, id, body: { ...body, metrics: { summary: data }, publication } } },
    ];
  });
  // The answer of the API is the newest state, whatever was sent last.
  const last = states.at(-1)?.at ?? 0;
  return [...states.slice(0, -1), { at: last, value: published }];
}

function slugOf(id: string): string {
  return demoCompanies.find((company) => company.id === id)?.slug ?? '';
}

/** The live values at each time at which an actual value came. */
export function liveStates(live: Resource, points: readonly (readonly State<Point>[])[]): State<Resource>[] {
  const changes = points
    .flatMap((states) => states.flatMap(({ at, value }) => (value ? [{ at, point: value }] : [])))
    .filter(({ point }) => point.companyId === live.id && point.version === 'actual')
    .sort((a, b) => a.at - b.at);
  const byPeriod = new Map<string, Map<string, Point>>();
  const states: State<Resource>[] = [];
  for (const [index, { at, point }] of changes.entries()) {
    const known = byPeriod.get(point.periodKey) ?? new Map<string, Point>();
    byPeriod.set(point.periodKey, known.set(point.metricId, point));
    // All values of one time are one state.
    if (changes[index + 1]?.at === at) continue;
    const newest = [...byPeriod.keys()].sort().at(-1) ?? '';
    const values = [...(byPeriod.get(newest)?.values() ?? [])];
    const metrics = Object.fromEntries(
      values.flatMap(({ metricId, value }) => (value === null ? [] : [[metricId, numeric(value)]])),
    );
    const asOf = values
      .map(({ updatedAt }) => updatedAt ?? '')
      .sort()
      .at(-1);
    const body = { ...live.body, metrics, source: 'company_metrics_actual', periodKey: newest, period: newest, asOf };
    states.push({ at, value: { ...live, body } });
  }
  const last = states.pop();
  return [...states, { at: last?.at ?? 0, value: live }];
}

/** A restatement: the first values of a month, and when they were written. */
interface Restatement {
  company: keyof typeof demo.companies;
  period: string;
  writtenAt: string;
  source: string;
  /** The first value of a metric from its value now. */
  first: Readonly<Record<string, (value: number) => number>>;
}

/** Monthly revenue that includes churned customers. */
const withChurned = (value: number) => round(value * 1.034, 2);

const restatements: readonly Restatement[] = [
  // Churned revenue was still in it.
  {
    company: 'lumen',
    period: '2024-11',
    writtenAt: '2024-12-09T10:30:00.000Z',
    source: 'accounting',
    first: {
      mrr: withChurned,
      arr: (value) => round(withChurned(round(value / 12, 2)) * 12, 2),
      mrr_growth: (value) => round(value + 3.5, 2),
    },
  },
  // The auditor valued two holdings lower.
  {
    company: 'northgate',
    period: '2025-12',
    writtenAt: '2026-01-15T09:00:00.000Z',
    source: 'portfolio roll-up',
    first: { fund_nav: (value) => round(value * 1.021, 2), tvpi: (value) => round(value + 0.03, 2) },
  },
  // Costs of a fair were booked as marketing later.
  {
    company: 'fieldwork',
    period: '2025-09',
    writtenAt: '2025-10-08T09:30:00.000Z',
    source: 'accounting',
    first: { cac: (value) => round(value * 0.86, 2), ltv_cac_ratio: (value) => round(value / 0.86, 2) },
  },
];

/** The point before its restatement; undefined: it was written once. */
function beforeRestatement(point: Point): (Point & { updatedAt: string }) | undefined {
  const { companyId, metricId, periodKey, version, value } = point;
  if (version !== 'actual' || value === null) return undefined;
  const restatement = restatements.find(
    ({ company, period }) => demo.companies[company] === companyId && period === periodKey,
  );
  if (!restatement) return undefined;
  const { first, source, writtenAt } = restatement;
  const change = Object.hasOwn(first, metricId) ? first[metricId] : undefined;
  return { ...point, value: change ? String(change(Number(value))) : value, source, updatedAt: writtenAt };
}

/** `value` with at most so many decimals. */
function round(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}

const weekMs = 7 * 86_400_000;

/** A resource from a moment on; without a value it is gone. */
export interface State<T> {
  /** Milliseconds since 1970. */
  at: number;
  value: T | undefined;
}

export interface SeenState<T> {
  /** Numbers of syncs. */
  from: number;
  to: number | null;
  value: T;
}

/** A sync each week for two years, the last one at the demo's own time. */
export function weeklySyncs(last: string): number[] {
  const weeks = 104;
  return Array.from({ length: weeks + 1 }, (_, week) => Date.parse(last) - (weeks - week) * weekMs);
}

/** The states that a sync saw; what lasted from one to the next is not seen. */
export function seenStates<T>(states: readonly State<T>[], syncs: readonly number[]): SeenState<T>[] {
  const sights = states.map(({ at, value }) => ({ sync: syncs.findIndex((time) => time >= at) + 1, value }));
  return sights.flatMap(({ sync, value }, index): SeenState<T>[] => {
    const next = sights[index + 1]?.sync;
    if (sync === 0 || value === undefined || next === sync) return [];
    return [{ from: sync, to: next || null, value }];
  });
}

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** The options of the stages, which `slugOf` makes of their labels. */
const climb = ['sourced', 'screening', 'first-meeting', 'diligence', 'term-sheet', 'invested'] as const;
const stageNames: readonly string[] = climb;
const passed = 'passed';

/** Days that a deal is usually in a stage. */
const usual: Readonly<Record<string, number>> = {
  sourced: 6,
  screening: 12,
  'first-meeting': 18,
  diligence: 32,
  'term-sheet': 21,
};

/** The first meeting is where a valuation is talked about. */
const firstMeeting = climb.indexOf('first-meeting');

/** The states of a deal from its creation on; the last one is what it is now. */
export function dealStates(deal: CustomListEntry, number: number): State<CustomListEntry>[] {
  const random = new Random(70_000 + number);
  const created = timeOf(deal.created_at);
  const updated = timeOf(deal.updated_at);
  const path = pathTo(String(deal.values?.stage), random);
  const room = (updated - created) / dayMs;
  if (room < path.length || path.length < 2) return twoStates(deal);
  const days = path.slice(0, -1).map((stage) => (usual[stage] ?? 10) * Math.exp(random.noise() * 0.6));
  const total = days.reduce((sum, length) => sum + length, 0);
  const isOpen = path.at(-1) !== passed && path.at(-1) !== 'invested';
  // An open deal has been where it is for about as long as others are; it took the rest of its time to get there.
  const stays = (usual[path.at(-1) ?? ''] ?? 0) * Math.exp(random.noise() * 0.7);
  const target = isOpen ? Math.max(total * 0.6, Math.min(total * 2.5, room - stays)) : total;
  const scale = Math.min(target, room * 0.95) / total;
  let at = created;
  const owners = random.chance(0.12);
  const states: State<CustomListEntry>[] = [];
  for (const [index, stage] of path.entries()) {
    if (index > 0) at += Math.max(1, (days[index - 1] ?? 0) * scale) * dayMs;
    const when = index === 0 ? created : Math.min(Math.floor(at / minuteMs) * minuteMs, updated - minuteMs);
    states.push({ at: when, value: earlier(deal, stage, when, owners && index === 0) });
  }
  return [...states, { at: updated, value: deal }];
}

/** The stages until this one, in the order in which the deal was in them. */
function pathTo(stage: string, random: Random): string[] {
  const reached = stage === passed ? random.weighted([22, 34, 24, 14, 6]) : undefined;
  const last = reached ?? stageNames.indexOf(stage);
  const path: string[] = [];
  for (const [index, option] of climb.slice(0, last + 1).entries()) {
    const isEnd = index === 0 || index === last;
    if (!isEnd && random.chance(0.08)) continue;
    path.push(option);
    // Some go back a step when something new is heard.
    if (index >= 2 && index < last && random.chance(0.06)) path.push(climb[index - 1] ?? option, option);
  }
  return reached === undefined ? path : [...path, passed];
}

/** The deal when it came into a stage: what is learned later is not known yet. */
function earlier(deal: CustomListEntry, stage: string, at: number, otherOwner: boolean): CustomListEntry {
  const { notes: _, ...known } = deal.values ?? {};
  const rank = stageNames.indexOf(stage);
  if (rank >= 0 && rank < firstMeeting) {
    delete known.valuation;
    delete known.conviction;
  }
  const values: Record<string, unknown> = { ...known, stage };
  const due = new Date(at + 9 * dayMs).toISOString().slice(0, 10);
  if (stage === passed || stage === 'invested') delete values['next-step-due'];
  else values['next-step-due'] = due;
  if (otherOwner) values.owner = values.owner === 'omar-haddad' ? 'elena-castillo' : 'omar-haddad';
  return { ...deal, values, archived: false, updated_at: new Date(at).toISOString() };
}

/** An entry that was created, and written once more. */
export function twoStates(entry: CustomListEntry): State<CustomListEntry>[] {
  const [created, updated] = [timeOf(entry.created_at), timeOf(entry.updated_at)];
  if (updated <= created) return [{ at: created, value: entry }];
  const values = { ...entry.values };
  const last = Object.keys(values).at(-1);
  if (last !== undefined && Object.keys(values).length > 2) delete values[last];
  const first = { ...entry, values, archived: false, updated_at: entry.created_at };
  return [
    { at: created, value: first as CustomListEntry },
    { at: updated, value: entry },
  ];
}

function timeOf(text: string | undefined): number {
  return Date.parse(text ?? '');
}

/** Numbers that look random and are the same for the same start. */
class Random {
  constructor(private state: number) {}

  /** In [0, 1): the generator "mulberry32". */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Around 0, mostly within ±1. */
  noise(): number {
    return (this.next() + this.next() + this.next()) * 2 - 3;
  }

  /** An index, each as often as its weight says. */
  weighted(weights: readonly number[]): number {
    let left = this.next() * weights.reduce((sum, weight) => sum + weight, 0);
    return weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
  }
}
