/** Checks of one company's metrics: the catalog, and the months that the sections need, each read once. */

import type { Context } from '../../cli/context.ts';
import { readSeries } from '../../client/series.ts';
import { getLiveMetrics } from '../../contract/metric-operations.ts';
import type { CompanyMetrics, MetricSeriesItem } from '../../contract/metrics.ts';
import { usage } from '../../core/errors.ts';
import { formatPeriod, parsePeriod, periodAt } from '../../core/periods.ts';
import type { CheckSection } from '../../domain/checks/check-file.ts';
import { metricNeeds, metricTest } from '../../domain/checks/metric-checks.ts';
import type { MetricFacts } from '../../domain/checks/metric-facts.ts';
import { catalogOf, conflictWarning, refuseUnknown } from '../metrics/read.ts';
import type { GroupResult, RunOptions } from './group.ts';

/** Months of a section that names none. */
const defaultMonths = 12;

interface Range {
  from: number;
  to: number;
}

export async function readMetricChecks(
  ctx: Context,
  sections: readonly CheckSection[],
  { cap }: RunOptions,
): Promise<GroupResult> {
  const company = sections[0]?.company;
  const query = company === undefined ? {} : { companyId: ctx.companyOf(company, 'company') };
  // What is wrong with a range is said before anything is sent; the newest month is that of the server's clock.
  for (const section of sections) rangeOf(section, ctx.now());
  const needs = sections.flatMap((section) => section.checks.map(({ expect }) => metricNeeds(expect)));
  const versions = [...new Set(needs.flatMap((need) => need.versions))];
  const before = Math.max(0, ...needs.map((need) => need.before));
  const client = await ctx.client();
  const { definitions } = await catalogOf(ctx, query.companyId);
  refuseUnknown(
    needs.flatMap(({ metricIds }) => metricIds),
    [{ definitions }],
  );
  const now = ctx.now();
  const ranges = sections.map((section) => rangeOf(section, now));
  const live = needs.some((need) => need.live)
    ? await client.call(getLiveMetrics, {
        query: { ...query, companyId: query.companyId ?? ctx.requireCompany() },
      })
    : undefined;
  const whole = {
    from: Math.min(...ranges.map(({ from }) => from)) - before,
    to: Math.max(...ranges.map(({ to }) => to)),
  };
  const items: MetricSeriesItem[] = [];
  const months = readSeries(
    client,
    {
      ...{ versions, from: month(whole.from), to: month(whole.to), order: 'asc' },
      companies: query.companyId === undefined ? undefined : [query.companyId],
    },
    { onConflict: conflictWarning(ctx) },
  );
  if (versions.length > 0) for await (const item of months) items.push(item);
  const outcomes: GroupResult['outcomes'] = new Map();
  sections.forEach((section, index) => {
    const range = ranges[index] ?? whole;
    const { allowEmpty } = section;
    const facts: MetricFacts = {
      definitions,
      range,
      items,
      live: live as CompanyMetrics | undefined,
      now,
      cap,
      allowEmpty,
    };
    for (const spec of section.checks) outcomes.set(spec, metricTest(spec.expect)(facts));
  });
  return { outcomes, aggregates: {} };
}

/** The months of a section; by default up to the last complete month. */
function rangeOf({ from, to, last, label }: CheckSection, now: Date): Range {
  const end = monthOf(to) ?? periodAt(now, 'month').index - 1;
  const begin = monthOf(from) ?? end - (last ?? defaultMonths) + 1;
  if (begin > end) throw usage(`metrics ${label}: from ${month(begin)} is after to ${month(end)}`);
  return { from: begin, to: end };
}

const monthOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parsePeriod(text)?.index;
const month = (index: number): string => formatPeriod({ type: 'month', index });
