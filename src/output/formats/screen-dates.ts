/** Times for eyes, in UTC: the day, without the year where it is this one, and how far away it is where that decides. */
import { readDay, readInstant } from '../../core/periods.ts';

const day = 86_400_000;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Days within which an end is near. */
const near = 90;

interface DateRules {
  now: Date;
  style: 'day' | 'minute' | 'expiry';
  /** With the year, whichever it is. */
  full?: boolean;
}

/** Text that is not a time stays as it is. */
export function dateOnScreen(text: string, { now, style, full = false }: DateRules): string {
  const at = instantOf(text);
  if (at === undefined) return text;
  const date = new Date(at);
  const year = full || date.getUTCFullYear() !== now.getUTCFullYear() ? ` ${date.getUTCFullYear()}` : '';
  const number = String(date.getUTCDate());
  const shown = `${full ? number : number.padStart(2)} ${months[date.getUTCMonth()]}${year}`;
  if (style === 'minute') return `${shown} ${date.toISOString().slice(11, 16)}`;
  const days = daysUntil(at, now);
  if (style === 'day' || (!full && Math.abs(days) > near)) return shown;
  return `${shown} (${distance(days, at < now.getTime())})`;
}

/** Whole days to an end, negative after it; undefined for text that is not a time. */
export function daysLeft(text: string, now: Date): number | undefined {
  const at = instantOf(text);
  return at === undefined ? undefined : at < now.getTime() ? Math.min(daysUntil(at, now), -1) : daysUntil(at, now);
}

/** Days of the calendar. */
function daysUntil(at: number, now: Date): number {
  return Math.floor(at / day) - Math.floor(now.getTime() / day);
}

function distance(days: number, isOver: boolean): string {
  if (days === 0) return isOver ? 'earlier today' : 'today';
  const count = Math.abs(days) === 1 ? '1 day' : `${Math.abs(days)} days`;
  return days < 0 ? `${count} ago` : count;
}

function instantOf(text: string): number | undefined {
  return readDay(text) ?? readInstant(text);
}
