/** Live values that are converted, computed or added up over companies. */

import type { Context } from '../../../cli/context.ts';
import type { AskFlags } from '../../../cli/query.ts';
import { refuseRaw } from '../../../cli/show.ts';
import { isNumeric } from '../../../core/json.ts';
import type { LiveValue } from '../columns.ts';
import { readAnalyses, type SeveralAnalyses } from '../several.ts';
import { readLiveAnalysis } from './live-analysis.ts';
import { askLive, type LiveRow, showLive } from './live-asked.ts';
import type { Analysis, AnalysisRequest } from './parts.ts';

export async function writeComputedLive(ctx: Context, request: AnalysisRequest & AskFlags): Promise<void> {
  refuseRaw(ctx, 'it computes from several responses');
  const question = await askLive(ctx, request);
  const found = await readAnalyses(ctx, request, { versions: ['actual'] }, readLiveAnalysis);
  const rows = found.parts.flatMap(({ who, value }) => rowsOf(value).map((row): LiveRow => ({ ...who, ...row })));
  await showLive(ctx, { question, flags: request, rows, objects: objectsOf(found) });
  found.verdict();
}

function rowsOf({ items, metrics }: Analysis): (LiveValue & { periodKey: string })[] {
  return [...items].flatMap(({ periodKey, metrics: values }) =>
    metrics.flatMap(({ id, unit }) => {
      const value = Object.hasOwn(values, id) ? values[id] : undefined;
      return isNumeric(value) ? [{ periodKey, metric: id, value, unit }] : [];
    }),
  );
}

/** An object for each company and period, as the API answers for one. */
function objectsOf({ parts }: SeveralAnalyses): object[] {
  return parts.flatMap(({ who, value }) =>
    Array.from(value.items, ({ periodKey, metrics: values, updatedAt }) => ({
      ...who,
      metrics: Object.fromEntries(value.metrics.flatMap(({ id }) => (id in values ? [[id, values[id]]] : []))),
      ...(value.currency !== undefined && { currency: value.currency }),
      ...{ periodKey, period: periodKey, ...(updatedAt && { asOf: updatedAt }) },
    })),
  );
}
