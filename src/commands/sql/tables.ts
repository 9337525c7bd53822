/** The tables of `comem sql`: those of lists, beside those of metrics. */
import type { Context } from '../../cli/context.ts';
import { pageOptions } from '../../cli/operation-flags.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import type { CustomListEntry, CustomListSummary } from '../../contract/lists.ts';
import { entryTableColumns } from '../entries/columns.ts';
import { companyLists, readList } from '../lists/read.ts';
import { freeName, sqlName } from './columns.ts';
import { metricTables } from './metric-tables.ts';
import { opened, type SqlTable } from './table.ts';

export interface SqlTables {
  /** The table of a name in any letter case. Lists are read only when no other table has the name. */
  find(name: string): Promise<SqlTable | undefined>;
  /** All tables, of lists last. */
  all(): Promise<SqlTable[]>;
  /** Names that are known without a request. */
  known(): string[];
}

export function sqlTables(ctx: Context, flags: { archived?: boolean | undefined }): SqlTables {
  const fixed = metricTables(ctx);
  let lists: SqlTable[] | undefined;
  const all = async () => {
    lists ??= listTables(ctx, await companyLists(ctx), fixed, flags.archived === true);
    return [...fixed, ...lists];
  };
  const named = (name: string) => (table: SqlTable) => table.name === name.toLowerCase();
  return {
    all,
    find: async (name) => fixed.find(named(name)) ?? (await all()).find(named(name)),
    known: () => [...fixed, ...(lists ?? [])].map(({ name }) => name),
  };
}

/** A list whose name another table has is `list_NAME`. */
function listTables(
  ctx: Context,
  lists: readonly CustomListSummary[],
  fixed: readonly SqlTable[],
  archived: boolean,
): SqlTable[] {
  const taken = new Set(fixed.map(({ name }) => name));
  return lists.flatMap(({ id, name, slug }): SqlTable[] => {
    if (id === undefined) return [];
    const own = sqlName(slug ?? name ?? id);
    const free = taken.has(own) || own.startsWith('sqlite_') ? `list_${own}` : own;
    return [
      {
        name: freeName(free, taken),
        says: `entries of the list ${name ?? slug}`,
        async open() {
          const { settings } = ctx;
          const own = settings.companies;
          const { list_attributes: attributes = [] } = await readList(ctx, id);
          // Another company may share the list: the tables after it are of the own one.
          const owner = settings.companies;
          settings.companies = own;
          return opened<CustomListEntry>(entryTableColumns(attributes), async function* () {
            const { pageSize } = pageOptions(ctx, listEntries);
            const client = await ctx.client();
            settings.companies = owner;
            try {
              yield* client.pages(listEntries, { params: { listId: id }, query: { archived } }, { pageSize });
            } finally {
              settings.companies = own;
            }
          });
        },
      },
    ];
  });
}
