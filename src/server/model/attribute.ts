/** Attributes as handlers use them, and the rules of their configuration (docs/server.md, "Attributes"). */
import { randomBytes } from 'node:crypto';
import {
  type AttributeType,
  type CustomListAttribute,
  type ListAttributeConfig,
  type ListSelectOption,
  optionTypes,
} from '../../contract/lists.ts';
import type { Issue } from '../../contract/validate.ts';
import { invalid, invalidBy } from './failure.ts';

/** A stored configuration: removed options still explain the values that name them. */
export interface StoredConfig extends ListAttributeConfig {
  retired?: ListSelectOption[] | undefined;
}

export interface Attribute extends Required<Omit<CustomListAttribute, 'config'>> {
  config: StoredConfig;
}

type OptionInput = Omit<ListSelectOption, 'label'> & { label: string };
export type ConfigInput = Omit<ListAttributeConfig, 'options'> & { options?: OptionInput[] };

/** As the API shows it. */
export function attributeBody({ config: { retired: _, ...config }, ...rest }: Attribute): CustomListAttribute {
  return { ...rest, config };
}

/**
 * The configuration to store: what a write sends on top of the previous one. All options are replaced at once: one
 * with a known id, or else a known label, stays the same option; new ones get an id. Throws 400.
 */
export function mergedConfig(type: AttributeType, input: ConfigInput, before: StoredConfig = {}): StoredConfig {
  const found = configIssues(type, input);
  if (found.length > 0) throw invalidBy(found);
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
  const kept = new Set(merged.map((option) => option.id));
  const retired = known.filter((option) => !kept.has(option.id));
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
    const seen = new Set<string | undefined>();
    for (const [index, option] of options.entries()) {
      const value = option[field];
      if (seen.has(value)) {
        throw invalid({ path: `config.options.${index}.${field}`, message: `repeats ${JSON.stringify(value)}` });
      }
      seen.add(value);
    }
  }
}

function configIssues(type: AttributeType, config: ConfigInput): Issue[] {
  const found: Issue[] = [];
  const refuse = (field: string, takers: string) =>
    found.push({ path: `config.${field}`, message: `belongs to ${takers} attributes, not to ${type}` });
  if (config.options !== undefined && !optionTypes.includes(type)) refuse('options', optionTypes.join(', '));
  if (config.currency !== undefined && type !== 'currency') refuse('currency', 'currency');
  for (const bound of ['min', 'max'] as const) {
    if (config[bound] !== undefined && !['number', 'currency', 'rating'].includes(type)) {
      refuse(bound, 'number, currency and rating');
    } else if (config[bound] !== undefined && !Number.isFinite(Number(config[bound]))) {
      found.push({ path: `config.${bound}`, message: `must be a finite number, got ${config[bound]}` });
    }
  }
  if (config.currency !== undefined && !/^[A-Z]{3}$/.test(config.currency)) {
    found.push({ path: 'config.currency', message: `must be a code of three capitals such as USD` });
  }
  config.options?.forEach(({ id }, index) => {
    if (id === '') found.push({ path: `config.options.${index}.id`, message: 'must not be empty' });
  });
  return found;
}

function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {};
  for (const name of names) if (from[name] !== undefined) picked[name] = from[name];
  return picked;
}
