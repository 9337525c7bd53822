/** Changes in a history: rows for every kind of resource, and the values of one entry. */

import type { CustomListAttribute, CustomListEntry } from '../../contract/lists.ts';
import type { PublishedPeriod } from '../../contract/metrics.ts';
import { type Numeric, textOf } from '../../core/json.ts';
import { readInstant } from '../../core/periods.ts';
import { sameValue } from '../../core/same.ts';
import { differences, type FieldChange, fieldChanges, kindOfPair, numberChange } from '../analysis/difference.ts';
import { optionsOf, optionText } from '../entries/options.ts';
import { measureOf, publishedUnit } from '../series/units.ts';
import { attributesOf, newestOf } from './find.ts';
import { unitsOf } from './ledger.ts';
import { entryRules, pointRules, type Reads, resourceRules, resourceVersions } from './reads.ts';
import { changesOf, type Span, type Step, type SyncTimes, stepsOf, writeTime } from './steps.ts';
import { type History, numberOf, type Point, type Resource, type ResourceKind, type Revision } from './versions.ts';

export const changeKinds = [
  'list',
  'attribute',
  'entry',
  'metric',
  'value',
  'grant',
  'preferences',
  'published',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** A resource that was added or removed, or one changed field of it. */
export interface Change extends UnitChange {
  kind: ChangeKind;
  change: 'added' | 'changed' | 'removed';
  id: string;
  /** The title of an entry, the slug of a list or attribute, the metric, the recipient of a grant. */
  what: string;
  /** The list of an entry or attribute, the period and version of a value, the metrics of a grant, the period of a report. */
  where: string | null;
  company: string;
  /** The time of the write by the API; null where it is not between the two syncs. */
  when: string | null;
  notBefore: string | null;
  seen: string;
  difference: Numeric | null;
  percent: Numeric | null;
  point?: Point;
}

interface UnitChange extends FieldChange {
  unit?: string | undefined;
}

export interface ChangeRequest {
  span: Span;
  kinds: readonly ChangeKind[];
  /** Ids; undefined: all. */
  companies?: readonly string[] | undefined;
  list?: string | undefined;
  metrics?: readonly string[] | undefined;
}

interface StepFields {
  fields: readonly UnitChange[];
  /** The row of an addition or a removal. */
  whole?: UnitChange;
  point?: Point;
  label: string;
}

const unnamed: UnitChange = { field: null, before: undefined, after: undefined };

/** The columns of a row that name its resource. */
type ChangeSubject = Pick<Change, 'kind' | 'id' | 'what' | 'where' | 'company'>;

const resourcesOf: readonly (readonly [ChangeKind, ResourceKind])[] = [
  ['list', 'list'],
  ['attribute', 'attribute'],
  ['metric', 'definition'],
  ['grant', 'grant'],
  ['preferences', 'preferences'],
];

/** The changes by kind, and as `unread` the lists and metrics that no earlier sync read: they may be older. */
export async function readChanges(
  history: History,
  reads: Pick<Reads, 'times'>,
  { span, kinds, companies, list, metrics }: ChangeRequest,
): Promise<{ changes: Change[]; unread: readonly string[] }> {
  const changes: Change[] = [];
  const unread = new Set<string>();
  const since =
    'after' in span ? span.after : beforeOf(await history.syncs(), 'since' in span ? span.since - 1 : span.from);
  const add = <T extends object>(
    subject: ChangeSubject,
    step: Step<T>,
    { fields, whole = unnamed, point, label }: StepFields,
  ) => {
    const { before, seen, notBefore, when } = step;
    if (before === undefined && notBefore === null) {
      unread.add(label);
      return;
    }
    const row = { ...subject, when, notBefore, seen, ...(point && { point }) };
    const change = kindOfPair(step);
    const isWhole = change !== 'changed' && !point;
    for (const field of isWhole ? [whole] : fields) {
      const measure = measureOf({ unit: field.unit });
      changes.push({ ...row, change, ...field, ...numberChange(field.before, field.after, measure) });
    }
  };
  const lists = (await newestOf(history, 'list', list === undefined ? {} : { id: list })).map(({ value }) => value);
  const ofCompany = (id: string) => companies === undefined || companies.includes(id);
  const listOf = new Map(
    lists.flatMap((each) => (ofCompany(each.owner) ? [[each.id, { ...each, name: listName(each) }] as const] : [])),
  );
  const readResources = async (kind: ChangeKind, resource: ResourceKind) => {
    const versions = history.resources(resource, { changedSince: since });
    for await (const step of changesOf(versions, resourceRules(resource, reads), span)) {
      const { id, owner, body } = step.after ?? (step.before as Resource);
      const inList = kind === 'attribute' ? owner : kind === 'list' ? id : undefined;
      const where = inList === undefined ? undefined : listOf.get(inList);
      if (inList === undefined ? list !== undefined || !ofCompany(owner) : !where) continue;
      if (kind === 'metric' && metrics && !metrics.includes(id)) continue;
      const fields = fieldChanges(step.before?.body ?? {}, step.after?.body ?? {}, ['config']);
      const subject = { kind, id, what: nameOf(kind, id, body), where: where?.name ?? metricsOf(kind, body) };
      const label = where ? `list ${where.name}` : id;
      const expiry = { field: 'expires_at', before: expiryOf(step.before), after: expiryOf(step.after) };
      const whole = kind === 'grant' ? expiry : unnamed;
      add({ ...subject, company: where?.owner ?? owner }, step, { fields, whole, label });
    }
  };
  const readEntries = async (listId: string, { owner, name }: { owner: string; name: string }) => {
    const attributes = new Map((await attributesOf(history, listId)).map((each) => [`values.${each.slug}`, each]));
    const versions = history.entries(listId, { changedSince: since });
    for await (const step of changesOf(versions, entryRules(listId, reads), span)) {
      const { id, title } = step.after ?? step.before ?? {};
      const fields = fieldChanges(step.before ?? {}, step.after ?? {}, ['values']).map((each) =>
        labelChange(each, attributes.get(each.field ?? '')),
      );
      const subject = { kind: 'entry' as const, id: String(id), what: title ?? String(id), where: name };
      add({ ...subject, company: owner }, step, { fields, label: `list ${name}` });
    }
  };
  const readValues = async (company: string) => {
    const units = await unitsOf(history, company);
    const range = { changedSince: since, ...(metrics && { metricIds: metrics }) };
    for await (const step of changesOf(history.points(company, range), pointRules(reads), span)) {
      const point = step.after ?? (step.before as Point);
      const [before, after] = [step.before, step.after].map((each) => each && numberOf(each.value));
      const isSame = step.before && step.after && sameValue(before, after);
      const { metricId, periodKey, version } = point;
      const fields = isSame ? [] : [{ field: 'value', before, after, unit: units.get(metricId) }];
      const subject = { kind: 'value' as const, id: metricId, what: metricId, where: `${periodKey} ${version}` };
      add({ ...subject, company }, step, { fields, point, label: metricId });
    }
  };
  const readPublished = async () => {
    const versions = resourceVersions(history, 'snapshot');
    for await (const step of changesOf(versions, resourceRules('snapshot', reads), span)) {
      const { id, owner, body } = step.after ?? (step.before as Resource);
      const report: PublishedPeriod = body;
      const fields = fieldChanges(dataOf(step.before), dataOf(step.after)).map((each) => ({
        ...each,
        unit: publishedUnit(report, each.field ?? ''),
      }));
      const subject = { kind: 'published' as const, id, what: owner, where: String(body.periodKey) };
      add({ ...subject, company: owner }, step, { fields, label: owner });
    }
  };
  for (const kind of changeKinds) {
    if (!kinds.includes(kind)) continue;
    const resource = resourcesOf.find(([name]) => name === kind)?.[1];
    if (resource) await readResources(kind, resource);
    else if (kind === 'entry') for (const [id, each] of listOf) await readEntries(id, each);
    else if (kind === 'value') {
      const all = companies ?? (await newestOf(history, 'company', {})).map(({ value }) => value.id);
      for (const company of all) await readValues(company);
    } else await readPublished();
  }
  return { changes, unread: [...unread] };
}

/** The last sync until a moment, after which changes are read. */
function beforeOf(syncs: readonly { seenAt: string }[], moment: number): string {
  return syncs.findLast(({ seenAt }) => (readInstant(seenAt) ?? 0) <= moment)?.seenAt ?? '';
}

function dataOf(report: Resource | undefined): object {
  const data = report?.body.data;
  return typeof data === 'object' && data !== null ? data : {};
}

function listName({ id, body }: Resource): string {
  return textOf(body.slug) ?? textOf(body.name) ?? id;
}

function nameOf(kind: ChangeKind, id: string, body: Resource['body']): string {
  if (kind === 'list') return textOf(body.name) ?? id;
  if (kind === 'attribute') return textOf(body.slug) ?? id;
  if (kind === 'grant') return textOf(body.recipient_company_id) ?? textOf(body.recipient_user_id) ?? id;
  return id;
}

/** The metrics of a grant: a recipient may have several grants. */
function metricsOf(kind: ChangeKind, { metric_ids: ids }: Resource['body']): string | null {
  if (kind !== 'grant') return null;
  return (Array.isArray(ids) && ids.join(', ')) || 'all metrics';
}

/** Null: a grant that never expires. */
const expiryOf = (grant: Resource | undefined) => grant && (grant.body.expires_at ?? null);

function labelChange(change: FieldChange, attribute: CustomListAttribute | undefined): FieldChange {
  if (attribute === undefined || optionsOf(attribute) === undefined) return change;
  const label = (value: unknown) => {
    const ids = typeof value === 'string' ? [value] : value;
    return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? optionText(attribute, ids) : value;
  };
  return { ...change, before: label(change.before), after: label(change.after) };
}

export const entryChangeKinds = [
  'first seen',
  'created',
  'changed',
  'archived',
  'unarchived',
  'deleted',
  'restored',
] as const;
type EntryChangeKind = (typeof entryChangeKinds)[number];

export interface EntryChange {
  kind: EntryChangeKind;
  /** The last sync before the change; null: there is none. */
  notBefore: string | null;
  seen: string;
  /** The time of the write by the API, where that is between the two; for a new entry, its creation. */
  at: string | null;
  /** A field (`title`) or the slug of an attribute; null for the entry itself. */
  field: string | null;
  before: unknown;
  after: unknown;
}

/** Fields of an entry beside its values. `updated_at` changes with every change. */
const entryFields = ['title', 'position', 'linked_entity_type', 'linked_entity_id'] as const;

/** The changes, oldest first; those of one sync in the order of the attributes (`slugs`). */
export function entryChanges(
  versions: readonly Revision<CustomListEntry>[],
  slugs: readonly string[],
  syncs: SyncTimes,
): EntryChange[] {
  const inOrder = Object.fromEntries(slugs.map((slug) => [slug, undefined]));
  const valuesOf = ({ values }: CustomListEntry) => ({ ...inOrder, ...values });
  return stepsOf(versions, syncs, writeTime).flatMap((step, index): EntryChange[] => {
    const { before, after, notBefore, seen, when } = step;
    const row = { notBefore, seen, field: null as string | null, before: undefined, after: undefined };
    if (after === undefined) return [{ ...row, kind: 'deleted', at: null }];
    if (before === undefined) {
      const kind: EntryChangeKind = notBefore === null ? 'first seen' : index === 0 ? 'created' : 'restored';
      const values = differences({}, valuesOf(after));
      const rows = [{ field: null, before: undefined, after: after.title }, ...values];
      return rows.map((each) => ({ ...row, kind, at: when, ...each }));
    }
    const archived = Boolean(after.archived);
    const isMoved = archived !== Boolean(before.archived);
    const changes = [...differences(pick(before), pick(after)), ...differences(valuesOf(before), valuesOf(after))];
    return [
      ...(isMoved ? [{ ...row, kind: archived ? 'archived' : 'unarchived', at: when } as const] : []),
      ...changes.map((each) => ({ ...row, kind: 'changed' as const, at: when, ...each })),
    ];
  });
}

function pick(entry: CustomListEntry): Record<string, unknown> {
  return Object.fromEntries(entryFields.map((field) => [field, entry[field]]));
}
