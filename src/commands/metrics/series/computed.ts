/** Series with `--in`, `--calc` or `--total`: rows are computed as those of an analysis, and written as all others. */

import type { Context } from '../../../cli/context.ts';
import type { CompanyPart } from '../../../cli/each-company.ts';
import { refuseRaw } from '../../../cli/show.ts';
import type { SeriesPage } from '../../../client/series.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import { byPeriod } from '../../../domain/series/fill.ts';
import type { Order } from '../../../domain/series/plan.ts';
import { type Measured, measures } from '../../../domain/series/shapes.ts';
import { moneyUnit, shownUnit } from '../../../domain/series/units.ts';
import { type Analyses, readAnalyses } from '../analyses.ts';
import type { SeriesFlags } from '../flags.ts';
import { type Analysis, aligned, catalogOf } from '../read.ts';
import { type Measures, metricColumn, type SeriesMetrics } from './catalog.ts';
import { type Names, totalKey } from './columns.ts';
import { noteMissing } from './periods.ts';
import type { SeriesPlan } from './plan.ts';
import { hasEveryPeriod, writerTo, writeShaped } from './rows.ts';

export async function writeComputed(ctx: Context, flags: SeriesFlags, planned: SeriesPlan): Promise<void> {
  refuseRaw(ctx, 'it computes from several responses');
  refuseOtherFlags(flags);
  const { derive, versions, companies } = planned;
  const reader = ctx.ofCompanies(companies);
  const { derive: _derive, periodType, versions: _versions, shape: _shape, ...rest } = flags;
  const grain = derive ?? periodType;
  const request = { ...rest, ...(grain !== undefined && { periodType: grain }) };
  const analyses = await readAnalyses(reader, request, { versions, derived: derive !== undefined });
  // The range follows the clock of the server, which is known now.
  await write(reader, planned.byClock?.(ctx.now()) ?? planned, analyses);
  analyses.verdict();
}

/** @throws usage for flags that need rows of the API, one after the other */
function refuseOtherFlags(flags: SeriesFlags): void {
  const computing = (['in', 'rates', 'calc', 'total'] as const).find((name) => flags[name] !== undefined);
  const flag = computing === undefined ? 'a computed metric' : `--${computing}`;
  if (flags.cursor !== undefined) throw usage(`${flag} needs the start of the series, and --cursor is in its middle`);
}

/** An analysis with the id by which pages and rows tell companies apart. */
interface CompanyAnalysis {
  companyId: string | undefined;
  /** The company whose catalog has the metrics; the total has none. */
  catalogId: string | undefined;
  analysis: Analysis;
}

async function write(ctx: Context, plan: SeriesPlan, { parts, mixed }: Analyses): Promise<void> {
  const companies = parts.map(({ who, value }) => ({
    companyId: who ? (who.companyId ?? totalKey) : plan.companies[0],
    catalogId: who?.companyId ?? parts[0]?.who?.companyId,
    analysis: value,
  }));
  const pages = pagesOf(companies, plan.scope.order);
  const currencies = companies.flatMap(({ companyId, analysis: { currency } }): [string, string][] =>
    companyId === undefined || currency === undefined ? [] : [[companyId, currency]],
  );
  const rows = {
    metrics: await metricsOf(ctx, plan, companies),
    pages: hasEveryPeriod(ctx, plan) ? pages : noteMissing(ctx, plan, pages),
    currencies: mixed ? new Map(currencies) : undefined,
    months: !plan.derive && parts.some(({ value }) => value.items.some((item) => item.months !== undefined)),
    names: plan.several ? await namesOf(ctx, plan, parts) : undefined,
    derived: true,
    notes: parts.some(({ value }) => value.members !== undefined),
  };
  await writeShaped(ctx, plan, rows, writerTo(ctx, plan));
}

async function namesOf(
  ctx: Context,
  { companies }: SeriesPlan,
  parts: readonly CompanyPart<Analysis>[],
): Promise<Names> {
  const known = parts.flatMap(({ who }): [string, string][] => (who?.companyId ? [[who.companyId, who.company]] : []));
  if (known.length > 0) return new Map(known);
  return (await import('../../../cli/each-company.ts')).companyNames(ctx, companies);
}

/** The rows of each company in the order of the plan, a page for each period. */
async function* pagesOf(
  companies: readonly CompanyAnalysis[],
  order: Order,
): AsyncGenerator<SeriesPage<MetricSeriesItem>> {
  for (const { companyId, analysis } of companies) {
    const { type, metrics } = analysis;
    const { items, leftOut } = aligned(analysis, 'nothing');
    const ids = new Set(metrics.map(({ id }) => id));
    const periods: AnalysisItem[][] = [];
    for await (const period of byPeriod(items)) periods.push(period);
    if (order === 'desc') periods.reverse();
    for (const period of periods) {
      const rows = period.flatMap(({ incomplete, ...item }) => {
        // Metrics that were only read to compute others are left out.
        const values = Object.fromEntries(Object.entries(item.metrics).filter(([id]) => ids.has(id)));
        if (Object.keys(values).length === 0) return [];
        const notes = [...ids].flatMap((id) => {
          const without = leftOut.get(`${id} ${item.periodKey} ${item.version}`);
          return without === undefined ? [] : [[id, without] as const];
        });
        return [
          {
            ...item,
            metrics: values,
            ...(type !== 'month' && incomplete && { incomplete }),
            ...(notes.length > 0 && { notes: Object.fromEntries(notes) }),
          },
        ];
      });
      if (rows.length > 0) yield { companyId, rows };
    }
    // A company without rows is one of those that were read.
    yield { companyId, rows: [] };
  }
}

/** The metrics of the rows: those requested in their order, else those of the catalogs, then the computed ones. */
async function metricsOf(
  ctx: Context,
  { request }: SeriesPlan,
  companies: readonly CompanyAnalysis[],
): Promise<SeriesMetrics> {
  const measured = new Map<string | undefined, Measures>();
  for (const { companyId, catalogId, analysis } of companies) {
    const catalog = await catalogOf(ctx, catalogId);
    const stored = measures({ ...catalog, currency: analysis.currency ?? catalog.currency });
    const entries = analysis.metrics.map(({ id, label = id, unit = null, currency }): [string, Measured] => {
      const known = stored.get(id);
      // The words of the catalog are those of the amounts before they were converted.
      if (known && (shownUnit(known) ?? null) === unit) return [id, known];
      const units = currency ? { unit: moneyUnit, unitLabel: null, currency } : { unit, unitLabel: unit };
      return [id, { label: known?.label ?? label, currency: null, ...units }];
    });
    measured.set(companyId, new Map(entries));
  }
  const all = companies.flatMap(({ analysis }) => analysis.metrics.map(({ id }) => id));
  const ids = new Set([...(request.metricIds ?? []).filter((id) => all.includes(id)), ...all]);
  return {
    columns: [...ids].map((id) => metricColumn(id, measured)),
    ids,
    catalogOf: () => undefined,
    measuresOf: (companyId) => measured.get(companyId) ?? new Map(),
  };
}
