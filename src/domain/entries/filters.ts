/** Values of facets as the API stores them, in their text form. */
import { usage } from '../../core/errors.ts';
import { plainDecimal } from '../../core/json.ts';
import { withoutTrailing } from '../../core/trim.ts';
import { parseNumber, rangeIssue } from './numbers.ts';
import { type Attribute, from } from './options.ts';
import { attributeOf, type Typing, typedText } from './values.ts';

/** Facets by slug: several values of one slug match any of them, several slugs match all. */
export type Facets = Record<string, string[]>;

/**
 * Facets from `slug` and `text` pairs. Options may be named by id or label; numbers, dates and checkboxes are written
 * as the API writes them; `a;b` of a multi_select matches either. An unknown slug or option, or a value that no entry
 * could have, is a usage failure: never an empty result that looks true.
 */
export function facets(
  attributes: readonly Attribute[],
  filters: readonly { slug: string; text: string }[],
  typing: Typing,
): Facets {
  const found = new Map<string, string[]>();
  for (const { slug, text } of filters) {
    const attribute = attributeOf(attributes, slug, typing.source);
    const values = found.get(slug) ?? [];
    for (const value of facetValues(attribute, text, typing)) if (!values.includes(value)) values.push(value);
    found.set(slug, values);
  }
  return Object.fromEntries(found);
}

function facetValues(attribute: Attribute, text: string, typing: Typing): string[] {
  switch (attribute.attribute_type) {
    case 'number':
    case 'currency':
    case 'rating': {
      // A limit of the attribute may be younger than the values that it holds, so only the form is checked.
      const number = parseNumber(text);
      if (number === undefined) {
        throw usage(from(typing.source, rangeIssue(text) ?? `${attribute.slug} is a number, got "${text}"`));
      }
      return [canonical(plainDecimal(number))];
    }
    // Facets compare text, and a stored address need not be one that comem would write.
    case 'url':
    case 'email':
      return [text];
    case 'multi_select':
      return typedText(attribute, text, typing) as string[];
    default:
      return [String(typedText(attribute, text, typing))];
  }
}

/** The shortest text of a decimal number: `5.00` and `5.` are `5`, `-0` is `0`. */
function canonical(decimal: string): string {
  const short = decimal.includes('.') ? withoutTrailing(withoutTrailing(decimal, '0'), '.') : decimal;
  return short === '-0' ? '0' : short;
}
