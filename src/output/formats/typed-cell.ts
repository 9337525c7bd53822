/** Cells as the typed values of xlsx and parquet, if that loses nothing. Apart, because only they need decimal numbers. */
import { asDouble } from '../../core/decimal.ts';
import { isNumeric } from '../../core/json.ts';
import { readInstant } from '../../core/periods.ts';
import type { Cell } from '../column.ts';

/** The number, as a double that prints the same digits. */
export function doubleOf(cell: Cell): number | undefined {
  return isNumeric(cell) ? asDouble(cell) : undefined;
}

/** A day as the API writes it, `2026-01-31`, at midnight UTC. */
export function dayOf(cell: Cell): Date | undefined {
  const text = typeof cell === 'string' ? /^(\d{4}-\d{2}-\d{2})(?:T00:00:00(?:\.0+)?Z)?$/.exec(cell)?.[1] : undefined;
  if (text === undefined) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  // The parser takes 30 February for 2 March.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? day : undefined;
}

/** An instant in microseconds since 1970, UTC; undefined for text that is not an instant, or is more precise. */
export function microsecondsOf(cell: Cell): bigint | undefined {
  if (typeof cell !== 'string' || /[.,]\d{7}/.test(cell)) return undefined;
  const milliseconds = readInstant(cell);
  return milliseconds === undefined ? undefined : BigInt(Math.round(milliseconds * 1000));
}
