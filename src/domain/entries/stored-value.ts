/** Whether a value, as the API gave it, fits its attribute. */
import { isDate } from '../../contract/validate.ts';
import { isAddress, isMailAddress } from '../../core/addresses.ts';
import { isNumeric } from '../../core/json.ts';
import { type Attribute, optionsOf } from './options.ts';

/** What is wrong with a stored value, or undefined when it fits or is empty. */
export function storedIssue(attribute: Attribute, value: unknown): string | undefined {
  if (value === null || value === undefined) {
    return attribute.is_required ? `${attribute.slug} is required and empty` : undefined;
  }
  const wrong = (rule: string): string => `${attribute.slug} = ${JSON.stringify(value)} is not ${rule}`;
  switch (attribute.attribute_type) {
    case 'number':
    case 'currency':
    case 'rating':
      return numberIssue(attribute, value, wrong);
    case 'checkbox':
      return typeof value === 'boolean' ? undefined : wrong('true or false');
    case 'date':
      return typeof value === 'string' && isDate(value) ? undefined : wrong('a date (YYYY-MM-DD)');
    case 'url':
      return typeof value === 'string' && isAddress(value) ? undefined : wrong('a web address');
    case 'email':
      return typeof value === 'string' && isMailAddress(value) ? undefined : wrong('an e-mail address');
    case 'select':
    case 'status':
      return isOption(attribute, value) ? undefined : wrong('an option of the attribute');
    case 'multi_select':
      return Array.isArray(value) && value.every((item) => isOption(attribute, item))
        ? undefined
        : wrong('options of the attribute');
    case 'text':
      return typeof value === 'string' ? undefined : wrong('text');
    default:
      return undefined;
  }
}

function numberIssue(attribute: Attribute, value: unknown, wrong: (rule: string) => string): string | undefined {
  if (!isNumeric(value)) return wrong('a number');
  const { min, max } = attribute.config ?? {};
  if (min !== undefined && Number(value) < Number(min)) return wrong(`at least ${min}`);
  if (max !== undefined && Number(value) > Number(max)) return wrong(`at most ${max}`);
  return undefined;
}

function isOption(attribute: Attribute, value: unknown): boolean {
  const options = optionsOf(attribute);
  return options === undefined || options.some(({ id }) => id === value);
}
