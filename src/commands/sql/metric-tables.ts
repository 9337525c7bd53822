/** The tables of metrics, grants and companies, and of the past that a mirror holds. */
import type { Context } from '../../cli/context.ts';
import { openPast, type Past } from '../../cli/past.ts';
import { observationPages } from '../../client/series.ts';
import { firstAlias } from '../../config/companies.ts';
import type { CustomListAttribute, CustomListEntry, CustomListSummary } from '../../contract/lists.ts';
import { getPublishedMetrics, listGrants } from '../../contract/metric-operations.ts';
import {
  type MetricDefinition,
  type MetricGrant,
  type MetricObservation,
  type PublishedPeriod,
  planVersions,
  versions,
} from '../../contract/metrics.ts';
import { type Failure, isSkippable } from '../../core/errors.ts';
import { mergeRows, type Numeric } from '../../core/json.ts';
import { formatPeriod, parsePeriod, startMonth } from '../../core/periods.ts';
import { attributesOf, listsOf } from '../../domain/history/find.ts';
import { type History, numberOf, type ResourceKind, type Revision } from '../../domain/history/versions.ts';
import type { Cell, Column } from '../../output/column.ts';
import { entryTableColumns } from '../entries/columns.ts';
import { grantColumns } from '../grants/columns.ts';
import { attributeColumns, listColumns } from '../lists/columns.ts';
import { definitionColumns } from '../metrics/columns.ts';
import { catalogOf } from '../metrics/read.ts';
import { companyColumns } from '../profiles/columns.ts';
import { forCompany, freeName, openTable, type SqlTable, sqlName } from './columns.ts';

type OfCompany<Row> = Row & { companyId?: string | undefined };

interface PublishedPoint {
  companyId: string;
  periodKey?: string;
  periodType?: string;
  versionNumber?: Numeric;
  sentAt?: string;
  reportId?: string;
  metricId: string;
  value: Cell;
  unit?: string | undefined;
  currency?: string;
}

export function metricTables(ctx: Context): SqlTable[] {
  const company: Column<{ companyId?: string | undefined }>[] = [
    { key: 'companyId', type: 'id', get: (row) => row.companyId },
    { key: 'company', get: (row) => aliasOf(ctx, row.companyId) },
  ];
  const table = <Row>(
    name: string,
    says: string,
    columns: readonly Column<Row>[],
    pages: () => AsyncIterable<readonly Row[]>,
  ): SqlTable => ({ name, says, open: async () => openTable(columns, pages) });
  return [
    table<OfCompany<MetricObservation>>(
      'metric_points',
      'values of metrics: actual, budget and forecast',
      [...company, ...pointColumns],
      () => metricPoints(ctx),
    ),
    table<OfCompany<MetricDefinition> & { currency: string }>(
      'metric_catalog',
      'definitions of metrics',
      [...company, ...definitionColumns, { key: 'currency', get: (row) => row.currency }],
      () =>
        ofCompanies(ctx, 'metric_catalog', async function* (companyId) {
          const { definitions, currency, companyId: catalogOwner } = await catalogOf(ctx, companyId);
          yield definitions.map((each) => ({ ...each, companyId: companyId ?? catalogOwner, currency }));
        }),
    ),
    table<MetricGrant>(
      'grants',
      'metric grants of the company',
      [...grantColumns, { key: 'company', get: (row) => aliasOf(ctx, row.company_id) }],
      () => grantPages(ctx),
    ),
    table<{ grantId: string | undefined; metricId: string }>(
      'grant_metrics',
      'a row for each metric that a grant names',
      [
        { key: 'grantId', type: 'id', get: (row) => row.grantId },
        { key: 'metricId', get: (row) => row.metricId },
      ],
      async function* () {
        for await (const grants of grantPages(ctx)) {
          yield grants.flatMap(({ id, metric_ids: ids }) => (ids ?? []).map((metricId) => ({ grantId: id, metricId })));
        }
      },
    ),
    table<PublishedPoint>(
      'published_points',
      'values that companies published to you',
      [...company, ...publishedColumns],
      () => ofCompanies(ctx, 'published_points', (companyId) => publishedPoints(ctx, companyId)),
    ),
    table('companies', 'company aliases of the profile', companyColumns, async function* () {
      const { aliases, companies } = ctx.settings;
      yield Object.entries(aliases).map(([alias, id]) => ({ alias, id, default: id === companies.value[0] }));
    }),
  ];
}

interface PeriodRow {
  periodKey?: string | undefined;
  periodType?: string | undefined;
}

/** A value of a metric, live or of a mirror. */
interface PointRow extends PeriodRow {
  version?: string | undefined;
  metricId?: string | undefined;
  value?: Cell;
  unit?: string | null | undefined;
  currency?: string | null | undefined;
  source?: string | null | undefined;
  updatedAt?: string | null | undefined;
}

const periodColumns: Column<PeriodRow>[] = [
  { key: 'periodKey', get: (row) => row.periodKey },
  { key: 'periodType', get: (row) => row.periodType },
  { key: 'periodStart', type: 'date', get: ({ periodKey }) => firstDay(periodKey) },
];

const pointColumns: Column<PointRow>[] = [
  ...periodColumns,
  { key: 'version', get: (row) => row.version },
  { key: 'metricId', get: (row) => row.metricId },
  { key: 'value', type: 'number', get: (row) => row.value },
  { key: 'unit', get: (row) => row.unit },
  { key: 'currency', get: (row) => row.currency },
  { key: 'source', get: (row) => row.source },
  { key: 'updatedAt', type: 'datetime', get: (row) => row.updatedAt },
];

/** The first day of a period: dates sort and subtract, keys of periods do not. */
function firstDay(periodKey: string | undefined): string | undefined {
  const period = periodKey === undefined ? undefined : parsePeriod(periodKey);
  return period && `${formatPeriod({ type: 'month', index: startMonth(period) })}-01`;
}

const publishedColumns: Column<PublishedPoint>[] = [
  ...periodColumns,
  { key: 'versionNumber', type: 'integer', get: (row) => row.versionNumber },
  { key: 'sentAt', type: 'datetime', get: (row) => row.sentAt },
  { key: 'reportId', type: 'id', get: (row) => row.reportId },
  { key: 'metricId', get: (row) => row.metricId },
  { key: 'value', type: 'number', get: (row) => row.value },
  { key: 'unit', get: (row) => row.unit },
  { key: 'currency', get: (row) => row.currency },
];

/** The grants of the first company of `-c`, else of the caller's own. */
function grantPages(ctx: Context): AsyncIterable<readonly MetricGrant[]> {
  const granter = ctx.settings.companies.value.slice(0, 1);
  return ofCompanies(
    ctx,
    'grants',
    async function* (companyId) {
      yield await (await forCompany(ctx, companyId).client()).call(listGrants);
    },
    granter,
  );
}

async function* publishedPoints(ctx: Context, companyId = ''): AsyncGenerator<PublishedPoint[]> {
  const client = await readerOf(ctx).client();
  for await (const page of client.pages(getPublishedMetrics, { params: { companyId } })) {
    yield (page.metrics?.periods ?? []).flatMap(({ data = {}, units, ...period }) =>
      Object.entries(data).map(([metricId, value]) => ({
        ...period,
        companyId,
        metricId,
        value: value as Cell,
        unit: units?.[metricId],
      })),
    );
  }
}

/** `-c` names who published; the reader is the company of the credential. */
const readerOf = (ctx: Context): Context => (ctx.settings.companies.origin === 'flag' ? ctx.forCompanies([]) : ctx);

/** The versions of each grain: actuals exist by month only. */
const grains = [
  { periodType: 'month', versions },
  { periodType: 'quarter', versions: planVersions },
  { periodType: 'year', versions: planVersions },
] as const;

function metricPoints(ctx: Context): AsyncIterable<readonly OfCompany<MetricObservation>[]> {
  return ofCompanies(ctx, 'metric_points', async function* (companyId) {
    const client = await ctx.client();
    for (const grain of grains) {
      const pages = observationPages(client, {
        ...grain,
        order: 'asc',
        companies: companyId ? [companyId] : undefined,
      });
      for await (const { rows } of pages) yield rows.map((row) => mergeRows(row, { companyId }));
    }
  });
}

/** The companies of `-c`, or those of the profile or `otherwise`, of which one that cannot be read is noted. */
async function* ofCompanies<Row>(
  ctx: Context,
  table: string,
  read: (companyId: string | undefined) => AsyncIterable<readonly Row[]>,
  otherwise?: readonly string[],
): AsyncGenerator<readonly Row[]> {
  const { companies, aliases, everyCompany } = ctx.settings;
  const chosen = companies.origin === 'flag';
  const all = chosen ? companies.value : (otherwise ?? [...new Set([...companies.value, ...Object.values(aliases)])]);
  // Not every company of a group publishes to the reader.
  const mayLack = !chosen || everyCompany || (table === 'published_points' && all.length > 1);
  const lacking: string[] = [];
  let failure: Failure | undefined;
  let readable = 0;
  for (const companyId of all.length > 0 ? all : [undefined]) {
    try {
      yield* read(companyId);
      readable += 1;
    } catch (error) {
      if (!mayLack || !isSkippable(error) || !['credential', 'notFound'].includes(error.kind)) throw error;
      failure ??= error;
      lacking.push(aliasOf(ctx, companyId) ?? 'the company of the credential');
    }
  }
  if (readable === 0 && failure && (chosen || table !== 'published_points')) throw failure;
  if (lacking.length > 0)
    ctx.out.note(
      `${table} has no rows of companies that ${ctx.past ? 'the mirror does not hold' : 'you may not read'}: ${lacking.join(', ')}`,
    );
}

function aliasOf(ctx: Context, companyId: string | undefined): string | undefined {
  return firstAlias(ctx.settings.aliases, companyId) ?? companyId;
}

export const pastSuffix = '_history';
const pageRows = 1000;

/** A column of the value, and then when it was there. */
function withTimes<T>(columns: readonly Column<T>[]): Column<Revision<T>>[] {
  return [
    ...columns.map(
      ({ key, type, unit, get }): Column<Revision<T>> => ({
        key,
        type,
        ...(typeof unit === 'string' && { unit }),
        get: ({ value }) => get(value),
      }),
    ),
    { key: 'seenFrom', type: 'datetime', get: (row) => row.seenFrom },
    { key: 'seenTo', type: 'datetime', get: (row) => row.seenTo },
  ];
}

/** Pages of versions; the mirror is open while they are read. */
async function* pagesOf<T>(
  ctx: Context,
  read: (past: Past) => AsyncIterable<Revision<T>>,
): AsyncGenerator<Revision<T>[]> {
  const past = await openPast(ctx);
  try {
    let page: Revision<T>[] = [];
    for await (const version of read(past)) {
      page.push(version);
      if (page.length < pageRows) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  } finally {
    await past.history.close();
  }
}

/** The companies of `-c`, and for attributes their lists; undefined: none was named. */
async function ownersOf(ctx: Context, history: History, kind: ResourceKind): Promise<string[] | undefined> {
  const { origin, value } = ctx.settings.companies;
  if (origin !== 'flag') return undefined;
  if (kind !== 'attribute') return [...value];
  const lists = await Promise.all(value.map((company) => listsOf(history, { owner: company })));
  return [...new Set(lists.flat().map(({ id }) => id))];
}

/** A mirror keeps neither units nor currencies beside values. */
const withoutUnits = <T>(columns: readonly Column<T>[]) =>
  columns.filter(({ key }) => key !== 'unit' && key !== 'currency');

/** The names of the tables of metrics, grants, lists and attributes. */
export function pastTables(ctx: Context): SqlTable[] {
  const table = <T>(
    name: string,
    says: string,
    columns: readonly Column<T>[],
    read: (past: Past) => AsyncIterable<Revision<T>>,
  ): SqlTable => ({
    name: `${name}${pastSuffix}`,
    says,
    open: async () => openTable(withTimes(columns), () => pagesOf(ctx, read)),
  });
  /** Every resource of a kind; of the own company, or of all, where `-c` names none. */
  const bodies = <T extends object>(kind: ResourceKind, isOwn = true) =>
    async function* ({ history }: Past): AsyncGenerator<Revision<T & Owned>> {
      const owners = (await ownersOf(ctx, history, kind)) ?? [isOwn ? ctx.requireCompany() : undefined];
      for (const owner of owners)
        for await (const { value, ...times } of history.resources(kind, owner === undefined ? {} : { owner }))
          yield { ...times, value: { ...(value.body as T), companyId: value.owner } };
    };
  const company: Column<Owned>[] = [
    { key: 'company', get: ({ companyId }) => firstAlias(ctx.settings.aliases, companyId) ?? companyId },
    { key: 'companyId', type: 'id', get: (row) => row.companyId },
  ];
  const withoutCount = listColumns.filter(({ key }) => key !== 'list_attributes_count');
  return [
    table<PointRow & Owned>(
      'metric_points',
      'every value that a series had',
      [...company, ...withoutUnits(pointColumns)],
      async function* ({ history }) {
        const { companies, aliases } = ctx.settings;
        const all = companies.origin === 'flag' ? [] : Object.values(aliases);
        for (const owner of new Set([...companies.value, ...all]))
          for await (const { value, ...times } of history.points(owner))
            yield { ...times, value: { ...value, value: numberOf(value.value) } };
      },
    ),
    table(
      'metric_catalog',
      'every definition that a metric had',
      [...company, ...definitionColumns],
      bodies<MetricDefinition>('definition', false),
    ),
    table('grants', 'every state that a grant had', grantColumns, bodies<MetricGrant>('grant')),
    table('lists', 'every state that a list had', withoutCount, bodies<CustomListSummary>('list')),
    table(
      'attributes',
      'every state that an attribute had',
      attributeColumns,
      bodies<CustomListAttribute>('attribute', false),
    ),
    table<PublishedPoint>(
      'published_points',
      'every value that a company published to you',
      [...company, ...withoutUnits(publishedColumns)],
      async function* ({ history }) {
        for await (const { value: published, ...times } of bodies<PublishedPeriod>(
          'snapshot',
          false,
        )({ history } as Past)) {
          const { data = {}, units: _, ...period } = published;
          for (const [metricId, value] of Object.entries(data))
            yield { ...times, value: { ...period, metricId, value: value as Cell } };
        }
      },
    ),
  ];
}

interface Owned {
  companyId: string;
}

export function pastListTable(ctx: Context, name: string, list: { id: string; name?: string | undefined }): SqlTable {
  return {
    name: `${name}${pastSuffix}`,
    says: `every state that entries of ${list.name ?? name} had`,
    async open() {
      const past = await openPast(ctx);
      const attributes = await attributesOf(past.history, list.id).finally(() => past.history.close());
      return openTable<Revision<CustomListEntry>>(withTimes(entryTableColumns(attributes)), () =>
        pagesOf(ctx, ({ history }) => history.entries(list.id)),
      );
    },
  };
}

/** The tables of lists that only the mirror knows. */
export async function formerListTables(ctx: Context, known: ReadonlySet<string>): Promise<SqlTable[]> {
  const { history } = await openPast(ctx);
  const lists = await listsOf(history, { owner: ctx.requireCompany() }).finally(() => history.close());
  const taken = new Set<string>();
  return lists
    .map((list) => pastListTable(ctx, freeName(sqlName(list.slug ?? list.name ?? list.id), taken), list))
    .filter(({ name }) => !known.has(name));
}
