/** The one reader of timestamps: ISO 8601 as databases and languages write it. Nothing here reads a clock. */

const dayMs = 86_400_000;
const timestamp =
  /^(\d{4})(-?)(\d{2})\2(\d{2})[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?(?: ?(?:Z|UTC|GMT)| ?([+\u2212-])(\d{2})(?::?([0-5]\d))?(?: [A-Z]{3,5}|\[[\w/+-]+\])?)?$/i;

/**
 * The instant as milliseconds since 1970, with a fraction for what is finer; without an offset it is UTC. Undefined for
 * text that names no instant, such as a day without a time or the 30th of February.
 */
export function readInstant(text: string): number | undefined {
  const match = timestamp.exec(text.trim());
  if (!match) return undefined;
  const [, year, , month, date, hour, minute = '0', second = '0', fraction = '0', sign, aheadHours, aheadMinutes] =
    match;
  const day = readDay(`${year}-${month}-${date}`);
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  const isEndOfDay = h === 24 && m === 0 && s === 0;
  // A leap second is the first instant of the next minute.
  if (day === undefined || (h > 23 && !isEndOfDay) || m > 59 || s > 60) return undefined;
  const ahead = Number(aheadHours ?? 0) * 60 + Number(aheadMinutes ?? 0);
  const offset = (sign === '+' || sign === undefined ? ahead : -ahead) * 60_000;
  return day + (h * 3600 + m * 60 + s) * 1000 + Number(`0.${fraction}`) * 1000 - offset;
}

/** Midnight UTC of a calendar day, YYYY-MM-DD; undefined when the day does not exist. */
export function readDay(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const date = new Date(0);
  const start = date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // The 30th of February becomes the 1st of March.
  return date.getUTCDate() === Number(day) && date.getUTCMonth() + 1 === Number(month) ? start : undefined;
}

/** The instant at which what is valid until then expires: a day is complete. */
export function readEnd(text: string): number | undefined {
  const day = readDay(text);
  return day === undefined ? readInstant(text) : day + dayMs;
}

/** The latest of the times; one that cannot be read is earlier than all others. Null for none. */
export function latest(times: readonly string[]): string | null {
  const at = (text: string) => readInstant(text) ?? readDay(text) ?? Number.NEGATIVE_INFINITY;
  return times.length === 0 ? null : times.reduce((a, b) => (at(b) > at(a) ? b : a));
}
