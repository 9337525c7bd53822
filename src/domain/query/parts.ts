import { usage } from '../../core/errors.ts';

/** The parts of a list with commas: none within brackets or quotes separates. @throws usage for an empty part */
export function parts(text: string, where: string): string[] {
  const found: string[] = [];
  let [depth, from] = [0, 0];
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if ('"\'`'.includes(character)) quote = character;
    else if ('(['.includes(character)) depth += 1;
    else if (')]'.includes(character)) depth -= 1;
    else if (character === ',' && depth === 0) {
      found.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  found.push(text.slice(from).trim());
  if (found.includes('')) throw usage(`${where}: a name is missing in "${text}"`, 'names are separated by commas');
  return found;
}
