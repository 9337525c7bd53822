/** Values as results show them, and as they are put in order. */
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { formatPeriod, periodAt } from '../../core/periods.ts';
import { numberKey } from '../../core/same.ts';
import type { Value } from '../expression/evaluate.ts';
import { isSpan, type Span } from '../expression/time.ts';
import type { Typed } from '../expression/typed.ts';
import { compareValues } from './sort.ts';

/** A value as it is printed, and as it is put in order. */
export interface Cell {
  shown: string | Numeric | boolean | null;
  order: Value;
}

const none: Cell = { shown: null, order: null };
export const grains = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type Grain = (typeof grains)[number];

export function isGrain(text: string): text is Grain {
  return (grains as readonly string[]).includes(text);
}

/** Values as cells: an option by its label and in the place of its list. */
export function cellReader<Row>(value: Typed<Row>, grain?: Grain): (found: Value) => Cell {
  const options = value.kind === 'column' ? value.column.options : undefined;
  const places = new Map(options?.map(({ id, label }, index) => [id, { shown: label, order: index }]));
  const days = new Map<number, Cell>();
  // Every instant of a day is in the same period.
  const periodCell = (span: Span, of: Grain): Cell => {
    const day = Math.floor(span.start / dayMs);
    const known = days.get(day) ?? timeCell(span, of);
    days.set(day, known);
    return known;
  };
  return (found) => {
    if (found === null) return none;
    if (typeof found === 'string') return places.get(found) ?? { shown: found, order: found };
    if (typeof found === 'boolean' || isNumeric(found)) return { shown: found, order: found };
    if (isSpan(found)) return grain === undefined ? timeCell(found, grain) : periodCell(found, grain);
    return { shown: Array.isArray(found) ? found.join('; ') : null, order: found };
  };
}

const dayMs = 86_400_000;

/** @throws usage for a time that is computed and has no text: `date + 1mo` of 9999-12-31 */
function timeCell(span: Span, grain: Grain | undefined): Cell {
  const date = writable(new Date(span.start));
  switch (grain) {
    case undefined:
      return { shown: span.end - span.start === dayMs ? dayOf(date) : date.toISOString(), order: span };
    case 'day':
      return { shown: dayOf(date), order: dayOf(date) };
    case 'week': {
      const monday = writable(new Date(span.start - ((date.getUTCDay() + 6) % 7) * dayMs));
      return { shown: dayOf(monday), order: dayOf(monday) };
    }
    default: {
      const period = formatPeriod(periodAt(date, grain));
      return { shown: period, order: period };
    }
  }
}

function writable(date: Date): Date {
  const year = date.getUTCFullYear();
  if (year >= 0 && year <= 9999) return date;
  throw usage('a computed time is not in the years 0000 to 9999', 'leave such rows out with --where');
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** What makes two groups the same one. */
export function groupId(cells: readonly Cell[]): string {
  return JSON.stringify(cells.map(({ shown }) => (isNumeric(shown) ? [numberKey(shown)] : shown)));
}

export function compareCells(a: readonly Cell[], b: readonly Cell[]): number {
  for (const [index, { order }] of a.entries()) {
    const found = compareValues(order, b[index]?.order ?? null);
    if (found !== 0) return found;
  }
  return 0;
}
