/** Changes of an entry: differing values, edits of its options, and computed values. */
import type { AttributeType, CustomListEntry } from '../../contract/lists.ts';
import { difference, sum } from '../../core/decimal.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, plainDecimal, propertyOf } from '../../core/json.ts';
import { sameValue } from '../../core/same.ts';
import { checkValue } from '../expression/check.ts';
import { evaluate, type Value } from '../expression/evaluate.ts';
import { parse, problem } from '../expression/parser.ts';
import { isSpan } from '../expression/time.ts';
import { type Type, type Typed, typeNames } from '../expression/typed.ts';
import type { Attribute } from './options.ts';
import { type Entry, entryScope } from './scope.ts';
import {
  type Assignment,
  attributeOf,
  percentageIssue,
  typedJson,
  typedText,
  typedValues,
  writtenNumber,
} from './values.ts';

export type EntryChange = Record<string, unknown> & { values?: Record<string, unknown> };

export interface Changed {
  name: string;
  from: unknown;
  to: unknown;
}

/** The fields and values of a change that differ from the entry. */
export function changesOf(entry: Partial<CustomListEntry>, change: EntryChange): Changed[] {
  const { values = {}, ...fields } = change;
  const all: Changed[] = [
    ...Object.entries(fields).map(([name, to]) => ({ name, from: Reflect.get(entry, name) as unknown, to })),
    ...Object.entries(values).map(([slug, to]) => ({
      name: `values.${slug}`,
      from: propertyOf(entry.values, slug),
      to,
    })),
  ];
  return all.filter(({ from, to }) => !sameValue(from, to));
}

export function bodyOfChanges(changed: readonly Changed[]): EntryChange {
  const fields: [string, unknown][] = [];
  const values: [string, unknown][] = [];
  for (const { name, to } of changed) {
    if (name.startsWith('values.')) values.push([name.slice('values.'.length), to]);
    else fields.push([name, to]);
  }
  // fromEntries defines own properties, so that a slug such as `__proto__` is safe.
  return { ...Object.fromEntries(fields), ...(values.length > 0 ? { values: Object.fromEntries(values) } : {}) };
}

/** Ids of options to add and to remove, by slug. */
type OptionSets = Record<'add' | 'remove', ReadonlyMap<string, readonly string[]>>;

/** @throws usage for an attribute that is no multi_select, and for unknown options */
export function optionSets(
  attributes: readonly Attribute[],
  assignments: Record<'add' | 'remove', readonly Assignment[]>,
): OptionSets {
  const idsOf = (kind: 'add' | 'remove') => {
    const source = kind === 'add' ? '+=' : '-=';
    for (const assignment of assignments[kind]) {
      const { slug = '', attribute_type: type } = attributeOf(attributes, assignment.slug, source);
      if (type === 'multi_select') continue;
      const isNumber = type === 'number' || type === 'currency' || type === 'rating';
      const text = 'text' in assignment ? assignment.text : '';
      throw usage(
        `${source} is for attributes of type multi_select, and ${slug} is of type ${type}`,
        isNumber ? `write "${changeFormula(slug, kind === 'add' ? '+' : '-', text)}"` : 'give it its whole value',
      );
    }
    const values = typedValues(attributes, assignments[kind], { source, now: new Date(0) });
    return new Map(Object.entries(values).map(([slug, ids]) => [slug, (ids ?? []) as string[]]));
  };
  const sets = { add: idsOf('add'), remove: idsOf('remove') };
  for (const [slug, ids] of sets.add) {
    const both = ids.some((id) => sets.remove.get(slug)?.includes(id));
    if (both) throw usage(`+= and -= both name an option of ${slug}`, 'give one of them');
  }
  return sets;
}

export function hasEdits({ add, remove }: OptionSets): boolean {
  return add.size + remove.size > 0;
}

/** Applies the edits to the options of one entry. An empty set clears the value. */
export function withEdits(
  change: EntryChange,
  { add, remove }: OptionSets,
  entry: Partial<CustomListEntry>,
): EntryChange {
  const slugs = new Set([...add.keys(), ...remove.keys()]);
  if (slugs.size === 0) return change;
  const edited = [...slugs].map((slug) => {
    const before = propertyOf(entry.values, slug);
    const ids = Array.isArray(before) ? before : [];
    const all = [...new Set([...ids, ...(add.get(slug) ?? [])])].filter((id) => !remove.get(slug)?.includes(id));
    return [slug, all.length > 0 ? all : null];
  });
  return { ...change, values: { ...change.values, ...Object.fromEntries(edited) } };
}

/** The formula that changes a number: `fee := fee + 5`, and `fee := fee * 1.1` for 10% more. */
export function changeFormula(slug: string, sign: string, text: string): string {
  const amount = text.trim();
  const share = /[+-]/.test(sign) && amount.endsWith('%') ? writtenNumber(amount) : undefined;
  if (share === undefined) return `${slug} := ${slug} ${sign} ${amount}`;
  return `${slug} := ${slug} * ${plainDecimal(sign === '-' ? difference(1, share) : sum([1, share]))}`;
}

interface Formula {
  slug: string;
  text: string;
}

const accepted: Partial<Record<AttributeType, readonly Type[]>> = {
  number: ['number'],
  currency: ['number'],
  rating: ['number'],
  checkbox: ['boolean'],
  date: ['time'],
  select: ['option', 'text'],
  status: ['option', 'text'],
  multi_select: ['options', 'option', 'text'],
};

/** The computed values of an entry; an empty result leaves the value as it is. @throws usage for a wrong type */
export function computedValues(
  attributes: readonly Attribute[],
  formulas: readonly Formula[],
  { source, now }: { source: string; now: () => Date },
): (entry: Entry) => Record<string, unknown> {
  const scope = entryScope(attributes, now);
  const computed = formulas.map(({ slug, text }) => {
    const attribute = attributeOf(attributes, slug, source);
    const where = `${source} ${slug}`;
    const node = parse(text, where);
    if (node.kind === 'name' && !scope.column(node.name) && !node.quoted && node.name !== 'today') {
      throw usage(`${where}: ${text} is no column`, `write ${source} ${slug}=${text} for the value`);
    }
    const value = checkValue(node, scope, { text, where });
    if (node.kind === 'number' && percentageIssue(attribute, node.text)) {
      throw usage(
        `${where}: ${node.text} is a percentage`,
        `write "${changeFormula(attribute.slug ?? slug, '+', text)}"`,
      );
    }
    const types = accepted[attribute.attribute_type ?? 'text'] ?? ['text', 'option'];
    if (value.type !== 'unknown' && !types.includes(value.type)) {
      const says = `this is ${typeNames[value.type]}, and ${slug} is of type ${attribute.attribute_type ?? 'text'}`;
      throw problem({ text, where }, node.at, says);
    }
    return { slug, attribute, value, where };
  });
  return (entry) =>
    Object.fromEntries(
      computed.flatMap(({ slug, attribute, value, where }) => {
        const result = evaluate(value, entry);
        if (result === null) return [];
        try {
          return [[slug, storedValue(attribute, value, result, now())]];
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          throw usage(`${where} of "${entry.title ?? entry.id}": ${error.message}`, error.hint);
        }
      }),
    );
}

/** The result as the API stores it. Options of another attribute go by their labels. */
function storedValue(attribute: Attribute, value: Typed<Entry>, result: NonNullable<Value>, now: Date): unknown {
  if (isSpan(result)) return new Date(result.start).toISOString().slice(0, 10);
  if (typeof result === 'boolean' || isNumeric(result)) return typedJson(attribute, result, { now });
  const options = value.kind === 'column' ? value.column.options : undefined;
  const texts = (Array.isArray(result) ? result : [result]).map((item) => {
    const id = String(item);
    return options?.find((option) => option.id === id)?.label ?? id;
  });
  if (attribute.attribute_type === 'multi_select') return typedJson(attribute, texts, { now });
  return typedText(attribute, texts.join('; '), { now });
}
