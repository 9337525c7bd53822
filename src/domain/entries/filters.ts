/**
 * Filters of the form `SLUG=VALUE`, `SLUG=` (empty) and `SLUG!=VALUE` as conditions, and the part of conditions that the
 * API can filter. Every condition is tested on the rows as well: an answer may ignore a filter.
 */

import { usage } from '../../core/errors.ts';
import type { Checked } from '../expression/check.ts';
import { type Node, parse, type Source } from '../expression/parser.ts';
import type { Typed } from '../expression/typed.ts';
import { type Attribute, optionTexts } from './options.ts';
import { type Entry, isFixedField } from './scope.ts';
import { attributeOf, type Typing, typedText } from './values.ts';

export interface Condition {
  node: Node;
  source: Source;
}

/** The source of filters, and the word for conditions there. */
interface FilterTyping extends Typing {
  source: string;
  conditions: string;
}

interface Filter {
  slug: string;
  operator: '=' | '!=';
  /** Empty for `SLUG=` and `SLUG!=`. */
  text: string;
}

const form = /^\s*([^=!<>]+?)\s*(!=|=)(.*)$/s;

/** @throws usage for an unknown column or option, or a value that no entry could have */
export function readFilters(
  filters: readonly string[],
  attributes: readonly Attribute[],
  typing: FilterTyping,
): Condition[] {
  const conditions: Condition[] = [];
  const equalities = new Map<string, Condition[]>();
  for (const filter of filters.map((text) => readFilter(text, typing))) {
    const slug = filter.slug.replace(/^values\./, '');
    const attribute = isFixed(filter.slug, attributes) ? undefined : attributeOf(attributes, slug, typing.source);
    const condition = conditionOf({ ...filter, slug }, attribute, typing);
    const alternatives = equalities.get(filter.slug);
    if (filter.operator === '!=') conditions.push(condition);
    else if (alternatives) alternatives.push(condition);
    else equalities.set(filter.slug, [condition]);
  }
  return [...[...equalities.values()].map(anyOf), ...conditions];
}

function readFilter(written: string, { source, conditions }: FilterTyping): Filter {
  const [, slug = '', operator, text = ''] = form.exec(written) ?? [];
  if (slug === '' || slug.endsWith(':')) {
    const condition = /^\s*[^=!<>\s]+\s*[<>]/.test(written);
    throw usage(
      `${source} takes SLUG=VALUE or SLUG!=VALUE, got "${written}"`,
      condition ? `use ${conditions} ${JSON.stringify(written)}` : 'SLUG= finds what is empty',
    );
  }
  return { slug, operator: operator === '!=' ? '!=' : '=', text: text.trim() === '' ? '' : text };
}

function isFixed(name: string, attributes: readonly Attribute[]): boolean {
  if (attributes.some(({ slug }) => slug === name)) return false;
  return isFixedField(name);
}

/** Values of one slug are alternatives. */
function anyOf(alternatives: readonly Condition[]): Condition {
  const [first] = alternatives;
  if (first === undefined) throw new RangeError('no filter');
  if (alternatives.length === 1) return first;
  return { node: { kind: 'or', at: 0, parts: alternatives.map(({ node }) => node) }, source: first.source };
}

function conditionOf(filter: Filter, attribute: Attribute | undefined, typing: FilterTyping): Condition {
  const { slug, operator, text } = filter;
  const source = { text, where: `${typing.source} ${slug} ${operator}` };
  const fixed = isFixedField(slug);
  const name: Node = { kind: 'name', at: 0, name: attribute && fixed ? `values.${slug}` : slug, quoted: true };
  if (text === '') {
    const empty: Node = { kind: 'empty', at: 0, of: name };
    return { node: operator === '!=' ? { kind: 'not', at: 0, of: empty } : empty, source };
  }
  const values = valuesOf(text, attribute ?? fixedAttribute(slug), { ...typing, source: source.where });
  const parts = values.map((right): Node => ({ kind: 'compare', at: 0, operator, left: name, right }));
  const [only] = parts;
  if (only && parts.length === 1) return { node: only, source };
  return { node: { kind: operator === '!=' ? 'and' : 'or', at: 0, parts }, source };
}

/** The values of a filter. `a;b` of a multi_select matches either; numbers and dates are read as in expressions. */
function valuesOf(text: string, attribute: Attribute, typing: FilterTyping): Node[] {
  const { source } = typing;
  const textNode = (part: string): Node => ({ kind: 'text', at: 0, text: part });
  switch (attribute.attribute_type) {
    case 'multi_select':
      return optionTexts(attribute, text, source).map(textNode);
    case 'checkbox':
      return [{ kind: 'constant', at: 0, value: typedText(attribute, text, typing) === true }];
    case 'number':
    case 'currency':
    case 'rating':
    case 'date':
      return [parse(text, source)];
    default:
      return [textNode(text)];
  }
}

function fixedAttribute(slug: string): Attribute {
  if (slug === 'created_at' || slug === 'updated_at') return { slug, attribute_type: 'date' };
  if (slug === 'position') return { slug, attribute_type: 'number' };
  return { slug, attribute_type: slug === 'archived' ? 'checkbox' : 'text' };
}

type EntryQuery = {
  archived?: boolean | undefined;
  archivedOnly?: boolean | undefined;
  search?: string | undefined;
  filter?: Record<string, string[]> | undefined;
};

/** Most alternatives of one facet; more would make the URL too long. */
const maxValues = 50;

/**
 * The part of conditions that the API can filter: equalities of options, texts and checkboxes become facets, a part
 * of the title becomes the search, unless the query has them. Numbers and dates stay: servers may format them differently.
 * A condition on `archived` also reads archived entries.
 */
export function apiParts(
  query: EntryQuery,
  conditions: readonly Checked<Entry>[],
): { query: Pick<EntryQuery, 'archived' | 'search' | 'filter'>; tested: readonly string[]; says: string } {
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
    tested,
    says: `The API filters by ${listNames(sent)}; entries are tested here by ${listNames(tested)}.`,
  };
}

function listNames(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : [...new Set(names)].join(', ');
}

interface Facet {
  slug: string;
  values: string[];
}

/** The facet of a condition. It may match more entries than the condition, never fewer. */
function facetOf(part: Typed<Entry>): Facet | undefined {
  if (part.kind === 'or') {
    const all = part.parts.map(facetOf);
    const [first] = all;
    if (!first || all.length > maxValues || all.some((facet) => facet?.slug !== first.slug)) return undefined;
    return { slug: first.slug, values: [...new Set(all.flatMap((facet) => facet?.values ?? []))] };
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
  if (part.kind === 'contains') return [part.of, part.argument];
  if (part.kind !== 'equal') return [];
  return part.left.kind === 'column' ? [part.left, part.right] : [part.right, part.left];
}

function facet(name: string, value: unknown): Facet | undefined {
  const slug = name.replace(/^values\./, '');
  const isAttribute = name !== slug || !isFixedField(name);
  return isAttribute ? { slug, values: [String(value)] } : undefined;
}

function titleOf(part: Typed<Entry>): string | undefined {
  const [column, constant] = sidesOf(part);
  if (column?.kind !== 'column' || column.name !== 'title' || constant?.kind !== 'constant') return undefined;
  const { value } = constant;
  return isPlain(value) ? value.trim() : undefined;
}

/** Whether every server compares the text alike: ASCII only, without pattern characters. */
function isPlain(value: unknown): value is string {
  return typeof value === 'string' && /^[ -$&-[\]^`-~]+$/.test(value) && value.trim() !== '';
}

function columnsOf<Row>(node: Typed<Row>): string[] {
  const names: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { kind, name } = value as { kind?: unknown; name?: unknown };
    if (kind === 'column' && typeof name === 'string') names.push(name);
    else if (Array.isArray(value) || typeof kind === 'string') for (const part of Object.values(value)) visit(part);
  };
  visit(node);
  return names;
}
