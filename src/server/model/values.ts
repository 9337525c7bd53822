/** Values of entries, checked against their attribute on every write (docs/server.md, "Values"). */

import { isDeepStrictEqual } from 'node:util';
import { type Issue, isDate } from '../../contract/validate.ts';
import { isMailAddress, isWebAddress } from '../../core/addresses.ts';
import { shortened } from '../../core/errors.ts';
import { isInteger, isNumeric, type Numeric } from '../../core/json.ts';
import type { Attribute } from './attribute.ts';
import { invalidBy } from './failure.ts';

/** The highest rating unless its attribute says otherwise. */
const ratingMax = 5;

type Values = Record<string, unknown>;
/** The value to store, or what is wrong with it. */
type Checked = { keep: unknown } | { wrong: string };

/**
 * `before` with the values of a write, key by key; null clears. Without `before` the entry is new and every
 * required attribute must be there. Throws 400 with all that is wrong.
 */
export function mergedValues(attributes: readonly Attribute[], written: Values, before?: Values): Values {
  const bySlug = new Map(attributes.map((attribute) => [attribute.slug, attribute]));
  const merged = new Map(Object.entries(before ?? {}));
  const found: Issue[] = [];
  for (const [slug, value] of Object.entries(written)) {
    const attribute = bySlug.get(slug);
    const wrong = (message: string) => found.push({ path: `values.${slug}`, message });
    if (attribute === undefined) {
      wrong('is not an attribute of this list');
    } else if (value === null) {
      merged.delete(slug);
    } else if (!isDeepStrictEqual(value, merged.get(slug))) {
      // An unchanged value was valid once, and stays even when its option is gone.
      const checked = check(attribute, value);
      if ('wrong' in checked) wrong(checked.wrong);
      else merged.set(slug, checked.keep);
    }
  }
  const named = new Set(found.map(({ path }) => path));
  for (const { slug, is_required } of attributes) {
    const touched = before === undefined || Object.hasOwn(written, slug);
    if (is_required && touched && isEmpty(merged.get(slug)) && !named.has(`values.${slug}`)) {
      found.push({ path: `values.${slug}`, message: 'is required' });
    }
  }
  if (found.length > 0) throw invalidBy(found);
  return Object.fromEntries(merged);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function check(attribute: Attribute, value: unknown): Checked {
  switch (attribute.attribute_type) {
    case 'text':
      return typeof value === 'string' ? { keep: value } : { wrong: 'must be a string' };
    case 'number':
    case 'currency':
      return checkNumber(value, attribute.config.min, attribute.config.max);
    case 'rating':
      return isNumeric(value) && isInteger(value)
        ? checkNumber(value, attribute.config.min ?? 0, attribute.config.max ?? ratingMax)
        : { wrong: 'must be an integer' };
    case 'date':
      return typeof value === 'string' && isDate(value) ? { keep: value } : { wrong: 'must be a date (YYYY-MM-DD)' };
    case 'url':
      return typeof value === 'string' && isWebAddress(value)
        ? { keep: value }
        : { wrong: 'must be an http or https address' };
    case 'email':
      return typeof value === 'string' && isMailAddress(value)
        ? { keep: value }
        : { wrong: 'must be an email address' };
    case 'checkbox':
      return typeof value === 'boolean' ? { keep: value } : { wrong: 'must be true or false' };
    case 'select':
    case 'status':
      return checkOption(attribute, value);
    case 'multi_select':
      return checkOptions(attribute, value);
  }
}

function checkNumber(value: unknown, min: Numeric | undefined, max: Numeric | undefined): Checked {
  if (!isNumeric(value) || !Number.isFinite(Number(value))) return { wrong: 'must be a finite number' };
  if (min !== undefined && Number(value) < Number(min)) return { wrong: `must be at least ${min}, got ${value}` };
  if (max !== undefined && Number(value) > Number(max)) return { wrong: `must be at most ${max}, got ${value}` };
  return { keep: value };
}

function checkOption({ config }: Attribute, value: unknown): Checked {
  const options = config.options ?? [];
  if (typeof value !== 'string') return { wrong: 'must be an option, by id or label' };
  const option = options.find(({ id }) => id === value) ?? options.find(({ label }) => label === value);
  if (option?.id !== undefined) return { keep: option.id };
  const known = options.map(({ label }) => label).join(', ');
  return {
    wrong: `must be one of ${known === '' ? '(it has no options)' : known}, got ${JSON.stringify(shortened(value))}`,
  };
}

function checkOptions(attribute: Attribute, value: unknown): Checked {
  if (!Array.isArray(value)) return { wrong: 'must be an array of options' };
  const kept = new Set<unknown>();
  for (const item of value) {
    const checked = checkOption(attribute, item);
    if ('wrong' in checked) return checked;
    if (kept.has(checked.keep)) return { wrong: `must hold each option once, got ${JSON.stringify(item)} again` };
    kept.add(checked.keep);
  }
  return { keep: [...kept] };
}
