/** Reads entries and chooses among them: the first half of `entries list`, `count`, `summarize`, `get` and bulk writes. */

import { pair } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag, inGroup } from '../../cli/define.ts';
import { fieldsOf, queryFlags } from '../../cli/operation-flags.ts';
import { hasRowFlags, openQuery, type RowFlags, type RowQuery } from '../../cli/query.ts';
import type { PageOptions } from '../../client/paging.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import type { CustomListEntry, CustomListWithAttributes } from '../../contract/lists.ts';
import type { Input } from '../../contract/operation.ts';
import { readWhole, shorten, usage } from '../../core/errors.ts';
import { propertyOf } from '../../core/json.ts';
import { isEmptyValue } from '../../core/same.ts';
import { type Attribute, findAttribute } from '../../domain/entries/options.ts';
import { type Entry, entryScope } from '../../domain/entries/scope.ts';
import { besideList, readEntry, readList, resolveList } from '../lists/read.ts';

export type ReadList = CustomListWithAttributes & { id: string };

type Query = NonNullable<Input<typeof listEntries>['query']>;
type EntriesInput = Input<typeof listEntries> & { params: { listId: string } };

const queryFields = queryFlags(listEntries, {
  search: { value: 'TEXT' },
  archived: {},
  archivedOnly: { hidden: true },
  viewId: { flag: 'view', hidden: true },
});

/** The flags that choose entries. */
export const selectionFlags = inGroup('ROWS', {
  filter: flag.list('SLUG=VALUE', 'entries with this value; also SLUG= and SLUG!=VALUE'),
  ...queryFields,
});

type SelectionFlags = Partial<FlagValues<typeof selectionFlags>>;

interface EntryQuery {
  input: EntriesInput;
  question: RowQuery<Entry>;
  /** The columns that the API does not filter. */
  tested: readonly string[];
}

/** The entries that the flags choose; the API filters by as much of it as it can. `source` names the flag of the filters. */
export async function queryEntries(
  ctx: Context,
  list: Pick<ReadList, 'id' | 'list_attributes'>,
  flags: SelectionFlags & RowFlags,
  command: string,
  source = '--filter',
): Promise<EntryQuery> {
  const attributes = list.list_attributes ?? [];
  const { search, archived, archivedOnly, view, filter = [], where } = flags;
  const filters = () => import('../../domain/entries/filters.ts');
  const typing = { source, conditions: '--where', now: ctx.now() };
  const question = await openQuery(ctx, {
    scope: entryScope(attributes, ctx.now),
    flags,
    conditions: filter.length === 0 ? [] : (await filters()).readFilters(filter, attributes, typing),
    command: [command, list.id, { search, archived, archivedOnly, view, filter: flags.filter, where }],
  });
  const params = { listId: list.id };
  const query = fieldsOf(queryFields, flags);
  if (question.conditions.length === 0) return { input: { params, query: withArchived(query) }, question, tested: [] };
  const parts = (await filters()).apiParts(query, question.conditions);
  if (ctx.settings.verbose) ctx.out.note(parts.says);
  return { input: { params, query: withArchived({ ...query, ...parts.query }) }, question, tested: parts.tested };
}

/** Messages around a table of entries. */
export const entryRows = {
  name: entryName,
  empty: 'No entries.',
  counts: ['entry', 'entries'] as const,
};

/** The name of an entry in messages. */
export function entryName({ id, title }: Entry): string {
  return title === undefined ? String(id) : `${id} "${title}"`;
}

/** The API leaves the default open (docs/api.md, "What the API leaves open"). A saved view chooses by itself. */
function withArchived(query: Query): Query {
  const { archived, archivedOnly, viewId } = query;
  const isStated = archived !== undefined || archivedOnly !== undefined || viewId !== undefined;
  return isStated ? query : { ...query, archived: false };
}

/** Most attributes in a message. */
const maxNames = 10;

/** Formats that contain all values of entries. */
const complete: readonly (string | undefined)[] = ['json', 'ndjson', 'yaml', 'id'];

interface ReadingOptions {
  /** If given, a warning names values without an attribute, which have no column. */
  attributes?: readonly Attribute[];
  offset?: number | undefined;
  limit?: number | undefined;
  /** Receives the server's total. */
  received?: { total?: number };
  /** Pages of the same query, where they are being read already. */
  pages?: AsyncIterable<readonly CustomListEntry[]> | undefined;
}

/** The list, and its entries read beside it where no condition, filter or --fields needs its attributes. */
export async function readListWithEntries(
  ctx: Context,
  target: string,
  flags: SelectionFlags & RowFlags,
  reading: Pick<ReadingOptions, 'offset' | 'limit' | 'received'>,
): Promise<{ list: ReadList; pages?: AsyncIterable<readonly CustomListEntry[]> }> {
  const isPlain = !hasRowFlags(flags) && (flags.filter ?? []).length === 0 && ctx.settings.fields === undefined;
  if (!isPlain) return { list: await readList(ctx, target) };
  const begun = besideList(ctx, (listId) => beginEntries(ctx, listId, flags, reading));
  const list = await readList(ctx, target, begun.begin);
  return { list, pages: await begun.result(list.id) };
}

/** Begins to read the entries of a query that needs no attributes: the first page is on its way. */
async function beginEntries(
  ctx: Context,
  listId: string,
  flags: SelectionFlags,
  reading: Pick<ReadingOptions, 'offset' | 'limit' | 'received'>,
): Promise<AsyncIterable<readonly CustomListEntry[]>> {
  const query = withArchived({ ...fieldsOf(queryFields, flags) });
  const pages = pagesOf(ctx, { params: { listId }, query }, reading);
  const first = pages.next();
  first.catch(() => {});
  return afterFirst(first, pages);
}

async function* afterFirst<T>(first: Promise<IteratorResult<T>>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = await first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* pagesOf(
  ctx: Context,
  input: EntriesInput,
  { offset, limit, received }: Pick<ReadingOptions, 'offset' | 'limit' | 'received'>,
): AsyncGenerator<readonly CustomListEntry[]> {
  const client = await ctx.client();
  const { pageSize } = ctx.settings;
  const onPage: PageOptions['onPage'] = ({ total }) => {
    if (received && total !== undefined) received.total = total;
  };
  yield* client.pages(listEntries, input, { limit, pageSize, offset, onPage });
}

/** Every entry of the query as it comes, in pages of `--page-size`. */
export async function* entryPages(
  ctx: Context,
  input: EntriesInput,
  { attributes, pages: begun, ...reading }: ReadingOptions = {},
): AsyncGenerator<readonly CustomListEntry[]> {
  const pages = begun ?? pagesOf(ctx, input, reading);
  const known = attributes && new Set(attributes.map(({ slug }) => slug));
  const stray = new Set<string>();
  for await (const page of pages) {
    if (known) {
      for (const { values } of page) {
        for (const slug in values) if (stray.size <= maxNames && !known.has(slug)) stray.add(shorten(slug));
      }
    }
    yield page;
  }
  if (stray.size === 0 || ctx.settings.jq !== undefined || complete.includes(ctx.settings.output.value)) return;
  const names = [...stray].slice(0, maxNames).join(', ');
  const more = stray.size > maxNames ? ' and more' : '';
  ctx.out.warn(`values without an attribute have no column and are only in json, ndjson and yaml: ${names}${more}`);
}

/** Every entry of the list, archived ones too. */
export async function allEntries(ctx: Context, listId: string): Promise<CustomListEntry[]> {
  const entries: CustomListEntry[] = [];
  for await (const page of readWhole(entryPages(ctx, { params: { listId }, query: { archived: true } }))) {
    for (const entry of page) entries.push(entry);
    ctx.out.progress(`Reading the list: ${entries.length} entries`);
  }
  ctx.out.progress(undefined);
  return entries;
}

/** Counts the chosen entries: by the server's total, unless conditions are tested here. */
export async function countChosen(
  ctx: Context,
  target: string,
  flags: SelectionFlags & RowFlags,
): Promise<{ count: number; finished(): void }> {
  if (!hasRowFlags(flags) && (flags.filter ?? []).length === 0) {
    const { id } = await resolveList(ctx, target);
    const input = { params: { listId: id }, query: withArchived({ ...fieldsOf(queryFields, flags) }) };
    return { count: await countEntries(ctx, input), finished() {} };
  }
  const { input, question } = await queryEntries(ctx, await readList(ctx, target), flags, 'entries count');
  const pages = entryPages(ctx, input);
  if (flags.one) await (await import('../../cli/row-query.ts')).onlyRow(question.choose(pages), entryName);
  let count = flags.one ? 1 : 0;
  if (!flags.one) for await (const page of question.select(pages)) count += page.length;
  return { count, finished: question.finished };
}

/** Counts the entries of a query: by the server's total, or by reading them. */
export async function countEntries(ctx: Context, input: EntriesInput): Promise<number> {
  const client = await ctx.client();
  // A saved view never carries the total (docs/api.md, "listEntries").
  if (input.query?.viewId === undefined) {
    const reply = await client.send(listEntries, { ...input, query: { ...input.query, limit: 1, withTotal: true } });
    const { totalOf } = await import('../../client/paging.ts');
    const total = totalOf(reply.headers);
    // A total that contradicts the rows is ignored.
    if (total !== undefined && Math.min(total, 1) === Math.min(reply.data.length, 1)) return total;
  }
  let count = 0;
  for await (const page of readWhole(client.pages(listEntries, input))) count += page.length;
  return count;
}

/** Counts entries, archived ones included, with a value of the attribute. */
export function countValues(ctx: Context, listId: string, slug: string): Promise<number> {
  return countWhere(ctx, listId, ({ values }) => !isEmptyValue(propertyOf(values, slug)));
}

/** Counts entries, archived ones included, with one of the options. */
export function countOptions(
  ctx: Context,
  listId: string,
  slug: string,
  options: ReadonlySet<unknown>,
): Promise<number> {
  return countWhere(ctx, listId, ({ values }) =>
    [propertyOf(values, slug)].flat().some((option) => options.has(option)),
  );
}

async function countWhere(ctx: Context, listId: string, fits: (entry: CustomListEntry) => boolean): Promise<number> {
  let count = 0;
  const pages = entryPages(ctx, { params: { listId }, query: { archived: true } });
  for await (const page of pages) count += page.filter(fits).length;
  return count;
}

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
  const { onlyRow } = await import('../../cli/row-query.ts');
  return onlyRow(await withValue(ctx, list, by), entryName, {
    flag: `--by ${by}`,
    none: '`comem entries list` shows the entries',
    several: 'give the id of one of them',
  });
}

async function withValue(ctx: Context, list: ReadList, by: string): Promise<AsyncIterable<CustomListEntry>> {
  const { key, ...value } = pair('--by', by);
  const attribute = findAttribute(list.list_attributes ?? [], key);
  if (attribute?.attribute_type === 'url' && 'text' in value && value.text !== '') {
    const input = { params: { listId: list.id }, query: { archived: true } };
    return withAddress(entryPages(ctx, input), attribute.slug ?? key, value.text);
  }
  const { input, question } = await queryEntries(ctx, list, { filter: [by], archived: true }, 'entries get', '--by');
  return question.choose(entryPages(ctx, input));
}

async function* withAddress(
  pages: AsyncIterable<readonly CustomListEntry[]>,
  slug: string,
  address: string,
): AsyncGenerator<CustomListEntry> {
  const wanted = bareAddress(address);
  for await (const page of pages) {
    for (const row of page) {
      const value = propertyOf(row.values, slug);
      if (typeof value === 'string' && bareAddress(value) === wanted) yield row;
    }
  }
}

/** An address without scheme, www. and final slash; the host in lower case. */
function bareAddress(address: string): string {
  const text = address
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/^www\./i, '')
    .replace(/\/$/, '');
  const end = text.search(/[/?#]/);
  return end < 0 ? text.toLowerCase() : text.slice(0, end).toLowerCase() + text.slice(end);
}
