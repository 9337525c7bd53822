/** The tables of what a mirror saw: each version as a row, with the syncs between which it was there. */

import type { Context } from '../../cli/context.ts';
import { openPast, type Past } from '../../cli/past.ts';
import { firstAlias } from '../../config/companies.ts';
import type { CustomListAttribute, CustomListEntry, CustomListSummary } from '../../contract/lists.ts';
import type { MetricDefinition, MetricGrant, PublishedPeriod } from '../../contract/metrics.ts';
import { attributesOf, listsOf } from '../../domain/history/find.ts';
import { numberOf } from '../../domain/history/restated.ts';
import type { History, Point, Resource, ResourceKind, Version } from '../../domain/history/versions.ts';
import type { Cell, Column } from '../../output/column.ts';
import { entryTableColumns } from '../entries/columns.ts';
import { grantColumns } from '../grants/columns.ts';
import { attributeColumns, listColumns } from '../lists/columns.ts';
import { definitionColumns } from '../metrics/columns.ts';
import { freeName, openTable, type SqlTable, sqlName } from './columns.ts';

export const pastSuffix = '_history';
const pageRows = 1000;

/** Reads tables from the mirror. */
interface Source {
  ctx: Context;
}

/** A column of the value, and then when it was there. */
function withTimes<T>(columns: readonly Column<T>[]): Column<Version<T>>[] {
  return [
    ...columns.map(
      ({ key, type, unit, get }): Column<Version<T>> => ({
        ...{ key, type },
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
  { ctx }: Source,
  read: (past: Past) => AsyncIterable<Version<T>>,
): AsyncGenerator<Version<T>[]> {
  const past = await openPast(ctx);
  try {
    let page: Version<T>[] = [];
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

/** @param owned only those of the own company, where `-c` names none */
function bodies<T extends object>(kind: ResourceKind, owned = true) {
  return (source: Source) =>
    pagesOf<T & Owned>(source, async function* ({ history }) {
      const owners = (await ownersOf(source, history, kind)) ?? (owned ? [source.ctx.requireCompany()] : [undefined]);
      for (const owner of owners) {
        const of = owner === undefined ? {} : { owner };
        for await (const { value, ...seen } of history.resources(kind, of)) yield { ...seen, value: bodyOf<T>(value) };
      }
    });
}

/** The companies of `-c`, and for attributes their lists; undefined: none was named. */
async function ownersOf({ ctx }: Source, history: History, kind: ResourceKind): Promise<string[] | undefined> {
  const { origin, value } = ctx.settings.companies;
  if (origin !== 'flag') return undefined;
  if (kind !== 'attribute') return [...value];
  const lists = await Promise.all(value.map((company) => listsOf(history, company)));
  return [...new Set(lists.flat().map(({ id }) => id))];
}

interface Owned {
  companyId: string;
}

function bodyOf<T extends object>({ owner, body }: Resource): T & Owned {
  return { ...(body as T), companyId: owner };
}

const ofCompany: Column<Owned> = { key: 'companyId', type: 'id', get: (row) => row.companyId };

const pointColumns: Column<Point>[] = [
  { key: 'companyId', type: 'id', get: (row) => row.companyId },
  { key: 'periodKey', get: (row) => row.periodKey },
  { key: 'periodType', get: (row) => row.periodType },
  { key: 'version', get: (row) => row.version },
  { key: 'metricId', get: (row) => row.metricId },
  { key: 'value', type: 'number', get: (row) => numberOf(row.value) },
  { key: 'source', get: (row) => row.source },
  { key: 'updatedAt', type: 'datetime', get: (row) => row.updatedAt },
];

interface Sent
  extends Owned,
    Pick<PublishedPeriod, 'periodKey' | 'periodType' | 'versionNumber' | 'sentAt' | 'reportId'> {
  metricId: string;
  value: Cell;
}

const sentColumns: Column<Sent>[] = [
  ofCompany,
  { key: 'periodKey', get: (row) => row.periodKey },
  { key: 'periodType', get: (row) => row.periodType },
  { key: 'versionNumber', type: 'integer', get: (row) => row.versionNumber },
  { key: 'sentAt', type: 'datetime', get: (row) => row.sentAt },
  { key: 'reportId', type: 'id', get: (row) => row.reportId },
  { key: 'metricId', get: (row) => row.metricId },
  { key: 'value', type: 'number', get: (row) => row.value },
];

/** Those of metrics, grants, lists and attributes. */
export function pastTables(source: Source): SqlTable[] {
  const table = <T>(
    name: string,
    says: string,
    columns: readonly Column<T>[],
    pages: (source: Source) => AsyncIterable<Version<T>[]>,
  ): SqlTable => ({
    ...{ name: `${name}${pastSuffix}`, says },
    open: async () => openTable(withTimes(columns), () => pages(source)),
  });
  const { ctx } = source;
  const company: Column<Owned> = {
    key: 'company',
    get: ({ companyId }) => firstAlias(ctx.settings.aliases, companyId) ?? companyId,
  };
  const companies = () => {
    const { companies, aliases } = ctx.settings;
    if (companies.origin === 'flag') return companies.value;
    return [...new Set([...companies.value, ...Object.values(aliases)])];
  };
  return [
    table<Point>('metric_points', 'every value that a series had', [company, ...pointColumns], (from) =>
      pagesOf(from, async function* ({ history }) {
        for (const company of companies()) yield* history.points(company);
      }),
    ),
    table(
      'metric_catalog',
      'every definition that a metric had',
      [company, ofCompany, ...definitionColumns],
      bodies<MetricDefinition>('definition', false),
    ),
    table('grants', 'every state that a grant had', grantColumns, bodies<MetricGrant>('grant')),
    table(
      'lists',
      'every state that a list had',
      listColumns.filter(({ key }) => key !== 'list_attributes_count'),
      bodies<CustomListSummary>('list'),
    ),
    table(
      'attributes',
      'every state that an attribute had',
      attributeColumns,
      bodies<CustomListAttribute>('attribute', false),
    ),
    table<Sent>('published_points', 'every value that a company published to you', [company, ...sentColumns], (from) =>
      pagesOf(from, async function* ({ history }) {
        const owners = await ownersOf(source, history, 'snapshot');
        for await (const { value, ...seen } of history.resources('snapshot')) {
          if (owners && !owners.includes(value.owner)) continue;
          const { data = {}, ...period }: PublishedPeriod = value.body;
          for (const [metricId, each] of Object.entries(data)) {
            yield { ...seen, value: { ...period, companyId: value.owner, metricId, value: each as Cell } };
          }
        }
      }),
    ),
  ];
}

/** The table of the entries of a list. */
export function pastListTable(source: Source, name: string, list: { id: string; name?: string | undefined }): SqlTable {
  return {
    ...{ name: `${name}${pastSuffix}`, says: `every state that entries of ${list.name ?? name} had` },
    async open() {
      const past = await openPast(source.ctx);
      const attributes = await attributesOf(past.history, list.id).finally(() => past.history.close());
      return openTable<Version<CustomListEntry>>(withTimes(entryTableColumns(attributes)), () =>
        pagesOf(source, ({ history }) => history.entries(list.id)),
      );
    },
  };
}

/** The tables of lists that only the mirror knows. */
export async function formerListTables(source: Source, known: ReadonlySet<string>): Promise<SqlTable[]> {
  const { history } = await openPast(source.ctx);
  const lists = await listsOf(history, source.ctx.requireCompany()).finally(() => history.close());
  const taken = new Set<string>();
  return lists
    .map((list) => pastListTable(source, freeName(sqlName(list.slug ?? list.name ?? list.id), taken), list))
    .filter(({ name }) => !known.has(name));
}
