/** `--in`, `--calc` and `--total` of a series: rows are computed as those of an analysis, and written as all others. */

import type { Context } from '../../../cli/context.ts';
import type { CompanyPart } from '../../../cli/each-company.ts';
import { hasColumns, nameOut, namesCompany, refuseRaw } from '../../../cli/show.ts';
import type { SeriesPage } from '../../../client/series-pages.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import { byPeriod } from '../../../domain/series/fill.ts';
import type { Order } from '../../../domain/series/plan.ts';
import { type Measured, measures } from '../../../domain/series/shapes.ts';
import { moneyUnit, shownUnit } from '../../../domain/series/units.ts';
import { createOutput } from '../../../output/write/create-output.ts';
import type { SeriesFlags } from '../flags.ts';
import { type Analysis, catalogOf } from '../read.ts';
import { type Names, totalKey } from '../series-columns.ts';
import { readAnalyses, type SeveralAnalyses } from '../several.ts';
import { columnOf, type SeriesMetrics } from './catalog.ts';
import { sayMissing } from './periods.ts';
import { checkFormat, type SeriesPlan } from './plan.ts';
import { writeDerived } from './rows.ts';
import { writerTo } from './write.ts';

type Part = CompanyPart<Analysis>;

/** By what pages and rows tell companies apart. */
type KeyOf = (part: Part) => string | undefined;

export async function writeComputed(ctx: Context, flags: SeriesFlags, planned: SeriesPlan): Promise<void> {
  refuseRaw(ctx, 'it computes from several responses');
  refuseOthers(ctx, flags);
  checkFormat(ctx, planned);
  const { derive, versions, companies } = planned;
  const apart = ctx.apart();
  apart.settings.companies = { ...apart.settings.companies, value: [...companies] };
  const { derive: _derive, periodType, versions: _versions, shape: _shape, ...rest } = flags;
  const grain = derive ?? periodType;
  const request = { ...rest, ...(grain !== undefined && { periodType: grain }) };
  const analyses = await readAnalyses(apart, request, { versions, derived: derive !== undefined });
  // The range follows the clock of the server, which is known now.
  await writeParts(apart, planned.byClock?.(ctx.now()) ?? planned, analyses);
  analyses.verdict();
}

/** @throws usage for what needs rows of the API, one after the other */
function refuseOthers({ settings }: Context, flags: SeriesFlags): void {
  const why = (['in', 'rates', 'calc', 'total'] as const).find((name) => flags[name] !== undefined);
  const flag = why === undefined ? 'a computed metric' : `--${why}`;
  if (flags.cursor !== undefined) throw usage(`${flag} needs the start of the series, and --cursor is in its middle`);
  if (flags.checkpoint !== undefined)
    throw usage(`${flag} needs the complete series, and --checkpoint resumes in its middle`, 'omit one of them');
  if (flags.total && settings.out !== undefined && namesCompany(settings.out)) {
    throw usage('--total is beside the companies, and {company} in --out makes a file for each', 'omit one of them');
  }
}

async function writeParts(ctx: Context, plan: SeriesPlan, analyses: SeveralAnalyses): Promise<void> {
  const { settings, runtime } = ctx;
  if (!plan.several || settings.out === undefined || !namesCompany(settings.out)) return write(ctx, plan, analyses);
  for (const part of analyses.parts) {
    const companyId = part.who?.companyId ?? plan.companies[0];
    const out = createOutput({ ...settings, nameOut: nameOut(settings, runtime, companyId) }, runtime);
    const ofCompany = { ...plan, companies: companyId === undefined ? [] : [companyId] };
    await write(ctx, ofCompany, { ...analyses, parts: [part] }, out);
  }
}

async function write(ctx: Context, plan: SeriesPlan, { parts, mixed }: SeveralAnalyses, out = ctx.out): Promise<void> {
  const { shape, transpose, headerUnits } = plan.options;
  const keyOf: KeyOf = ({ who }) => (who ? (who.companyId ?? totalKey) : plan.companies[0]);
  const everyRow = plan.counted && shape !== 'long' && !transpose && hasColumns(ctx);
  const pages = pagesOf(parts, keyOf, plan.scope.order);
  const currencies = parts.flatMap((part): [string, string][] => {
    const [key, { currency }] = [keyOf(part), part.value];
    return key === undefined || currency === undefined ? [] : [[key, currency]];
  });
  const reading = {
    metrics: await metricsOf(ctx, plan, parts, keyOf, headerUnits),
    pages: everyRow || transpose ? pages : sayMissing(ctx, plan, pages),
    currencies: mixed ? new Map(currencies) : undefined,
    months: !plan.derive && parts.some(({ value }) => value.items.some((item) => item.months !== undefined)),
    names: plan.several ? await namesOf(ctx, plan, parts) : undefined,
    everyRow,
    derived: true,
  };
  await writeDerived(ctx, plan, reading, writerTo(ctx, plan, { out }));
}

async function namesOf(ctx: Context, { companies }: SeriesPlan, parts: readonly Part[]): Promise<Names> {
  const known = parts.flatMap(({ who }): [string, string][] => (who?.companyId ? [[who.companyId, who.company]] : []));
  if (known.length > 0) return new Map(known);
  return (await import('../../../cli/company-names.ts')).companyNames(ctx, companies);
}

/** The rows of each company in the order asked for, a page for each period. */
async function* pagesOf(
  parts: readonly Part[],
  keyOf: KeyOf,
  order: Order,
): AsyncGenerator<SeriesPage<MetricSeriesItem>> {
  for (const part of parts) {
    const { type, items, metrics } = part.value;
    const companyId = keyOf(part);
    const shown = new Set(metrics.map(({ id }) => id));
    const periods: AnalysisItem[][] = [];
    for await (const period of byPeriod(items)) periods.push(period);
    if (order === 'desc') periods.reverse();
    for (const period of periods) {
      const rows = period.flatMap(({ incomplete, ...item }) => {
        // What was only read to compute others is not shown.
        const values = Object.fromEntries(Object.entries(item.metrics).filter(([id]) => shown.has(id)));
        if (Object.keys(values).length === 0) return [];
        return [{ ...item, metrics: values, ...(type !== 'month' && incomplete && { incomplete }) }];
      });
      if (rows.length > 0) yield { companyId, rows };
    }
    // A company without rows is one of those that were read.
    yield { companyId, rows: [] };
  }
}

/** The metrics of the rows: those asked for in their order, else those of the catalogs, then the computed ones. */
async function metricsOf(
  ctx: Context,
  { request }: SeriesPlan,
  parts: readonly Part[],
  keyOf: KeyOf,
  headed: boolean,
): Promise<SeriesMetrics> {
  const units = new Map<string | undefined, Map<string, Measured>>();
  for (const part of parts) {
    const { metrics, currency } = part.value;
    const catalog = await catalogOf(ctx, part.who?.companyId ?? parts[0]?.who?.companyId);
    const stored = measures({ ...catalog, ...(currency !== undefined && { currency }) });
    const own = metrics.map(({ id, label = id, unit = null, currency: money }): [string, Measured] => {
      const known = stored.get(id);
      // The words of the catalog are those of the amounts before they were converted.
      if (known && (shownUnit(known) ?? null) === unit) return [id, known];
      const made = money ? { unit: moneyUnit, unitLabel: null, currency: money } : { unit, unitLabel: unit };
      return [id, { label: known?.label ?? label, currency: null, ...made }];
    });
    units.set(keyOf(part), new Map(own));
  }
  const all = parts.flatMap(({ value }) => value.metrics.map(({ id }) => id));
  const ids = new Set([...(request.metricIds ?? []).filter((id) => all.includes(id)), ...all]);
  const none: ReadonlyMap<string, Measured> = new Map();
  const measured = (companyId: string | undefined) => units.get(companyId ?? totalKey) ?? units.get(undefined) ?? none;
  const catalogs = {
    of: () => undefined,
    measured,
    all: () => [...units.values()].map((each) => ({ measured: each })),
  };
  return { columns: [...ids].map((id) => ({ ...columnOf(id, catalogs), headed })), ids, catalogs };
}
