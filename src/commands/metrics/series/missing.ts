/** Which of the periods that were counted have no data: formats without rows for them leave it to a note. */

import type { Context } from '../../../cli/context.ts';
import type { SeriesPage } from '../../../client/series.ts';
import { formatPeriod, parsePeriod, periodHolding, periodRange } from '../../../core/periods.ts';
import type { SeriesPlan } from './plan.ts';

const mostNamed = 12;

/** The pages; after the last one a note names what is missing, company by company. */
export async function* sayMissing<Row extends { periodKey: string }>(
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
  const left = new Map<string | undefined, Set<string>>();
  for await (const page of pages) {
    const missing = left.get(page.companyId) ?? new Set(wanted);
    left.set(page.companyId, missing);
    for (const { periodKey } of page.rows) {
      const period = parsePeriod(periodKey);
      const holding = period && periodHolding(period, type);
      if (holding) missing.delete(formatPeriod(holding));
    }
    yield page;
  }
  for (const [companyId, missing] of left) {
    if (missing.size === 0) continue;
    const names = [...missing];
    const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
    const whose = several && companyId !== undefined ? ` of ${nameOf(companyId)}` : '';
    ctx.out.note(`No data${whose} in ${names.slice(0, mostNamed).join(', ')}${more}.`);
  }
}
