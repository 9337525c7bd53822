/** The pages of `metrics chart` and `published report`. */

import type { Context } from '../../../cli/context.ts';
import type { PublishedPeriod } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import { isNumeric, type Numeric } from '../../../core/json.ts';
import { comparePeriods, formatPeriod, parsePeriod, periodRange } from '../../../core/periods.ts';
import { type Figure, figureSection, pageOf, tableSection } from '../../../output/chart/page.ts';
import { gapCount, type Panel } from '../../../output/chart/panel.ts';
import type { Column } from '../../../output/column.ts';
import type { Published } from '../../published/read.ts';
import { varianceColumns } from '../analysis-columns.ts';
import { publishedColumns, shownUnit } from '../columns.ts';
import { bothSizes, bothVerdicts, type ChartWish } from './chart.ts';
import type { Analysis } from './read.ts';
import { type Compared, variancesOf } from './variances.ts';

export async function metricsPage(
  ctx: Context,
  analysis: Analysis,
  panels: readonly Panel[],
  columns: readonly Column<Analysis['items'][number]>[],
  wish: ChartWish,
): Promise<string> {
  const versions = [...new Set(analysis.items.map(({ version }) => version))];
  const company = ctx.company();
  const sections = [figureSection('Charts', await figures(panels, wish))];
  const plan = (['budget', 'forecast'] as const).find((version) => versions.includes(version));
  if (plan !== undefined && versions.includes('actual')) {
    const found = variancesOf(analysis, plan).filter(({ row }) => row.difference !== null);
    sections.push(await varianceSection(analysis, found, plan));
    if (found.length > 0) {
      const rows = found.map(({ row }) => row);
      sections.push(tableSection({ heading: `Actual against ${plan}`, columns: varianceColumns, rows }));
    }
  }
  sections.push(tableSection({ heading: 'Data', columns, rows: analysis.items }));
  return pageOf({
    title: wish.title ?? panels.map(({ title }) => title).join(', '),
    facts: [
      ...periodsFact(panels),
      versions.join(', '),
      ...(company === undefined ? [] : [`company ${company}`]),
      `made ${ctx.runtime.now().toISOString().slice(0, 10)}`,
    ].filter((fact) => fact !== ''),
    sections: sections.filter((section) => section !== ''),
  });
}

/** A page is a page, whatever format the environment prefers. @throws usage for a format that was asked for */
export function refuseFormats({ settings: { output, fields } }: Context): void {
  if (output.origin !== 'flag' && fields === undefined) return;
  const asked = output.origin === 'flag' ? `${output.from} asks for ${output.value}` : '--fields picks columns of rows';
  throw usage(`this writes a page, and ${asked}`, '`comem published get` has the rows behind it');
}

/** What was published, with its own charts: a recipient sees what was sent, and nothing else. */
export async function publishedPage(ctx: Context, { body, periods }: Published, wish: ChartWish): Promise<string> {
  const sections: string[] = [];
  for (const [grain, heading] of [
    ['month', 'Months'],
    ['quarter', 'Quarters'],
    ['year', 'Years'],
  ] as const) {
    const own = periods.filter(({ periodType }) => periodType === grain);
    if (own.length > 0) sections.push(figureSection(heading, await figures(publishedPanels(own), wish)));
  }
  sections.push(tableSection({ heading: 'Data', columns: publishedColumns(periods), rows: periods }));
  const { company, publication, expiresAt } = body;
  return pageOf({
    title: wish.title ?? `${company?.name ?? 'Company'}: published metrics`,
    facts: [
      ...(publication
        ? [`latest: ${publication.periodKey}, version ${publication.versionNumber}, sent ${day(publication.sentAt)}`]
        : []),
      ...(company?.currency ? [company.currency] : []),
      ...(expiresAt ? [`granted until ${day(expiresAt)}`] : []),
      `made ${day(ctx.runtime.now().toISOString())}`,
    ],
    sections: sections.filter((section) => section !== ''),
  });
}

const day = (time: string | undefined): string => time?.slice(0, 10) ?? '';

function periodsFact(panels: readonly Panel[]): string[] {
  const periods = panels[0]?.periods ?? [];
  return periods.length === 0 ? [] : [`${periods[0]} to ${periods.at(-1)}`];
}

async function figures(panels: readonly Panel[], wish: ChartWish): Promise<Figure[]> {
  return Promise.all(
    panels.map(async (panel) => {
      const gaps = panel.series.flatMap((series) => {
        const count = gapCount(series);
        return count === 0 ? [] : [`${series.label}: ${count === 1 ? '1 gap' : `${count} gaps`}`];
      });
      const unit = panel.unit === undefined ? '' : ` (${panel.unit})`;
      return {
        heading: `${panel.title}${unit}`,
        ...(await bothSizes(panel, wish.type)),
        caption: [...gaps, ...(panel.notes ?? [])].join('; '),
      };
    }),
  );
}

async function varianceSection({ metrics }: Analysis, found: readonly Compared[], plan: string): Promise<string> {
  const drawn: Figure[] = [];
  for (const { id, label = id } of metrics) {
    const rows = found.filter(({ row }) => row.metricId === id && row.percent !== null);
    if (rows.length === 0) continue;
    const bars = rows.map(({ row: { periodKey, percent, verdict } }) => ({
      period: periodKey,
      percent: percent === null ? undefined : Number(percent),
      verdict,
    }));
    const title = `${label}: % above or below ${plan}`;
    const caption = 'green is better than planned, red is worse, grey is neither';
    drawn.push({ heading: title, ...(await bothVerdicts(title, bars)), caption });
  }
  return figureSection(`Variance against ${plan}`, drawn);
}

/** A panel for each metric of published periods of one grain, oldest first; of a period sent twice the newest version. */
export function publishedPanels(periods: readonly PublishedPeriod[]): Panel[] {
  const newest = new Map<string, PublishedPeriod>();
  for (const period of periods) {
    const key = period.periodKey ?? '';
    const before = newest.get(key);
    if (!before || (period.versionNumber ?? 0) >= (before.versionNumber ?? 0)) newest.set(key, period);
  }
  const keys = withoutHoles([...newest.keys()]);
  const ids = [...new Set(periods.flatMap(({ data }) => Object.keys(data ?? {})))];
  return ids.flatMap((id): Panel[] => {
    const values = keys.map((key): Numeric | null | undefined => {
      const value = newest.get(key)?.data?.[id];
      return isNumeric(value) || value === null ? value : undefined;
    });
    if (!values.some(isNumeric)) return [];
    const holder = periods.find(({ units }) => units?.[id] !== undefined);
    const unit = shownUnit(holder?.units?.[id], holder?.unitLabels?.[id], holder?.currency);
    const series = [{ label: id, metricId: id, version: 'actual', dashed: false, values }];
    return [{ title: id, ...(unit !== undefined && { unit }), periods: keys, series }];
  });
}

/** Every period from the first to the last: what was not published is a gap. */
function withoutHoles(keys: readonly string[]): string[] {
  const periods = keys.flatMap((key) => parsePeriod(key) ?? []).sort(comparePeriods);
  const [first, last] = [periods[0], periods.at(-1)];
  return first && last ? [...periodRange(first, last)].map(formatPeriod) : [];
}
