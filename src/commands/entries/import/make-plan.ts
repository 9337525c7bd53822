/** From a file and a list to the plan of an import: everything is checked here, and nothing is written. */
import type { Context } from '../../../cli/context.ts';
import { blocking } from '../../../cli/runtime.ts';
import { amount } from '../../../cli/words.ts';
import { type AttributeType, attributeTypes, type CustomListEntry } from '../../../contract/lists.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import { mapRows, Spool } from '../../../core/spool.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import {
  type ImportColumn,
  matchColumns,
  slugLike,
  type UnmatchedColumn,
  unknownColumn,
} from '../../../domain/import/columns.ts';
import { asAttribute, type NewAttribute, newAttributes } from '../../../domain/import/infer.ts';
import { ownExport } from '../../../domain/import/own-export.ts';
import { type ImportAction, type ImportMode, planImport } from '../../../domain/import/plan.ts';
import { typedRows } from '../../../domain/import/rows.ts';
import { tooLarge } from '../../../domain/import/size.ts';
import { type ImportIssue, inFileOrder, placeOf, type Remedy, type SourceTable } from '../../../domain/import/table.ts';
import type { ImportFlags } from './flags.ts';
import { withLabels } from './labels.ts';
import { allEntries, type List, ListState, type Source } from './source.ts';
import type { StoredPlan } from './stored-plan.ts';

/** @throws usage with every cell that cannot be imported */
export async function makePlan(
  ctx: Context,
  list: List,
  { name, table: asRead, hash }: Source,
  flags: ImportFlags,
): Promise<StoredPlan> {
  const read = await withLabels(ctx, list.id, asRead);
  // An empty array has no columns, so no key can be missing.
  const none = read.json && read.headers.length === 0 && read.rows.length === 0;
  const table = none ? { ...read, headers: [flags.key ?? 'title'] } : read;
  const mode = (flags.mode ?? 'upsert') as ImportMode;
  if (flags.prune && mode !== 'sync') throw usage('--prune deletes what the file lacks, and needs --mode sync');
  const own: readonly Attribute[] = list.list_attributes ?? [];
  const matching = matchColumns(table, own, {
    map: mapOf('--map', flags.map),
    create: flags.createAttrs ?? false,
    key: flags.key ?? 'title',
  });
  const created = await blocking(ctx.runtime, () => createdFor(table, matching.unmatched, own, flags));
  const unknown = flags.createAttrs ? [] : matching.unmatched.map((column) => unknownColumn(column, own));
  const headings: ImportIssue[] = [...matching.issues, ...unknown];
  const columns = [...matching.columns, ...columnsFor(matching.unmatched, created)];
  const key = keyColumn(flags.key ?? 'title', columns);
  if (key === undefined) {
    refuse([...table.issues, ...headings], name, table);
    throw noKey(flags.key ?? 'title', table);
  }
  if (key.target.field === 'value' && key.target.attribute.attribute_type === 'multi_select') {
    throw usage(`--key ${flags.key}: a multi_select has several values, and a key must be one`);
  }
  const now = ctx.runtime.now();
  const typed = typedRows(table, { columns, key, now, empty: flags.empty === 'keep' ? 'keep' : 'clear' });
  const issues = [...table.issues, ...headings];
  if (headings.length > 0) {
    // Missing values are known only when every column is matched.
    await blocking(ctx.runtime, () => {
      for (const _ of typed.rows);
    });
    refuse([...issues, ...typed.issues], name, table);
  }
  if (mode === 'sync' && table.rows.length === 0) {
    throw usage(`${name} has no rows, and a sync with it would remove every entry of the list "${list.name}"`);
  }
  const entries = new Spool<Partial<CustomListEntry>>();
  const state = new ListState(own);
  for await (const entry of allEntries(ctx, list.id)) {
    entries.push(entry);
    state.add(entry);
  }
  const attributes = [...own, ...created.map(asAttribute)];
  const options = { mode, prune: flags.prune ?? false, key, columns, attributes, created };
  const { plan, problems, losesIds } = await blocking(ctx.runtime, () => {
    const { plan, issues: more } = planImport(typed.rows, entries, options, new Spool<ImportAction>());
    const namesIds = columns.some(({ target }) => target.field === 'id');
    return {
      plan,
      problems: [...issues, ...typed.issues, ...more, ...tooLarge(plan.actions)],
      losesIds: namesIds && ownExport(table.headers, table.rows) !== 'whole' && holdsCreate(plan.actions),
    };
  });
  entries.close();
  refuse(problems, name, table);
  if (losesIds) {
    ctx.out.note("New entries get ids of the server, not those of the file; --map 'id=SLUG' keeps these.");
  }
  if (matching.ignored.length > 0) {
    ctx.out.note(`Left out, because only the server sets them: ${matching.ignored.join(', ')}.`);
  }
  const target = key.target.field === 'value' ? { field: key.target.field, slug: key.target.slug } : key.target;
  return {
    comem: 'import-plan',
    version: 1,
    list: { id: list.id, name: list.name },
    baseUrl: ctx.settings.baseUrl.value,
    source: { name, hash, rows: table.rows.length, json: table.json, place: table.place },
    mode,
    key: target,
    state: state.hash,
    headers: table.headers,
    ...plan,
    cells: mapRows(plan.actions, (action) => ('row' in action ? recordOf(table, action.row) : null)),
  };
}

function holdsCreate(actions: Iterable<ImportAction>): boolean {
  for (const action of actions) if (action.do === 'create') return true;
  return false;
}

/** `COLUMN=TARGET`; the column's name may hold a `=`, the target does not. */
function mapOf(name: string, written: readonly string[] = []): Map<string, string> {
  const map = new Map<string, string>();
  for (const one of written) {
    const at = one.lastIndexOf('=');
    const column = one.slice(0, at).trim();
    if (at < 1 || column === '') throw usage(`${name} takes COLUMN=TARGET, got "${one}"`);
    if (map.has(column)) throw usage(`${name} names the column "${column}" twice`);
    map.set(column, one.slice(at + 1).trim());
  }
  return map;
}

function createdFor(
  table: SourceTable,
  unmatched: readonly UnmatchedColumn[],
  own: readonly Attribute[],
  flags: ImportFlags,
): NewAttribute[] {
  const types = mapOf('--type', flags.type);
  if (types.size > 0 && !flags.createAttrs)
    throw usage('--type sets the type of a new attribute, and needs --create-attrs');
  for (const [column, type] of types) {
    if (!unmatched.some(({ header }) => header === column)) {
      const near = nearest(
        column,
        unmatched.map(({ header }) => header),
      );
      throw usage(
        `--type ${column}=${type}: no attribute is created for a column "${column}"`,
        near && `did you mean ${near}?`,
      );
    }
    if (!attributeTypes.some((one) => one === type)) {
      throw usage(`--type ${column}=${type}: a type is one of ${attributeTypes.join(', ')}`);
    }
  }
  return flags.createAttrs ? newAttributes(table, unmatched, own, types as Map<string, AttributeType>) : [];
}

function columnsFor(unmatched: readonly UnmatchedColumn[], created: readonly NewAttribute[]): ImportColumn[] {
  return created.flatMap((attribute, index): ImportColumn[] => {
    const column = unmatched[index];
    if (column === undefined) return [];
    const target = { field: 'value', slug: attribute.slug, attribute: asAttribute(attribute), fresh: true } as const;
    return [{ index: column.index, header: column.header, target }];
  });
}

/** The column of `--key`: named by field, slug, attribute or header. */
function keyColumn(key: string, columns: readonly ImportColumn[]): ImportColumn | undefined {
  const bare = key.replace(/^values\./, '');
  const fits: ((column: ImportColumn) => boolean)[] = [
    ({ target }) => target.field === key && (key === 'id' || key === 'title'),
    ({ target }) => target.field === 'value' && target.slug === bare,
    ({ target, header }) => target.field === 'value' && (header === key || target.attribute.name === key),
    ({ target }) => target.field === 'value' && target.slug === slugLike(key),
  ];
  return fits.map((fit) => columns.find(fit)).find((column) => column !== undefined);
}

function noKey(key: string, { headers }: SourceTable): Failure {
  const hint =
    key === 'title'
      ? "name the column of titles with --map 'COLUMN=title', or choose another key with --key"
      : `name its column with --map 'COLUMN=${key}'`;
  return usage(`--key ${key}: the file has no such column; it has ${headers.join(', ')}`, hint);
}

function refuse(issues: readonly ImportIssue[], name: string, table: SourceTable): void {
  if (issues.length === 0) return;
  const details = inFileOrder(issues).map(({ remedy, ...issue }) => ({
    ...issue,
    message: `${issue.message}${remedy === undefined ? '' : howTo(remedy, issue.column ?? 'COLUMN')}`,
    path: placeOf(issue, table.place),
  }));
  throw new Failure(
    'usage',
    `${name} cannot be imported: ${amount(issues.length, 'error', 'errors')}; nothing was written`,
    {
      code: 'invalid_file',
      details: { issues: details },
    },
  );
}

/** How the flags solve an issue, as the end of its message. */
function howTo(remedy: Remedy, column: string): string {
  switch (remedy) {
    case 'choose':
      return `; choose one with --map '${column}=SLUG'`;
    case 'name':
      return `; name it with --map '${column}=SLUG', leave it out with --map '${column}=', or name all with --header NAME,…`;
    case 'own':
      return `; keep it as an attribute with --map '${column}=SLUG', or leave it out with --map '${column}='`;
    case 'leaveOut':
      return `; leave one out with --map '${column}='`;
    case 'match':
      return `; match it with --map '${column}=SLUG', leave it out with --map '${column}=', or add it with --create-attrs`;
    case 'title':
      return "; name its column with --map 'COLUMN=title'";
  }
}

function recordOf(table: SourceTable, row: number): Record<string, unknown> {
  const cells = table.rows.at(row)?.cells ?? [];
  return Object.fromEntries(
    table.headers.flatMap((header, index) => (cells[index] === undefined ? [] : [[header, cells[index]]])),
  );
}
