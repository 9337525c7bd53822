/** The functions of lists: `unique(email)`, `a within 7d`, `attribute(stage, select, "Won")`. */
import { attributeTypes } from '../../contract/lists.ts';
import { isDate, isDateTime, isUuid } from '../../contract/validate.ts';
import { isAddress, isMailAddress } from '../../core/addresses.ts';
import { compare } from '../../core/decimal.ts';
import { Failure, shorten, usage } from '../../core/errors.ts';
import { isNumeric, numeric, propertyOf } from '../../core/json.ts';
import { isEmptyValue, numberKey } from '../../core/same.ts';
import { type Attribute, optionsOf } from '../entries/options.ts';
import { type Entry, valueReader } from '../entries/scope.ts';
import { storedIssue } from '../entries/values.ts';
import { checkTree } from '../expression/check.ts';
import { holds } from '../expression/evaluate.ts';
import { pattern, UnknownOptions } from '../expression/literals.ts';
import type { Node } from '../expression/parser.ts';
import { daySpan, instant } from '../expression/time.ts';
import type { Column, Scope, ValueType } from '../expression/typed.ts';
import { type Call, isAhead, limitsOf, limitsText, quotedName, type Signature, since } from './expectation.ts';
import {
  columnOf,
  conditionTest,
  formatValue,
  keyOf,
  type ListContext,
  type ListFacts,
  type ListTest,
  valuesOf,
} from './list-test.ts';
import { Findings, outcome } from './model.ts';

export interface ListFunction extends Signature {
  make(call: Call, context: ListContext): ListTest;
}

const many = Number.POSITIVE_INFINITY;
const plainNumber = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i;
const aColumn = ['a column'] as const;

export const listFunctions: Readonly<Record<string, ListFunction>> = {
  exists: { make: () => listTest([], 'exists', 'exists') },
  attributes: { needs: ['the slugs'], most: many, make: attributes },
  attribute: { needs: ['a slug'], most: many, make: attribute },
  row: {
    needs: ['one condition'],
    make: ({ args: [argument], text }, context) => conditionTest(argument ? conditionOf(argument) : '', text, context),
  },
  required: {
    needs: aColumn,
    most: many,
    // A text of blanks is none.
    make: rewriteCall(undefined, (columns) =>
      columns.map(({ name, type }) => `${type === 'text' ? `trim(${name})` : name} is not empty`).join(' and '),
    ),
  },
  not_future: {
    needs: aColumn,
    most: many,
    make: rewriteCall(['date', 'time'], (columns) =>
      columns.map(({ name }) => `(${name} is empty or ${name} <= now)`).join(' and '),
    ),
  },
  range: { needs: aColumn, most: 3, hasLimits: true, make: range },
  length: { needs: aColumn, most: 3, hasLimits: true, make: length },
  no_archived: {
    make: ({ text }, context) => ({ ...conditionTest('archived = false', text, context), archived: true }),
  },
  unique: { needs: aColumn, most: many, make: unique },
  accepted: { needs: ['a column', 'the values after the column'], most: many, make: accepted },
  pattern: {
    needs: ['a column', 'a regular expression after the column'],
    make(call, context) {
      const source = call.args[1]?.text ?? '';
      const expression = pattern(source);
      if ('wrong' in expression) throw usage(`"${call.text}": ${expression.wrong}`, 'the syntax is that of RE2');
      return eachValue(call, context, `matches ${source}`, (value) => expression.test(formatValue(value)));
    },
  },
  type: {
    needs: aColumn,
    most: 2,
    make(call, context) {
      const kind = call.args[1]?.text ?? '';
      const is = propertyOf(kinds, kind);
      const known = Object.keys(kinds).join(', ');
      if (!is) throw usage(`"${call.text}": type takes one of ${known}, got ${kind || 'nothing'}`);
      const isRight = (value: unknown) => is(isNumeric(value) ? numberKey(value) : formatValue(value));
      return eachValue(call, context, `every value is a ${kind}`, isRight);
    },
  },
  valid: { most: many, make: valid },
  fresh: { most: 2, make: fresh },
  references: { needs: ['a column', 'a list after the column'], most: 3, make: references },
};

/** A function that stands for a condition on each row. */
function rewriteCall(
  types: readonly ValueType[] | undefined,
  write: (columns: readonly Pick<Column<Entry>, 'name' | 'type'>[]) => string,
): ListFunction['make'] {
  return (call, context) => {
    const columns = call.args.map(({ text }) => columnOf(text, call, context, types));
    const named = columns.map(({ name, type }) => ({ name: quotedName(name), type }));
    const parts = named.map((column) => ({ name: column.name, condition: write([column]) }));
    return conditionTest(write(named), call.text, context, parts);
  };
}

/** `length(name, 1, 80)`: characters of a text or a label, options of a multi_select. */
function length(call: Call, context: ListContext): ListTest {
  columnOf(call.args[0]?.text ?? '', call, context, ['text', 'option', 'options']);
  const limits = limitsOf(call, 1);
  return eachValue(call, context, `length ${limitsText(limits)}`, (value) => {
    const size = Array.isArray(value) ? value.length : [...formatValue(value)].length;
    return compare(size, limits.min?.value ?? size) >= 0 && compare(size, limits.max?.value ?? size) <= 0;
  });
}

function range(call: Call, context: ListContext): ListTest {
  const name = quotedName(columnOf(call.args[0]?.text ?? '', call, context, ['number']).name);
  const limits = limitsText(limitsOf(call, 1), `${name} `);
  return conditionTest(`if ${name} is not empty then ${limits}`, call.text, context);
}

function conditionOf({ key, node }: Call['args'][number]): Node {
  if (key === undefined) return node;
  const left: Node = { kind: 'name', at: node.at, name: key, quoted: false };
  return { kind: 'compare', at: node.at, operator: '=', left, right: node };
}

/** The faults of a row, with the columns that can be wrong by themselves. */
interface RowProblem {
  detail: string;
  columns?: readonly string[];
}

/** A test of each row by itself: `problemOf` gives null for an empty row, which passes. */
function eachRow(
  { cap }: ListFacts,
  threshold: string,
  problemOf: (entry: Entry) => RowProblem | null | undefined,
): ListTest {
  const findings = new Findings(cap);
  let empty = 0;
  return {
    row(entry) {
      const problem = problemOf(entry);
      if (problem === null) empty += 1;
      else if (problem) {
        const keys = problem.columns?.map((name) => `${entry.id} ${name}`);
        findings.add(entry.id, entry.title, problem.detail, keys);
      }
    },
    finish(total) {
      const note = empty > 0 ? `, ${empty} empty` : '';
      return findings.outcome(`${total - empty - findings.count} of ${total} rows hold${note}`, threshold);
    },
  };
}

/** The same of the first column's values that are not empty. */
function eachValue(
  call: Call,
  context: ListContext,
  threshold: string,
  isRight: (value: unknown) => boolean,
): ListTest {
  const { name } = columnOf(call.args[0]?.text ?? '', call, context);
  const read = valueReader(context.scope, name);
  return eachRow(context.facts, threshold, (entry) => {
    const value = read(entry);
    if (isEmptyValue(value)) return null;
    return isRight(value) ? undefined : { detail: `${name} = ${formatValue(value)}` };
  });
}

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

function unique(call: Call, context: ListContext): ListTest {
  const readers = call.args.map(({ text }) => valueReader(context.scope, columnOf(text, call, context).name));
  const firstRow = new Map<string, string>();
  const findings = new Findings(context.facts.cap);
  let empty = 0;
  return {
    row(entry) {
      const values = readers.map((read) => read(entry));
      // A row without a value repeats nothing; `required` is the expectation for that.
      if (values.every(isEmptyValue)) {
        empty += 1;
        return;
      }
      const key = JSON.stringify(values.map(keyOf));
      const before = firstRow.get(key);
      if (before === undefined) firstRow.set(key, entry.id ?? '');
      else {
        const repeated = shorten(values.map(formatValue).join(', '));
        findings.add(entry.id, entry.title, `${repeated} is also in ${before}`, [`${entry.id} ${before}`]);
      }
    },
    finish() {
      const note = empty > 0 ? `, ${empty} empty` : '';
      return findings.outcome(`${firstRow.size} distinct, ${findings.count} repeated${note}`, 'no value twice');
    },
  };
}

/** Values that fit their attribute: `valid()` for all of them, `valid(stage, value)` for some. */
function valid(call: Call, context: ListContext): ListTest {
  const names = call.args.map(({ text }) => columnOf(text, call, context).name);
  const checked = context.facts.attributes.filter(
    ({ slug }) => slug !== undefined && (names.length === 0 || names.includes(slug)),
  );
  return eachRow(context.facts, 'every value fits its attribute', ({ values }) => {
    const problems = checked.flatMap((attribute) => {
      const name = attribute.slug ?? '';
      const issue = storedIssue(attribute, values?.[name]);
      return issue ? [{ name, issue }] : [];
    });
    if (problems.length === 0) return undefined;
    return { detail: problems.map(({ issue }) => issue).join('; '), columns: problems.map(({ name }) => name) };
  });
}

/** `accepted(column, …)`: every value, and every one of several options, is among those named. */
function accepted(call: Call, context: ListContext): ListTest {
  const [first, ...args] = call.args;
  const { name, type, options, get } = columnOf(first?.text ?? '', call, context);
  const item = { type: type === 'options' ? ('option' as const) : type, options, get: (value: unknown) => value };
  const scope: Scope<unknown> = { ...context.scope, column: (column) => (column === name ? item : undefined) };
  const items = args.map(({ node, text }): Node => (node.kind === 'name' ? { kind: 'text', at: node.at, text } : node));
  const of: Node = { kind: 'name', at: 0, name, quoted: true };
  const source = { text: call.text, where: 'expectation' };
  const among: Node = { kind: 'in', at: 0, of, items: { kind: 'list', at: 0, items } };
  // A column of an unknown type is compared by text, and by the size of numbers.
  const condition = type === 'unknown' ? undefined : checkTree(among, scope, source);
  const keys = new Set(args.map(({ text }) => keyOf(plainNumber.test(text) ? numeric(text) : text)));
  const isAccepted = (value: unknown) => (condition ? holds(condition.root, value) : keys.has(keyOf(value)));
  const unknown = new UnknownOptions(scope, condition?.unknownOptions ?? []);
  const read = valueReader(context.scope, name);
  const test = eachRow(context.facts, `one of ${args.map(({ text }) => text).join(', ')}`, (entry) => {
    const stored = valuesOf(get(entry));
    if (stored.length === 0) return null;
    for (const value of stored) unknown.read(value);
    const wrong = stored.findIndex((value) => !isAccepted(value));
    return wrong < 0 ? undefined : { detail: `${name} = ${formatValue(valuesOf(read(entry))[wrong])}` };
  });
  return {
    ...test,
    finish(total) {
      const failure = unknown.failure();
      if (failure) throw failure;
      return test.finish(total);
    },
  };
}

/** `closed within 7d`: the newest value up to now is new enough. */
function fresh(call: Call, context: ListContext): ListTest {
  const { now } = context.facts;
  const [first, second] = call.args;
  const { name } = columnOf(second ? (first?.text ?? '') : 'updated_at', call, context, ['date', 'time']);
  const read = valueReader(context.scope, name);
  const duration = (second ?? first)?.text;
  const earliest = since(duration, now);
  if (earliest === undefined) throw usage(`"${call.text}": fresh needs a duration such as 12h, 30d, 6w or 3m`);
  let newest: { text: string; at: number } | undefined;
  let ahead = 0;
  return {
    row(entry) {
      const value = read(entry);
      if (isEmptyValue(value)) return;
      const time = daySpan(String(value)) ?? instant(String(value));
      if (!time) {
        // A result without it would look complete.
        const says = `${name} of "${entry.title ?? entry.id}" is ${JSON.stringify(value)}, which cannot be read as a time`;
        throw new Failure('rejected', says, { hint: 'the expectation valid() finds all such values' });
      }
      // Future values do not show that the list is maintained.
      if (isAhead(time.start, now)) ahead += 1;
      else if (newest === undefined || time.end > newest.at) newest = { text: String(value), at: time.end };
    },
    finish() {
      const value = newest ? `newest ${name} ${newest.text}` : `no ${name}${ahead > 0 ? ' up to now' : ''}`;
      const observed = ahead > 0 ? `${value}, ${ahead} in the future` : value;
      return outcome(newest !== undefined && newest.at >= earliest, observed, `within ${duration}`);
    },
  };
}

/** `references(company, "portfolio", title)`: each value is in a column of another list. */
function references(call: Call, context: ListContext): ListTest {
  const [first, list, other] = call.args;
  const { name } = columnOf(first?.text ?? '', call, context);
  const read = valueReader(context.scope, name);
  const column = other?.text ?? 'title';
  const allowed = context.facts.references(list?.text ?? '', column);
  const findings = new Findings(context.facts.cap);
  let count = 0;
  return {
    row(entry) {
      for (const item of valuesOf(read(entry))) {
        count += 1;
        const key = keyOf(item);
        if (allowed.has(key)) continue;
        findings.add(entry.id, entry.title, `${name} = ${formatValue(item)}`, [`${entry.id} ${key}`]);
      }
    },
    looked: () => count,
    finish: () => findings.outcome(`${count - findings.count} of ${count} values`, `in ${list?.text}.${column}`),
  };
}

/** Items of a list that are wrong for the same reason: `missing` of `a, b`. */
interface Difference {
  reason: string;
  items: readonly string[];
}

/** A test of the list itself, which exists: a missing list fails `exists` before any test. */
function listTest(wrong: readonly Difference[], observed: string, threshold: string): ListTest {
  const says = wrong.map(({ reason, items }) => `${reason} ${items.join(', ')}`).join('; ');
  const titles = wrong.flatMap(({ reason, items }) => items.map((item) => `${reason} ${item}`));
  const findings = titles.map((title) => ({ id: '', title, detail: '', keys: [title] }));
  const holds = wrong.length === 0;
  return {
    rowless: 'list',
    finish: () => ({ ...outcome(holds, holds ? observed : says, threshold), findings }),
  };
}

/** `attributes(a, b, c)`: these slugs and no others, in any order. */
function attributes({ args }: Call, { facts }: ListContext): ListTest {
  const expected = args.map(({ text }) => text);
  const slugs = facts.attributes.flatMap(({ slug }) => slug ?? []);
  return listTest(differences(expected, slugs, ['missing', 'not expected']), slugs.join(', '), expected.join(', '));
}

/** `attribute(stage, select, "Lead", "Won")`: it exists, has the type, and exactly these options when some are named. */
function attribute({ args, text }: Call, { facts }: ListContext): ListTest {
  const [slug = '', type, ...options] = args.map((argument) => argument.text);
  if (type !== undefined && !(attributeTypes as readonly string[]).includes(type))
    throw usage(`"${text}": ${type} is not an attribute type; the types are ${attributeTypes.join(', ')}`);
  const threshold = describeAttribute(slug, type ?? 'of any type', options);
  const existing = facts.attributes.find((candidate) => candidate.slug === slug);
  if (!existing) return listTest([{ reason: 'no attribute', items: [slug] }], '', threshold);
  const labels = (optionsOf(existing) ?? []).map(({ label, id }) => label ?? id ?? '');
  const wrong = [
    ...(type !== undefined && existing.attribute_type !== type
      ? [{ reason: 'is', items: [String(existing.attribute_type)] }]
      : []),
    ...(options.length > 0 ? differences(options, labels, ['without option', 'with unexpected option']) : []),
  ];
  const observed = describeAttribute(slug, existing.attribute_type, labels);
  return listTest(wrong, observed, threshold);
}

function describeAttribute(slug: string, type: Attribute['attribute_type'] | string, options: readonly string[]) {
  return `${slug} ${type}${options.length > 0 ? ` with ${options.join(', ')}` : ''}`;
}

/** The items that only one side has; none where both hold the same. */
function differences(
  expected: readonly string[],
  actual: readonly string[],
  reasons: readonly [string, string],
): Difference[] {
  const missing = { reason: reasons[0], items: expected.filter((item) => !actual.includes(item)) };
  const extra = { reason: reasons[1], items: actual.filter((item) => !expected.includes(item)) };
  return [missing, extra].filter(({ items }) => items.length > 0);
}
