/** Series, grants and reports of the demo as they were: when each came, and what was restated. */
import { numeric } from '../../../core/json.ts';
import { parsePeriod } from '../../../core/periods.ts';
import type { Point, Resource } from '../../../domain/history/versions.ts';
import { stableId } from '../../seed/loading.ts';
import type { SeedPublication } from '../../seed/seed.ts';
import { demoCompanies } from '../credentials.ts';
import { type Body, snapshotId } from './now.ts';
import { restatedBefore } from './restated.ts';
import type { State } from './states.ts';

/** A value exists from its last writing on; one that was restated had another number until then. */
export function pointStates(point: Point): State<Point>[] {
  const written = Date.parse(point.updatedAt ?? '');
  const before = restatedBefore(point);
  if (!before) return [{ at: written, value: point }];
  const { value, source, at } = before;
  return [
    { at: Date.parse(at), value: { ...point, value, source, updatedAt: at } },
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
      (each) => each.company === slug && each.period === body.periodKey && Number(each.version_number) === 1,
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

/** What a company's page said: the newest report of each time. */
export function publishedStates(
  published: Resource,
  snapshots: readonly (readonly State<Resource>[])[],
): State<Resource>[] {
  const { body, owner, id } = published;
  const own = snapshots.flatMap((states) => states.filter(({ value }) => value?.owner === id));
  const sent = own.flatMap(({ at, value }) => (value ? [{ at, report: value.body }] : [])).sort((a, b) => a.at - b.at);
  let newest: Body | undefined;
  const states = sent.flatMap(({ at, report }): State<Resource>[] => {
    const place = (each: Body) => parsePeriod(String(each.periodKey))?.index ?? 0;
    if (report.periodType !== 'month' || (newest && place(report) < place(newest))) return [];
    newest = report;
    const { reportId, periodKey, versionNumber, sentAt: when, data } = report;
    const publication = {
      ...(body.publication as Body),
      ...{ reportId, periodKey, versionNumber, sentAt: when },
      shareToken: `demo-${slugOf(id)}-${String(periodKey).toLowerCase()}-v${versionNumber}`,
    };
    return [
      { at, value: { kind: 'published', owner, id, body: { ...body, metrics: { summary: data }, publication } } },
    ];
  });
  // What the API says now is the last state, whatever was sent last.
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
