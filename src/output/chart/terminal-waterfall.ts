/** A waterfall as lines of text: a bar for each total and change, its number and share beside it. */
import { width } from '../width.ts';
import type { DrawRules } from './terminal-lines.ts';
import { type Waterfall, type WaterfallBar, waterfallScale } from './waterfall.ts';

interface Rules extends Pick<DrawRules, 'width' | 'ascii'> {
  paint(verdict: WaterfallBar['verdict'], text: string): string;
}

const longestLabel = 24;

export function drawWaterfall(waterfall: Waterfall, rules: Rules): string[] {
  const { title, company, unit, bars, notes = [] } = waterfall;
  const { ticks, labels, cut } = waterfallScale(waterfall, 4);
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const names = bars.map(({ label }) =>
    shortened(label, Math.min(longestLabel, Math.floor(rules.width / 3)), rules.ascii),
  );
  const nameWidth = Math.max(...names.map(width));
  const numberWidth = Math.max(...bars.map(({ said }) => said.length));
  const shareWidth = Math.max(...bars.map(({ share = '' }) => share.length));
  const beside = 1 + numberWidth + (shareWidth > 0 ? 2 + shareWidth : 0);
  const room = Math.max(8, rules.width - nameWidth - 1 - beside);
  const place = (value: number) => ((Math.max(value, low) - low) / (high - low)) * room;
  const lines = bars.map(({ total, from, to, said, share = '', verdict, partial = false }, at) => {
    const begin = place(total ? Math.max(0, low) : Math.min(from, to));
    const end = place(total ? to : Math.max(from, to));
    const [left, right] = total && end < begin ? [end, begin] : [begin, end];
    const bar = barOf(left, right, room, { total, ascii: rules.ascii, falls: to < from, partial });
    const name = names[at] ?? '';
    const number = `${said.padStart(numberWidth)}${shareWidth > 0 ? `  ${share.padStart(shareWidth)}` : ''}`;
    return `${name}${' '.repeat(nameWidth - width(name))} ${total ? bar : rules.paint(verdict, bar)} ${number}`.trimEnd();
  });
  const head = [company, title].filter((word) => word !== undefined).join(rules.ascii ? ' - ' : ' · ');
  return [
    `${head}${unit === undefined ? '' : ` (${unit})`}`,
    ...lines,
    ...(cut ? [`Bars begin at ${labels[0]}, not at zero.`] : []),
    ...notes,
  ];
}

interface Look {
  total: boolean;
  ascii: boolean;
  falls: boolean;
  partial: boolean;
}

const unicode = { total: '█', partial: '▒', falls: '░', grows: '▓' };

/** At least one cell, so that no change is drawn as nothing; what falls is lighter. */
function barOf(begin: number, end: number, room: number, { total, ascii, falls, partial }: Look): string {
  const first = Math.min(Math.round(begin), room - 1);
  const count = Math.max(1, Math.min(Math.round(end), room) - first);
  const marks = ascii ? { total: '#', partial: '/', falls: '-', grows: '+' } : unicode;
  const full = marks[total ? (partial ? 'partial' : 'total') : falls ? 'falls' : 'grows'];
  return `${' '.repeat(first)}${full.repeat(count)}`.padEnd(room);
}

function shortened(label: string, most: number, ascii: boolean): string {
  if (width(label) <= most) return label;
  const end = ascii ? '..' : '…';
  let kept = [...label];
  while (kept.length > 1 && width(kept.join('')) > most - end.length) kept = kept.slice(0, -1);
  return `${kept.join('').trimEnd()}${end}`;
}
