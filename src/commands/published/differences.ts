/** `published diff`: each published value compared with the series now. */

import type { Context } from '../../cli/context.ts';
import type { FlagValues } from '../../cli/define.ts';
import { type CompanyPart, eachCompany } from '../../cli/each-company.ts';
import { hasRowFlags, openRowQuery, type RowFlags, selectedRows, showChosen } from '../../cli/query.ts';
import { asTyped } from '../../cli/runtime.ts';
import { amount } from '../../cli/words.ts';
import type { PublishedPeriod } from '../../contract/metrics.ts';
import { compare, roundTo } from '../../core/decimal.ts';
import { Failure, listSome, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric, plainDecimal, withoutTrailing } from '../../core/json.ts';
import {
  comparePeriods,
  dayOfTime,
  formatPeriod,
  type Period,
  parsePeriod,
  partialWords,
  readInstant,
} from '../../core/periods.ts';
import { numberChange } from '../../domain/analysis/difference.ts';
import { linesOf, type Point } from '../../domain/analysis/points.ts';
import { measureOf, publishedUnit } from '../../domain/series/units.ts';
import { columnsOfCompanies } from '../company-rows.ts';
import { type Analysis, type AnalysisRequest, metricIds, readAnalysis } from '../metrics/read.ts';
import { type DifferenceRow, differenceColumns, differenceOutcomes } from './columns.ts';
import { nothingPublished, type publishedFlags, publishers, readPublished, warnAbsent } from './read.ts';

interface DiffFlags extends RowFlags, FlagValues<typeof publishedFlags>, Pick<AnalysisRequest, 'metrics' | 'agg'> {
  metrics?: string[];
  agg?: string[];
  all?: boolean;
  exitCode?: boolean;
}

/** @throws `no` under --exit-code, after the rows; the failure of companies that could not be read */
export async function showDifferences(ctx: Context, words: readonly string[], flags: DiffFlags): Promise<void> {
  const { reader, companies } = publishers(ctx, words);
  const isSeveral = companies.length > 1;
  const all = reader.forCompanies(companies);
  const columns = columnsOfCompanies(all, flags, differenceColumns);
  const rules = { periodKey: 'period', outcome: differenceOutcomes } as const;
  const question = await openRowQuery(ctx, columns, { flags, command: [], rules });
  const { cursor } = flags;
  if (isSeveral && cursor !== undefined) throw usage('--cursor continues one company', 'name one COMPANY');
  const ids = metricIds(flags.metrics);
  const { parts, verdict } = await eachCompany(all, flags, async (id = companies[0] ?? '') => {
    const published = await readPublished(reader, id, flags);
    const periods = published?.periods ?? [];
    return { published, rows: differenceRows(periods, await currentSeries(reader, id, periods, flags), ids) };
  });
  const rows = parts.flatMap(({ who, value }) => value.rows.map((row) => ({ ...who, ...row })));
  const chosen = await selectedRows(question, rows);
  const changed = chosen.filter(({ outcome }) => outcome !== 'unchanged');
  warnAbsent(
    ctx,
    parts.map(({ who, value }) => ({ who, value: value.published })),
  );
  const [first] = parts;
  const nothing = first?.value.published ? nothingPublished(first.value.published) : '';
  const empty = rows.length === 0 ? nothing : `All ${rows.length} newest published values equal today's.`;
  await showChosen(ctx, { question, flags, pages: [flags.all ? chosen : changed] }, columns, {
    id: (row) => row.metricId,
    name: ({ company, metricId, periodKey }) => [company, metricId, periodKey].filter(Boolean).join(' '),
    empty: hasRowFlags(flags) ? 'No such values.' : empty,
  });
  for (const { who, value } of isSeveral ? parts : []) {
    if (value.published && value.rows.length === 0)
      ctx.out.note(`${who?.company}: ${nothingPublished(value.published)}`);
  }
  noteVersions(ctx, parts);
  verdict();
  const broken = changed.filter(({ outcome }) => outcome !== 'unknown').length;
  if (!flags.exitCode || broken === 0) return;
  const says = `${amount(broken, 'published value differs', 'published values differ')} from the series now`;
  throw new Failure('no', says, { code: 'restated' });
}

/** Notes reports that were sent again: only their newest version is compared. */
function noteVersions(
  ctx: Context,
  parts: readonly CompanyPart<{ published: { periods: readonly PublishedPeriod[] } | undefined }>[],
): void {
  const again = parts.flatMap(({ who, value }) =>
    (value.published?.periods ?? []).flatMap(({ periodKey, versionNumber, sentAt = '' }) => {
      const name = [who?.company, periodKey].filter(Boolean).join(' ');
      return Number(versionNumber ?? 1) > 1 ? [{ name, versionNumber, day: dayOfTime(sentAt) }] : [];
    }),
  );
  if (again.length === 0) return;
  const names = again.map(({ name, versionNumber, day }) => `${name} (version ${versionNumber}, ${day})`);
  const since = again.map(({ day }) => day).sort()[0];
  ctx.out.note(`Sent again: ${listSome(names, maxNames)}.`);
  const command = asTyped(ctx.settings, `comem changes published --since ${since} --where 'change = changed'`);
  ctx.out.note(`\`${command}\` lists what changed.`);
}

const maxNames = 5;

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
      const unit = publishedUnit(period, metricId);
      const rounding = isDerived(period) ? digits.get(metricId) : undefined;
      return [
        {
          metricId,
          periodKey,
          ...(versionNumber !== undefined && { versionNumber }),
          ...(sentAt !== undefined && { sentAt }),
          published,
          ...beforeSending(
            comparedWith({ published, rounding, unit }, points.get(`${periodKey} ${metricId}`)),
            points.get(`${periodKey} ${metricId}`)?.updatedAt,
            sentAt,
          ),
          ...(unit !== undefined && { unit }),
        },
      ];
    });
  });
}

type ComparedValue = Pick<DifferenceRow, 'now' | 'difference' | 'percent' | 'outcome' | 'note'>;

interface PublishedValue {
  published: Numeric | null;
  /** The digits of a derived value. */
  rounding: number | undefined;
  unit: string | undefined;
}

function comparedWith({ published, rounding, unit }: PublishedValue, point: Point | undefined): ComparedValue {
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
  const current = rounding === undefined ? now : roundTo(now, rounding);
  const restated = compare(current, published) !== 0;
  return {
    now: current,
    ...numberChange(published, current, measureOf({ unit })),
    outcome: restated ? 'restated' : 'unchanged',
    note: restated && updatedAt ? `last written ${dayOfTime(updatedAt)}` : '',
  };
}

/** A value that was written before the publication was sent is another one, and was not restated since. */
function beforeSending(
  compared: ComparedValue,
  updatedAt: string | null | undefined,
  sentAt: string | undefined,
): ComparedValue {
  const [written, sent] = [updatedAt, sentAt].map((time) => readInstant(time ?? ''));
  const isBefore = written !== undefined && sent !== undefined && written <= sent;
  if (compared.outcome !== 'restated' || !updatedAt || !isBefore) return compared;
  const note = `written ${dayOfTime(updatedAt)}, before it was sent`;
  return { ...compared, outcome: 'different', note };
}

const isDerived = ({ periodKey = '' }: PublishedPeriod): boolean => parsePeriod(periodKey)?.type !== 'month';

/** The digits of each published metric: the most that a quarter or year has, since zeros at the end are not written. */
function digitsOf(periods: readonly PublishedPeriod[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const [metricId, value] of periods.filter(isDerived).flatMap(({ data }) => Object.entries(data ?? {}))) {
    if (!isNumeric(value)) continue;
    const digits = withoutTrailing(plainDecimal(value).split('.')[1] ?? '', '0').length;
    most.set(metricId, Math.max(most.get(metricId) ?? 0, digits));
  }
  return most;
}
