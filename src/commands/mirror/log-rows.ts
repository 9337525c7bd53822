/** The changes of a mirror as rows: of lists, entries, metrics, grants and all else that it holds. */
import type { CustomListAttribute, CustomListEntry } from '../../contract/lists.ts';
import { Failure } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { optionLabel, optionsOf } from '../../domain/entries/options.ts';
import { newestOf } from '../../domain/history/find.ts';
import { changedFields, type FieldChange, type LoggedChange, loggedChanges } from '../../domain/history/log.ts';
import { pointThing, Reads, resourceThing, type Thing } from '../../domain/history/reads.ts';
import { instantOf } from '../../domain/history/stays.ts';
import {
  type History,
  type Point,
  type Resource,
  type ResourceKind,
  resourceKinds,
} from '../../domain/history/versions.ts';
import type { LogRow } from './columns.ts';

type Place = Pick<LogRow, 'kind' | 'of' | 'id' | 'name'>;

/** Kinds of which every change has a row of its own. `published` and `live` say again what others say. */
const kinds = resourceKinds.filter((kind) => !['company', 'live', 'published'].includes(kind));

/** They change with every change. */
const marks = new Set(['updated_at', 'updatedAt']);

interface Chosen {
  since: string;
  /** A list by id, slug or name, or a metric. */
  target?: string | undefined;
}

/** Sorted by time. @throws notFound for a target that the mirror never held */
export async function logRows(history: History, { since, target }: Chosen): Promise<LogRow[]> {
  const reads = await Reads.of(history, await history.syncs());
  const rows: LogRow[] = [];
  const add = <T>(
    [thing, place]: [Thing, Place],
    { change, seen, before, after }: LoggedChange<T>,
    fields: readonly FieldChange[],
  ) => {
    const last = reads.times(thing).before(instantOf(seen) ?? 0);
    // It may have been there for long: no sync before this one read it.
    if (last === undefined && change === 'added') return;
    const row = { seen, notBefore: last === undefined ? null : new Date(last).toISOString(), ...place, change };
    if (before !== undefined && after !== undefined) rows.push(...fields.map((each) => ({ ...row, ...each })));
    else if (place.kind === 'value') rows.push(...fields.map((each) => ({ ...row, ...each })).slice(0, 1));
    else rows.push({ ...row, field: null, from: null, to: null });
  };
  const lists = await newest(history, 'list');
  const list =
    target === undefined ? undefined : lists.find(({ id, body }) => [id, body.slug, body.name].includes(target));
  const metrics = await newest(history, 'definition');
  if (target !== undefined && list === undefined) requireMetric(target, metrics, lists);
  for (const kind of kinds) {
    if (target !== undefined && !(list ? ['list', 'attribute'] : ['definition']).includes(kind)) continue;
    const versions = history.resources(kind, { changedSince: since });
    for await (const one of loggedChanges(versions, ({ owner, id }) => `${owner} ${id}`, since)) {
      const value = (one.after ?? one.before) as Resource;
      const { owner, id, body } = value;
      if (list && id !== list.id && owner !== list.id) continue;
      if (target !== undefined && !list && id !== target) continue;
      const of = kind === 'attribute' ? slugOf(lists, owner) : owner;
      const name = String(body.slug ?? body.label ?? body.name ?? body.periodKey ?? '');
      const thing = resourceThing(kind, owner, id);
      add([thing, { kind, of, id, name }], one, changedFields(one.before?.body ?? {}, one.after?.body ?? {}, marks));
    }
  }
  for (const { id } of list ? [list] : target === undefined ? lists : []) {
    const attributes = (await newest(history, 'attribute', id)).map(({ body }) => body as Partial<CustomListAttribute>);
    const versions = history.entries(id, { changedSince: since });
    for await (const one of loggedChanges(versions, (entry) => entry.id ?? '', since)) {
      const entry = (one.after ?? one.before) as CustomListEntry;
      const place = { kind: 'entry', of: slugOf(lists, id), id: entry.id ?? '', name: entry.title ?? '' };
      add([{ part: 'entries', owner: id, list: id }, place], one, entryFields(one, attributes));
    }
  }
  if (list) return sorted(rows);
  for (const { id: company } of await newest(history, 'company')) {
    const some = target === undefined ? {} : { metricIds: [target] };
    const versions = history.points(company, { changedSince: since, ...some });
    for await (const one of loggedChanges(versions, pointKey, since)) {
      const point = (one.after ?? one.before) as Point;
      const { metricId, periodKey, version, periodType } = point;
      const place = { kind: 'value', of: metricId, id: `${periodKey} ${version}`, name: `${periodType} ${periodKey}` };
      add([pointThing(point), place], one, changedFields(pointFields(one.before), pointFields(one.after), marks));
    }
  }
  return sorted(rows);
}

function sorted(rows: LogRow[]): LogRow[] {
  return rows.sort((a, b) => (a.seen < b.seen ? -1 : a.seen > b.seen ? 1 : 0));
}

/** Every thing of a kind that there ever was, in its newest version. */
async function newest(history: History, kind: ResourceKind, owner?: string): Promise<Resource[]> {
  const found = await newestOf(history, kind, owner === undefined ? {} : { owner });
  return found.map(({ value }) => value);
}

function slugOf(lists: readonly Resource[], id: string): string {
  return String(lists.find((list) => list.id === id)?.body.slug ?? id);
}

function pointKey({ periodType, periodKey, version, metricId }: Point): string {
  return [periodType, periodKey, version, metricId].join(' ');
}

/** The value first; null is a value that is known to be unknown. */
function pointFields(point: Point | undefined): Record<string, unknown> {
  return point === undefined ? {} : { value: point.value ?? 'unknown', source: point.source };
}

/** Values by the slug of their attribute, options by their labels. */
function entryFields(
  { before, after }: LoggedChange<CustomListEntry>,
  attributes: readonly Partial<CustomListAttribute>[],
): FieldChange[] {
  const { values: old = {}, ...one } = before ?? {};
  const { values: now = {}, ...other } = after ?? {};
  const values = changedFields(old, now, new Set()).map(({ field, from, to }) => {
    const attribute = attributes.find(({ slug }) => slug === field);
    return { field, from: labelled(attribute, from), to: labelled(attribute, to) };
  });
  return [...changedFields(one, other, marks), ...values];
}

function labelled(attribute: Partial<CustomListAttribute> | undefined, value: unknown): unknown {
  if (attribute === undefined || optionsOf(attribute) === undefined) return value;
  if (Array.isArray(value)) return value.map((id) => labelled(attribute, id));
  return typeof value === 'string' ? optionLabel(attribute, value) : value;
}

function requireMetric(target: string, metrics: readonly Resource[], lists: readonly Resource[]): void {
  if (metrics.some(({ id }) => id === target)) return;
  const near = nearest(target, [...metrics.map(({ id }) => id), ...lists.map(({ body }) => String(body.slug ?? ''))]);
  throw new Failure('notFound', `the mirror holds no list or metric "${target}"`, {
    hint: near === undefined ? 'run `comem mirror status` to see what it holds' : `did you mean ${near}?`,
  });
}
