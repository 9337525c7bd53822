/** Options of select, status and multi_select attributes: labels of people, ids of the API. */
import type { CustomListAttribute, ListSelectOption } from '../../contract/lists.ts';
import { Failure, usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';

/** What comem knows of an attribute; a server may leave out anything but its slug. */
export type Attribute = Partial<CustomListAttribute>;

/** The options of an attribute; undefined when the server does not tell them. */
export function optionsOf(attribute: Attribute): readonly Partial<ListSelectOption>[] | undefined {
  // A server may send null for nothing, whatever the type says.
  return attribute.config?.options ?? undefined;
}

/**
 * The id that the API stores for an option named by id, label, or label in other letter case, in this order. Where the
 * server tells no options the text itself is the answer. Throws a usage failure that names the options.
 */
export function optionId(attribute: Attribute, text: string, source?: string): string {
  const found = findOption(attribute, text, source);
  if (found === undefined) throw unknownOption(attribute, text, source);
  return found;
}

/** As `optionId`, but undefined for an unknown option. An ambiguous one is a usage failure. */
export function findOption(attribute: Attribute, text: string, source?: string): string | undefined {
  const options = optionsOf(attribute);
  if (options === undefined) return text;
  if (options.some((option) => option.id === text)) return text;
  const folded = text.normalize().toLowerCase();
  const exact = options.filter((option) => option.label === text);
  const alike =
    exact.length > 0 ? exact : options.filter((option) => option.label?.normalize().toLowerCase() === folded);
  if (alike.length <= 1) return alike[0] === undefined ? undefined : (alike[0].id ?? alike[0].label);
  const candidates = alike.map((option) => `${option.label} (${option.id})`).join(', ');
  throw usage(
    from(source, `"${text}" matches ${alike.length} options of ${attribute.slug}: ${candidates}`),
    'give the id of one of them',
  );
}

/** The label of an option; an id without an option is shown as it is. */
export function optionLabel(attribute: Attribute, id: string): string {
  return optionsOf(attribute)?.find((option) => option.id === id)?.label ?? id;
}

/** The failure for an unknown option, naming those that exist. */
export function unknownOption(attribute: Attribute, text: string, source?: string): Failure {
  const labels = (optionsOf(attribute) ?? []).map((option) => option.label ?? String(option.id));
  if (labels.length === 0) {
    return usage(
      from(source, `${attribute.slug} has no options yet, so it cannot be "${text}"`),
      'add the option to the attribute first',
    );
  }
  const near = nearest(text, labels);
  return usage(
    from(source, `unknown option "${text}" of ${attribute.slug}; it takes one of: ${labels.join(', ')}`),
    near === undefined ? undefined : `did you mean "${near}"?`,
  );
}

/** A message that begins with where the value comes from, if the caller says it. */
export function from(source: string | undefined, message: string): string {
  return source === undefined ? message : `${source}: ${message}`;
}

/** Option ids of `a;b`. */
export function optionIds(attribute: Attribute, text: string, source?: string): string[] {
  return [...new Set(optionTexts(attribute, text, source).map((part) => optionId(attribute, part, source)))];
}

/** The texts of `a;b`. Labels may hold semicolons themselves: from the left, the longest text that is an option is one. */
export function optionTexts(attribute: Attribute, text: string, source?: string): string[] {
  const parts = text.split(';');
  const texts: string[] = [];
  for (let start = 0; start < parts.length; ) {
    // Where the server tells no options, every text would be one.
    let end = optionsOf(attribute) === undefined ? start + 1 : parts.length;
    const join = () => parts.slice(start, end).join(';').trim();
    while (end > start + 1 && findOption(attribute, join(), source) === undefined) end -= 1;
    texts.push(join());
    start = end;
  }
  return texts;
}

/** Option ids as text that `optionIds` reads back: by labels where these say it, else by the ids themselves. */
export function optionText(attribute: Attribute, ids: readonly string[]): string {
  const text = ids.map((id) => optionLabel(attribute, id)).join('; ');
  try {
    const several = attribute.attribute_type === 'multi_select';
    const back = several ? optionIds(attribute, text) : [optionId(attribute, text)];
    if (back.length === ids.length && back.every((id, index) => id === ids[index])) return text;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  const isKnown = ids.every((id) => optionsOf(attribute)?.some((option) => option.id === id));
  return isKnown ? ids.join('; ') : text;
}
