/** What a chart shows, whatever draws it. */
import type { Numeric } from '../../core/json.ts';

export interface ChartSeries {
  /** `MRR`, `MRR budget`. */
  label: string;
  metricId: string;
  version: string;
  /** Plans are dashed, actuals are not. */
  dashed: boolean;
  /** One for each period: undefined where there is no row, null where the row says null. Both are gaps. */
  values: readonly (Numeric | null | undefined)[];
  /** For each period, whether its value is of some of its months only. */
  partial?: readonly boolean[];
}

/** Series of one unit on one pair of axes. */
export interface Panel {
  title: string;
  /** Whose values they are, where one company's are drawn. */
  company?: string;
  /** What is shown beside the numbers: a currency, `%`, a word. */
  unit?: string;
  /** Oldest first, those without any value too. */
  periods: readonly string[];
  series: readonly ChartSeries[];
  /** What must be said beside the picture, such as which periods are incomplete. */
  notes?: readonly string[];
}

/** The numbers of a panel as doubles; a picture needs no more. */
export function doubles(panel: Panel): number[] {
  return panel.series.flatMap(({ values }) => values.map(asDouble).filter((value) => value !== undefined));
}

export function asDouble(value: Numeric | null | undefined): number | undefined {
  if (value === null || value === undefined) return undefined;
  const double = Number(value);
  return Number.isFinite(double) ? double : undefined;
}

/** How many periods between its first and last value a series has none. */
export function gapCount({ values }: ChartSeries): number {
  const known = values.map((value) => asDouble(value) !== undefined);
  const [first, last] = [known.indexOf(true), known.lastIndexOf(true)];
  return first < 0 ? 0 : known.slice(first, last).filter((each) => !each).length;
}
