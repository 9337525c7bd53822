/** Options of an attribute as people write them, and edits of the options that it has. */
import { type ListSelectOption, optionTypes, type Tone, tones } from '../../contract/lists.ts';
import { usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { type Attribute, optionId, optionsOf } from './options.ts';

export type OptionInput = Partial<ListSelectOption> & { label: string };

interface OptionEdits {
  /** `LABEL[:TONE]` */
  add?: readonly string[] | undefined;
  /** `OLD=NEW`; the option keeps its id, so entries keep it. */
  rename?: readonly string[] | undefined;
  remove?: readonly string[] | undefined;
}

/** `LABEL[:TONE]`. Only what follows the last colon can be a tone; a label that ends in `:sage` is written `a:sage:`. */
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

/** The options of a new attribute, none of them twice. */
export function newOptions(written: readonly string[], source: string): OptionInput[] {
  if (written.length === 1) refuseSeveral(written[0] ?? '', source, /, ?/);
  return written.reduce<OptionInput[]>((options, one) => withOption(options, optionInput(one, source), source), []);
}

/**
 * The attribute's options after the edits: removed, then renamed, then added.
 * @param sources what messages call each edit
 * @throws usage for an unknown option
 */
export function editedOptions(
  attribute: Attribute,
  edits: OptionEdits,
  sources: Record<keyof OptionEdits, string>,
): OptionInput[] {
  const { attribute_type: type, slug } = attribute;
  if (type !== undefined && !optionTypes.includes(type)) {
    throw usage(`${slug} is of type ${type}, and only ${optionTypes.join(', ')} have options`);
  }
  const idOf = (text: string, source: string) =>
    optionId({ ...attribute, config: { options: [...before] } }, text, source);
  const before = optionsOf(attribute) ?? [];
  const removed = new Set(edits.remove?.map((text) => idOf(text, sources.remove)));
  const renamed = new Map(
    edits.rename?.map((written) => {
      const at = written.indexOf('=');
      const label = written.slice(at + 1).trim();
      if (at < 1 || label === '') throw usage(`${sources.rename} takes OLD=NEW, got "${written}"`);
      const id = idOf(written.slice(0, at).trim(), sources.rename);
      if (removed.has(id)) throw usage(`${sources.rename} and ${sources.remove} both name "${written.slice(0, at)}"`);
      return [id, label];
    }),
  );
  const kept = before.flatMap((option): OptionInput[] => {
    const id = option.id ?? option.label ?? '';
    return removed.has(id) ? [] : [{ ...option, label: renamed.get(id) ?? option.label ?? id }];
  });
  const twice = kept.find(({ label }, index) => kept.findIndex((other) => other.label === label) !== index);
  if (renamed.size > 0 && twice) throw usage(`${sources.rename}: ${slug} would have two options "${twice.label}"`);
  return (edits.add ?? []).reduce(
    (options, one) => withOption(options, optionInput(one, sources.add), sources.add),
    kept,
  );
}

/** A comma between digits is part of a number; a label that has other commas ends in a colon. */
function refuseSeveral(written: string, source: string, separator: RegExp): void {
  if (written.endsWith(':')) return;
  const parts = written.split(new RegExp(`(?<!\\d)${separator.source}|${separator.source}(?!\\d)`));
  if (parts.length < 2 || parts.some((part) => part.trim() === '' || part.startsWith(' '))) return;
  const each = parts.map((part) => `${source} ${/^[\w:-]+$/.test(part) ? part : `"${part}"`}`).join(' ');
  throw usage(
    `${source} takes one option, got "${written}"`,
    `write ${each}; for one label with commas, "${written}:"`,
  );
}

function withOption(options: OptionInput[], option: OptionInput, source: string): OptionInput[] {
  if (options.some(({ label }) => label === option.label)) {
    throw usage(`${source}: the option "${option.label}" exists already`);
  }
  return [...options, option];
}

/** A word in small letters right after a colon is meant as a tone, and a capitalised one that misses a tone by a letter or two. */
function looksLikeTone(tail: string): boolean {
  return /^[a-z]{3,}$/.test(tail) || (/^[a-z]{4,}$/i.test(tail) && nearest(tail, tones) !== undefined);
}
