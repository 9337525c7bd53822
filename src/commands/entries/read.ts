/** Which entries `entries list` and `entries count` ask for, and how they are read. */

import { pair } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag, inGroup } from '../../cli/define.ts';
import { fieldsOf, pageOptions, queryFlags } from '../../cli/operation-flags.ts';
import { hasRowFlags, openQuery, type RowFlags, type RowQuery } from '../../cli/query.ts';
import type { PageOptions } from '../../client/paging.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import type { CustomListEntry, CustomListWithAttributes } from '../../contract/lists.ts';
import type { Input } from '../../contract/operation.ts';
import { Failure, readWhole, usage } from '../../core/errors.ts';
import type { Condition } from '../../domain/entries/filters.ts';
import type { Attribute } from '../../domain/entries/options.ts';
import { type Entry, entryScope } from '../../domain/entries/scope.ts';
import { readEntry, readList, resolveList } from '../lists/read.ts';

export type ReadList = CustomListWithAttributes & { id: string };

type Query = NonNullable<Input<typeof listEntries>['query']>;
type EntriesInput = Input<typeof listEntries> & { params: { listId: string } };

const fields = queryFlags(listEntries, {
  search: { value: 'TEXT' },
  archived: {},
  archivedOnly: {},
  viewId: { flag: 'view' },
});

/** The flags that choose entries. */
export const selectionFlags = inGroup('ROWS', {
  filter: flag.list('SLUG=VALUE', 'entries with this value; also SLUG= and SLUG!=VALUE'),
  ...fields,
});

type SelectionFlags = Partial<FlagValues<typeof selectionFlags>>;

interface Selection {
  input: EntriesInput;
  conditions: readonly Condition[];
}

/** The query of the flags, which says whether archived entries are wanted. The list is read only for a filter. */
export async function selection(ctx: Context, target: string, flags: SelectionFlags): Promise<Selection> {
  const list = (flags.filter ?? []).length > 0 ? await readList(ctx, target) : undefined;
  const { input, conditions } = await said(ctx, list ?? (await resolveList(ctx, target)), flags);
  return { conditions, input: { ...input, query: withArchived({ ...input.query }) } };
}

/** What the flags say of a list, whose attributes only a filter needs. */
async function said(
  ctx: Context,
  list: Pick<ReadList, 'id' | 'list_attributes'>,
  flags: SelectionFlags,
  source = '--filter',
): Promise<Selection> {
  const query = fieldsOf(fields, flags);
  const params = { listId: list.id };
  const { filter: filters = [] } = flags;
  if (filters.length === 0) return { input: { params, query }, conditions: [] };
  const { readFilters } = await import('../../domain/entries/filters.ts');
  const typing = { source, now: ctx.now() };
  const { facets, conditions } = readFilters(filters, list.list_attributes ?? [], typing, true);
  const filter = Object.keys(facets).length > 0 ? { filter: facets } : {};
  return { input: { params, query: { ...query, ...filter } }, conditions };
}

interface AskedEntries {
  input: EntriesInput;
  question: RowQuery<Entry>;
}

/** What the flags ask of the entries of a list; the API filters by as much of it as it can. `source`: what has the filters. */
export async function askEntries(
  ctx: Context,
  list: ReadList,
  flags: SelectionFlags & RowFlags,
  command: string,
  source?: string,
): Promise<AskedEntries> {
  const { input, conditions } = await said(ctx, list, flags, source);
  const { search, archived, archivedOnly, view, filter, where } = flags;
  const question = await openQuery(ctx, {
    scope: entryScope(list.list_attributes ?? [], ctx.now),
    flags,
    conditions,
    command: [command, list.id, { search, archived, archivedOnly, view, filter, where }],
  });
  const query = { ...input.query };
  if (question.conditions.length > 0) {
    const { apiParts } = await import('../../domain/entries/filters.ts');
    const parts = apiParts(query, question.conditions);
    if (ctx.settings.verbose) ctx.out.note(parts.says);
    Object.assign(query, parts.query);
  }
  return { input: { ...input, query: withArchived(query) }, question };
}

/** How entries are shown, and what is said after them. */
export const shownEntries = {
  name: entryName,
  empty: 'No entries.',
  counts: ['entry', 'entries'] as const,
  next: 'comem entries get LIST TITLE for one',
};

/** How messages call an entry. */
export function entryName({ id, title }: Entry): string {
  return title === undefined ? String(id) : `${id} "${title}"`;
}

/**
 * The API leaves the default open (docs/api.md, "What the API leaves open"): what is wanted is always said. A saved view
 * chooses by itself.
 */
function withArchived(query: Query): Query {
  const { archived, archivedOnly, viewId } = query;
  const isSaid = archived !== undefined || archivedOnly !== undefined || viewId !== undefined;
  return isSaid ? query : { ...query, archived: false };
}

/** Formats that contain all values of entries. */
const complete: readonly (string | undefined)[] = ['json', 'ndjson', 'yaml', 'id'];

/**
 * Every entry of the query as it comes; `--limit` and `--page-size` apply, `--limit` not to `all`. At their end a warning
 * names values that belong to no attribute and have no column.
 */
export async function* entries(
  ctx: Context,
  input: EntriesInput,
  attributes: readonly Attribute[] | undefined,
  { offset, all = false, seen }: { offset?: number | undefined; all?: boolean; seen?: { total?: number } } = {},
): AsyncGenerator<readonly CustomListEntry[]> {
  const client = await ctx.client();
  const { limit, pageSize } = pageOptions(ctx, listEntries);
  const known = attributes && new Set(attributes.map(({ slug }) => slug));
  const stray = new Set<string>();
  const onPage: PageOptions['onPage'] = ({ total }) => {
    if (seen && total !== undefined) seen.total = total;
  };
  const options = { limit: all ? undefined : limit, pageSize, offset, onPage };
  for await (const page of client.pages(listEntries, input, options)) {
    if (known) {
      for (const { values } of page) for (const slug in values) if (!known.has(slug)) stray.add(slug);
    }
    yield page;
  }
  if (stray.size === 0 || ctx.settings.jq !== undefined || complete.includes(ctx.settings.output.value)) return;
  ctx.out.warn(
    `values without an attribute have no column and are only in json, ndjson and yaml: ${[...stray].join(', ')}`,
  );
}

/** How many entries the flags choose: the server says it, unless they are tested here. */
export async function countChosen(
  ctx: Context,
  target: string,
  flags: SelectionFlags & RowFlags,
): Promise<{ count: number; finished(): void }> {
  if (!hasRowFlags(flags) && (flags.filter ?? []).length === 0) {
    const { input } = await selection(ctx, target, flags);
    return { count: await countEntries(ctx, input), finished() {} };
  }
  const { input, question } = await askEntries(ctx, await readList(ctx, target), flags, 'entries count');
  if (!question.isLocal) return { count: await countEntries(ctx, input), finished() {} };
  const pages = entries(ctx, input, undefined, { all: true });
  if (flags.one) await (await import('../../cli/row-query.ts')).onlyRow(question.choose(pages), entryName);
  let count = flags.one ? 1 : 0;
  if (!flags.one) for await (const page of question.select(pages)) count += page.length;
  return { count, finished: question.finished };
}

/** How many entries the query matches: the server's total, or by reading them if it gives none. */
export async function countEntries(ctx: Context, input: EntriesInput): Promise<number> {
  const client = await ctx.client();
  // A saved view never carries the total (docs/api.md, "listEntries").
  if (input.query?.viewId === undefined) {
    const reply = await client.send(listEntries, { ...input, query: { ...input.query, limit: 1, withTotal: true } });
    const { totalOf } = await import('../../client/paging.ts');
    const total = totalOf(reply.headers);
    // A total without rows, or rows beyond it, is not believed.
    if (total !== undefined && Math.min(total, 1) === Math.min(reply.data.length, 1)) return total;
  }
  let count = 0;
  for await (const page of readWhole(client.pages(listEntries, input))) count += page.length;
  return count;
}

/** How many entries of a list, archived ones too, hold a value of the attribute. */
export async function countValues(ctx: Context, listId: string, slug: string): Promise<number> {
  const client = await ctx.client();
  let count = 0;
  for await (const page of client.pages(listEntries, { params: { listId }, query: { archived: true } })) {
    count += page.filter(({ values }) => values && Object.hasOwn(values, slug) && holds(values[slug])).length;
  }
  return count;
}

/** How many entries of a list, archived ones too, hold one of the options. */
export async function countOptions(
  ctx: Context,
  listId: string,
  slug: string,
  options: ReadonlySet<unknown>,
): Promise<number> {
  const client = await ctx.client();
  let count = 0;
  for await (const page of client.pages(listEntries, { params: { listId }, query: { archived: true } })) {
    count += page.filter(({ values }) => [values?.[slug]].flat().some((option) => options.has(option))).length;
  }
  return count;
}

function holds(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** As many candidates as a message names. */
const mostNamed = 10;

/** @throws usage when both or none are given, or several entries match; notFound when none does */
export async function namedEntry(
  ctx: Context,
  list: ReadList,
  entry: string | undefined,
  by: string | undefined,
): Promise<CustomListEntry> {
  if ((entry === undefined) === (by === undefined)) {
    throw usage('give either ENTRY or --by SLUG=VALUE', 'ENTRY is a uuid or an exact title');
  }
  if (by === undefined) return readEntry(ctx, list.id, entry ?? '');
  const found: CustomListEntry[] = [];
  for await (const row of await withValue(ctx, list, by)) {
    found.push(row);
    if (found.length > mostNamed) break;
  }
  const [only, second] = found;
  if (only === undefined) {
    throw new Failure('notFound', `no entry has ${by}`, { hint: '`comem entries list` shows the entries' });
  }
  if (second === undefined) return only;
  const many = found.length > mostNamed ? `more than ${mostNamed}` : String(found.length);
  const candidates = found.slice(0, mostNamed).map(entryName).join(', ');
  throw usage(`${by} matches ${many} entries: ${candidates}`, 'give the id of one of them');
}

async function withValue(ctx: Context, list: ReadList, by: string): Promise<AsyncIterable<CustomListEntry>> {
  const { key, ...value } = pair('--by', by);
  const attribute = list.list_attributes?.find(({ slug }) => slug === key);
  if (attribute?.attribute_type === 'url' && 'text' in value && value.text !== '') {
    const input = { params: { listId: list.id }, query: { archived: true } };
    return withAddress(entries(ctx, input, undefined, { all: true }), key, value.text);
  }
  const { input, question } = await askEntries(ctx, list, { filter: [by], archived: true }, 'entries get', '--by');
  return question.choose(entries(ctx, input, undefined, { all: true }));
}

async function* withAddress(
  pages: AsyncIterable<readonly CustomListEntry[]>,
  slug: string,
  address: string,
): AsyncGenerator<CustomListEntry> {
  const wanted = bare(address);
  for await (const page of pages) {
    for (const row of page) {
      const value = row.values && Object.hasOwn(row.values, slug) ? row.values[slug] : undefined;
      if (typeof value === 'string' && bare(value) === wanted) yield row;
    }
  }
}

/** An address without what people leave out; only the host is the same in any letter case. */
function bare(address: string): string {
  const text = address
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/^www\./i, '')
    .replace(/\/$/, '');
  const end = text.search(/[/?#]/);
  return end < 0 ? text.toLowerCase() : text.slice(0, end).toLowerCase() + text.slice(end);
}
