/** Which of the periods that were counted have no data: formats without rows for them leave it to a note. */

import type { Context } from '../../../cli/context.ts';
import type { SeriesPage } from '../../../client/series.ts';
import { formatPeriod, parsePeriod, periodHolding, periodRange } from '../../../core/periods.ts';
import type { SeriesPlan } from './plan.ts';

const mostNamed = 12;

/** An observation, or the values of a period. */
interface Found {
  periodKey: string;
  metricId?: string;
  metrics?: object;
}

/**
 * The pages; after the last one a note names what is missing, company by company. Rows of single values show no empty
 * cell, so that the metrics that were asked for by name are counted one by one.
 */
export async function* sayMissing<Row extends Found>(
  ctx: Context,
  plan: SeriesPlan,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row>> {
  const { derive, counted, several } = plan;
  const { from, to, periodType } = plan.scope;
  if (!counted || !from || !to || ctx.settings.limit !== undefined) return yield* pages;
  const type = derive ?? periodType;
  const nameOf = (companyId: string) => ctx.companyName(companyId) ?? companyId;
  const [first, last] = [periodHolding(from, type), periodHolding(to, type)];
  const wanted = first && last ? [...periodRange(first, last)].map(formatPeriod) : [];
  const { shape, fill } = plan.options;
  const asked = shape === 'long' && fill === 'none' ? (plan.request.metricIds ?? []) : [];
  const left = new Map<string | undefined, Set<string>>();
  const single = new Map<string | undefined, Map<string, Set<string>>>();
  for await (const page of pages) {
    const missing = left.get(page.companyId) ?? new Set(wanted);
    left.set(page.companyId, missing);
    const lacking = single.get(page.companyId) ?? new Map(asked.map((id) => [id, new Set(wanted)]));
    single.set(page.companyId, lacking);
    for (const { periodKey, metricId, metrics } of page.rows) {
      const period = parsePeriod(periodKey);
      const holding = period && periodHolding(period, type);
      if (!holding) continue;
      const key = formatPeriod(holding);
      missing.delete(key);
      for (const id of metricId === undefined ? Object.keys(metrics ?? {}) : [metricId]) lacking.get(id)?.delete(key);
    }
    yield page;
  }
  for (const [companyId, missing] of left) {
    const whose = several && companyId !== undefined ? ` of ${nameOf(companyId)}` : '';
    if (missing.size > 0) ctx.out.note(`No data${whose} in ${named([...missing])}.`);
    const parts = [...(single.get(companyId) ?? [])].flatMap(([id, periods]) => {
      const own = [...periods].filter((key) => !missing.has(key));
      return own.length > 0 ? [`${id} in ${named(own)}`] : [];
    });
    if (parts.length > 0) ctx.out.note(`No value${whose} for ${parts.join('; ')}.`);
  }
}

function named(periods: readonly string[]): string {
  const more = periods.length > mostNamed ? ` and ${periods.length - mostNamed} more` : '';
  return `${periods.slice(0, mostNamed).join(', ')}${more}`;
}
