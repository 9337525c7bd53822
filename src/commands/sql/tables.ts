/** The tables of `comem sql`: those of lists, beside those of metrics; and their description. */
import type { Context } from '../../cli/context.ts';
import { hasPast } from '../../cli/past.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import type { CustomListEntry, CustomListSummary } from '../../contract/lists.ts';
import { isSkippable, usage } from '../../core/errors.ts';
import { nearestHint } from '../../core/nearest.ts';
import type { Column } from '../../output/column.ts';
import type { Output } from '../../output/write/create-output.ts';
import { entryTableColumns } from '../entries/columns.ts';
import { companyLists, readList } from '../lists/read.ts';
import { forCompany, freeName, type OpenTable, openTable, type SqlTable, sqlName } from './columns.ts';
import { formerListTables, metricTables, pastListTable, pastSuffix, pastTables } from './metric-tables.ts';

interface ListTables {
  lists: SqlTable[];
  /** Their past. */
  former: SqlTable[];
}

export class SqlTables {
  private readonly metrics: SqlTable[];
  private readonly past: SqlTable[];
  private reading: Promise<ListTables> | undefined;
  private listNames: string[] = [];

  constructor(
    private readonly ctx: Context,
    private readonly flags: { archived?: boolean | undefined },
  ) {
    this.metrics = metricTables(ctx);
    this.past = pastTables(ctx);
  }

  /** Tables that need no request. */
  fixed(): SqlTable[] {
    return [...this.metrics, ...this.past];
  }

  /** Tables of lists, and of their past where there is a mirror. */
  async ofLists(): Promise<SqlTable[]> {
    const { lists, former } = await this.readLists();
    if (!(await hasPast(this.ctx))) return lists;
    const taken = new Set([...lists, ...former].map(({ name }) => name));
    return [...lists, ...former, ...(await formerListTables(this.ctx, taken))];
  }

  async all(): Promise<SqlTable[]> {
    const ofLists = await this.ofLists();
    const { lists } = await this.readLists();
    const past = (await hasPast(this.ctx)) ? this.past : [];
    return [...this.metrics, ...lists, ...past, ...ofLists.slice(lists.length)];
  }

  /** The table of a name in any letter case. */
  async find(name: string): Promise<SqlTable | undefined> {
    const isNamed = (table: SqlTable) => table.name === name.toLowerCase();
    return this.fixed().find(isNamed) ?? (await this.ofLists()).find(isNamed);
  }

  /** Names that are known without a further request. */
  known(): string[] {
    return [...this.metrics.map(({ name }) => name), ...this.listNames];
  }

  /** For a name that is no table. */
  hint(): string {
    const { origin, value } = this.ctx.settings.companies;
    const companies = origin === 'flag' ? value.map((id) => this.ctx.companyName(id) ?? id) : [];
    const owners = companies.length === 0 ? '' : `; its lists are those of ${companies.join(', ')} (-c)`;
    return `run \`comem sql --tables\` to list the tables${owners}`;
  }

  private readLists(): Promise<ListTables> {
    this.reading ??= this.listTables();
    return this.reading;
  }

  private async listTables(): Promise<ListTables> {
    const tables = listTables(await listsOf(this.ctx), this.metrics, this.flags.archived === true);
    const lists = tables.map(({ table }) => table);
    this.listNames = lists.map(({ name }) => name);
    const taken = new Set([...this.fixed(), ...lists].map(({ name }) => name));
    const former = tables
      .filter(({ table }) => !taken.has(`${table.name}${pastSuffix}`))
      .map(({ table, list }) => pastListTable(this.ctx, table.name, list));
    return { lists, former };
  }
}

/** The lists of each company of `-c`, each once; of several, one may not be readable. */
async function listsOf(ctx: Context): Promise<(CustomListSummary & { ctx: Context })[]> {
  const { value } = ctx.settings.companies;
  if (value.length < 2) return (await companyLists(ctx)).map((list) => ({ ...list, ctx }));
  const lists = new Map<string | undefined, CustomListSummary & { ctx: Context }>();
  const failures: unknown[] = [];
  for (const companyId of value) {
    const company = forCompany(ctx, companyId);
    try {
      for (const list of await companyLists(company))
        if (!lists.has(list.id)) lists.set(list.id, { ...list, ctx: company });
    } catch (error) {
      if (!isSkippable(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length === value.length) throw failures[0];
  return [...lists.values()];
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
    const plain = sqlName(slug ?? name ?? id);
    const free = taken.has(plain) || plain.startsWith('sqlite_') ? `list_${plain}` : plain;
    const table: SqlTable = {
      name: freeName(free, taken),
      says: `entries of the list ${name ?? slug}`,
      async open() {
        // The list may belong to another company; the tables after it are those of the first.
        const owner = ctx.withSettings();
        const { list_attributes: attributes = [] } = await readList(owner, id);
        return openTable<CustomListEntry>(entryTableColumns(attributes), async function* () {
          const { pageSize } = ctx.settings;
          const client = await owner.client();
          yield* client.pages(listEntries, { params: { listId: id }, query: { archived } }, { pageSize });
        });
      },
    };
    return [{ table, list: { id, name } }];
  });
}

const tableColumns: Column<SqlTable>[] = [
  { key: 'table', heading: 'Table', get: ({ name }) => name },
  { key: 'rows', heading: 'Rows', wraps: true, get: ({ says }) => says },
];

const columnColumns: Column<ReturnType<typeof columnRow>>[] = [
  { key: 'table', heading: 'Table', get: (row) => row.table },
  { key: 'column', heading: 'Column', get: (row) => row.column },
  { key: 'type', heading: 'Type', get: (row) => row.type },
  { key: 'holds', heading: 'Holds', wraps: true, get: (row) => row.holds },
  { key: 'unit', heading: 'Unit', get: (row) => row.unit },
];

export async function showTables({ out }: { out: Output }, tables: SqlTables): Promise<void> {
  const rows = await tables.all();
  await out.rows(rows, tableColumns, {
    json: ({ name, says }) => ({ table: name, rows: says }),
    id: ({ name }) => name,
  });
}

/** @param words names of tables; none: all */
export async function showSchema(ctx: { out: Context['out'] }, tables: SqlTables, written = ''): Promise<void> {
  const words = written.split(/[\s,;]+/).filter((word) => word !== '');
  const chosen =
    words.length === 0 ? await tables.all() : await Promise.all(words.map((word) => tableNamed(tables, word)));
  const rows: ReturnType<typeof columnRow>[] = [];
  for (const table of chosen) {
    const { columns, renamed } = await table.open();
    for (const text of renamed) ctx.out.note(`${table.name}: ${text}`);
    rows.push(...columns.map((column) => columnRow(table, column)));
  }
  await ctx.out.rows(rows, columnColumns, { id: ({ table, column }) => `${table}.${column}` });
}

function columnRow(table: SqlTable, { name, type, holds, unit, items }: OpenTable['columns'][number]) {
  return { table: table.name, column: name, type, holds: items ? 'list' : holds, unit };
}

async function tableNamed(tables: SqlTables, name: string): Promise<SqlTable> {
  const table = await tables.find(sqlName(name.replace(/^"(.*)"$/, '$1')));
  if (table) return table;
  throw usage(`unknown table "${name}"`, nearestHint(name, tables.known(), tables.hint()));
}
