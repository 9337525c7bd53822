/** Which entries a request selects: its own parameters combined with those of a saved view. */
import { optionTypes } from '../../contract/lists.ts';
import { isDate, isDateTime } from '../../contract/validate.ts';
import type { Attribute } from '../model/attribute.ts';
import { invalid } from '../model/failure.ts';
import type { EntryFilter } from '../store/entry-pages.ts';
import { searchedText } from '../store/facets.ts';

interface EntryQuery {
  archived?: boolean;
  archivedOnly?: boolean;
  search?: string;
  filter?: Record<string, string[]>;
}

/** More alternatives than this in one request are refused: engines limit the parameters of a statement. */
const mostAlternatives = 1000;

/** Throws 400 for a facet that is not an attribute of the list. */
export function entryFilter(
  listId: string,
  attributes: readonly Attribute[],
  query: EntryQuery,
  view: Record<string, unknown> = {},
): EntryFilter {
  const asked = Object.entries(query.filter ?? {});
  const unknown = asked.filter(([slug]) => !attributes.some((attribute) => attribute.slug === slug));
  if (unknown.length > 0) {
    throw invalid(
      ...unknown.map(([slug]) => ({ path: `filter[${slug}]`, message: 'is not an attribute of this list' })),
    );
  }
  if (asked.flatMap(([, values]) => values).length > mostAlternatives) {
    throw invalid({ path: 'filter', message: `must name at most ${mostAlternatives} values` });
  }
  const search = [query.search, view.search].filter((text): text is string => typeof text === 'string');
  return {
    listId,
    archived: query.archivedOnly ? 'only' : query.archived ? 'with' : 'without',
    search,
    ...viewArrays(attributes, view, asked),
    ...viewDates(view),
  };
}

function viewArrays(
  attributes: readonly Attribute[],
  view: Record<string, unknown>,
  asked: readonly [string, string[]][],
): Pick<EntryFilter, 'facets' | 'createdBy'> {
  const facets = asked.map(([slug, values]) => facet(attributes, slug, values));
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
