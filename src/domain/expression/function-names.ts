/** Names of functions, as other languages have them too. */
import { nearest } from '../../core/nearest.ts';

/** Each line is one thing. */
const synonyms: readonly (readonly string[])[] = [
  ['avg', 'average', 'mean'],
  ['min', 'minimum', 'least'],
  ['max', 'maximum', 'greatest'],
  ['sum', 'total'],
  ['length', 'len', 'size'],
  ['lower', 'lowercase', 'lcase'],
  ['upper', 'uppercase', 'ucase'],
  ['unique', 'distinct'],
  ['required', 'not_null', 'notnull', 'present'],
  ['accepted', 'accepted_values', 'one_of', 'oneof', 'enum'],
  ['starts', 'startswith', 'starts_with'],
  ['ends', 'endswith', 'ends_with'],
  ['empty', 'isempty', 'isnull', 'is_empty', 'is_null', 'blank'],
  ['prev', 'previous', 'lag'],
  ['trim', 'strip'],
];

/** The known function of the same meaning. */
export function sameFunction(name: string, known: Iterable<string>): string | undefined {
  const all = synonyms.find((group) => group.includes(name.toLowerCase())) ?? [];
  return [...known].find((one) => all.includes(one));
}

/** The hint for an unknown function. */
export function functionHint(name: string, known: readonly string[]): string {
  const near = sameFunction(name, known) ?? nearest(name, known);
  return near === undefined ? `functions are ${known.join(', ')}` : `did you mean ${near}?`;
}
