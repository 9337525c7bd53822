import { askRows, selectedRows, showChosen } from '../../cli/asking.ts';
import type { Context } from '../../cli/context.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { asks, shortAskFlags } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import type { PublishedPeriod } from '../../contract/metrics.ts';
import { compare, difference, magnitude, quotient, rounded } from '../../core/decimal.ts';
import { Failure } from '../../core/errors.ts';
import { isNumeric, type Numeric, plainDecimal } from '../../core/json.ts';
import {
  comparePeriods,
  dayOfTime,
  formatPeriod,
  type Period,
  parsePeriod,
  partialWords,
  readInstant,
} from '../../core/periods.ts';
import { withoutTrailing } from '../../core/trim.ts';
import { percent } from '../../domain/analysis/growth.ts';
import { linesOf, type Point } from '../../domain/analysis/points.ts';
import { type Analysis, type AnalysisRequest, metricIds, readAnalysis } from '../metrics/read.ts';
import { type DifferenceRow, differenceColumns, differenceOutcomes, unitIn } from './columns.ts';
import { nothingPublished, publishedFlags, publisher, readPublished } from './read.ts';

export default defineCommand({
  path: 'published diff',
  summary: 'Compare what was published with the series now',
  description: [
    'Prints each published value with its version and sent time, the actual now, and the difference. Unchanged values need --all. A published quarter or year is compared with its months, added up as the catalog says. A value that differs and was last written before it was sent is different, not restated.',
    "Besides the grant, it needs access to the company's own actuals.",
  ].join('\n\n'),
  operations: ['getPublishedMetrics', 'getMetricSeries', 'getMetricCatalog'],
  args: [publisher],
  flags: {
    ...shortAskFlags,
    ...publishedFlags,
    metrics: flag.list('ID[,ID]', 'only these metrics, in this order', { short: 'm' }),
    agg: flag.list('METRIC=HOW', 'how to derive a metric, if the catalog does not say'),
    all: flag.boolean('show unchanged values too'),
    exitCode: flag.boolean('exit 1 when a published value is not that of the series now'),
  },
  examples: [
    { run: 'comem -p demo published diff lumen', says: 'published values that have changed since' },
    { run: 'comem -p demo published diff lumen --exit-code', says: 'a job in CI: exit 1 when something was restated' },
    { run: 'comem -p demo published diff lumen -o csv', says: 'the changes as CSV' },
  ],
  stdout: 'rows',
  draws: true,
  async run(ctx, { args, flags }) {
    refuseRaw(ctx, 'it computes from several responses');
    const rules = { periodKey: 'period', outcome: differenceOutcomes } as const;
    const question = await askRows(ctx, differenceColumns, { flags, command: [], rules });
    const published = await readPublished(ctx, args.COMPANY, flags);
    if (!published) return;
    const now = await currentSeries(ctx, ctx.companyOf(args.COMPANY, 'COMPANY'), published.periods, flags);
    const all = differenceRows(published.periods, now, metricIds(flags.metrics));
    const chosen = await selectedRows(question, all);
    const changed = chosen.filter(({ outcome }) => outcome !== 'unchanged');
    const empty = all.length === 0 ? nothingPublished(published) : `All ${all.length} published values are unchanged.`;
    await showChosen(ctx, { question, flags, pages: [flags.all ? chosen : changed] }, differenceColumns, {
      id: (row) => row.metricId,
      name: ({ metricId, periodKey }) => `${metricId} ${periodKey}`,
      empty: asks(flags) ? 'No such values.' : empty,
    });
    const broken = changed.filter(({ outcome }) => outcome !== 'unknown').length;
    if (!flags.exitCode || broken === 0) return;
    const says = `${amount(broken, 'published value differs', 'published values differ')} from the series now`;
    throw new Failure('no', says, { code: 'restated' });
  },
});

/** The actuals now of all published periods, read once for each grain. */
async function currentSeries(
  ctx: Context,
  company: string,
  periods: readonly PublishedPeriod[],
  { metrics, agg }: Pick<AnalysisRequest, 'metrics' | 'agg'>,
): Promise<Analysis[]> {
  const analyses: Analysis[] = [];
  for (const type of ['month', 'quarter', 'year'] as const) {
    const sorted = periods
      .map(({ periodKey }) => parsePeriod(periodKey ?? ''))
      .filter((period): period is Period => period?.type === type)
      .sort(comparePeriods);
    const [first, last] = [sorted[0], sorted.at(-1)];
    if (!first || !last) continue;
    const request = { metrics, agg, from: formatPeriod(first), to: formatPeriod(last), periodType: type };
    analyses.push(await readAnalysis(ctx, request, { versions: ['actual'], company }));
  }
  return analyses;
}

/** A row for each published value, in the order of the publications. */
function differenceRows(
  periods: readonly PublishedPeriod[],
  now: readonly Analysis[],
  ids: readonly string[] | undefined,
): DifferenceRow[] {
  const points = new Map<string, Point>();
  for (const { items, type } of now) {
    for (const { metricId, points: ofLine } of linesOf(items)) {
      for (const point of ofLine) points.set(`${formatPeriod({ type, index: point.index })} ${metricId}`, point);
    }
  }
  const digits = digitsOf(periods);
  return periods.flatMap((period) => {
    const data = Object.entries(period.data ?? {}).filter(([id]) => ids === undefined || ids.includes(id));
    return data.flatMap(([metricId, published]): DifferenceRow[] => {
      if (published !== null && !isNumeric(published)) return [];
      const { periodKey = '', versionNumber, sentAt } = period;
      const unit = unitIn(period, metricId);
      const rounding = isDerived(period) ? digits.get(metricId) : undefined;
      return [
        {
          metricId,
          periodKey,
          ...(versionNumber !== undefined && { versionNumber }),
          ...(sentAt !== undefined && { sentAt }),
          told: published,
          ...beforeSending(
            comparedWith(published, points.get(`${periodKey} ${metricId}`), rounding),
            points.get(`${periodKey} ${metricId}`)?.updatedAt,
            sentAt,
          ),
          ...(unit !== undefined && { unit }),
        },
      ];
    });
  });
}

type Comparison = Pick<DifferenceRow, 'now' | 'difference' | 'percent' | 'outcome' | 'note'>;

function comparedWith(published: Numeric | null, point: Point | undefined, rounding: number | undefined): Comparison {
  const none = { difference: null, percent: null };
  if (point === undefined) return { ...none, outcome: 'removed', note: 'the series has no such value now' };
  const { value: now, incomplete, updatedAt } = point;
  if (incomplete) return { now, ...none, outcome: 'unknown', note: `the value now is ${partialWords(incomplete)}` };
  if (now === null || published === null) {
    const same = now === published;
    const note = same ? '' : now === null ? 'the series says null now' : 'null was published';
    return { now, ...none, outcome: same ? 'unchanged' : 'restated', note };
  }
  // A published average of months was rounded; the average now has all its digits.
  const shown = rounding === undefined ? now : rounded(now, rounding);
  const gap = difference(shown, published);
  const restated = compare(gap, 0) !== 0;
  return {
    now: shown,
    difference: gap,
    percent: percent(quotient(gap, magnitude(published))),
    outcome: restated ? 'restated' : 'unchanged',
    note: restated && updatedAt ? `last written ${dayOfTime(updatedAt)}` : '',
  };
}

/** A value that was written before the publication was sent is another one, and was not restated since. */
function beforeSending(
  compared: Comparison,
  updatedAt: string | null | undefined,
  sentAt: string | undefined,
): Comparison {
  const [written, sent] = [updatedAt, sentAt].map((time) => readInstant(time ?? ''));
  const isBefore = written !== undefined && sent !== undefined && written <= sent;
  if (compared.outcome !== 'restated' || !updatedAt || !isBefore) return compared;
  const note = `written ${dayOfTime(updatedAt)}, before it was sent`;
  return { ...compared, outcome: 'different', note };
}

const isDerived = ({ periodKey = '' }: PublishedPeriod): boolean => parsePeriod(periodKey)?.type !== 'month';

/**
 * To how many digits each metric is published: the most that one of its quarters and years has. Zeros at the end say
 * nothing, and a value without digits may be one that was rounded to them.
 */
function digitsOf(periods: readonly PublishedPeriod[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const [metricId, value] of periods.filter(isDerived).flatMap(({ data }) => Object.entries(data ?? {}))) {
    if (!isNumeric(value)) continue;
    const digits = withoutTrailing(plainDecimal(value).split('.')[1] ?? '', '0').length;
    most.set(metricId, Math.max(most.get(metricId) ?? 0, digits));
  }
  return most;
}
