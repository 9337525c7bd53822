/** Expectations that look at one or several columns of each row. */
import { isDate, isDateTime, isUuid } from '../../contract/validate.ts';
import { isAddress, isMailAddress } from '../../core/addresses.ts';
import { compare } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { numberKey } from '../../core/same.ts';
import { type Entry, type Lookup, OptionValue } from '../entries/scope.ts';
import { storedIssue } from '../entries/values.ts';
import { findOptions, noOption, numberOf } from '../expression/literals.ts';
import { isNumber } from '../expression/parser.ts';
import { pattern as compiledPattern } from '../expression/pattern.ts';
import { compareSpans, daySpan, instant, parseTime } from '../expression/time.ts';
import type { Column, Option } from '../expression/typed.ts';
import { bounds, type Call, isAhead, isOutside, refuseTail, since } from './grammar.ts';
import {
  column,
  columnOf,
  formatValue,
  isEmpty,
  keyOf,
  type ListFacts,
  type ListTest,
  type TestMaker,
  typed,
  unreadable,
} from './list-test.ts';
import { Findings } from './model.ts';

/** A test of each row by itself: `wrong` gives what is wrong with it, or undefined. */
function each(
  facts: ListFacts,
  threshold: string,
  wrong: (lookup: Lookup, entry: Entry) => string | undefined,
): ListTest {
  const findings = new Findings(facts.cap);
  return {
    row(entry, lookup) {
      const detail = wrong(lookup, entry);
      if (detail !== undefined) findings.add(entry.id, entry.title, detail);
    },
    finish: (total) => findings.outcome(`${total - findings.count} of ${total} rows`, threshold),
  };
}

/** The same of the values of a column that are not empty. */
function eachValue(facts: ListFacts, name: string, threshold: string, isRight: (value: unknown) => boolean): ListTest {
  return each(facts, threshold, (lookup) => {
    const value = lookup(name);
    return isEmpty(value) || isRight(value) ? undefined : `${name} = ${formatValue(value)}`;
  });
}

function columns(call: Call, names: readonly string[]): string[] {
  if (call.args.length === 0) throw usage(`"${call.text}": ${call.head} needs a column`);
  return call.args.map((argument) => column(argument.text, call, names));
}

function first(call: Call, names: readonly string[]): string {
  return column(call.args[0]?.text, call, names);
}

const required: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const checked = columns(call, names);
  return each(facts, 'a value in every row', (lookup) => {
    const blank = checked.filter((name) => isEmpty(lookup(name)));
    return blank.length === 0 ? undefined : `${blank.join(', ')} is empty`;
  });
};

const unique: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const checked = columns(call, names);
  const firstRow = new Map<string, string>();
  const findings = new Findings(facts.cap);
  let empty = 0;
  return {
    row(entry, lookup) {
      const values = checked.map(lookup);
      // A row without a value repeats nothing; `required` is the expectation for that.
      if (values.every(isEmpty)) {
        empty += 1;
        return;
      }
      const key = JSON.stringify(values.map(keyOf));
      const before = firstRow.get(key);
      if (before === undefined) firstRow.set(key, entry.id ?? '');
      else findings.add(entry.id, entry.title, `${values.map(formatValue).join(', ')} is also in ${before}`);
    },
    finish: () => {
      const note = empty > 0 ? `, ${empty} empty` : '';
      return findings.outcome(`${firstRow.size} distinct, ${findings.count} repeated${note}`, 'no value twice');
    },
  };
};

const pattern: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const name = first(call, names);
  const source = call.args[1]?.text;
  if (source === undefined) throw usage(`"${call.text}": pattern needs a regular expression after the column`);
  const expression = compiledPattern(source);
  if ('wrong' in expression) throw usage(`"${call.text}": ${expression.wrong}`, 'the syntax is that of RE2');
  return eachValue(facts, name, `matches ${source}`, (value) => expression.test(formatValue(value)));
};

const range: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const name = columnOf(call.args[0]?.text, call, facts, { names, types: ['number'] });
  const limits = bounds(call, 1);
  let low: Numeric | undefined;
  let high: Numeric | undefined;
  const inner = each(facts, limits.says, (lookup) => {
    const value = lookup(name);
    if (isEmpty(value)) return undefined;
    if (!isNumeric(value)) return `${name} = ${formatValue(value)} is not a number`;
    if (low === undefined || compare(value, low) < 0) low = value;
    if (high === undefined || compare(value, high) > 0) high = value;
    return isOutside(value, limits) ? `${name} = ${formatValue(value)}` : undefined;
  });
  return {
    row: inner.row,
    looked: () => (low === undefined ? 0 : 1),
    finish: (total) => ({
      ...inner.finish(total),
      observed: low === undefined ? 'no values' : `from ${low} to ${high}`,
    }),
  };
};

const length: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const types = ['text', 'option', 'options'] as const;
  const name = columnOf(call.args[0]?.text, call, facts, { names, types });
  const limits = bounds(call, 1);
  return each(facts, `length ${limits.says}`, (lookup) => {
    const value = lookup(name);
    if (isEmpty(value)) return undefined;
    const size = Array.isArray(value) ? value.length : [...formatValue(value)].length;
    const unit = Array.isArray(value) ? 'value' : 'character';
    return isOutside(size, limits) ? `${name} has ${size} ${unit}${size === 1 ? '' : 's'}` : undefined;
  });
};

const times = ['date', 'time'] as const;
const noTime = 'cannot be read as a time';

const notFuture: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const checked = columns(call, names).map((name) => columnOf(name, call, facts, { names, types: times }));
  const now = facts.now.toISOString();
  return each(facts, `not after ${now.slice(0, 10)}`, (lookup, entry) => {
    const late = checked.filter((name) => {
      const value = lookup(name);
      if (isEmpty(value)) return false;
      const time = daySpan(String(value)) ?? instant(String(value));
      if (!time) throw unreadable(entry, name, value, noTime);
      return time.start > facts.now.getTime();
    });
    return late.length === 0 ? undefined : late.map((name) => `${name} = ${formatValue(lookup(name))}`).join(', ');
  });
};

const fresh: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const [a, b] = call.args;
  const name = columnOf(b ? a?.text : 'updated_at', call, facts, { names, types: times });
  const duration = (b ?? a)?.text;
  const earliest = since(duration, facts.now);
  if (earliest === undefined) throw usage(`"${call.text}": fresh needs a duration such as 12h, 30d, 6w or 3mo`);
  let newest: { text: string; at: number } | undefined;
  let ahead = 0;
  return {
    row(entry, lookup) {
      const value = lookup(name);
      if (isEmpty(value)) return;
      const time = daySpan(String(value)) ?? instant(String(value));
      if (!time) throw unreadable(entry, name, value, noTime);
      // What is still to come says nothing of when the list was last kept.
      if (isAhead(time.start, facts.now)) ahead += 1;
      else if (newest === undefined || time.end > newest.at) newest = { text: String(value), at: time.end };
    },
    finish: () => ({
      status: newest !== undefined && newest.at >= earliest ? 'pass' : 'fail',
      observed:
        (newest === undefined ? `no ${name}${ahead > 0 ? ' up to now' : ''}` : `newest ${name} ${newest.text}`) +
        (ahead > 0 ? `, ${ahead} in the future` : ''),
      threshold: `within ${duration}`,
      failed: 0,
      findings: [],
    }),
  };
};

const kinds: Record<string, (text: string) => boolean> = {
  number: (text) => /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text),
  integer: (text) => /^[+-]?\d+$/.test(text),
  year: (text) => /^\d{4}$/.test(text),
  date: isDate,
  datetime: isDateTime,
  uuid: isUuid,
  url: isAddress,
  email: isMailAddress,
  boolean: (text) => text === 'true' || text === 'false',
};

/** The type of a text column's values: `type(founded, year)`. */
const type: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const name = first(call, names);
  const kind = call.args[1]?.text ?? '';
  const is = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!is) throw usage(`"${call.text}": type takes one of ${Object.keys(kinds).join(', ')}, got ${kind || 'nothing'}`);
  return eachValue(facts, name, `every value is a ${kind}`, (value) =>
    is(isNumeric(value) ? numberKey(value) : formatValue(value)),
  );
};

/** Values that fit their attribute: `valid()` for all of them, `valid(stage, value)` for some. */
const valid: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const slugs = call.args.length === 0 ? undefined : new Set(columns(call, names));
  const checked = facts.attributes.flatMap((attribute) => {
    const { slug } = attribute;
    return slug !== undefined && (slugs?.has(slug) ?? true) ? [{ attribute, slug }] : [];
  });
  const findings = new Findings(facts.cap);
  return {
    row(entry) {
      const details = checked.flatMap(({ attribute, slug }) => storedIssue(attribute, entry.values?.[slug]) ?? []);
      if (details.length > 0) findings.add(entry.id, entry.title, details.join('; '));
    },
    finish: (total) => findings.outcome(`${total - findings.count} of ${total} rows`, 'every value fits its attribute'),
  };
};

interface Allowed {
  has(value: unknown): boolean;
  /** Options that the column does not have: a row may hold one that was removed. */
  unknown: readonly string[];
}

const accepted: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const name = column(call.args[0]?.text, call, names);
  const values = call.args.slice(1).map((argument) => argument.text);
  if (values.length === 0) throw usage(`"${call.text}": accepted needs the values after the column`);
  const attribute = typed(name, facts, names);
  const allowed = allowedValues(values, name, attribute, call);
  const findings = new Findings(facts.cap);
  const held = new Set<string>();
  return {
    row(entry, lookup) {
      const value = lookup(name);
      if (isEmpty(value)) return;
      const items = Array.isArray(value) ? value : [value];
      if (allowed.unknown.length > 0) for (const item of items) held.add(keyOf(item));
      const bad = items.find((item) => !allowed.has(item));
      if (bad !== undefined) findings.add(entry.id, entry.title, `${name} = ${formatValue(bad)}`);
    },
    finish(total) {
      const typo = allowed.unknown.find((text) => !held.has(keyOf(text)));
      if (typo !== undefined) throw unknownOption(call, name, attribute?.options ?? [], typo);
      return findings.outcome(`${total - findings.count} of ${total} rows`, `one of ${values.join(', ')}`);
    },
  };
};

function unknownOption(call: Call, name: string, options: readonly Option[], text: string): Error {
  const { says, hint } = noOption(name, options, text);
  return usage(`"${call.text}": ${says}`, hint);
}

/** @throws Failure usage for a value that the column cannot have */
function allowedValues(values: readonly string[], name: string, found: Column<never> | undefined, call: Call): Allowed {
  const wrong = (text: string, type: string) => usage(`"${call.text}": ${name} is ${type}, and ${text} is not`);
  switch (found?.type) {
    case 'number': {
      const numbers = values.map((text) => {
        const digits = text.replace(/^-/, '');
        if (!isNumber(digits)) throw wrong(text, 'a number');
        return numberOf(digits, text.startsWith('-'));
      });
      return { has: (value) => isNumeric(value) && numbers.some((one) => compare(one, value) === 0), unknown: [] };
    }
    case 'boolean': {
      const other = values.find((text) => text !== 'true' && text !== 'false');
      if (other !== undefined) throw wrong(other, 'true or false');
      return { has: (value) => values.includes(String(value)), unknown: [] };
    }
    case 'date':
    case 'time': {
      const spans = values.map((text) => {
        const span = parseTime(text);
        if (!span) throw wrong(text, 'a date');
        return span;
      });
      const has = (value: unknown): boolean => {
        const time = parseTime(String(value));
        return time !== undefined && spans.some((one) => compareSpans('=', time, one));
      };
      return { has, unknown: [] };
    }
    case 'option':
    case 'options':
      return found.options === undefined ? texts(values) : options(values, found.options);
    default:
      return texts(values);
  }
}

function texts(values: readonly string[]): Allowed {
  const keys = new Set(values.map(keyOf));
  const numbers = values.filter(isNumber).map((text) => numberOf(text));
  const has = (value: unknown): boolean =>
    keys.has(keyOf(value)) || (isNumeric(value) && numbers.some((one) => compare(one, value) === 0));
  return { has, unknown: [] };
}

function options(values: readonly string[], known: readonly Option[]): Allowed {
  const ids = new Set<string>();
  const unknown: string[] = [];
  for (const text of values) {
    const matches = findOptions(known, text);
    for (const { id } of matches) ids.add(id);
    if (matches.length === 0) unknown.push(text);
  }
  const removed = new Set(unknown.map(keyOf));
  const has = (value: unknown): boolean =>
    (value instanceof OptionValue && ids.has(value.id)) || removed.has(keyOf(value));
  return { has, unknown };
}

export const columnTests = {
  required,
  unique,
  accepted,
  pattern,
  range,
  length,
  not_future: notFuture,
  fresh,
  type,
  valid,
};
