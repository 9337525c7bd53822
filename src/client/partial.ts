/**
 * Reading a body without one of its arrays. A page of a series says everything twice, as `items` and as
 * `observations`, and the half that nobody reads is most of the time that parsing takes.
 */
import { parseJson } from '../core/json.ts';

/**
 * The value of a JSON text whose top-level array `name` is left unread, and so is empty; the whole value when the text
 * is not of the plain form for which that is certain to change nothing else.
 * @throws JsonSyntaxError as parseJson does
 */
export function parseWithout(text: string, name: string): unknown {
  const short = cut(text, `"${name}":[`);
  if (short !== undefined) {
    try {
      const value = parseJson(short);
      if (isEmptied(value, name)) return value;
    } catch {
      // What was cut off did not end where it seemed to.
    }
  }
  return parseJson(text);
}

/**
 * The text without what stands in the brackets, which hold no brackets themselves. A bracket in a string would leave a
 * string open, and so no JSON: quotes within strings are always escaped, hence `mark` cannot begin within one either.
 */
function cut(text: string, mark: string): string | undefined {
  const at = text.indexOf(mark);
  if (at < 0 || text.indexOf(mark, at + 1) >= 0) return undefined;
  const open = at + mark.length;
  const close = text.indexOf(']', open);
  return close < 0 ? undefined : text.slice(0, open) + text.slice(close);
}

function isEmptied(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
  const found = (value as Record<string, unknown>)[name];
  return Array.isArray(found) && found.length === 0;
}
