/** Axes: round ticks that hold every value, and short labels that tell them apart. */

export interface Scale {
  /** Ascending, evenly spaced; the first and the last are the ends of the axis. */
  ticks: number[];
  labels: string[];
}

const steps = [1, 2, 2.5, 5, 10];
const sizes: readonly [number, string][] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/** @param count about how many steps; zero is on the axis when `fromZero` */
export function scaleOf(values: readonly number[], count: number, fromZero = false): Scale {
  const given = fromZero ? [0, ...values] : values;
  const least = given.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const greatest = given.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(least)) return { ticks: [0, 1], labels: ['0', '1'] };
  const span = greatest - least || Math.abs(greatest) || 1;
  const rough = span / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (steps.find((each) => each * power >= rough * (1 - 1e-9)) ?? 10) * power;
  // A single value is drawn in the middle, not on an edge where the axis hides it.
  const room = least === greatest && !fromZero ? 1 : 0;
  const first = Math.floor(least / step + 1e-9) - room;
  const last = Math.max(Math.ceil(greatest / step - 1e-9), first + 1) + room;
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { ticks, labels: labelsOf(ticks, step) };
}

/** What numbers have no word for is said by its power of ten: `1.25e20`. */
function sizeOf(most: number): readonly [number, string] {
  if (most < 1e15 && (most >= 1e-4 || most === 0)) return sizes.find(([each]) => most >= each) ?? [1, ''];
  const power = Math.floor(Math.log10(most));
  return [10 ** power, `e${power}`];
}

/** All in one size (`0.5M`, `1.0M`), with as many digits as the step needs. */
export function labelsOf(ticks: readonly number[], step: number): string[] {
  const most = Math.max(...ticks.map(Math.abs));
  const [size, suffix] = sizeOf(most);
  let digits = 0;
  while (digits < 9 && Math.abs((step / size) * 10 ** digits - Math.round((step / size) * 10 ** digits)) > 1e-6) {
    digits += 1;
  }
  return ticks.map((tick) => (tick === 0 ? '0' : `${(tick / size).toFixed(digits)}${suffix}`));
}

/** A number in few characters: `803k`, `9.63M`, `106.6`, `-12`. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(2).replace('e+', 'e');
  const at = sizes.findIndex(([each]) => size >= each);
  const [divisor, suffix] = sizes[at] ?? [1, ''];
  const shown = suffix === '' ? plainDigits(value) : Number((value / divisor).toPrecision(3)).toString();
  // 999,950 is 1M, not 1000k.
  const above = sizes[at - 1];
  return Math.abs(Number(shown)) >= 1000 && above ? `${Math.sign(value) * 1}${above[1]}` : `${shown}${suffix}`;
}

function plainDigits(value: number): string {
  const size = Math.abs(value);
  return String(Number(value.toFixed(size >= 100 ? 1 : size >= 1 ? 2 : 4)));
}
