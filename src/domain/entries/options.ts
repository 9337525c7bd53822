/** Options of select, status and multi_select attributes: people write labels, the API stores ids. */

import {
  type CustomListAttribute,
  type ListSelectOption,
  optionTypes,
  type Tone,
  tones,
} from '../../contract/lists.ts';
import { Failure, shorten, usage } from '../../core/errors.ts';
import { nearest, nearestHint } from '../../core/nearest.ts';
import { groupBy } from '../../core/same.ts';

/** An attribute as read; a server may leave out anything but its slug. */
export type Attribute = Partial<CustomListAttribute>;

/** The attribute of a slug, else the only one of a name in any letter case. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const bySlug = attributes.find(({ slug }) => slug === name);
  const [byName, namesake] = attributes.filter((attribute) => attribute.name?.toLowerCase() === name.toLowerCase());
  return bySlug ?? (namesake ? undefined : byName);
}

/** The options of an attribute; undefined if the server does not list them. */
export function optionsOf(attribute: Attribute): readonly Partial<ListSelectOption>[] | undefined {
  // Servers may send null here, against their description.
  return attribute.config?.options ?? undefined;
}

/**
 * The id of an option that is named by id, label, or label in another letter case, in this order. If the server lists
 * no options, the text itself is the id. @throws usage that names the options
 */
export function optionId(attribute: Attribute, text: string, source?: string): string {
  const id = findOption(attribute, text, source);
  if (id === undefined) throw unknownOption(attribute, text, source);
  return id;
}

/** Like `optionId`, but undefined for an unknown option. @throws usage for an ambiguous one */
export function findOption(attribute: Attribute, text: string, source?: string): string | undefined {
  const options = optionsOf(attribute);
  if (options === undefined) return text;
  const { byId, byLabel, byFoldedLabel } = indexOf(options);
  if (byId.has(text)) return text;
  const alike = byLabel.get(text) ?? byFoldedLabel.get(foldedLabel(text)) ?? [];
  if (alike.length <= 1) return alike[0] === undefined ? undefined : (alike[0].id ?? alike[0].label);
  const candidates = alike.map((option) => `${option.label} (${option.id})`).join(', ');
  throw usage(
    from(source, `"${shorten(text)}" matches ${alike.length} options of ${attribute.slug}: ${candidates}`),
    'give the id of one of them',
  );
}

/** Whether the attribute has the option; true where the server lists none. */
export function hasOption(attribute: Attribute, id: unknown): boolean {
  const options = optionsOf(attribute);
  return options === undefined || (typeof id === 'string' && indexOf(options).byId.has(id));
}

export function optionLabel(attribute: Attribute, id: string): string {
  return indexOf(optionsOf(attribute) ?? []).byId.get(id)?.label ?? id;
}

type Options = readonly Partial<ListSelectOption>[];

interface OptionIndex {
  /** The first of several options. */
  byId: Map<string, Partial<ListSelectOption>>;
  byLabel: ReadonlyMap<string | undefined, Options>;
  byFoldedLabel: ReadonlyMap<string | undefined, Options>;
  /** The most parts that semicolons make of an id or label. */
  maxParts: number;
}

const indexes = new WeakMap<Options, OptionIndex>();

/** Built once for the options of an attribute: a list has many values, and a value many labels. */
function indexOf(options: Options): OptionIndex {
  const known = indexes.get(options);
  if (known) return known;
  const index: OptionIndex = {
    byId: new Map(),
    byLabel: groupBy(options, ({ label }) => label),
    byFoldedLabel: groupBy(options, ({ label }) => label && foldedLabel(label)),
    maxParts: 1,
  };
  for (const option of options) {
    const { id, label } = option;
    if (id !== undefined && !index.byId.has(id)) index.byId.set(id, option);
    for (const name of [id, label]) index.maxParts = Math.max(index.maxParts, name?.split(';').length ?? 1);
  }
  indexes.set(options, index);
  return index;
}

function foldedLabel(label: string): string {
  return label.normalize().toLowerCase();
}

function unknownOption(attribute: Attribute, text: string, source?: string): Failure {
  const labels = (optionsOf(attribute) ?? []).map((option) => option.label ?? String(option.id));
  if (labels.length === 0) {
    return usage(
      from(source, `${attribute.slug} has no options yet, so it cannot be "${shorten(text)}"`),
      'add the option to the attribute first',
    );
  }
  return usage(
    from(source, `unknown option "${shorten(text)}" of ${attribute.slug}; it takes one of: ${labels.join(', ')}`),
    nearestHint(text, labels),
  );
}

export function from(source: string | undefined, message: string): string {
  return source === undefined ? message : `${source}: ${message}`;
}

export function optionIds(attribute: Attribute, text: string, source?: string): string[] {
  return [...new Set(optionTexts(attribute, text, source).map((part) => optionId(attribute, part, source)))];
}

/** Splits `a;b`, also `a;b;`. Labels may contain semicolons, so the longest known option from the left wins. */
export function optionTexts(attribute: Attribute, text: string, source?: string): string[] {
  const parts = text.split(';');
  const texts: string[] = [];
  const { maxParts } = indexOf(optionsOf(attribute) ?? []);
  for (let start = 0; start < parts.length; ) {
    let end = Math.min(start + maxParts, parts.length);
    const join = () => parts.slice(start, end).join(';').trim();
    while (end > start + 1 && findOption(attribute, join(), source) === undefined) end -= 1;
    texts.push(join());
    start = end;
  }
  const named = texts.filter((part) => part !== '');
  return named.length > 0 ? named : texts.slice(0, 1);
}

/** Option ids as text that `optionIds` reads back: labels where these are unique, otherwise ids. */
export function optionText(attribute: Attribute, ids: readonly string[]): string {
  const text = ids.map((id) => optionLabel(attribute, id)).join('; ');
  try {
    const several = attribute.attribute_type === 'multi_select';
    const back = several ? optionIds(attribute, text) : [optionId(attribute, text)];
    if (back.length === ids.length && back.every((id, index) => id === ids[index])) return text;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  const { byId } = indexOf(optionsOf(attribute) ?? []);
  const isKnown = ids.every((id) => byId.has(id));
  return isKnown ? ids.join('; ') : text;
}

type OptionInput = Partial<ListSelectOption> & { label: string };

interface OptionEdits {
  add: readonly string[];
  /** `OLD=NEW`; the option keeps its id, so entries keep it. */
  rename: readonly string[];
  remove: readonly string[];
}

/** Reads `LABEL[:TONE]`. The tone follows the last colon; a label that ends in `:sage` is written `a:sage:`. */
export function optionInput(written: string, source: string): OptionInput {
  refuseSeveral(written, source, /,(?! )/);
  const at = written.lastIndexOf(':');
  const [head, tail] = at < 0 ? [written, undefined] : [written.slice(0, at), written.slice(at + 1)];
  const tone = tones.find((known) => known === tail?.trim().toLowerCase());
  const label = (tone === undefined && tail?.trim() !== '' ? written : head).trim();
  if (label === '') throw usage(`${source} takes LABEL or LABEL:TONE, got "${written}"`);
  if (tone === undefined && tail !== undefined && looksLikeTone(tail)) {
    const near = nearest(tail, tones);
    throw usage(
      `${source}: "${tail}" is not a tone; a tone is one of: ${tones.join(', ')}`,
      `${near ? `did you mean ${head}:${near}? ` : ''}to keep "${written}" as the label, write "${written}:"`,
    );
  }
  return tone === undefined ? { label } : { label, tone: tone as Tone };
}

/** The options of a new attribute. @throws usage for a repeated one */
export function newOptions(written: readonly string[], source: string): OptionInput[] {
  if (written.length === 1) refuseSeveral(written[0] ?? '', source, /, ?/);
  return written.reduce<OptionInput[]>((options, text) => withOption(options, optionInput(text, source), source), []);
}

/** The options of an attribute after removing, renaming and adding, in this order. @throws usage */
export function editedOptions(
  attribute: Attribute,
  { add = [], rename = [], remove = [] }: Partial<OptionEdits>,
  source: string,
): OptionInput[] {
  const { attribute_type: type, slug } = attribute;
  if (type !== undefined && !optionTypes.includes(type)) {
    throw usage(`${slug} is of type ${type}, and only ${optionTypes.join(', ')} have options`);
  }
  const before = optionsOf(attribute) ?? [];
  const idOf = (text: string) => optionId({ ...attribute, config: { options: [...before] } }, text, source);
  const removed = new Set(remove.map(idOf));
  const renamed = new Map(
    rename.map((written) => {
      const at = written.indexOf('=');
      const label = written.slice(at + 1).trim();
      if (at < 1 || label === '') throw usage(`${source} takes OLD=NEW, got "${written}"`);
      const id = idOf(written.slice(0, at).trim());
      if (removed.has(id)) throw usage(`${source} renames and removes "${written.slice(0, at)}"`);
      return [id, label];
    }),
  );
  const options = before.flatMap((option): OptionInput[] => {
    const id = option.id ?? option.label ?? '';
    return removed.has(id) ? [] : [{ ...option, label: renamed.get(id) ?? option.label ?? id }];
  });
  const twice = options.find(({ label }, index) => options.findIndex((other) => other.label === label) !== index);
  if (renamed.size > 0 && twice) throw usage(`${source}: ${slug} would have two options "${twice.label}"`);
  return add.reduce((all, text) => withOption(all, optionInput(text, source), source), options);
}

/** A comma between digits is part of a number; a label that has other commas ends in a colon. */
function refuseSeveral(written: string, source: string, separator: RegExp): void {
  if (written.endsWith(':')) return;
  const parts = written.split(new RegExp(`(?<!\\d)${separator.source}|${separator.source}(?!\\d)`));
  if (parts.length < 2 || parts.some((part) => part.trim() === '' || part.startsWith(' '))) return;
  const repeated = parts.map((part) => `${source} ${/^[\w:-]+$/.test(part) ? part : `"${part}"`}`).join(' ');
  throw usage(
    `${source} takes one option, got "${written}"`,
    `write ${repeated}; for one label with commas, "${written}:"`,
  );
}

function withOption(options: OptionInput[], option: OptionInput, source: string): OptionInput[] {
  const same = options.find(({ label }) => label === option.label);
  if (same === undefined) return [...options, option];
  const code = same.id === undefined ? 'usage' : 'existing_option';
  throw usage(`${source}: the option "${option.label}" exists already`).with({ code });
}

/** Whether the text after a colon is probably a misspelled tone. */
function looksLikeTone(tail: string): boolean {
  return /^[a-z]{3,}$/.test(tail) || (/^[a-z]{4,}$/i.test(tail) && nearest(tail, tones) !== undefined);
}
