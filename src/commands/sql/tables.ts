/** The tables of `comem sql`: those of lists, beside those of metrics. */
import type { Context } from '../../cli/context.ts';
import { pageOptions } from '../../cli/operation-flags.ts';
import { hasPast } from '../../cli/past.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import type { CustomListEntry, CustomListSummary } from '../../contract/lists.ts';
import { isSkippable } from '../../core/errors.ts';
import { entryTableColumns } from '../entries/columns.ts';
import { companyLists, readList } from '../lists/read.ts';
import { freeName, sqlName } from './columns.ts';
import { metricTables } from './metric-tables.ts';
import { formerListTable, pastListTable, pastSuffix, pastTables } from './past-tables.ts';
import { forCompany, opened, type SqlTable } from './table.ts';

export interface SqlTables {
  /** The table of a name in any letter case. Lists are read only when no other table has the name. */
  find(name: string): Promise<SqlTable | undefined>;
  /** All tables, of lists last; those of the past where there is a mirror. */
  all(): Promise<SqlTable[]>;
  /** Names that are known without a request. */
  known(): string[];
  /** Whose lists are tables, where `-c` says it. */
  companies(): string[];
}

export function sqlTables(ctx: Context, flags: { archived?: boolean | undefined }): SqlTables {
  const source = { ctx };
  const fixed = metricTables(ctx);
  const past = pastTables(source);
  let lists: SqlTable[] | undefined;
  let former: SqlTable[] = [];
  const all = async () => {
    if (lists === undefined) {
      const found = listTables(await listsOf(ctx), fixed, flags.archived === true);
      lists = found.map(({ table }) => table);
      const taken = new Set([...fixed, ...past, ...lists].map(({ name }) => name));
      former = found
        .filter(({ table }) => !taken.has(`${table.name}${pastSuffix}`))
        .map(({ table, list }) => pastListTable(source, table.name, list));
    }
    return (await hasPast(ctx)) ? [...fixed, ...lists, ...past, ...former] : [...fixed, ...lists];
  };
  const named = (name: string) => (table: SqlTable) => table.name === name.toLowerCase();
  return {
    all,
    async find(name) {
      const known = [...fixed, ...past].find(named(name)) ?? (await all()).find(named(name));
      return known ?? (name.endsWith(pastSuffix) ? formerListTable(source, name.toLowerCase()) : undefined);
    },
    known: () => [...fixed, ...(lists ?? [])].map(({ name }) => name),
    companies() {
      const { origin, value } = ctx.settings.companies;
      return origin === 'flag' ? value.map((id) => ctx.companyName(id) ?? id) : [];
    },
  };
}

/** The lists of each company of `-c`, each once; of several, one may not be readable. */
async function listsOf(ctx: Context): Promise<(CustomListSummary & { ctx: Context })[]> {
  const { value } = ctx.settings.companies;
  if (value.length < 2) return (await companyLists(ctx)).map((list) => ({ ...list, ctx }));
  const found = new Map<string | undefined, CustomListSummary & { ctx: Context }>();
  const failures: unknown[] = [];
  for (const companyId of value) {
    const own = forCompany(ctx, companyId);
    try {
      for (const list of await companyLists(own)) if (!found.has(list.id)) found.set(list.id, { ...list, ctx: own });
    } catch (error) {
      if (!isSkippable(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length === value.length) throw failures[0];
  return [...found.values()];
}

/** A list whose name another table has is `list_NAME`. */
function listTables(
  lists: readonly (CustomListSummary & { ctx: Context })[],
  fixed: readonly SqlTable[],
  archived: boolean,
): { table: SqlTable; list: { id: string; name: string | undefined } }[] {
  const taken = new Set(fixed.map(({ name }) => name));
  return lists.flatMap(({ id, name, slug, ctx }) => {
    if (id === undefined) return [];
    const own = sqlName(slug ?? name ?? id);
    const free = taken.has(own) || own.startsWith('sqlite_') ? `list_${own}` : own;
    const table: SqlTable = {
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
    };
    return [{ table, list: { id, name } }];
  });
}
