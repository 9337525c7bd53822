/** YAML 1.2 text of values: block style, every string between double quotes as JSON writes it. */
import { ExactNumber } from './json.ts';
import { isObject } from './objects.ts';

/** Characters that YAML's readers refuse or take for a line break, and that JSON leaves as they are. */
const unprintable = /[\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

/** Keys that no reader takes for anything but text; YAML 1.1 has more words for yes and no than YAML 1.2. */
const bareKey = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z_]\w*$/i;

/** A key that is longer must be marked as one. */
const longestKey = 1000;

/** A value as YAML text. Numbers keep their digits. */
export function writeYaml(value: unknown): string {
  return `${nodeText(value, '\n').trimStart()}\n`;
}

/** What follows a key or a dash. @param separator a line break and the indentation of the lines of the value */
function nodeText(value: unknown, separator: string): string {
  if (Array.isArray(value)) return value.length > 0 ? separator + itemsText(value, separator) : ' []';
  if (isObject(value)) {
    const text = membersText(value, separator);
    return text === '' ? ' {}' : separator + text;
  }
  return ` ${scalarText(value)}`;
}

function itemsText(items: readonly unknown[], separator: string): string {
  // The first line of an item follows its dash.
  return items.map((item) => `- ${nodeText(item, `${separator}  `).trimStart()}`).join(separator);
}

function membersText(object: object, separator: string): string {
  let text = '';
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const before = text === '' ? '' : separator;
    text += `${before}${keyText(key, separator)}:${nodeText(value, `${separator}  `)}`;
  }
  return text;
}

function keyText(key: string, separator: string): string {
  if (key.length > longestKey) return `? ${stringText(key)}${separator}`;
  return bareKey.test(key) ? key : stringText(key);
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return stringText(value);
  if (value instanceof ExactNumber) return value.text;
  return JSON.stringify(value) ?? 'null';
}

function stringText(text: string): string {
  // YAML has no escape for half a surrogate pair.
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
