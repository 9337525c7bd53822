/** Entries as they were: pages of a walk along the versions of one moment, never a copy of the list. */
import type { operations } from '../../contract/index.ts';
import type { AttributeType, CustomListEntry } from '../../contract/lists.ts';
import { totalCountHeader } from '../../contract/operation.ts';
import { foldCase } from '../../core/same.ts';
import { entryFilter } from '../../server/handlers/entries.ts';
import type { Attribute } from '../../server/model/attribute.ts';
import { facetKey, facetTexts } from '../../server/store/entries.ts';
import type { EntryFilter } from '../../server/store/entry-pages.ts';
import { attributesOf, type Reader, requireList } from './lists.ts';
import { bodyOf, notMirrored, type State } from './state.ts';

/** The page size when the request names none (docs/server.md, "Entries" 2). */
const defaultLimit = 100;

/** Answers pages of entries. A request reads from where the previous one of its selection ended. */
export function entriesReader(): Reader<typeof operations.listEntries> {
  const walks = new Map<string, Walk>();
  return async (state, call) => {
    const { query, maxPage } = call;
    const list = await requireList(state, call);
    const name = `the entries of the list "${list.body.name}"`;
    await state.requirePart('entries', list.id, name);
    await state.warnOfOlder(new Map([[name, { part: 'entries', owner: list.id, list: list.id }]]));
    if (query.viewId !== undefined) throw notMirrored('saved views');
    const attributes = (await attributesOf(state, list.id)).map(bodyOf<Attribute>);
    const filter = entryFilter(list.id, attributes, query);
    const types = new Map(attributes.map(({ slug, attribute_type }) => [slug, attribute_type]));
    const key = JSON.stringify(filter);
    const walk = walks.get(key) ?? new Walk(() => selectEntries(state, filter, types));
    walks.set(key, walk);
    const limit = Math.min(Number(query.limit ?? defaultLimit), maxPage);
    const offset = Math.min(Number(query.offset ?? 0), Number.MAX_SAFE_INTEGER);
    const count = async () => (await countOf(state, filter)) ?? walk.count();
    const headers = query.withTotal === true ? { [totalCountHeader]: String(await count()) } : undefined;
    return { body: await walk.page(offset, limit), headers };
  };
}

/** Counts that the mirror has; undefined for a selection by title or value. */
async function countOf({ at }: State, filter: EntryFilter): Promise<number | undefined> {
  if (filter.search.length > 0 || filter.facets.length > 0) return undefined;
  const count = await at.entryCount(filter.listId);
  if (filter.archived === 'with') return count?.all;
  return filter.archived === 'only' ? count?.archived : count?.current;
}

class Walk {
  private rows: AsyncGenerator<CustomListEntry> | undefined;
  private position = 0;
  private total: Promise<number> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly begin: () => AsyncGenerator<CustomListEntry>) {}

  count(): Promise<number> {
    this.total ??= this.counted();
    return this.total;
  }

  private async counted(): Promise<number> {
    let total = 0;
    for await (const _ of this.begin()) total += 1;
    return total;
  }

  /** Pages are read one after the other, though several requests are under way. */
  page(offset: number, limit: number): Promise<CustomListEntry[]> {
    const next = this.last.then(() => this.read(offset, limit));
    this.last = next.catch(() => {});
    return next;
  }

  private async read(offset: number, limit: number): Promise<CustomListEntry[]> {
    if (this.rows === undefined || offset < this.position) {
      this.rows = this.begin();
      this.position = 0;
    }
    const page: CustomListEntry[] = [];
    while (page.length < limit) {
      const next = await this.rows.next();
      if (next.done) break;
      if (this.position >= offset) page.push(next.value);
      this.position += 1;
    }
    return page;
  }
}

/** The entries of the filter in the order of the API. */
async function* selectEntries(
  state: State,
  filter: EntryFilter,
  types: ReadonlyMap<string, AttributeType>,
): AsyncGenerator<CustomListEntry> {
  const holds = conditionOf(filter, types);
  for await (const entry of inApiOrder(state, filter.listId)) if (holds(entry)) yield entry;
}

/** Entries of one position are sorted by creation, up to this number of them. */
const maxBatch = 10_000;

/** Entries by position, creation and id; a mirror has them by position and id. */
async function* inApiOrder(state: State, listId: string): AsyncGenerator<CustomListEntry> {
  let together: CustomListEntry[] = [];
  for await (const entry of state.at.entries(listId)) {
    if (together.length > 0 && (together[0]?.position !== entry.position || together.length >= maxBatch)) {
      yield* together.sort(byCreation);
      together = [];
    }
    together.push(entry);
  }
  yield* together.sort(byCreation);
}

function byCreation(a: CustomListEntry, b: CustomListEntry): number {
  if (a.created_at !== b.created_at) return String(a.created_at) < String(b.created_at) ? -1 : 1;
  return String(a.id) < String(b.id) ? -1 : 1;
}

/** The condition that a database answers from its indexes, for one entry. */
function conditionOf(
  { archived, search, facets }: EntryFilter,
  types: ReadonlyMap<string, AttributeType>,
): (entry: CustomListEntry) => boolean {
  const titles = search.map(foldCase);
  const conditions = facets.map(({ slug, texts }) => ({
    slug,
    type: types.get(slug),
    keys: new Set(texts.map(facetKey)),
  }));
  return ({ archived: isArchived, title, values }) => {
    if (archived !== 'with' && isArchived !== (archived === 'only')) return false;
    if (titles.length > 0) {
      const key = foldCase(title ?? '');
      if (!titles.every((text) => key.includes(text))) return false;
    }
    return conditions.every(
      ({ slug, type, keys }) =>
        type !== undefined &&
        Object.hasOwn(values ?? {}, slug) &&
        facetTexts(type, values?.[slug]).some((text) => keys.has(facetKey(text))),
    );
  };
}
