/** Which entries `entries list` and `entries count` ask for, and how they are read. */

import { pairs } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag } from '../../cli/define.ts';
import { fieldsOf, pageOptions, queryFlags } from '../../cli/operation-flags.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import type { CustomListEntry } from '../../contract/lists.ts';
import type { Input } from '../../contract/operation.ts';
import { totalCountHeader } from '../../contract/operation.ts';
import { facets } from '../../domain/entries/filters.ts';
import type { Attribute } from '../../domain/entries/options.ts';
import { readList, resolveList } from '../lists/read.ts';

type EntriesInput = Input<typeof listEntries> & { params: { listId: string } };

const fields = queryFlags(listEntries, {
  search: { value: 'TEXT' },
  archived: {},
  archivedOnly: {},
  viewId: { flag: 'view' },
});

/** The flags that choose entries. */
export const selectionFlags = {
  filter: flag.list('SLUG=VALUE', 'entries whose attribute has this value'),
  ...fields,
};

/** The query of the flags. Where the list was not read before, it is read only when a filter needs its attributes. */
export async function selection(
  ctx: Context,
  target: string,
  flags: Partial<FlagValues<typeof selectionFlags>>,
  read?: Awaited<ReturnType<typeof readList>>,
): Promise<EntriesInput> {
  const query = withArchived(fieldsOf(fields, flags));
  const filters = pairs('--filter', flags.filter).map((one) => ({
    slug: one.key,
    text: 'text' in one ? one.text : String(one.json),
  }));
  if (filters.length === 0) return { params: { listId: read?.id ?? (await resolveList(ctx, target)).id }, query };
  const list = read ?? (await readList(ctx, target));
  const filter = facets(list.list_attributes ?? [], filters, { source: '--filter', now: ctx.runtime.now() });
  return { params: { listId: list.id }, query: { ...query, filter } };
}

/**
 * The API leaves the default open (docs/api.md, "What the API leaves open"): what is wanted is always said. A saved view
 * chooses by itself.
 */
export function withArchived<Q extends { archived?: boolean; archivedOnly?: boolean; viewId?: string }>(query: Q): Q {
  const { archived, archivedOnly, viewId } = query;
  const isSaid = archived !== undefined || archivedOnly !== undefined || viewId !== undefined;
  return isSaid ? query : { ...query, archived: false };
}

/** Formats that contain all values of entries. */
const complete: readonly (string | undefined)[] = ['json', 'ndjson', 'yaml', 'id'];

/**
 * Every entry of the query as it comes; `--limit` and `--page-size` apply. At their end a warning names values that
 * belong to no attribute and have no column.
 */
export async function* entries(
  ctx: Context,
  input: EntriesInput,
  attributes: readonly Attribute[],
  offset?: number,
): AsyncIterable<CustomListEntry> {
  const client = await ctx.client();
  const known = new Set(attributes.map(({ slug }) => slug));
  const stray = new Set<string>();
  for await (const page of client.pages(listEntries, input, { ...pageOptions(ctx, listEntries), offset })) {
    // One generator, and no `yield*`: each hand-over of a row is a turn of the microtask queue.
    for (const entry of page) {
      for (const slug in entry.values) if (!known.has(slug)) stray.add(slug);
      yield entry;
    }
  }
  if (stray.size === 0 || ctx.settings.jq !== undefined || complete.includes(ctx.settings.output.value)) return;
  ctx.out.warn(
    `values without an attribute have no column and are only in json, ndjson and yaml: ${[...stray].join(', ')}`,
  );
}

/** How many entries the query matches: the server's total, or by reading them if it gives none. */
export async function countEntries(ctx: Context, input: EntriesInput): Promise<number> {
  const client = await ctx.client();
  // A saved view never carries the total (docs/api.md, "listEntries").
  if (input.query?.viewId === undefined) {
    const reply = await client.send(listEntries, { ...input, query: { ...input.query, limit: 1, withTotal: true } });
    const total = reply.headers[totalCountHeader];
    if (total !== undefined && /^\d+$/.test(total.trim())) return Number(total);
  }
  let count = 0;
  for await (const page of client.pages(listEntries, input)) count += page.length;
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

function holds(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}
