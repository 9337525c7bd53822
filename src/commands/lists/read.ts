/** Resolves targets to ids: by id, slug or exact name. A uuid is never looked up, and several matches are listed. */

import type { Context } from '../../cli/context.ts';
import { isUnknownCompany } from '../../config/companies.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import { getList, listLists } from '../../contract/list-operations.ts';
import type {
  CustomListAttribute,
  CustomListEntry,
  CustomListSummary,
  CustomListWithAttributes,
} from '../../contract/lists.ts';
import { isId, isUuid } from '../../contract/validate.ts';
import { Failure, isSkippable, listSome, requireField, rowName, usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';

/** The list or entry that a target names; `name` where it was looked up. */
export interface Target {
  id: string;
  name?: string | undefined;
}

/** The most candidates that a message names. */
const maxCandidates = 10;

/** The lists of each company, read once for each run of a command. */
const listsOf = new WeakMap<Context, Map<string, Promise<CustomListSummary[]>>>();

/** The company's lists, read once for each command. */
export function companyLists(ctx: Context): Promise<CustomListSummary[]> {
  const company = ctx.requireCompany();
  const cached = listsOf.get(ctx) ?? new Map<string, Promise<CustomListSummary[]>>();
  listsOf.set(ctx, cached);
  const known = cached.get(company);
  if (known) return known;
  const lists = ctx.client().then((client) => client.call(listLists, { query: { companyId: company } }));
  cached.set(company, lists);
  return lists;
}

/** The address of a list in a browser or of the API. */
const address = /^https?:\/\/\S*\/lists\/([0-9a-f-]{36})(?:[/?#]|$)/i;

/** `COMPANY:LIST` and the address of a list: what follows goes to that company, and what remains is the list itself. */
function ofCompany(ctx: Context, target: string): string {
  const { settings } = ctx;
  const listId = address.exec(target)?.[1];
  if (listId !== undefined && isUuid(listId)) return listId;
  const at = target.indexOf(':');
  const [alias, list] = [target.slice(0, at), target.slice(at + 1)];
  // The name of a list may contain a colon too.
  const company = at < 1 || list.startsWith(' ') ? undefined : companyNamed(ctx, alias);
  if (at < 1 || list === '' || company === undefined) return target;
  settings.companies = { value: [company], origin: 'flag', from: target };
  return list;
}

/** The company of an id, an alias or a known name. @throws usage for a name of several */
function companyNamed(ctx: Context, word: string): string | undefined {
  try {
    return ctx.companyOf(word, 'LIST');
  } catch (error) {
    if (isUnknownCompany(error)) return undefined;
    throw error;
  }
}

export async function resolveList(ctx: Context, named: string): Promise<Target> {
  const target = ofCompany(ctx, named);
  if (isUuid(target)) return { id: target };
  if (target === '') throw usage('LIST must not be empty', 'give a uuid, a slug or an exact name');
  const lists = await companyLists(ctx);
  const byId = lists.filter(({ id }) => id === target);
  const matches = byId.length > 0 ? byId : lists.filter((list) => list.slug === target || list.name === target);
  const list = single('lists', target, matches, (list) => `${list.id} "${list.name}" (${list.slug})`);
  if (list?.id !== undefined) {
    ctx.out.about(list.slug ?? target);
    followOwner(ctx, list);
    return { id: list.id, name: list.name };
  }
  for (const { id, slug, name } of lists) {
    if (slug === undefined) requireField(slug, 'slug', rowName('list', id));
    if (name === undefined) requireField(name, 'name', rowName('list', id));
  }
  const names = [...lists.flatMap((list) => list.slug ?? []), ...lists.flatMap((list) => list.name ?? [])];
  throw notFound(`list "${target}" not found`, nearest(target, names), '`comem lists list` shows them');
}

/** The one list of exactly this name; undefined when there is none, a usage failure when there are several. */
export async function listNamed(ctx: Context, name: string): Promise<CustomListSummary | undefined> {
  const matches = (await companyLists(ctx)).filter((list) => list.name === name);
  return single('lists', name, matches, (list) => `${list.id} (${list.slug})`);
}

/** The list with its attributes, by a cached id that the answer confirms. @param onId called before it is read */
export async function readList(ctx: Context, target: string, onId: (listId: string) => void = () => {}) {
  const read = async (id: string) => {
    const client = await ctx.client();
    onId(id);
    return { ...(await client.call(getList, { params: { listId: id } })), id };
  };
  const cachedId = await cachedIdOf(ctx, target);
  if (cachedId !== undefined) ctx.out.about(target);
  const cached = cachedId === undefined ? undefined : await read(cachedId).catch(unlessGone);
  const list = cached?.slug === target ? cached : await read((await resolveList(ctx, target)).id);
  if (list.slug) ctx.out.about(list.slug);
  followOwner(ctx, list);
  return { ...list, list_attributes: inOrder(list.list_attributes ?? []) };
}

/** Starts work that needs only the id of a list while the list is read. */
export function besideList<T>(ctx: Context, work: (listId: string) => Promise<T>) {
  let begun: { listId: string; companies: unknown; result: Promise<T> } | undefined;
  return {
    begin(listId: string): void {
      const result = work(listId);
      // The reading of the list may fail first.
      result.catch(() => {});
      begun = { listId, companies: ctx.settings.companies, result };
    },
    /** What was begun counts if it was for this list and its company. */
    result(listId: string): Promise<T> {
      const isSame = begun?.listId === listId && begun.companies === ctx.settings.companies;
      return isSame && begun ? begun.result : work(listId);
    },
  };
}

async function cachedIdOf(ctx: Context, target: string): Promise<string | undefined> {
  const { baseUrl } = ctx.settings;
  if (isUuid(target) || target === '' || ctx.past || baseUrl.value === undefined) return undefined;
  const { cachedListId } = await import('../../cli/completion/names.ts');
  return cachedListId(ctx.folders, { baseUrl: baseUrl.value, company: ctx.requireCompany() }, target);
}

/** A cached id may be that of a list that was deleted since, or that only others may read. */
function unlessGone(error: unknown): undefined {
  if (error instanceof Failure && (error.kind === 'notFound' || error.kind === 'credential')) return undefined;
  throw error;
}

/** A list may be one of another company: the header of what follows is for its owner. */
function followOwner({ settings }: Context, { id, company_id: owner }: CustomListSummary): void {
  if (owner && settings.companies.value.length === 1 && owner !== settings.companies.value[0]) {
    settings.companies = { value: [owner], origin: 'default', from: `the list ${id}` };
  }
}

/** The attribute that ATTR names; a uuid that the list does not have stays as it is. */
export function resolveAttribute(list: CustomListWithAttributes, target: string): CustomListAttribute & { id: string } {
  const attributes = list.list_attributes ?? [];
  if (isUuid(target)) {
    return { ...attributes.find(({ id }) => id?.toLowerCase() === target.toLowerCase()), id: target };
  }
  const by = (field: 'id' | 'slug' | 'name') => attributes.filter((attribute) => attribute[field] === target);
  const matches = [by('id'), by('slug'), by('name')].find(({ length }) => length > 0) ?? [];
  const attribute = single('attributes', target, matches, ({ id, name, slug }) => `${id} "${name}" (${slug})`);
  if (attribute?.id !== undefined) return { ...attribute, id: attribute.id };
  const slugs = attributes.flatMap(({ slug }) => slug ?? []);
  throw notFound(
    `the list "${list.name}" has no attribute "${target}"`,
    nearest(target, slugs),
    slugs.length === 0 ? 'it has no attributes yet' : `it has: ${slugs.join(', ')}`,
  );
}

/** The one attribute of exactly this name; undefined when there is none, a usage failure when there are several. */
export function attributeNamed(list: CustomListWithAttributes, name: string): CustomListAttribute | undefined {
  const matches = (list.list_attributes ?? []).filter((attribute) => attribute.name === name);
  return single('attributes', name, matches, ({ id, slug }) => `${id} (${slug})`);
}

/** The one entry of exactly this title, archived or not; undefined when there is none, a usage failure when there are several. */
export async function entryTitled(ctx: Context, listId: string, title: string): Promise<CustomListEntry | undefined> {
  return (await entriesLike(ctx, listId, title)).match;
}

/** The entry that ENTRY names; a title is looked up among archived entries too. */
export async function resolveEntry(ctx: Context, listId: string, target: string): Promise<Target> {
  if (isUuid(target)) return { id: target };
  const entry = await entryByTitle(ctx, listId, target);
  return { id: entry.id, name: entry.title };
}

/** The fields of the entry that ENTRY names. The API reads no single entry, so an id is searched page by page. */
export async function readEntry(ctx: Context, listId: string, target: string): Promise<CustomListEntry> {
  if (!isUuid(target)) return entryByTitle(ctx, listId, target);
  const id = target.toLowerCase();
  for await (const entry of candidates(ctx, listId)) if (entry.id?.toLowerCase() === id) return entry;
  throw notFound(`the list has no entry ${target}`, undefined, 'comem entries list shows its entries');
}

async function entryByTitle(ctx: Context, listId: string, title: string): Promise<CustomListEntry & { id: string }> {
  if (title === '') throw usage('ENTRY must not be empty', 'give a uuid or an exact title');
  const { match, others } = await entriesLike(ctx, listId, title);
  if (match?.id !== undefined) return { ...match, id: match.id };
  const other = await entryByOtherId(ctx, listId, title);
  if (other) return other;
  throw notFound(
    `the list has no entry with the title "${title}"`,
    nearest(title, others) ?? others[0],
    'give the complete title; `comem entries list LIST --search TEXT` finds parts of it',
  );
}

/** The entry of exactly this title, and titles that contain it. */
async function entriesLike(ctx: Context, listId: string, title: string) {
  const entries: CustomListEntry[] = [];
  const others: string[] = [];
  for await (const entry of candidates(ctx, listId, title)) {
    if (entry.title === title) entries.push(entry);
    else if (others.length < 1000 && typeof entry.title === 'string') others.push(entry.title);
  }
  const match = single(
    'entries',
    title,
    entries,
    (entry) => `${entry.id} (${entry.archived ? 'archived, ' : ''}created ${entry.created_at})`,
  );
  return { match, others };
}

/** The entry of an id that is no UUID, on a server whose ids are none. */
async function entryByOtherId(ctx: Context, listId: string, id: string) {
  const [first] = isId(id) ? await firstEntries(ctx, listId) : [];
  if (first?.id === undefined || isUuid(first.id)) return undefined;
  for await (const entry of candidates(ctx, listId)) if (entry.id === id) return { ...entry, id };
  return undefined;
}

async function* candidates(ctx: Context, listId: string, search?: string): AsyncIterable<CustomListEntry> {
  const client = await ctx.client();
  const query = { archived: true, ...(search === undefined ? {} : { search }) };
  for await (const page of client.pages(listEntries, { params: { listId }, query })) yield* page;
}

type Placed = { id?: string | undefined; position?: unknown };

/** The items that `--position 0` has to precede; none for other positions, or if they cannot be read. */
export async function toPrecede(position: number | undefined, read: () => Promise<readonly Placed[] | undefined>) {
  try {
    return position === 0 ? ((await read()) ?? []) : [];
  } catch (error) {
    if (isSkippable(error)) return [];
    throw error;
  }
}

/** `{ position }` where 0 would not be the first, since of items in one position the oldest is. `id` is what moves. */
export function firstPlace(others: readonly Placed[], id?: string): { position?: number } {
  const places = others.flatMap((other) =>
    other.position === undefined || other.id?.toLowerCase() === id?.toLowerCase() ? [] : Number(other.position),
  );
  const first = Math.min(...places);
  return Number.isSafeInteger(first) && first <= 0 ? { position: first - 1 } : {};
}

/** The first two entries of a list: one of them may be the entry that moves. */
export async function firstEntries(ctx: Context, listId: string): Promise<CustomListEntry[]> {
  const client = await ctx.client();
  return client.call(listEntries, { params: { listId }, query: { archived: true, limit: 2 } });
}

function single<T extends { id?: string }>(
  kind: string,
  target: string,
  matches: readonly T[],
  describe: (item: T) => string,
): T | undefined {
  const distinct = matches.filter((item, index) => matches.findIndex(({ id }) => id === item.id) === index);
  if (distinct.length <= 1) return distinct[0];
  const candidates = listSome(distinct.map(describe), maxCandidates);
  throw usage(`"${target}" matches ${distinct.length} ${kind}: ${candidates}`, 'give the id of one of them');
}

function notFound(message: string, near: string | undefined, otherwise: string): Failure {
  return new Failure('notFound', message, {
    hint: near === undefined ? otherwise : `did you mean "${near}"? ${otherwise}`,
  });
}

/** Sorts by `position`; attributes without one come last, in the API's order. */
function inOrder(attributes: readonly CustomListAttribute[]): CustomListAttribute[] {
  const rank = ({ position }: CustomListAttribute) => Number(position ?? Number.MAX_SAFE_INTEGER);
  return [...attributes].sort((a, b) => rank(a) - rank(b));
}
