/** Asks for the values of a new entry, by the type of each attribute. */

import type { Context } from '../../cli/context.ts';
import type { Choice } from '../../cli/prompts.ts';
import { among, askText, choose, chooseSome, problemIn } from '../../cli/prompts.ts';
import type { AttributeType } from '../../contract/lists.ts';
import { type Attribute, optionsOf } from '../../domain/entries/options.ts';
import { typedText } from '../../domain/entries/values.ts';

/** Formats that a question mentions. */
const takes: Partial<Record<AttributeType, string>> = {
  number: 'a number',
  rating: 'a number',
  date: '2026-03-31 or today',
  url: 'an address',
  email: 'an e-mail address',
};

/**
 * The answers as `SLUG=VALUE`; optional values may be skipped.
 * @param named slugs that have a value already
 */
export async function askValues(
  ctx: Context,
  attributes: readonly Attribute[],
  named: ReadonlySet<string>,
): Promise<string[]> {
  const answers: string[] = [];
  for (const attribute of attributes) {
    const { slug } = attribute;
    if (slug === undefined || named.has(slug)) continue;
    const text = await askValue(ctx, attribute);
    if (text !== '') answers.push(`${slug}=${text}`);
  }
  return answers;
}

async function askValue(ctx: Context, attribute: Attribute): Promise<string> {
  const { runtime } = ctx;
  const { name, slug, attribute_type: type, is_required: isRequired = false, config } = attribute;
  const label = name ?? slug;
  const options = optionsOf(attribute)?.map(({ id, label: text }) => ({
    value: id ?? text ?? '',
    name: text ?? id ?? '',
  }));
  if (type === 'multi_select' && options?.length) {
    return (await chooseSome(runtime, `${label}:`, options, isRequired)).join(';');
  }
  const none: Choice[] = isRequired ? [] : [{ value: '', name: '(none)' }];
  if (type === 'checkbox') {
    const answers = [...none, { value: 'true', name: 'yes' }, { value: 'false', name: 'no' }];
    return choose(runtime, { message: `${label}:`, find: among(answers) });
  }
  if (options?.length) return choose(runtime, { message: `${label}:`, find: among([...none, ...options]) });
  const typing = { now: ctx.now(), asWritten: true };
  const hints = [
    type === 'currency' ? `an amount in ${config?.currency ?? 'the currency of the list'}` : takes[type ?? 'text'],
  ];
  const says = [...hints, isRequired ? undefined : 'Enter for none'].filter((hint) => hint !== undefined).join(', ');
  return askText(runtime, {
    message: `${label}${says === '' ? '' : ` (${says})`}:`,
    validate: (text) =>
      text === '' ? !isRequired || 'A value is needed.' : (problemIn(() => typedText(attribute, text, typing)) ?? true),
  });
}
