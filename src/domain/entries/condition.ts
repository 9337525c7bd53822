/**
 * What is wrong with a condition over the entries of a list before any of them is looked at. Evaluating it would say
 * no to every entry, or yes to every one after a `not` or `!=`, and look like an answer.
 */
import { optionTypes } from '../../contract/lists.ts';
import { type Failure, usage } from '../../core/errors.ts';
import { isNumeric } from '../../core/json.ts';
import type { Expression, Node } from '../expression/expression.ts';
import { fixedFields } from './lookup.ts';
import { type Attribute, optionsOf, unknownOption } from './options.ts';

/** A text that is compared with an attribute of options, and is neither the label nor the id of one. */
export interface UnknownOption {
  slug: string;
  text: string;
  failure: Failure;
}

type Kind = 'number' | 'text' | 'date' | 'boolean' | 'options';

const connectives = ['and', 'or'];
const ordered = ['<', '<=', '>', '>='];
const comparisons = ['=', '==', '!=', ...ordered];
const testing = ['empty', 'starts', 'ends'];
const datePart = /^\d{4}(-\d{2}(-\d{2}(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?)?)?$/;

/**
 * @param where what messages call the text
 * @returns options that the list does not have; entries may still hold one that was removed
 * @throws usage for what is not a condition, and for values that can never be equal or in order
 */
export function checkCondition(
  { root, text }: Expression,
  attributes: readonly Attribute[],
  where: string,
): UnknownOption[] {
  const refuse = (message: string, hint?: string) => usage(`${where}: ${message} in ${JSON.stringify(text)}`, hint);
  const bySlug = new Map(attributes.flatMap((one) => (one.slug === undefined ? [] : [[one.slug, one] as const])));
  const found: UnknownOption[] = [];

  const kindOf = (name: string): { kind: Kind; attribute?: Attribute } | undefined => {
    if (name === 'position') return { kind: 'number' };
    if (name === 'archived') return { kind: 'boolean' };
    if (name === 'today' || name === 'created_at' || name === 'updated_at') return { kind: 'date' };
    if ((fixedFields as readonly string[]).includes(name)) return { kind: 'text' };
    const attribute = bySlug.get(name.startsWith('values.') ? name.slice('values.'.length) : name);
    return attribute && { kind: kindOfType(attribute), attribute };
  };

  const checkLiteral = (name: string, operator: string, value: unknown): void => {
    const known = kindOf(name);
    if (!known || value === null || operator === 'matches') return;
    const { kind, attribute } = known;
    // Of one text it asks for a part, of several options for one of them.
    if (operator === 'contains' && attribute?.attribute_type !== 'multi_select') return;
    const shown = JSON.stringify(value);
    if (kind === 'options' && attribute) {
      const options = optionsOf(attribute);
      if (typeof value !== 'string')
        throw refuse(`${name} has options, and ${shown} is not one of them: write its label in quotes`);
      // In order their labels are texts like any other.
      if (!options || ordered.includes(operator) || options.some(({ id, label }) => id === value || label === value))
        return;
      found.push({ slug: attribute.slug ?? name, text: value, failure: unknownOption(attribute, value, where) });
    } else if (kind === 'number' && !isNumeric(value)) {
      throw refuse(`${name} is a number, and ${shown} is not`, 'write a number without quotes');
    } else if (kind === 'boolean' && typeof value !== 'boolean') {
      throw refuse(`${name} is true or false, and ${shown} is neither`, 'write them without quotes');
    } else if ((kind === 'text' || kind === 'date') && typeof value !== 'string') {
      throw refuse(`${name} is ${kind === 'date' ? 'a date' : 'text'}, and ${shown} is not`, 'write it in quotes');
    } else if (kind === 'date' && !datePart.test(String(value))) {
      throw refuse(`${name} is a date, and ${shown} is not`, 'write it as "2006-01-31", or today without quotes');
    }
  };

  const checkPair = (operator: string, left: Node, right: Node): void => {
    const sides = [
      [left, right],
      [right, left],
    ] as const;
    for (const [one, other] of sides) {
      if (one.kind !== 'name') continue;
      const values = other.kind === 'list' ? other.items : [other];
      for (const item of values) if (item.kind === 'literal') checkLiteral(one.name, operator, item.value);
    }
  };

  const checkTruth = (node: Node): void => {
    switch (node.kind) {
      case 'binary':
        if (connectives.includes(node.operator)) {
          checkTruth(node.left);
          checkTruth(node.right);
          return;
        }
        if (![...comparisons, 'in', 'contains', 'matches'].includes(node.operator)) break;
        checkPair(node.operator, node.left, node.right);
        return;
      case 'unary':
        if (node.operator !== 'not') break;
        checkTruth(node.of);
        return;
      case 'call':
        if (testing.includes(node.name)) return;
        break;
      case 'literal':
        if (typeof node.value === 'boolean') return;
        break;
      case 'name': {
        const kind = kindOf(node.name)?.kind;
        if (kind === undefined || kind === 'boolean') return;
        break;
      }
    }
    const example = node.kind === 'name' ? `${node.name} = …, not (empty(${node.name}))` : 'amount > 100';
    throw refuse(`${describe(node)} is neither true nor false`, `compare it, as in ${example}`);
  };

  checkTruth(root);
  return found;
}

function kindOfType({ attribute_type: type }: Attribute): Kind {
  if (type !== undefined && optionTypes.includes(type)) return 'options';
  if (type === 'number' || type === 'currency' || type === 'rating') return 'number';
  if (type === 'checkbox') return 'boolean';
  return type === 'date' ? 'date' : 'text';
}

function describe(node: Node): string {
  switch (node.kind) {
    case 'name':
      return node.name;
    case 'literal':
      return JSON.stringify(node.value);
    case 'call':
      return `${node.name}(…)`;
    case 'list':
      return 'a list';
    case 'percent':
      return 'a percentage';
    default:
      return `a result of ${node.operator}`;
  }
}
