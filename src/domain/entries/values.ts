/**
 * Values of entries, typed by their attribute, from text or JSON.
 *
 * number, currency and rating become numbers with every digit kept; checkbox true or false (also yes, no, 1, 0); date
 * YYYY-MM-DD (also `today`, in UTC); select and status an option id, given by id or label; multi_select an array of
 * option ids, from several assignments or one `a;b`; url and email are checked; text is taken as it is.
 */

import type { AttributeType } from '../../contract/lists.ts';
import { isDate } from '../../contract/validate.ts';
import { isAddress, isMailAddress } from '../../core/addresses.ts';
import { shorten, usage } from '../../core/errors.ts';
import { isInRange, isNumeric, NumberRangeError, type Numeric, numeric, propertyOf } from '../../core/json.ts';
import { nearestHint } from '../../core/nearest.ts';
import { groupBy } from '../../core/same.ts';
import { numberOf } from '../expression/literals.ts';
import { isNumber, plainNumber } from '../expression/parser.ts';
import { type Attribute, findAttribute, from, hasOption, optionId, optionIds } from './options.ts';

/** A value for an attribute: text to be typed, or a JSON value. */
export type Assignment = { slug: string } & ({ text: string } | { json: unknown });

export interface Typing {
  source?: string;
  now: Date;
  /** Numbers may be written as in an expression: `20M`, `1_500`, `2.5%`. */
  asWritten?: boolean;
}

const words = new Map([
  ...['true', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
]);

/** The `values` of a write. @throws usage for values that the API refuses */
export function typedValues(
  attributes: readonly Attribute[],
  assignments: readonly Assignment[],
  typing: Typing,
): Record<string, unknown> {
  const { source } = typing;
  const values = [...groupBy(assignments, ({ slug }) => slug)].map(([slug, all]): [string, unknown] => {
    const attribute = attributeOf(attributes, slug, source);
    if (all.length === 1) return [slug, typedAssignment(attribute, all[0], typing)];
    if (attribute.attribute_type === 'multi_select') return [slug, typedMany(attribute, all, typing)];
    throw usage(from(source, `${slug} is given twice and takes one value`));
  });
  // fromEntries defines own properties, so that a slug such as `__proto__` is safe.
  return Object.fromEntries(values);
}

export function missingRequired(attributes: readonly Attribute[], values: Record<string, unknown>): string[] {
  const empty = (slug: string) => {
    const value = propertyOf(values, slug);
    return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  };
  return attributes.flatMap(({ slug, is_required }) =>
    is_required && slug !== undefined && empty(slug) ? [slug] : [],
  );
}

/** The attribute of a slug or name. @throws usage that names the known slugs */
export function attributeOf(attributes: readonly Attribute[], slug: string, source?: string): Attribute {
  const known = findAttribute(attributes, slug);
  if (known) return known;
  const slugs = attributes.flatMap((attribute) => attribute.slug ?? []);
  throw usage(
    slugs.length === 0
      ? from(source, `the list has no attributes, so it has no "${slug}"`)
      : from(source, `the list has no attribute "${slug}"; it has: ${slugs.join(', ')}`),
    nearestHint(slug, slugs),
  );
}

interface ValueType {
  /** The allowed texts and JSON values, for messages. */
  rule: string;
  /** The allowed stored values, for findings of checks. */
  stored: string;
  /** Reads a text; undefined where it does not fit. */
  read(text: string, attribute: Attribute, typing: Typing): unknown;
  holds(value: unknown, attribute: Attribute): boolean;
}

const isText = (fits: (text: string) => boolean) => (value: unknown) => typeof value === 'string' && fits(value);

const number: ValueType = {
  rule: 'a number such as 12.5',
  stored: 'a number',
  read: (text, attribute, { asWritten }) => {
    if (!asWritten) return parseNumber(text);
    return percentageIssue(attribute, text) ? undefined : writtenNumber(text);
  },
  holds: isNumeric,
};
const option: ValueType = {
  rule: 'the id or label of an option',
  stored: 'an option of the attribute',
  read: (text, attribute, { source }) => optionId(attribute, text, source),
  holds: (value, attribute) => hasOption(attribute, value),
};

const valueTypes: Readonly<Record<AttributeType, ValueType>> = {
  number,
  currency: { ...number, rule: 'a number such as 1250000, without currency sign or thousands separators' },
  rating: { ...number, rule: 'a number such as 4' },
  checkbox: {
    rule: 'true or false (also yes, no, 1, 0)',
    stored: 'true or false',
    read: (text) => words.get(text.trim().toLowerCase()),
    holds: (value) => typeof value === 'boolean',
  },
  date: {
    rule: 'a date that exists, as YYYY-MM-DD, or today',
    stored: 'a date (YYYY-MM-DD)',
    read: (text, _, { now }) => parseDate(text, now),
    holds: isText(isDate),
  },
  url: {
    rule: 'an address such as https://example.com',
    stored: 'a web address',
    read: (text) => (isAddress(text) ? text : undefined),
    holds: isText(isAddress),
  },
  email: {
    rule: 'an e-mail address',
    stored: 'an e-mail address',
    read: (text) => (isMailAddress(text) ? text : undefined),
    holds: isText(isMailAddress),
  },
  select: option,
  status: option,
  multi_select: {
    rule: 'ids or labels of options',
    stored: 'options of the attribute',
    read: (text, attribute, { source }) => optionIds(attribute, text, source),
    holds: (value, attribute) => Array.isArray(value) && value.every((item) => option.holds(item, attribute)),
  },
  text: { rule: 'a string', stored: 'text', read: (text) => text, holds: (value) => typeof value === 'string' },
};

/** Undefined for an unknown type of a later API, whose values the server checks. */
function valueTypeOf({ attribute_type: type }: Attribute): ValueType | undefined {
  return type !== undefined && Object.hasOwn(valueTypes, type) ? valueTypes[type] : undefined;
}

/** A text as the API stores it. @throws usage that states the rule of the type */
export function typedText(attribute: Attribute, text: string, typing: Typing): unknown {
  const type = valueTypeOf(attribute);
  if (!type) return text;
  const value = type.read(text, attribute, typing) ?? refuseValue(attribute, text, typing);
  return isNumeric(value) ? inRange(attribute, value, typing.source) : value;
}

/** A JSON value as the API stores it. null clears; options are named as in texts; other values must have the type. */
export function typedJson(attribute: Attribute, value: unknown, typing: Typing): unknown {
  const { source } = typing;
  if (value === null) {
    if (attribute.is_required) throw usage(from(source, `${attribute.slug} is required, so it cannot be null`));
    return null;
  }
  const type = valueTypeOf(attribute);
  if (!type) return value;
  if (attribute.attribute_type === 'multi_select') {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    const ids = items.map((item) =>
      typeof item === 'string' ? optionId(attribute, item, source) : refuseValue(attribute, value, typing),
    );
    return [...new Set(ids)];
  }
  if (isNumeric(value) && type.holds(value, attribute)) return inRange(attribute, value, source);
  if (typeof value === 'boolean' && type.holds(value, attribute)) return value;
  const isTyped = type.stored === number.stored || attribute.attribute_type === 'checkbox';
  return typeof value === 'string' && !isTyped
    ? typedText(attribute, value, typing)
    : refuseValue(attribute, value, typing);
}

function typedAssignment(attribute: Attribute, assignment: Assignment | undefined, typing: Typing): unknown {
  if (assignment === undefined) return undefined;
  return 'json' in assignment
    ? typedJson(attribute, assignment.json, typing)
    : typedText(attribute, assignment.text, typing);
}

function typedMany(attribute: Attribute, all: readonly Assignment[], typing: Typing): unknown[] {
  const ids = all.flatMap((assignment) => {
    const value = typedAssignment(attribute, assignment, typing);
    if (value === null) throw usage(from(typing.source, `${attribute.slug} cannot be null beside other values`));
    return Array.isArray(value) ? value : [value];
  });
  return [...new Set(ids)];
}

function parseDate(text: string, now: Date): string | undefined {
  const trimmed = text.trim();
  if (trimmed.toLowerCase() === 'today') return now.toISOString().slice(0, 10);
  return isDate(trimmed) ? trimmed : undefined;
}

function inRange(attribute: Attribute, value: Numeric, source: string | undefined): Numeric {
  const { min: minimum, max: maximum } = attribute.config ?? {};
  const says = (rule: string) =>
    usage(from(source, `${attribute.slug} must be ${rule}, got ${shorten(String(value))}`));
  const size = Number(value);
  if (!Number.isFinite(size)) throw says('a number that a database can hold');
  if (minimum !== undefined && size < Number(minimum)) throw says(`at least ${minimum}`);
  if (maximum !== undefined && size > Number(maximum)) throw says(`at most ${maximum}`);
  return value;
}

function refuseValue(attribute: Attribute, value: unknown, { source, asWritten }: Typing): never {
  const got = typeof value === 'string' ? `"${shorten(value)}"` : shorten(JSON.stringify(value));
  const type = valueTypeOf(attribute) ?? valueTypes.text;
  const text = type.stored === number.stored && typeof value === 'string' ? value : '';
  const issue = rangeIssue(text);
  if (issue !== undefined) throw usage(from(source, `${attribute.slug}: ${issue}`));
  const percentage = asWritten ? percentageIssue(attribute, text) : undefined;
  const plain = asWritten ? plainNumber(text) : undefined;
  const meant = plain === undefined ? undefined : `did you mean ${plain}?`;
  const hint = value === '' && asWritten ? `to clear the value use ${source} ${attribute.slug}:=null` : meant;
  throw usage(from(source, `${attribute.slug} must be ${type.rule}, got ${percentage ?? ''}${got}`), hint);
}

/** `+10%`, and a percentage of an amount, which would silently become 0.1. */
export function percentageIssue({ attribute_type: type }: Attribute, text: string): string | undefined {
  const [match, sign] = /^([+-]?)[\d._]+%$/.exec(text.trim()) ?? [];
  if (match === undefined) return undefined;
  if (type === 'currency' || type === 'rating') return 'the percentage ';
  return sign ? 'the change ' : undefined;
}

/** Reads an exact decimal number; undefined for other texts. Accepts `+5`, `.5` and `5.` in addition to JSON. */
export function parseNumber(text: string): Numeric | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = ''] = match;
  if ((whole === '' && fraction === '') || !isInRange(exponent)) return undefined;
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  const literal = `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
  return numeric(literal);
}

export function rangeIssue(text: string): string | undefined {
  const isNumeral = /^[+-]?[\d.,]*\d[.,]?e[+-]?\d+%?$/i.test(text.trim());
  return isNumeral && !isInRange(text) ? new NumberRangeError(text.trim()).message : undefined;
}

/** A number as in an expression: also `20M`, `1_500`, `2.5%`. */
export function writtenNumber(text: string): Numeric | undefined {
  const plain = parseNumber(text);
  if (plain !== undefined) return plain;
  const [, sign, digits = ''] = /^([+-]?)(.*)$/s.exec(text.trim()) ?? [];
  return isNumber(digits) ? numberOf(digits, sign === '-') : undefined;
}

/** The problem of a stored value; undefined if it is valid or empty. */
export function storedIssue(attribute: Attribute, value: unknown): string | undefined {
  const { slug, is_required: isRequired, config } = attribute;
  if (value === null || value === undefined) return isRequired ? `${slug} is required and empty` : undefined;
  const type = valueTypeOf(attribute);
  if (!type) return undefined;
  const issue = (rule: string) => `${slug} = ${JSON.stringify(value)} is not ${rule}`;
  if (!type.holds(value, attribute)) return issue(type.stored);
  if (!isNumeric(value)) return undefined;
  const { min, max } = config ?? {};
  if (min !== undefined && Number(value) < Number(min)) return issue(`at least ${min}`);
  if (max !== undefined && Number(value) > Number(max)) return issue(`at most ${max}`);
  return undefined;
}
