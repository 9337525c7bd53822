/** The `config` of an attribute from flags. */

import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag } from '../../cli/define.ts';
import { amount } from '../../cli/words.ts';
import {
  type AttributeType,
  type CustomListAttribute,
  type ListAttributeConfig,
  optionTypes,
} from '../../contract/lists.ts';
import { type Failure, usage } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { type Attribute, editedOptions, newOptions } from '../../domain/entries/options.ts';
import { countOptions, type ReadList } from '../entries/read.ts';
import { attributeNamed } from '../lists/read.ts';

export const configFlags = {
  currency: flag.text('CODE', 'currency of a currency attribute, such as EUR', { field: 'config.currency' }),
  min: flag.number('N', 'smallest value of number, currency or rating', { field: 'config.min' }),
  max: flag.number('N', 'largest value of number, currency or rating (rating: 5)', { field: 'config.max' }),
};

export const optionFlags = {
  option: flag.list('LABEL|OLD=NEW|-LABEL', 'add, rename or remove an option; +LABEL[:TONE] adds any', {
    completionKind: 'option',
    also: { 'add-option': '+VALUE', 'rename-option': '=VALUE', 'remove-option': '-VALUE' },
  }),
};

/** Asks for the options or the currency of a type, if no flag has them. */
export async function askForType(
  { runtime }: Context,
  flags: { type?: string | undefined; option?: string[]; currency?: string },
): Promise<void> {
  const { askText, problemIn } = await import('../../cli/prompts.ts');
  if (optionTypes.some((type) => type === flags.type) && flags.option === undefined) {
    const split = (text: string) => text.split(',').map((part) => part.trim());
    const text = await askText(runtime, {
      message: 'Options, separated by commas, such as Won:sage, Lost:',
      validate: (answer) => problemIn(() => newOptions(split(answer), 'the options')) ?? true,
    });
    flags.option = split(text);
  }
  if (flags.type === 'currency' && flags.currency === undefined) {
    const text = await askText(runtime, { message: 'Currency, such as EUR (Enter for none):' });
    if (text !== '') flags.currency = text;
  }
}

/** The edits of `--option`: `-` removes, a text with `=` renames, any other text is added. */
function editsOf(written: readonly string[]) {
  const edits = { add: [] as string[], rename: [] as string[], remove: [] as string[] };
  for (const text of written) {
    if (text.startsWith('-')) edits.remove.push(text.slice(1));
    else if (text.startsWith('+')) edits.add.push(text.slice(1));
    else if (text.includes('=')) edits.rename.push(text.replace(/^=/, ''));
    else edits.add.push(text);
  }
  return edits;
}

const boundFields = ['currency', 'min', 'max'] as const;
const numeric: readonly AttributeType[] = ['number', 'currency', 'rating'];

type Config = Omit<ListAttributeConfig, 'options'> & { options?: { id?: string; label: string }[] };

/** `{ config }` as a write sends it, with what the attribute has (`from`), since a write may replace; or nothing. */
function configOf(type: string | undefined, from: Config, flags: FlagValues<typeof configFlags>): { config?: Config } {
  const bounds = Object.fromEntries(
    boundFields.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])),
  );
  const config: Config = { ...from, ...bounds };
  const refuse = (flagName: string, takes: readonly string[]) =>
    usage(`${flagName} is for attributes of type ${takes.join(', ')}, and this one is ${type}`);
  if (type !== undefined) {
    if (bounds.currency !== undefined && type !== 'currency') throw refuse('--currency', ['currency']);
    const bound = (['min', 'max'] as const).find((name) => bounds[name] !== undefined);
    if (bound && !numeric.some((numericType) => numericType === type)) throw refuse(`--${bound}`, numeric);
    if (from.options?.length && !optionTypes.some((optionType) => optionType === type))
      throw refuse('--option', optionTypes);
  }
  if (config.min !== undefined && config.max !== undefined && Number(config.min) > Number(config.max)) {
    throw usage(`--min ${config.min} is above --max ${config.max}`);
  }
  return Object.keys(config).length > 0 ? { config } : {};
}

/** `{ config }` of a new attribute. */
export function newConfig(flags: FlagValues<typeof configFlags> & { type?: string; option?: string[] }): {
  config?: Config;
} {
  const options = newOptions(flags.option ?? [], '--option');
  return configOf(flags.type, options.length > 0 ? { options } : {}, flags);
}

function cannotClear(field: string): Failure {
  return usage(
    `the API cannot clear the ${field} of an attribute; nothing was written`,
    `repeat ${field} in config, or add another attribute without it`,
  );
}

/** Refuses a `config` of --body that leaves out a bound: the write would change nothing. @throws usage */
export function refuseClearing({ config }: Attribute, written: unknown): void {
  if (!isObject(written)) return;
  const isSet = (value: unknown) => value !== undefined && value !== null;
  const cleared = boundFields.find((name) => isSet(config?.[name]) && !isSet(written[name]));
  if (cleared) throw cannotClear(cleared);
}

/** `{ config }` of an attribute after the flags of `attrs update`, or nothing when they do not change it. */
export function attributeEdits(attribute: Attribute, flags: FlagValues<typeof configFlags & typeof optionFlags>) {
  if ([flags.option, ...boundFields.map((name) => flags[name])].every((value) => value === undefined)) return {};
  if (/^(none|null)?$/i.test(flags.currency ?? 'EUR')) throw cannotClear('currency');
  const { options, ...rest } = attribute.config ?? {};
  const remaining = flags.option
    ? editedOptions(attribute, editsOf(flags.option), '--option')
    : options?.map((option) => ({ ...option, label: option.label ?? '' }));
  return configOf(
    attribute.attribute_type,
    { ...rest, ...(remaining === undefined ? {} : { options: remaining }) },
    flags,
  );
}

/** The attribute to show instead of creating it; undefined where it is created. @throws usage for one of another type */
export function existingAttribute(
  ctx: Context,
  list: ReadList,
  { name, attribute_type: type }: { name: string; attribute_type: string },
  ifNotExists = false,
): CustomListAttribute | undefined {
  if (!ifNotExists) {
    const same = list.list_attributes?.find((attribute) => attribute.name === name);
    if (same)
      ctx.out.warn(
        `"${list.name ?? list.id}" has an attribute "${name}" already (${same.slug}); this creates another one (--if-not-exists: none)`,
      );
    return undefined;
  }
  const existing = attributeNamed(list, name);
  if (existing === undefined) return undefined;
  if (existing.attribute_type !== type) {
    throw usage(`the attribute "${name}" exists already, and its type is ${existing.attribute_type}, not ${type}`);
  }
  ctx.out.note(`The attribute "${name}" exists already; nothing was created.`);
  return existing;
}

/** Describes the entries that hold options which the new config leaves out; undefined where none does. */
export async function removalOf(ctx: Context, list: ReadList, { slug, config }: Attribute, edited: unknown) {
  const options = isObject(edited) && Array.isArray(edited.options) ? edited.options : undefined;
  if (options === undefined || slug === undefined) return undefined;
  const remaining = new Set(
    options.map((option: unknown) => (isObject(option) ? (option.id ?? option.label) : option)),
  );
  const removed = (config?.options ?? []).filter(({ id, label }) => !remaining.has(id ?? label));
  const ids = new Set(removed.map(({ id, label }) => id ?? label));
  const count = ids.size === 0 ? 0 : await countOptions(ctx, list.id, slug, ids);
  if (count === 0) return undefined;
  const names = removed.map(({ id, label }) => `"${label ?? id}"`).join(', ');
  const named = removed.length === 1 ? `the option ${names}` : `one of the options ${names}`;
  return `${amount(count, 'entry has', 'entries have')} ${named} of ${slug}, and ${count === 1 ? 'keeps' : 'keep'} its id`;
}

export function refuseContrary({ required, optional }: { required?: boolean; optional?: boolean }): void {
  if (required && optional) throw usage('--required and --optional cannot be used together');
}
