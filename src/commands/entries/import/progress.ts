/** How far an import is, on a terminal. */
import type { Context } from '../../../cli/context.ts';
import type { Outcomes } from './execute.ts';

/** Often enough to move, seldom enough to cost nothing. */
const everyMs = 100;

export function progressOf(ctx: Context, all: number, before: number): (outcomes: Outcomes) => void {
  const start = performance.now();
  let last = Number.NEGATIVE_INFINITY;
  return ({ done, failed }) => {
    const now = performance.now();
    if (now - last < everyMs) return;
    last = now;
    const tried = done.size + failed.size;
    const rate = ((tried - before) / (now - start)) * 1000;
    const left = rate > 0 ? `, ${Math.ceil((all - tried) / rate)} s left` : '';
    const wrong = failed.size > 0 ? `, ${failed.size} failed` : '';
    ctx.out.progress(`Importing: ${tried} of ${all}${wrong}, ${Math.round(rate)} rows/s${left}`);
  };
}
