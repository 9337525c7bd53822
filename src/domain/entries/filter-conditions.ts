/**
 * Filters of the form `SLUG=VALUE`, `SLUG=` (empty) and `SLUG!=VALUE`. What the API can filter by itself becomes a
 * facet; the rest becomes conditions on rows.
 */
import { isDate } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';
import { plainDecimal } from '../../core/json.ts';
import type { Source } from '../expression/lexer.ts';
import { parse } from '../expression/parser.ts';
import type { Node } from '../expression/syntax.ts';
import { type Facets, facets } from './filters.ts';
import { fixedFields } from './lookup.ts';
import { parseNumber } from './numbers.ts';
import { type Attribute, findOption, optionTexts } from './options.ts';
import { attributeOf, type Typing, typedText } from './values.ts';

/** A condition with the text that it was read from. */
export interface Condition {
  node: Node;
  source: Source;
}

interface Written {
  slug: string;
  operator: '=' | '!=';
  /** Empty: the value is compared with nothing. */
  text: string;
}

const form = /^\s*([^=!<>]+?)\s*(!=|=)(.*)$/s;

/**
 * @param sendable whether the API may be asked; else all of them are conditions
 * @throws usage for an unknown column or option, or a value that no entry could have
 */
export function readFilters(
  written: readonly string[],
  attributes: readonly Attribute[],
  typing: Typing,
  sendable = false,
): { facets: Facets; conditions: Condition[] } {
  const bySlug = new Map<string, Written[]>();
  for (const one of written.map((text) => readFilter(text, typing))) {
    bySlug.set(one.slug, [...(bySlug.get(one.slug) ?? []), one]);
  }
  const pairs: { slug: string; text: string }[] = [];
  const conditions: Condition[] = [];
  for (const [name, all] of bySlug) {
    const slug = name.replace(/^values\./, '');
    const attribute = isFixed(name, attributes) ? undefined : attributeOf(attributes, slug, typing.source);
    const equal = all.filter(({ operator }) => operator === '=');
    // An entry matches any of the values of a slug, so they go the same way.
    if (sendable && attribute && equal.every((one) => isFacet(one, attribute, typing.source))) {
      pairs.push(...equal.map(({ text }) => ({ slug, text })));
    } else if (equal.length > 0) conditions.push(anyOf(equal, attribute, typing));
    for (const one of all) if (one.operator !== '=') conditions.push(conditionOf(one, attribute, typing));
  }
  return { facets: facets(attributes, pairs, typing), conditions };
}

function readFilter(written: string, { source = '--filter' }: Typing): Written {
  const [, slug = '', operator, text = ''] = form.exec(written) ?? [];
  if (slug === '') {
    const condition = /^\s*[^=!<>\s]+\s*[<>]/.test(written);
    throw usage(
      `${source} takes SLUG=VALUE or SLUG!=VALUE, got "${written}"`,
      condition ? `use --where ${JSON.stringify(written)}` : 'SLUG= finds what is empty',
    );
  }
  return { slug, operator: operator === '!=' ? '!=' : '=', text: text.trim() === '' ? '' : text };
}

function isFixed(name: string, attributes: readonly Attribute[]): boolean {
  if (attributes.some(({ slug }) => slug === name)) return false;
  return (fixedFields as readonly string[]).includes(name);
}

/** Facets compare the text of a value: a date is a day, a number is written in digits, an option is one that exists. */
function isFacet({ text }: Written, attribute: Attribute, source: string | undefined): boolean {
  const { attribute_type: type } = attribute;
  if (text === '') return false;
  if (type === 'select' || type === 'status') return findOption(attribute, text, source) !== undefined;
  if (type === 'multi_select') {
    return optionTexts(attribute, text, source).every((part) => findOption(attribute, part, source) !== undefined);
  }
  if (type === 'number' || type === 'currency' || type === 'rating') return parseNumber(text) !== undefined;
  return type !== 'date' || isDate(text.trim()) || text.trim().toLowerCase() === 'today';
}

function anyOf(all: readonly Written[], attribute: Attribute | undefined, typing: Typing): Condition {
  const parts = all.map((one) => conditionOf(one, attribute, typing));
  const [first] = parts;
  if (first === undefined) throw new RangeError('no filter');
  if (parts.length === 1) return first;
  return { node: { kind: 'or', at: 0, parts: parts.map(({ node }) => node) }, source: first.source };
}

function conditionOf(one: Written, attribute: Attribute | undefined, typing: Typing): Condition {
  const { slug, operator, text } = one;
  const source = { text, where: `${typing.source ?? '--filter'} ${slug} ${operator}` };
  const fixed = (fixedFields as readonly string[]).includes(slug);
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

/** The values of a filter: `a;b` of a multi_select is either of them, a number or a date is read as in an expression. */
function valuesOf(text: string, attribute: Attribute, typing: Typing): Node[] {
  const { source = '--filter' } = typing;
  switch (attribute.attribute_type) {
    // An unknown option stays as it is written: an entry may hold one that was removed.
    case 'multi_select':
      return optionTexts(attribute, text, source).map((part) => optionNode(attribute, part, source));
    case 'select':
    case 'status':
      return [optionNode(attribute, text, source)];
    case 'checkbox':
      return [{ kind: 'constant', at: 0, value: typedText(attribute, text, typing) === true }];
    case 'number':
    case 'currency':
    case 'rating': {
      const number = parseNumber(text);
      return [number === undefined ? parse(text, source) : numberNode(plainDecimal(number))];
    }
    case 'date':
      return [parse(text, source)];
    default:
      return [{ kind: 'text', at: 0, text }];
  }
}

function optionNode(attribute: Attribute, text: string, source: string): Node {
  return { kind: 'text', at: 0, text: findOption(attribute, text, source) ?? text };
}

function numberNode(text: string): Node {
  const positive: Node = { kind: 'number', at: 0, text: text.replace('-', '') };
  return text.startsWith('-') ? { kind: 'negative', at: 0, of: positive } : positive;
}

/** A fixed field as an attribute of its type. */
function fixedAttribute(slug: string): Attribute {
  if (slug === 'created_at' || slug === 'updated_at') return { slug, attribute_type: 'date' };
  if (slug === 'position') return { slug, attribute_type: 'number' };
  return { slug, attribute_type: slug === 'archived' ? 'checkbox' : 'text' };
}
