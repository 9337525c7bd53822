/** The tables of what a mirror saw: each version as a row, with the syncs between which it was there. */

import type { Context } from '../../cli/context.ts';
import { openPast, type Past } from '../../cli/past.ts';
import { firstAlias } from '../../config/companies.ts';
import type { CustomListAttribute, CustomListEntry, CustomListSummary } from '../../contract/lists.ts';
import type { MetricDefinition, MetricGrant, PublishedPeriod } from '../../contract/metrics.ts';
import { attributesOf, listsOf } from '../../domain/history/find.ts';
import type { History, ResourceKind, Version } from '../../domain/history/versions.ts';
import { numberOf } from '../../domain/history/versions.ts';
import type { Cell, Column } from '../../output/column.ts';
import { entryTableColumns } from '../entries/columns.ts';
import { grantColumns } from '../grants/columns.ts';
import { attributeColumns, listColumns } from '../lists/columns.ts';
import { definitionColumns } from '../metrics/columns.ts';
import { freeName, openTable, type SqlTable, sqlName } from './columns.ts';
import { type PointRow, type PublishedPoint, pointColumns, publishedColumns } from './metric-tables.ts';

export const pastSuffix = '_history';
const pageRows = 1000;

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
  ctx: Context,
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

/** The companies of `-c`, and for attributes their lists; undefined: none was named. */
async function ownersOf(ctx: Context, history: History, kind: ResourceKind): Promise<string[] | undefined> {
  const { origin, value } = ctx.settings.companies;
  if (origin !== 'flag') return undefined;
  if (kind !== 'attribute') return [...value];
  const lists = await Promise.all(value.map((company) => listsOf(history, company)));
  return [...new Set(lists.flat().map(({ id }) => id))];
}

/** A mirror keeps neither units nor currencies beside values. */
const withoutUnits = <T>(columns: readonly Column<T>[]) =>
  columns.filter(({ key }) => key !== 'unit' && key !== 'currency');

/** Those of metrics, grants, lists and attributes. */
export function pastTables(ctx: Context): SqlTable[] {
  const table = <T>(
    name: string,
    says: string,
    columns: readonly Column<T>[],
    read: (past: Past) => AsyncIterable<Version<T>>,
  ): SqlTable => ({
    ...{ name: `${name}${pastSuffix}`, says },
    open: async () => openTable(withTimes(columns), () => pagesOf(ctx, read)),
  });
  /** Every resource of a kind; of the own company, or of all, where `-c` names none. */
  const bodies = <T extends object>(kind: ResourceKind, isOwn = true) =>
    async function* ({ history }: Past): AsyncGenerator<Version<T & Owned>> {
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

/** The table of the entries of a list. */
export function pastListTable(ctx: Context, name: string, list: { id: string; name?: string | undefined }): SqlTable {
  return {
    ...{ name: `${name}${pastSuffix}`, says: `every state that entries of ${list.name ?? name} had` },
    async open() {
      const past = await openPast(ctx);
      const attributes = await attributesOf(past.history, list.id).finally(() => past.history.close());
      return openTable<Version<CustomListEntry>>(withTimes(entryTableColumns(attributes)), () =>
        pagesOf(ctx, ({ history }) => history.entries(list.id)),
      );
    },
  };
}

/** The tables of lists that only the mirror knows. */
export async function formerListTables(ctx: Context, known: ReadonlySet<string>): Promise<SqlTable[]> {
  const { history } = await openPast(ctx);
  const lists = await listsOf(history, ctx.requireCompany()).finally(() => history.close());
  const taken = new Set<string>();
  return lists
    .map((list) => pastListTable(ctx, freeName(sqlName(list.slug ?? list.name ?? list.id), taken), list))
    .filter(({ name }) => !known.has(name));
}
