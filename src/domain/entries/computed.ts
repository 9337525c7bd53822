/** Values that are computed from each entry: `--set 'revenue := revenue * 1.1'`. */
import type { AttributeType } from '../../contract/lists.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric } from '../../core/json.ts';
import { checkValue } from '../expression/check.ts';
import { evaluate, type Value } from '../expression/evaluate.ts';
import { parse, problem } from '../expression/parser.ts';
import { isSpan } from '../expression/time.ts';
import { type Type, type Typed, typeNames } from '../expression/typed.ts';
import type { Attribute } from './options.ts';
import { type Entry, entryScope } from './scope.ts';
import { attributeOf, typedJson, typedText } from './values.ts';

interface Formula {
  slug: string;
  /** The expression as written. */
  text: string;
}

/** Types of expressions that an attribute can hold. */
const accepted: Partial<Record<AttributeType, readonly Type[]>> = {
  ...{ number: ['number'], currency: ['number'], rating: ['number'], checkbox: ['boolean'], date: ['time'] },
  ...{ select: ['option', 'text'], status: ['option', 'text'], multi_select: ['options', 'option', 'text'] },
};

/**
 * The computed values of an entry. An empty result leaves the value as it is.
 * @throws usage for an expression of another type than its attribute
 */
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
