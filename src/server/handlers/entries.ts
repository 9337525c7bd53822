import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import { type LoopStepResult, optionTypes } from '../../contract/lists.ts';
import { totalCountHeader } from '../../contract/operation.ts';
import { isDate, isDateTime } from '../../contract/validate.ts';
import { type Attribute, mergedValues } from '../model/attribute.ts';
import { invalid, invalidRequest, notFound } from '../model/failure.ts';
import { entryIssues, maxPageBytes } from '../model/sizes.ts';
import * as store from '../store/entries.ts';
import { searchedText } from '../store/entries.ts';
import { type EntryFilter, readEntryPage } from '../store/entry-pages.ts';
import { queueStep, readAttributes } from '../store/lists.ts';
import type { Db } from '../store/schema.ts';
import { findRow } from '../store/tables.ts';
import { type Call, type Handler, JsonText } from './handler.ts';
import { positionOf, requireList } from './lists.ts';

/** The page size when the request names none (docs/server.md, "Entries" 2). */
const defaultLimit = 100;

export const listEntries: Handler<typeof operations.listEntries> = async (call) => {
  const { query, store: database } = call;
  const page = await readEntryPage(database, await filterOf(call), {
    limit: Math.min(Number(query.limit ?? defaultLimit), call.maxPage),
    // Engines limit an offset to their integers, and no list is longer.
    offset: Math.min(Number(query.offset ?? 0), Number.MAX_SAFE_INTEGER),
    bytes: maxPageBytes,
    isCounted: query.withTotal === true && query.viewId === undefined,
  });
  const { companyId, text, total } = page;
  if (companyId === null || !call.companies.includes(companyId)) throw notFound('list', call.params.listId);
  return { body: new JsonText(text), headers: total === null ? undefined : { [totalCountHeader]: String(total) } };
};

/** Attributes are read only where a facet or a view names some. */
async function filterOf(call: Call<typeof operations.listEntries>): Promise<EntryFilter> {
  const { params, query, store: database } = call;
  const { listId } = params;
  if (query.filter === undefined && query.viewId === undefined) return entryFilter(listId, [], query);
  const slugs = query.viewId === undefined ? Object.keys(query.filter ?? {}) : undefined;
  const { companyId, attributes } = await requireAttributes(database.db, call, slugs);
  if (query.viewId === undefined) return entryFilter(listId, attributes, query);
  const view = await findRow(database.db, 'saved_views', { id: query.viewId, company_id: companyId });
  if (view === undefined) throw notFound('view', query.viewId);
  return entryFilter(listId, attributes, query, JSON.parse(view.filters));
}

export const createEntry: Handler<typeof operations.createEntry> = async (call) => {
  const { params, body, caller, now } = call;
  const created = await call.store.write(async (db) => {
    const { attributes, lastPosition } = await requireAttributes(db, call);
    const values = mergedValues(attributes, body.values ?? {});
    requireSize(body.values, { title: body.title, values });
    const entry: store.Entry = {
      id: randomUUID(),
      list_id: params.listId,
      title: body.title,
      values,
      position: positionOf(body.position, lastPosition),
      archived: body.archived ?? false,
      linked_entity_type: body.linked_entity_type ?? null,
      linked_entity_id: body.linked_entity_id ?? null,
      created_by: caller.userId,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    };
    await store.insertEntries(db, [entry], typesOf(attributes));
    return entry;
  }, params.listId);
  return { body: created };
};

export const updateEntry: Handler<typeof operations.updateEntry> = async (call) => {
  const { params, body, now } = call;
  const updated = await call.store.write(async (db) => {
    const { attributes } = await requireAttributes(db, call);
    const before = await requireEntry(db, params.listId, body.id);
    const { title, archived, linked_entity_type, linked_entity_id } = body;
    const after: store.Entry = {
      ...before,
      title: title ?? before.title,
      values: body.values === undefined ? before.values : mergedValues(attributes, body.values, before.values),
      position: positionOf(body.position ?? before.position),
      archived: archived ?? before.archived,
      linked_entity_type: linked_entity_type === undefined ? before.linked_entity_type : linked_entity_type,
      linked_entity_id: linked_entity_id === undefined ? before.linked_entity_id : linked_entity_id,
      updated_at: now.toISOString(),
    };
    requireSize(body.values, after, before);
    await store.updateEntry(db, { before, after, types: typesOf(attributes) });
    return after;
  }, params.listId);
  return { body: updated };
};

export const deleteEntry: Handler<typeof operations.deleteEntry> = async (call) => {
  const { params, query } = call;
  await call.store.write(async (db) => {
    const { attributes } = await requireAttributes(db, call);
    const entry = await requireEntry(db, params.listId, query.entryId);
    await store.deleteEntry(db, entry, typesOf(attributes));
  }, params.listId);
  return { body: undefined };
};

type Content = Pick<store.Entry, 'title' | 'values'>;

/** Throws 400 for values that are too large, or that make the entry too large. */
function requireSize(written: Record<string, unknown> | undefined, after: Content, before?: Content): void {
  const problems = entryIssues(written ?? {}, after, before);
  if (problems.length > 0) throw invalidRequest(problems);
}

async function requireEntry(db: Db, listId: string, id: string): Promise<store.Entry> {
  const row = await findRow(db, 'entries', { id, list_id: listId });
  if (row === undefined) throw notFound('entry', id);
  return store.toEntry(row);
}

/** The attributes of the list, or those with one of the slugs; 404 unless one of the companies has the list. */
async function requireAttributes(
  db: Db,
  {
    params: { listId },
    companies,
    store: { engine },
  }: Pick<Call, 'companies' | 'store'> & { params: { listId: string } },
  slugs?: readonly string[],
) {
  const list = await readAttributes(db, engine, { listId, slugs });
  if (list === undefined || !companies.includes(list.companyId)) throw notFound('list', listId);
  return list;
}

function typesOf(attributes: readonly Attribute[]): store.AttributeTypes {
  return new Map(attributes.map(({ slug, attribute_type }) => [slug, attribute_type]));
}

interface EntryQuery {
  archived?: boolean;
  archivedOnly?: boolean;
  search?: string;
  filter?: Record<string, string[]>;
}

/** More alternatives than this in one request are refused: engines limit the parameters of a statement. */
const maxAlternatives = 1000;

/** Throws 400 for a facet that is not an attribute of the list. */
export function entryFilter(
  listId: string,
  attributes: readonly Attribute[],
  query: EntryQuery,
  view: Record<string, unknown> = {},
): EntryFilter {
  const filters = Object.entries(query.filter ?? {});
  const unknown = filters.filter(([slug]) => !attributes.some((attribute) => attribute.slug === slug));
  if (unknown.length > 0) {
    throw invalid(
      ...unknown.map(([slug]) => ({ path: `filter[${slug}]`, message: 'is not an attribute of this list' })),
    );
  }
  if (filters.flatMap(([, values]) => values).length > maxAlternatives) {
    throw invalid({ path: 'filter', message: `must name at most ${maxAlternatives} values` });
  }
  const search = [query.search, view.search].filter((text): text is string => typeof text === 'string');
  return {
    listId,
    archived: query.archivedOnly ? 'only' : query.archived ? 'with' : 'without',
    search,
    ...viewArrays(attributes, view, filters),
    ...viewDates(view),
  };
}

function viewArrays(
  attributes: readonly Attribute[],
  view: Record<string, unknown>,
  filters: readonly [string, string[]][],
): Pick<EntryFilter, 'facets' | 'createdBy'> {
  const facets = filters.map(([slug, values]) => facet(attributes, slug, values));
  let createdBy: string[] | undefined;
  for (const [name, values] of Object.entries(view)) {
    if (!Array.isArray(values) || values.length === 0) continue;
    // A view's field names have underscores where slugs have hyphens.
    const slug = [name, name.replaceAll('_', '-')].find((s) => attributes.some((attribute) => attribute.slug === s));
    if (slug === undefined && name === 'created_by') createdBy = values.map(String);
    else facets.push(facet(attributes, slug ?? name, values.map(String)));
  }
  return { facets, createdBy };
}

/** Options are named by id or label, including removed ones that entries still hold. */
function facet(attributes: readonly Attribute[], slug: string, values: readonly string[]): EntryFilter['facets'][0] {
  const attribute = attributes.find((candidate) => candidate.slug === slug);
  if (attribute === undefined) return { slug, texts: [] };
  const { attribute_type: type, config } = attribute;
  if (!optionTypes.includes(type)) return { slug, texts: values.map((value) => searchedText(type, value)) };
  const options = [...(config.options ?? []), ...(config.retired ?? [])];
  const texts = values.flatMap((value) => {
    const ids = options.filter(({ id, label }) => id === value || label === value).flatMap(({ id }) => id ?? []);
    return ids.length > 0 ? ids : [value];
  });
  return { slug, texts };
}

/** A date means all of its day, in UTC. */
function viewDates({
  date_from,
  date_to,
}: Record<string, unknown>): Pick<EntryFilter, 'createdFrom' | 'createdBefore'> {
  return {
    createdFrom: typeof date_from === 'string' ? instant(date_from, 0) : undefined,
    createdBefore: typeof date_to === 'string' ? instant(date_to, 1) : undefined,
  };
}

/** The start of the date (or of the day after it); of a timestamp itself, or the millisecond after it. */
function instant(text: string, after: 0 | 1): string | undefined {
  const step = isDate(text) ? 86_400_000 : isDateTime(text) ? 1 : undefined;
  return step === undefined ? undefined : new Date(Date.parse(text) + after * step).toISOString();
}

/** Milliseconds that a step stays queued, computed when it is read: no timer, and the same in every process. */
const stepMs = 2000;

export const stepEntry: Handler<typeof operations.stepEntry> = async (call) => {
  const { params, body, store: database } = call;
  const { dryRun = false } = body;
  if (typeof dryRun !== 'boolean') throw invalid({ path: 'dryRun', message: 'must be a boolean' });
  // The machine's clock, even when the API's is fixed: a step must end.
  const now = Date.now();
  const doneBefore = new Date(now - stepMs).toISOString();
  return database.write(async (db) => {
    await requireList(db, call);
    const entry = await requireEntry(db, params.listId, params.entryId);
    const loop = await findRow(db, 'entry_loops', { entry_id: entry.id });
    const queued = loop !== undefined && loop.queued_at > doneBefore;
    const done = (loop?.steps ?? 0) - Number(queued);
    const state = { state: queued ? 'queued' : 'idle', ...(done > 0 && { note: doneNote(done) }) };
    const reason = entry.archived ? 'The entry is archived' : queued ? 'A step is already queued' : undefined;
    const nextAction = entry.archived ? 'unarchive' : 'wait';
    if (reason !== undefined) return refusal({ ...state, nextAction, reason }, dryRun);
    if (dryRun) {
      return { status: 200, body: { queued: false, canStep: true, ...state, nextAction: 'step', reason: 'Dry run' } };
    }
    if (!(await queueStep(db, { entry_id: entry.id, queued_at: new Date(now).toISOString() }, doneBefore))) {
      return refusal({ ...state, state: 'queued', nextAction, reason: 'A step is already queued' }, false);
    }
    return { body: { queued: true, canStep: true, ...state, state: 'queued', nextAction: 'wait' } };
  }, params.listId);
};

/** A dry run is not an error: it answers what would happen. */
function refusal(state: LoopStepResult & { reason: string }, dryRun: boolean) {
  const step = { queued: false, canStep: false, ...state };
  return dryRun ? { status: 200, body: step } : { status: 409, body: { ...step, error: state.reason } };
}

function doneNote(steps: number): string {
  return steps === 1 ? '1 step is done' : `${steps} steps are done`;
}
