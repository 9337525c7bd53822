/** Attributes, their configuration, and values of entries (docs/server.md, "Attributes" and "Values"). */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeType,
  type CustomListAttribute,
  type ListAttributeConfig,
  type ListSelectOption,
  optionTypes,
} from '../../contract/lists.ts';
import { type Issue, isDate } from '../../contract/validate.ts';
import { isMailAddress, isWebAddress } from '../../core/addresses.ts';
import { shorten } from '../../core/errors.ts';
import { isInteger, isNumeric, type Numeric } from '../../core/json.ts';
import { invalid, invalidRequest } from './failure.ts';

/** A stored configuration: removed options still explain the values that name them. */
export interface StoredConfig extends ListAttributeConfig {
  retired?: ListSelectOption[] | undefined;
}

export interface Attribute extends Required<Omit<CustomListAttribute, 'config'>> {
  config: StoredConfig;
}

type OptionInput = Omit<ListSelectOption, 'label'> & { label: string };
export type ConfigInput = Omit<ListAttributeConfig, 'options'> & { options?: OptionInput[] };

/** The attribute in an answer. */
export function attributeBody({ config: { retired: _, ...config }, ...rest }: Attribute): CustomListAttribute {
  return { ...rest, config };
}

/**
 * The configuration to store: what a write sends on top of the previous one. All options are replaced at once: one
 * with a known id, or else a known label, stays the same option; new ones get an id. Throws 400.
 */
export function mergedConfig(type: AttributeType, input: ConfigInput, before: StoredConfig = {}): StoredConfig {
  const problems = configIssues(type, input);
  if (problems.length > 0) throw invalidRequest(problems);
  const { options, ...rest } = input;
  const config: StoredConfig = {
    ...before,
    ...pick(rest, ['currency', 'min', 'max']),
  };
  if (config.min !== undefined && config.max !== undefined && Number(config.min) > Number(config.max)) {
    throw invalid({ path: 'config.max', message: `must not be below min (${config.min}), got ${config.max}` });
  }
  if (!optionTypes.includes(type)) return config;
  if (options === undefined) return { ...config, options: config.options ?? [] };
  const known = [...(before.options ?? []), ...(before.retired ?? [])];
  const byId = firstBy(known, ({ id }) => id);
  const byLabel = firstBy(known, ({ label }) => label);
  const merged = options.map((option) =>
    mergedOption(option, option.id === undefined ? byLabel.get(option.label) : byId.get(option.id)),
  );
  requireDistinct(merged);
  const ids = new Set(merged.map((option) => option.id));
  const retired = known.filter((option) => !ids.has(option.id));
  return { ...config, options: merged, ...(retired.length > 0 ? { retired } : { retired: undefined }) };
}

/** Options by a key of theirs; of several the first. */
function firstBy<K>(options: readonly ListSelectOption[], keyOf: (option: ListSelectOption) => K) {
  return new Map(options.toReversed().map((option) => [keyOf(option), option]));
}

/** @param same the option that it was before */
function mergedOption(input: OptionInput, same: ListSelectOption | undefined): ListSelectOption {
  return {
    id: input.id ?? same?.id ?? `opt_${randomBytes(6).toString('hex')}`,
    ...pick({ ...same, ...input }, ['label', 'tone', 'color']),
  };
}

function requireDistinct(options: readonly ListSelectOption[]): void {
  for (const field of ['id', 'label'] as const) {
    const values = new Set<string | undefined>();
    for (const [index, option] of options.entries()) {
      const value = option[field];
      if (values.has(value)) {
        throw invalid({ path: `config.options.${index}.${field}`, message: `repeats ${JSON.stringify(value)}` });
      }
      values.add(value);
    }
  }
}

function configIssues(type: AttributeType, config: ConfigInput): Issue[] {
  const problems: Issue[] = [];
  const refuse = (field: string, takers: string) =>
    problems.push({ path: `config.${field}`, message: `belongs to ${takers} attributes, not to ${type}` });
  if (config.options !== undefined && !optionTypes.includes(type)) refuse('options', optionTypes.join(', '));
  if (config.currency !== undefined && type !== 'currency') refuse('currency', 'currency');
  for (const bound of ['min', 'max'] as const) {
    if (config[bound] !== undefined && !['number', 'currency', 'rating'].includes(type)) {
      refuse(bound, 'number, currency and rating');
    } else if (config[bound] !== undefined && !Number.isFinite(Number(config[bound]))) {
      problems.push({ path: `config.${bound}`, message: `must be a finite number, got ${config[bound]}` });
    }
  }
  if (config.currency !== undefined && !/^[A-Z]{3}$/.test(config.currency)) {
    problems.push({ path: 'config.currency', message: `must be a code of three capitals such as USD` });
  }
  config.options?.forEach(({ id }, index) => {
    if (id === '') problems.push({ path: `config.options.${index}.id`, message: 'must not be empty' });
  });
  return problems;
}

function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {};
  for (const name of names) if (from[name] !== undefined) picked[name] = from[name];
  return picked;
}

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
  const problems: Issue[] = [];
  for (const [slug, value] of Object.entries(written)) {
    const attribute = bySlug.get(slug);
    const wrong = (message: string) => problems.push({ path: `values.${slug}`, message });
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
  const named = new Set(problems.map(({ path }) => path));
  for (const { slug, is_required } of attributes) {
    const touched = before === undefined || Object.hasOwn(written, slug);
    if (is_required && touched && isEmpty(merged.get(slug)) && !named.has(`values.${slug}`)) {
      problems.push({ path: `values.${slug}`, message: 'is required' });
    }
  }
  if (problems.length > 0) throw invalidRequest(problems);
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

function checkOption(attribute: Attribute, value: unknown, ids = idsByName(attribute)): Checked {
  if (typeof value !== 'string') return { wrong: 'must be an option, by id or label' };
  const id = ids.get(value);
  if (id !== undefined) return { keep: id };
  const known = (attribute.config.options ?? []).map(({ label }) => label).join(', ');
  return {
    wrong: `must be one of ${known === '' ? '(it has no options)' : known}, got ${JSON.stringify(shorten(value))}`,
  };
}

function checkOptions(attribute: Attribute, value: unknown): Checked {
  if (!Array.isArray(value)) return { wrong: 'must be an array of options' };
  const names = idsByName(attribute);
  const ids = new Set<unknown>();
  for (const item of value) {
    const checked = checkOption(attribute, item, names);
    if ('wrong' in checked) return checked;
    if (ids.has(checked.keep)) return { wrong: `must hold each option once, got ${JSON.stringify(item)} again` };
    ids.add(checked.keep);
  }
  return { keep: [...ids] };
}

/** The ids of the options by id and by label. An id comes before the same label, and of two labels the first. */
function idsByName({ config: { options = [] } }: Attribute): ReadonlyMap<string | undefined, string | undefined> {
  const labels = options.toReversed().map(({ id, label }) => [label, id] as const);
  return new Map([...labels, ...options.map(({ id }) => [id, id] as const)]);
}
