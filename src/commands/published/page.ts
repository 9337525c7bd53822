/** The page of `published report`. */

import type { Context } from '../../cli/context.ts';
import { timeFact } from '../../cli/show.ts';
import type { PublishedPeriod } from '../../contract/metrics.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { comparePeriods, dayOfTime, formatPeriod, parsePeriod, periodRange } from '../../core/periods.ts';
import { measureOf, publishedUnit } from '../../domain/series/units.ts';
import {
  figureSection,
  type KeyFigure,
  keyFigure,
  pageOf,
  panelFigures,
  tableSection,
} from '../../output/chart/page.ts';
import { type Panel, styleOf } from '../../output/chart/panel.ts';
import type { ChartType } from '../../output/chart/svg.ts';
import { cleanLine } from '../../output/terminal-text.ts';
import { publishedColumns } from './columns.ts';
import type { Published } from './read.ts';

/** @throws usage for a format of a flag; one of the environment or profile does not matter */
export function refuseFormats({ settings: { output, fields } }: Context): void {
  if (output.origin !== 'flag' && fields === undefined) return;
  const reason =
    output.origin === 'flag' ? `${output.from} asks for ${output.value}` : '--fields picks columns of rows';
  throw usage(`this command writes a page, and ${reason}`, 'run `comem published get` for the rows');
}

/** The page of a published report: the values that were sent, and nothing else. */
export function publishedPage(
  ctx: Context,
  { body, periods }: Published,
  { type, title, labels }: { type: ChartType; title?: string | undefined; labels: ReadonlyMap<string, string> },
): string {
  const sections: string[] = [];
  for (const [grain, heading] of [
    ['month', 'Months'],
    ['quarter', 'Quarters'],
    ['year', 'Years'],
  ] as const) {
    const ofGrain = periods.filter(({ periodType }) => periodType === grain);
    if (ofGrain.length > 0) sections.push(figureSection(heading, panelFigures(publishedPanels(ofGrain, labels), type)));
  }
  sections.push(tableSection({ heading: 'Data', columns: publishedColumns(periods, labels), rows: periods }));
  const { company, expiresAt } = body;
  return pageOf({
    title: title ?? `${company?.name ?? 'Company'}: published metrics`,
    facts: [
      ...latestFact(body),
      ...(company?.currency ? [company.currency] : []),
      ...(expiresAt ? [`granted until ${day(expiresAt)}`] : []),
      timeFact(ctx),
    ],
    keyFigures: newestFigures(periods, labels),
    sections: sections.filter((section) => section !== ''),
  });
}

/** Facts about the publication; each field is optional. */
function latestFact({ publication }: Published['body']): string[] {
  if (!publication?.periodKey) return [];
  const { periodKey, versionNumber, sentAt } = publication;
  const facts = [
    `latest: ${periodKey}`,
    isNumeric(versionNumber) && `version ${versionNumber}`,
    sentAt && `sent ${day(sentAt)}`,
  ];
  return [facts.filter(Boolean).join(', ')];
}

const day = (time: string | null | undefined): string => (time ? dayOfTime(time) : '');

const maxFigures = 8;

/** The newest month of each metric, and its change against the one before it. */
function newestFigures(periods: readonly PublishedPeriod[], labels: ReadonlyMap<string, string>): KeyFigure[] {
  const grain = ['month', 'quarter', 'year'].find((type) => periods.some(({ periodType }) => periodType === type));
  const panels = publishedPanels(
    periods.filter(({ periodType }) => periodType === grain),
    labels,
  );
  return panels.slice(0, maxFigures).flatMap((panel): KeyFigure[] => {
    const {
      title,
      unit,
      periods: keys,
      series: [line],
    } = panel;
    const values = line?.values ?? [];
    const at = values.findLastIndex((value) => isNumeric(value));
    const [value, before] = [values[at], values[at - 1]];
    if (!isNumeric(value)) return [];
    const head = { label: `${title}, ${keys[at]}`, value, unit, style: styleOf(panel) };
    return [
      keyFigure(head, {
        value: before,
        words: `vs previous ${grain}`,
        measure: measureOf({ unit }),
      }),
    ];
  });
}

/** A panel for each metric of published periods of one grain, oldest first; for a period sent twice its newest version. */
export function publishedPanels(periods: readonly PublishedPeriod[], labels: ReadonlyMap<string, string> = new Map()) {
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
    const unit = holder && publishedUnit(holder, id);
    const label = cleanLine(labels.get(id) ?? id);
    const series = [{ label, metricId: id, values }];
    return [{ title: label, ...(unit !== undefined && { unit }), periods: keys, series }];
  });
}

/** Every period from the first to the last: an unpublished one is a gap. */
function withoutHoles(keys: readonly string[]): string[] {
  const periods = keys.flatMap((key) => parsePeriod(key) ?? []).sort(comparePeriods);
  const [first, last] = [periods[0], periods.at(-1)];
  return first && last ? [...periodRange(first, last)].map(formatPeriod) : [];
}
