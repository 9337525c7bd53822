/** A waterfall as SVG: a line for each total and change, joined where one ends and the next begins. */
import { type Head, picture } from './svg.ts';
import { box, fitted, hatch, type Ink, rule, text, textWidth } from './svg-parts.ts';
import { type Waterfall, waterfallScale } from './waterfall.ts';

interface Rules {
  /** CSS pixels. */
  width: number;
  head?: Head | undefined;
}

const size = 12;
const lineHeight = 30;
const headHeight = 56;

export function waterfallSvg(waterfall: Waterfall, { width, head }: Rules): string {
  const { bars, notes = [] } = waterfall;
  const { ticks, labels, cut } = waterfallScale(waterfall, width > 500 ? 5 : 3);
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const top = (head ? headHeight : 0) + 8;
  const names = bars.map(({ label }) => fitted(label, size, width * 0.3));
  const left = 10 + Math.max(...names.map((name) => textWidth(name, size))) * 1.06 + 10;
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((each) => textWidth(each, size))) * 1.1;
  const shares = widest(bars.map(({ share = '' }) => share));
  const numbersEnd = width - 10 - (shares > 0 ? shares + 10 : 0);
  const right = width - numbersEnd + widest(bars.map(({ said }) => said)) + 12;
  const room = width - left - right;
  const at = (value: number) => left + ((Math.max(value, low) - low) / (high - low)) * room;
  const bottom = top + bars.length * lineHeight;
  // Beside each other only those labels that have room.
  const label = Math.max(...labels.map((each) => textWidth(each, 11))) + 10;
  const every = Math.max(1, Math.ceil(label / (room / Math.max(ticks.length - 1, 1))));
  const parts = ticks.flatMap((tick, index) => [
    rule(at(tick), top, at(tick), bottom, tick === 0 ? 'axis' : 'grid'),
    ...(index % every === 0
      ? [text(at(tick), bottom + 15, labels[index] ?? '', { ink: 'dim', anchor: 'middle' })]
      : []),
  ]);
  for (const [index, { total, from, to, verdict, said, share, partial }] of bars.entries()) {
    const y = top + index * lineHeight;
    const [one, other] = [at(total ? Math.max(0, low) : from), at(to)];
    const ink: Ink = total ? 'total' : verdict;
    const bar = [Math.min(one, other), y + 6, Math.max(Math.abs(other - one), 1), lineHeight - 12] as const;
    parts.push(...(partial ? [box(...bar, ink, ' opacity="0.35"'), hatch(...bar, ink)] : [box(...bar, ink)]));
    if (index < bars.length - 1) {
      parts.push(rule(other, y + 6, other, y + 2 * lineHeight - 6, 'axis', ' stroke-dasharray="2 2"'));
    }
    const base = y + lineHeight / 2 + 4;
    const look = { size, bold: total, anchor: 'end', ink: total ? 'ink' : verdict } as const;
    parts.push(text(10, base, names[index] ?? '', { size, bold: total }), text(numbersEnd, base, said, look));
    if (share !== undefined) parts.push(text(width - 10, base, share, look));
  }
  const below = [...(cut ? [`Bars begin at ${labels[0]}, not at zero.`] : []), ...notes];
  for (const [line, note] of below.entries()) {
    parts.push(text(10, bottom + 34 + line * 15, fitted(note, 11, width - 20), { ink: 'dim' }));
  }
  const height = bottom + 26 + below.length * 15;
  return picture(width, Math.ceil(height), waterfall.title, head, parts.join(''));
}
