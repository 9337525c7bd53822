/** Reads the published values of one company or of several: all pages as one response of the API. */
import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag, longName } from '../../cli/define.ts';
import { type CompanyPart, eachCompany } from '../../cli/each-company.ts';
import { fieldsOf, queryFlags, rawLimit } from '../../cli/operation-flags.ts';
import { chosenRows, hasRowFlags, openRowQuery, type RowFlags, refuseRawQuery, showChosen } from '../../cli/query.ts';
import { formatOf, refuseRaw, showRaw } from '../../cli/show.ts';
import { everyCompany } from '../../config/companies.ts';
import { getPublishedMetrics } from '../../contract/metric-operations.ts';
import type { PublishedMetricsResponse, PublishedPeriod } from '../../contract/metrics.ts';
import { Failure, outsideQuery, usage } from '../../core/errors.ts';
import { firstMonth, lastMonth, parsePeriod, periodAt } from '../../core/periods.ts';
import { lastUnit, seriesRange, writtenRange } from '../../domain/series/range.ts';
import { publishedUnit } from '../../domain/series/units.ts';
import type { Column } from '../../output/column.ts';
import { columnsOfCompanies, companiesIn } from '../company-rows.ts';
import { type CompanyFields, severalCurrencies } from '../metrics/columns.ts';
import { publishedColumns, publishedPeriodColumns } from './columns.ts';

const range = 'a month, quarter or year such as 2006-01, 2006-Q1, 2006';

export const publishedFlags = {
  ...queryFlags(getPublishedMetrics, {
    period: { value: 'PERIOD', says: 'a month or quarter such as 2006-01, 2006-Q1' },
    from: { value: 'PERIOD', says: range },
    to: { value: 'PERIOD', says: range },
    cursor: { summary: 'continue at this cursor, with the same other flags', hidden: true },
  }),
  last: flag.text('N', 'the newest N periods that have ended; also 18m, 8q, 3y'),
  metrics: flag.list('ID[,ID]', 'only these metrics', { short: 'm' }),
};

export const publisher = {
  name: 'COMPANY',
  summary: 'the company that published, a uuid or an alias',
  picker: 'company',
} as const;

export const publishersArgument = {
  ...publisher,
  summary: 'the company that published, or @GROUP',
  optional: true,
  variadic: true,
  instead: ['company'],
} as const;

export interface Published {
  body: PublishedMetricsResponse;
  periods: PublishedPeriod[];
  /** The named metrics without a value in any of the periods. */
  absent: readonly string[];
}

/** All pages in one body; under `--limit` it says that it is truncated. Undefined: `--raw` has printed the response. */
export async function readPublished(
  ctx: Context,
  company: string,
  flags: FlagValues<typeof publishedFlags> & RowFlags,
): Promise<Published | undefined> {
  const { period, from, to, last } = flags;
  if (period !== undefined && (from ?? to ?? last) !== undefined) {
    throw usage('--period is one publication, --from, --to and --last are a range', 'give one or the other');
  }
  const { cursor, ...fields } = fieldsOf(publishedFlags, flags);
  const bounds = { ...fields, ...(last !== undefined && newestPeriods(ctx, flags)) };
  const params = { companyId: ctx.companyOf(company, 'COMPANY') };
  const raw = { params, query: { ...bounds, cursor, limit: rawLimit(ctx, getPublishedMetrics) } };
  if (await showRaw(ctx, getPublishedMetrics, raw)) return undefined;
  const client = await ctx.client();
  const { limit: most, pageSize } = ctx.settings;
  // `--limit` is of the periods that are chosen.
  const limit = hasRowFlags(flags) ? undefined : most;
  const { metricIds } = await import('../metrics/read.ts');
  const ids = metricIds(flags.metrics);
  let next: string | undefined;
  let first: PublishedMetricsResponse | undefined;
  const periods: PublishedPeriod[] = [];
  const pages = client.pages(
    getPublishedMetrics,
    { params, query: bounds },
    {
      limit,
      pageSize,
      cursor,
      onPage: (page) => {
        next = page.next?.cursor;
      },
    },
  );
  try {
    for await (const page of pages) {
      first ??= page;
      requireRequested(page, bounds);
      periods.push(...(page.metrics?.periods ?? []).map((each) => (ids ? withMetrics(each, ids) : each)));
    }
  } catch (error) {
    throw error instanceof Failure && error.status === 403 ? error.with({ hint: grantHint(flags) }) : error;
  }
  const absent = (ids ?? []).filter((id) => !periods.some(({ data }) => data && Object.hasOwn(data, id)));
  const cut = limit !== undefined && periods.length > limit;
  const { nextCursor: _, ...rest } = first ?? {};
  const body: PublishedMetricsResponse = {
    ...rest,
    metrics: { ...rest.metrics, periods: cut ? periods.slice(0, limit) : periods },
    truncated: cut || next !== undefined,
    ...(cut || next === undefined ? {} : { nextCursor: next }),
  };
  return { body, periods: body.metrics?.periods ?? [], absent };
}

/** Warns of named metrics that a company has not published. */
export function warnAbsent(ctx: Context, parts: readonly CompanyPart<Published | undefined>[]): void {
  for (const { who, value } of parts) {
    const { absent = [], body } = value ?? {};
    const name = who?.company ?? body?.company?.name ?? 'the company';
    const verb = absent.length === 1 ? 'is' : 'are';
    if (absent.length > 0) ctx.out.warn(`${absent.join(', ')} ${verb} in no published period of ${name}`);
  }
}

/** The hint of a 403, which is the answer without a grant and to one without history. */
function grantHint(flags: FlagValues<typeof publishedFlags>): string {
  const typed = (['period', 'from', 'to', 'last'] as const).filter((name) => flags[name] !== undefined).map(longName);
  const needs = typed.length === 0 ? '' : `; ${typed.join(' and ')} ${typed.length === 1 ? 'needs' : 'need'} history`;
  return `ask the company for a grant${needs}; -c beside COMPANY names another reader`;
}

/** @throws rejected for a period that the request excludes: a proxy or a server may drop parts of a query */
function requireRequested(
  page: PublishedMetricsResponse,
  { period, from = period, to = period }: Partial<Record<'period' | 'from' | 'to', string | undefined>>,
): void {
  const first = firstMonth(from ?? '') ?? Number.NEGATIVE_INFINITY;
  const last = lastMonth(to ?? '') ?? Number.POSITIVE_INFINITY;
  for (const { periodKey = '' } of page.metrics?.periods ?? []) {
    const isOutside = (lastMonth(periodKey) ?? first) < first || (firstMonth(periodKey) ?? last) > last;
    const isOther = period !== undefined && periodKey.toLowerCase() !== period.toLowerCase();
    if (!isOutside && !isOther) continue;
    throw outsideQuery(`the server answered with what was published for ${periodKey}, which was not asked for`);
  }
}

function newestPeriods(ctx: Context, { from, to, last }: FlagValues<typeof publishedFlags>) {
  const type = lastUnit(last) ?? parsePeriod(to ?? '')?.type ?? 'month';
  return writtenRange(seriesRange({ from, to, last }, type, periodAt(ctx.now(), type), longName));
}

/** The period with those of its values, in this order. */
function withMetrics({ data = {}, ...period }: PublishedPeriod, ids: readonly string[]): PublishedPeriod {
  const values = ids.flatMap((id) => (Object.hasOwn(data, id) ? [[id, data[id]] as const] : []));
  return { ...period, data: Object.fromEntries(values) };
}

/** The note for no rows. */
export function nothingPublished({ body }: Published): string {
  return body.missingPublication ? 'Nothing has been published to you.' : 'No published periods.';
}

/** Labels of metrics in the reader's catalog. Where it cannot be read, pages and tables show ids. */
export async function labelsOf(ctx: Context): Promise<ReadonlyMap<string, string>> {
  const { readableCatalogs } = await import('../metrics/read.ts');
  const [catalog] = await readableCatalogs(ctx, [undefined]).catch(() => []);
  return new Map(catalog?.definitions.map(({ metricId, label }) => [metricId, label ?? metricId]));
}

/** The companies that published, and the context of the reader, which `-c` names beside COMPANY. @throws usage */
export function publishers(ctx: Context, words: readonly string[]): { reader: Context; companies: readonly string[] } {
  const { value, origin } = ctx.settings.companies;
  if (words.length > 0) {
    if (value.length > 1) throw usage('-c names several companies, and so does COMPANY', 'give one or the other');
    const reader = ctx.withSettings();
    reader.settings.everyCompany ||= words.some((word) => word.trim() === everyCompany);
    return { reader, companies: companiesIn(ctx, words) };
  }
  if (origin !== 'flag' || value.length === 0) {
    throw usage('COMPANY is missing', 'name the company that published, or several with -c');
  }
  return { reader: ctx.forCompanies([]), companies: value };
}

type PublishedRow = PublishedPeriod & CompanyFields;

/** Published values, or only the periods. A company that cannot be read is left out, and the exit code says so. */
export async function writePublished(
  ctx: Context,
  companies: readonly string[],
  flags: FlagValues<typeof publishedFlags> & RowFlags,
  rowsOf: 'values' | 'periods' = 'values',
): Promise<void> {
  const several = companies.length > 1;
  if (several) refuseRaw(ctx, 'it reads several companies');
  else refuseRawQuery(ctx, flags);
  if (several && flags.cursor !== undefined) throw usage('--cursor continues one company', 'name one COMPANY');
  const all = ctx.forCompanies(companies);
  const open = async (ofPeriod: readonly Column<PublishedRow>[]) => {
    const columns = columnsOfCompanies(all, flags, ofPeriod);
    const rules = { periodKey: 'period' } as const;
    return { columns, question: await openRowQuery(ctx, columns, { flags, command: [], rules }) };
  };
  // Columns of metrics are known when the publications are read.
  const ofPeriods = rowsOf === 'periods' ? await open(publishedPeriodColumns) : undefined;
  const isScreen = ctx.runtime.terminal.stdoutIsTTY && !ctx.settings.raw && formatOf(ctx) === 'table';
  const [{ parts, verdict }, labels] = await Promise.all([
    eachCompany(all, flags, (id = companies[0] ?? '') => readPublished(several ? all : ctx, id, flags)),
    rowsOf === 'values' && isScreen ? labelsOf(ctx) : undefined,
  ]);
  const [first] = parts;
  if (!several && !first?.value) return;
  const rows = parts.flatMap(({ who, value }) =>
    (value?.periods ?? []).map(
      (each): PublishedRow => ({ ...who, ...(rowsOf === 'values' ? each : withoutData(each)) }),
    ),
  );
  warnAbsent(ctx, parts);
  const { question, columns } = ofPeriods ?? (await open(publishedColumns(rows, labels)));
  const chosen = question.isLocal ? await chosenRows(question, rows) : rows;
  const currencies = [...new Set(chosen.filter(hasAmount).flatMap(({ currency }) => currency ?? []))];
  if (currencies.length > 1) ctx.out.warn(severalCurrencies(currencies));
  const { limit } = question.isLocal ? ctx.settings : {};
  const bodies = () =>
    parts.map(({ who, value }) => {
      const ofCompany = chosen.slice(0, limit).filter(({ companyId }) => !several || companyId === who?.companyId);
      const periods = ofCompany.map(({ company: _, companyId: __, ...period }) => period);
      return { ...(several && who), ...value?.body, metrics: { ...value?.body.metrics, periods } };
    });
  const empty = !several && first?.value ? nothingPublished(first.value) : 'No published periods.';
  await showChosen(ctx, { question, flags, pages: [chosen] }, columns, {
    ...(rowsOf === 'values' && { whole: () => (several ? bodies() : bodies()[0]) }),
    id: (row) => row.periodKey,
    name: ({ company, periodKey }) => [company, periodKey].filter(Boolean).join(' '),
    empty: hasRowFlags(flags) ? 'No such periods.' : empty,
  });
  verdict();
}

const hasAmount = (period: PublishedRow): boolean =>
  Object.entries(period.data ?? {}).some(
    ([id, value]) => value !== null && publishedUnit(period, id) === period.currency,
  );

const withoutData = ({ data: _, units: __, unitLabels: ___, currency: ____, ...period }: PublishedPeriod) => period;
