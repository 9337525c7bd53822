/** The vertical axis of a plot of text lines: every tick is exactly on a line, so that distances are true. */
import { labelsOf } from './scale.ts';

export interface RowScale {
  /** The value of the highest line, and how much each line below it is less. */
  top: number;
  perRow: number;
  /** By line, counted from the top. */
  labels: ReadonlyMap<number, string>;
}

const mantissas = [1, 2, 2.5, 5];
/** How many lines a step may take; those before are preferred where the axis is equally long. */
const rowsOfStep = [2, 3, 4, 5, 1, 6, 7, 8];
const mostTicks = 7;

/** The shortest axis of `rows` lines that holds every value and has round ticks on its lines. */
export function rowScaleOf(values: readonly number[], rows: number): RowScale {
  const known = values.length > 0 ? values : [0, 1];
  const [least, greatest] = [Math.min(...known), Math.max(...known)];
  const span = greatest - least || Math.abs(greatest) || 1;
  // A single value is in the middle, not on an edge.
  const [low, high] = least === greatest ? [least - span / 4, greatest + span / 4] : [least, greatest];
  const gaps = Math.max(rows - 1, 1);
  let best: { step: number; count: number; bottom: number; score: number } | undefined;
  const power = Math.floor(Math.log10(span / gaps));
  for (let exponent = power - 1; exponent <= power + 2; exponent += 1) {
    for (const mantissa of mantissas) {
      const step = Number(`${mantissa}e${exponent}`);
      for (const [order, count] of rowsOfStep.entries()) {
        if (count > gaps || gaps / count >= mostTicks) continue;
        const perRow = step / count;
        // In lines below or above zero, where a tick is at every multiple of `count`.
        const bottom = Math.floor(low / perRow + 1e-9);
        if (!(bottom + gaps >= high / perRow - 1e-9)) continue;
        const onEdge = Math.abs(bottom % count) === 0 ? 0 : 0.02;
        const score = perRow * (1 + onEdge + order * 0.03);
        if (best === undefined || score < best.score) best = { step, count, bottom, score };
      }
    }
  }
  const { step, count, bottom } = best ?? {
    step: span,
    count: gaps,
    bottom: Math.floor(low / (span / gaps)),
    score: 0,
  };
  const perRow = step / count;
  const lines = Array.from({ length: gaps + 1 }, (_, row) => ({ row, at: bottom + gaps - row }));
  const ticks = lines.filter(({ at }) => at % count === 0);
  const texts = labelsOf(
    ticks.map(({ at }) => Number(((at / count) * step).toPrecision(12))),
    step,
  );
  return {
    ...{ top: (bottom + gaps) * perRow, perRow },
    labels: new Map(ticks.map(({ row }, index) => [row, texts[index] ?? ''])),
  };
}
