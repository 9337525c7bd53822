/** A panel as horizontal bars from zero: a line for each period and series, the number beside it. */
import { plainDecimal } from '../../core/json.ts';
import { groupThousands } from '../cells.ts';
import { asDouble, doubles, type Panel } from './panel.ts';
import { type DrawRules, titleOf } from './terminal-lines.ts';

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

export function drawBars(panel: Panel, rules: DrawRules): string[] {
  const several = panel.series.length > 1;
  const labelWidth = several ? Math.min(24, Math.max(...panel.series.map(({ label }) => label.length))) : 0;
  const periodWidth = Math.max(0, ...panel.periods.map((period) => period.length));
  const texts = panel.series.map(({ values }) => values.map(shown));
  const numberWidth = Math.max(1, ...texts.flat().map((text) => text.length));
  const fixed = periodWidth + 1 + (several ? labelWidth + 1 : 0) + 1 + numberWidth;
  const room = Math.max(6, rules.width - fixed);
  const all = [0, ...doubles(panel)];
  const [least, greatest] = [Math.min(...all), Math.max(...all)];
  const perCell = (greatest - least || 1) / room;
  const zero = Math.round(-least / perCell);

  const lines = panel.periods.flatMap((period, at) =>
    panel.series.map((series, index) => {
      const value = asDouble(series.values[at]);
      const bar =
        value === undefined
          ? ' '.repeat(room)
          : barOf(value / perCell, zero, room, { ...rules, light: series.dashed, partial: series.partial?.[at] });
      const head = (index === 0 ? period : '').padEnd(periodWidth);
      const label = several ? `${series.label.slice(0, labelWidth).padEnd(labelWidth)} ` : '';
      // `texts` has the shape of the values.
      const text = (texts[index]?.[at] ?? '').padStart(numberWidth);
      return `${head} ${label}${rules.paint(index, bar)} ${text}`.trimEnd();
    }),
  );
  return [titleOf(panel, rules), ...lines, ...(panel.notes ?? [])];
}

/** A gap says which kind it is, so that nobody takes it for a zero. */
function shown(value: Panel['series'][number]['values'][number]): string {
  if (value === undefined) return 'no value';
  return value === null ? 'null' : groupThousands(roundedForEye(value));
}

function roundedForEye(value: NonNullable<Panel['series'][number]['values'][number]>) {
  const fraction = plainDecimal(value).split('.')[1] ?? '';
  return fraction.length > 2 && Math.abs(Number(value)) < 2 ** 53 ? Number(Number(value).toFixed(2)) : value;
}

interface BarStyle {
  ascii: boolean;
  /** A plan. */
  light: boolean;
  /** Of some months only: hatched. */
  partial: boolean | undefined;
}

/** @param size cells, with sign */
function barOf(size: number, zero: number, room: number, { ascii, light, partial }: BarStyle): string {
  const full = partial ? (ascii ? '/' : '▒') : ascii ? (light ? '=' : '#') : light ? '░' : '█';
  const cells = Math.abs(size);
  if (size < 0) {
    const count = Math.max(1, Math.min(zero, Math.round(cells)));
    return `${' '.repeat(zero - count)}${full.repeat(count)}`.padEnd(room);
  }
  const whole = Math.floor(cells + 1e-9);
  // A value above zero is never drawn as nothing.
  const part =
    ascii || light || partial
      ? cells - whole >= 0.5 || (whole === 0 && size > 0)
        ? full
        : ''
      : eighth(cells - whole, whole);
  return `${' '.repeat(zero)}${full.repeat(whole)}${part}`.slice(0, room).padEnd(room);
}

function eighth(share: number, whole: number): string {
  const count = Math.round(share * 8);
  if (count >= 8) return '█';
  // Of 0 to 7.
  return eighths[whole === 0 && share > 0 ? Math.max(1, count) : count] ?? '';
}
