/** One value that is converted, computed or added up over companies. */

import type { Context } from '../../../cli/context.ts';
import { eachCompany } from '../../../cli/each-company.ts';
import { refuseRaw } from '../../../cli/show.ts';
import type { Version } from '../../../contract/metrics.ts';
import { type Failure, usage } from '../../../core/errors.ts';
import { plainDecimal } from '../../../core/json.ts';
import { formatPeriod, parsePeriod } from '../../../core/periods.ts';
import { readAnalysis } from '../read.ts';
import { computations } from '../several.ts';
import { readLiveAnalysis } from './live-analysis.ts';
import { valueIn } from './one-value.ts';
import type { AnalysisRequest } from './parts.ts';
import { withTotal } from './total.ts';
import { writeRows } from './values-of-companies.ts';

export async function writeComputedValue(
  ctx: Context,
  metricId: string,
  version: Version,
  request: AnalysisRequest,
): Promise<void> {
  refuseRaw(ctx, 'it computes from several responses');
  const { period: given } = request;
  if (given === undefined && version !== 'actual')
    throw usage(`a ${version} has no latest value`, 'add --period PERIOD');
  const { read } = await computations(ctx, request, given === undefined ? readLiveAnalysis : readAnalysis);
  const period = given === undefined ? undefined : parsePeriod(given);
  const whenever = period ? formatPeriod(period) : (given ?? 'the live period');
  const { parts, verdict } = await eachCompany(ctx, async (company) => {
    const analysis = await read(ctx, request, { versions: [version], ...(company !== undefined && { company }) });
    return { analysis, found: valueIn(ctx, analysis, metricId, version, analysis.items.at(-1)?.periodKey ?? whenever) };
  });
  const rows = parts.map(({ who, value: { found } }) => ({ ...who, ...found }));
  const [only] = parts;
  if (only && !only.who && !request.total)
    return ctx.out.scalar(plainDecimal(only.value.found.value), only.value.found);
  const analyses = parts.map(({ who, value: { analysis } }) => ({ who, value: analysis }));
  if (request.total) {
    for (const { who, value } of (await withTotal(ctx, analyses)).slice(parts.length)) {
      if (!value.metrics.some(({ id }) => id === metricId)) throw notAdditive(metricId);
      // Live values of several months have a total for each.
      for (const item of value.items) {
        rows.push({ ...who, ...valueIn(ctx, { ...value, items: [item] }, metricId, version, item.periodKey) });
      }
    }
  }
  await writeRows(ctx, rows);
  verdict();
}

function notAdditive(metricId: string): Failure {
  return usage(
    `--total cannot add ${metricId} of companies: it is neither an amount of money nor a count`,
    'omit --total',
  );
}
