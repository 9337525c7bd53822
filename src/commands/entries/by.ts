/** `entries get LIST --by SLUG=VALUE`: the one entry with a value. */

import { pair } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import type { CustomListEntry } from '../../contract/lists.ts';
import { Failure, usage } from '../../core/errors.ts';
import { readEntry } from '../lists/read.ts';
import { askEntries, entries, entryName, type ReadList } from './read.ts';

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
