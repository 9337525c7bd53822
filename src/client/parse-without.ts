/** Reading a JSON text without an array of it that nobody looks at. */
import { parseJson } from '../core/json.ts';

/**
 * The value of a JSON text whose top-level array `name` is left unread, and so is empty; the complete value when the text
 * is not of the plain form for which that is certain to change nothing else.
 * @throws JsonSyntaxError as parseJson does
 */
export function parseWithout(text: string, name: string, parse = parseJson): unknown {
  const short = cut(text, `"${name}":[`);
  if (short !== undefined) {
    try {
      const value = parse(short);
      if (isEmptied(value, name)) return value;
    } catch {
      // What was cut off did not end where it seemed to.
    }
  }
  return parse(text);
}

/**
 * The text without the content of the brackets, which has no brackets itself. A bracket in a string would leave a
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
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return Array.isArray(found) && found.length === 0;
}

/** Whether the body has no rows under the name. */
export function isWithoutRows(body: unknown, name: string): boolean {
  const rows = isObject(body) ? body[name] : undefined;
  return !Array.isArray(rows) || rows.length === 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
