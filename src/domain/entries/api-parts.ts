/** The parts of conditions that the API can filter by itself. What it sends is tested again. */
import type { Checked } from '../expression/check.ts';
import type { Typed } from '../expression/typed.ts';
import { type Entry, fixedFields } from './lookup.ts';

type EntryQuery = {
  archived?: boolean | undefined;
  archivedOnly?: boolean | undefined;
  search?: string | undefined;
  filter?: Record<string, string[]> | undefined;
};

/** More alternatives than this would make a long address. */
const mostValues = 50;

/**
 * The query of equalities of options, texts and checkboxes as facets, and a part of the title as search, as far as
 * the query says nothing of them. Numbers and dates are not sent: a server may write the same one in another way.
 * A condition about `archived` reads archived entries, too.
 */
export function apiParts(
  query: EntryQuery,
  conditions: readonly Checked<Entry>[],
): { query: Pick<EntryQuery, 'archived' | 'search' | 'filter'>; says: string } {
  const parts = conditions.flatMap(({ root }) => (root.kind === 'and' ? root.parts : [root]));
  const filter = new Map(Object.entries(query.filter ?? {}));
  let { search } = query;
  const sent: string[] = [];
  const tested: string[] = [];
  for (const part of parts) {
    const facet = facetOf(part);
    const title = titleOf(part);
    if (facet && !filter.has(facet.slug)) {
      filter.set(facet.slug, facet.values);
      sent.push(facet.slug);
    } else if (title !== undefined && search === undefined) {
      search = title;
      sent.push('title');
    } else tested.push(...columnsOf(part));
  }
  const archived = conditions.some(({ names }) => names.includes('archived')) && query.archivedOnly !== true;
  return {
    query: {
      ...(filter.size > 0 && { filter: Object.fromEntries(filter) }),
      ...(search !== undefined && { search }),
      ...(archived && query.archived === undefined && { archived: true }),
    },
    says: `The API filters by ${listed(sent)}; entries are tested here by ${listed(tested)}.`,
  };
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : [...new Set(names)].join(', ');
}

interface Facet {
  slug: string;
  values: string[];
}

/** A facet that finds at least the entries for which the part holds. */
function facetOf(part: Typed<Entry>): Facet | undefined {
  if (part.kind === 'or') {
    const all = part.parts.map(facetOf);
    const [first] = all;
    if (!first || all.length > mostValues || all.some((one) => one?.slug !== first.slug)) return undefined;
    return { slug: first.slug, values: [...new Set(all.flatMap((one) => one?.values ?? []))] };
  }
  if (part.kind === 'column' && part.type === 'boolean') return facet(part.name, 'true');
  const [column, constant] = sidesOf(part);
  if (column?.kind !== 'column' || constant?.kind !== 'constant') return undefined;
  const { value } = constant;
  if (column.type === 'options' || (part.kind === 'equal' && column.type === 'option'))
    return facet(column.name, value);
  if (part.kind !== 'equal' || (column.type !== 'boolean' && column.type !== 'text')) return undefined;
  return typeof value === 'boolean' || isPlain(value) ? facet(column.name, value) : undefined;
}

/** `column = constant`, `column contains constant`. */
function sidesOf(part: Typed<Entry>): Typed<Entry>[] {
  if (part.kind === 'contains') return [part.of, part.what];
  if (part.kind !== 'equal') return [];
  return part.left.kind === 'column' ? [part.left, part.right] : [part.right, part.left];
}

function facet(name: string, value: unknown): Facet | undefined {
  const slug = name.replace(/^values\./, '');
  const isAttribute = name !== slug || !(fixedFields as readonly string[]).includes(name);
  return isAttribute ? { slug, values: [String(value)] } : undefined;
}

/** A part of the title that the search of the API finds. */
function titleOf(part: Typed<Entry>): string | undefined {
  const [column, constant] = sidesOf(part);
  if (column?.kind !== 'column' || column.name !== 'title' || constant?.kind !== 'constant') return undefined;
  const { value } = constant;
  return isPlain(value) ? value.trim() : undefined;
}

/** Letters beyond ASCII, and signs of patterns, may be compared in another way by the server. */
function isPlain(value: unknown): value is string {
  return typeof value === 'string' && /^[ -$&-[\]^`-~]+$/.test(value) && value.trim() !== '';
}

function columnsOf<Row>(node: Typed<Row>): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { kind, name } = value as { kind?: unknown; name?: unknown };
    if (kind === 'column' && typeof name === 'string') found.push(name);
    else if (Array.isArray(value) || typeof kind === 'string') for (const part of Object.values(value)) visit(part);
  };
  visit(node);
  return found;
}
