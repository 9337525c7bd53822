/** Flags that the analysis commands share. Help and completion read them, so nothing that computes is loaded with them. */

import { type FlagValues, flag } from '../../../cli/define.ts';
import { type Version, versions } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import { type PeriodType, parsePeriod } from '../../../core/periods.ts';
import { lastUnit } from '../../../domain/series/range.ts';
import { metricsFlag } from '../read.ts';
import { seriesFlags } from '../series/flags.ts';

const { periodType, from, to, last, ytd, fy, fyStart } = seriesFlags;

export const analysisFlags = {
  metrics: metricsFlag('only these metrics, in this order', 'metricIds'),
  periodType,
  from,
  to,
  last,
  ytd,
  fy,
  fyStart,
  agg: flag.list('METRIC=HOW', 'how months of actuals become a quarter or year, where the catalog does not say'),
};

export type AnalysisFlags = FlagValues<typeof analysisFlags> & {
  /** One period, which is its own range and grain. */
  period?: string;
};

export const versionsFlag = flag.text('VERSION[,VERSION]', 'actual, budget, forecast; default actual', {
  field: 'versions',
});

/** @throws usage for a word that is no version */
export function versionsOf(given: string | undefined, byDefault: readonly Version[] = ['actual']): Version[] {
  if (given === undefined) return [...byDefault];
  return [...new Set(given.split(',').map((word) => word.trim()))].map((word) => {
    const found = versions.find((known) => known === word);
    if (found) return found;
    throw usage(`--versions must be ${versions.join(', ')}, got "${word}"`);
  });
}

/** The grain that a period, a flag or the unit of `--last` names; else months. */
export function grainOf({ period, periodType: asked, last: newest }: AnalysisFlags): PeriodType {
  if (period === undefined) return asked ?? lastUnit(newest) ?? 'month';
  const found = parsePeriod(period);
  if (!found) throw usage(`--period must be a period such as 2006-01, 2006-Q1 or 2006, got "${period}"`);
  if (asked !== undefined && asked !== found.type) {
    throw usage(`--period ${period} is a ${found.type}, but --period-type says ${asked}`, 'leave --period-type out');
  }
  return found.type;
}

export const asciiFlag = flag.boolean('draw with ASCII alone; so it is anyway under TERM=dumb and in the locale C');
