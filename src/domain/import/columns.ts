/** Matches columns of a file with fields and attributes of entries: by mapping, slug or name. */
import { isUuid } from '../../contract/validate.ts';
import { nearestHint } from '../../core/nearest.ts';
import type { Attribute } from '../entries/options.ts';
import { failureColumns } from './failed.ts';
import type { Steps } from './steps.ts';
import { exportKind, type FlagNames, type ImportIssue, isEmptyCell, type SourceTable } from './table.ts';

/** Writable fields of an entry beside its values; `id` identifies it. */
const entryFields = ['id', 'title', 'position', 'archived', 'linked_entity_type', 'linked_entity_id'] as const;
export type EntryField = (typeof entryFields)[number];

/** Columns that only the server sets. */
const readOnly = ['list_id', 'created_by', 'created_at', 'updated_at'];

export type ColumnTarget =
  | { field: EntryField }
  | {
      field: 'value';
      slug: string;
      attribute: Attribute;
    };

export type KeyTarget = { field: EntryField } | { field: 'value'; slug: string };

export interface ImportColumn {
  index: number;
  header: string;
  target: ColumnTarget;
  steps?: Steps | undefined;
}

export interface UnmatchedColumn {
  index: number;
  header: string;
  /** Name of the attribute that would be created. */
  name: string;
  steps?: Steps | undefined;
}

export interface Matching {
  columns: ImportColumn[];
  unmatched: UnmatchedColumn[];
  /** Read-only columns of an export. */
  ignored: string[];
  issues: ImportIssue[];
}

/** Names that another program may use for columns of its own; they become attributes `source id` and so on. */
const sourceNames = ['id', 'position', 'archived', 'created_at', 'updated_at'];

export interface Mapping {
  /** '' leaves the column out; undefined matches it by its header. */
  target?: string | undefined;
  steps?: Steps | undefined;
}

interface MatchOptions {
  mappings: ReadonlyMap<string, Mapping>;
  /** Unmatched columns become attributes. */
  create?: boolean;
  key?: string;
  flags: FlagNames;
}

export function matchColumns(
  table: SourceTable,
  attributes: readonly Attribute[],
  { mappings, create = false, key = 'title', flags }: MatchOptions,
): Matching {
  const matching: Matching = { columns: [], unmatched: [], ignored: [], issues: [] };
  const exported = key === 'id' || isEntries(table) ? 'whole' : exportKind(table.headers, table.rows);
  /** The name of an attribute for a column of another program that is called like a field of entries. */
  const nameOf = (header: string) => {
    const isField = exported === 'whole' || (exported === 'part' && header === 'id') || !sourceNames.includes(header);
    const isAttribute = create || attributes.some(({ name }) => name === `source ${header}`);
    return isField || !isAttribute ? header : `source ${header}`;
  };
  const refuse = (message: string, column?: string) =>
    matching.issues.push({ line: table.headerLine, column, message });
  const mappingOf = new Map<string, Mapping>();
  for (const [header, mapping] of mappings) {
    const column = headerNamed(header, table.headers);
    if (column !== undefined) {
      if (mappingOf.has(column)) refuse(`two mappings name the column "${column}"`, column);
      mappingOf.set(column, mapping);
      continue;
    }
    const reverse = mapping.target && headerNamed(mapping.target, table.headers);
    if (reverse !== undefined && targetsOf(header, attributes).length > 0) {
      refuse(
        `the file has no column "${header}"; for the column ${reverse}, write ${flags.map} '${reverse}=${header}'`,
      );
      continue;
    }
    const hint = nearestHint(header, table.headers, `it has: ${table.headers.join(', ')}`);
    refuse(`the mapping names the column "${header}", which the file does not have; ${hint}`);
  }
  const filled = new Map<string, string>();
  for (const [index, header] of table.headers.entries()) {
    const { target: mapped, steps } = mappingOf.get(header) ?? {};
    // A file of failed rows names unnamed columns by their numbers.
    const repeated = table.unnamed?.get(index) ?? (header === `#${index + 1}` ? '' : undefined);
    if (mapped === undefined && repeated !== undefined) {
      const remedy = `name it with ${flags.map} '${header}=SLUG', or ${leaveOut(header, flags)}`;
      if (repeated !== '') refuse(`two columns have the header "${repeated}"; ${remedy}`, header);
      else if (firstCell(table, index, (cell) => !isEmptyCell(cell)) !== undefined)
        refuse(`the column number ${index + 1} has values and no header; ${remedy}`, header);
      continue;
    }
    if (mapped === '') continue;
    const name = mapped ?? nameOf(header);
    if (mapped === undefined && failureColumns.includes(header)) continue;
    if (mapped === undefined && readOnly.includes(name)) {
      matching.ignored.push(header);
      continue;
    }
    const targets = targetsOf(name, attributes);
    const [target] = targets;
    if (target === undefined) {
      const isHeader = mapped !== undefined && slugLike(header) === mapped;
      const plain = table.json ? name.replace(/^values\./, '') : name;
      matching.unmatched.push({ index, header, name: isHeader ? header : plain, steps });
      continue;
    }
    if (targets.length > 1) {
      const slugs = targets.map((target) => (target.field === 'value' ? target.slug : target.field)).join(', ');
      refuse(
        `"${name}" matches ${targets.length} attributes: ${slugs}; choose one with ${flags.map} '${header}=SLUG'`,
        header,
      );
      continue;
    }
    const strange = target.field === 'id' && key !== 'id' ? strangeId(table, index) : undefined;
    if (strange !== undefined) {
      const remedy = `keep it as an attribute with ${flags.map} '${header}=SLUG', or ${leaveOut(header, flags)}`;
      refuse(`holds ${strange}, which is not the id of an entry; ${remedy}`, header);
      continue;
    }
    const path = target.field === 'value' ? `values.${target.slug}` : target.field;
    const other = filled.get(path);
    if (other !== undefined) {
      refuse(`both this column and ${other} fill ${path}; leave one out with ${flags.map} '${header}='`, header);
      continue;
    }
    filled.set(path, header);
    matching.columns.push({ index, header, target, steps });
  }
  return matching;
}

function strangeId(table: SourceTable, index: number): string | undefined {
  const isStrange = (cell: unknown) => !isEmptyCell(cell) && !(typeof cell === 'string' && isUuid(cell.trim()));
  const cell = firstCell(table, index, isStrange);
  return cell === undefined ? undefined : JSON.stringify(cell);
}

function firstCell({ rows }: SourceTable, index: number, fits: (cell: unknown) => boolean): unknown {
  for (const { cells } of rows) if (fits(cells[index])) return cells[index];
  return undefined;
}

/** Whether items are entries of the API: these name their list. */
function isEntries({ json, headers }: SourceTable): boolean {
  return json && headers.includes('list_id');
}

export function unknownColumn(
  { header, name }: UnmatchedColumn,
  { headerLine }: SourceTable,
  attributes: readonly Attribute[],
  flags: FlagNames,
): ImportIssue {
  const slugs = attributes.flatMap(({ slug }) => slug ?? []);
  const near = nearestHint(name, ['title', ...slugs]);
  const known = near === undefined ? '' : `; ${near}`;
  const remedy = `match it with ${flags.map} '${header}=SLUG', ${leaveOut(header, flags)}, or add it with ${flags.createAttrs}`;
  return { line: headerLine, column: header, message: `the list has no attribute "${name}"${known}; ${remedy}` };
}

function leaveOut(header: string, { map }: FlagNames): string {
  return `leave it out with ${map} '${header}='`;
}

/** Exact field, slug or name first, then without case and punctuation. Several targets only if names repeat. */
function targetsOf(name: string, attributes: readonly Attribute[]): ColumnTarget[] {
  const field = (text: string): ColumnTarget[] =>
    entryFields.filter((field) => field === text).map((field) => ({ field }));
  const values = (fits: (attribute: Attribute) => boolean): ColumnTarget[] =>
    attributes.flatMap((attribute) =>
      attribute.slug !== undefined && fits(attribute) ? [{ field: 'value', slug: attribute.slug, attribute }] : [],
    );
  const bare = name.startsWith('values.') ? name.slice('values.'.length) : undefined;
  const folded = slugLike(name);
  const matchers = [
    () => field(name),
    () => (bare === undefined ? [] : values(({ slug }) => slug === bare)),
    () => values(({ slug }) => slug === name),
    () => values((attribute) => attribute.name === name),
    () => values((attribute) => attribute.name?.toLowerCase() === name.trim().toLowerCase()),
    () => values((attribute) => foldName(attribute.name ?? '') === foldName(name)),
    // `ID` of another program is seldom the id of an entry, so only the exact `id` matches it.
    () => (folded === 'title' ? field('title') : []),
    () => (folded === '' ? [] : values(({ slug }) => slug === folded)),
  ];
  for (const match of matchers) {
    const targets = match();
    if (targets.length > 0) return targets;
  }
  return [];
}

/** The header of a name: exact, or the only match without case, accents and blanks. */
export function headerNamed(name: string, headers: readonly string[]): string | undefined {
  if (headers.includes(name)) return name;
  const alike = headers.filter((header) => foldName(header) === foldName(name));
  return alike.length === 1 ? alike[0] : undefined;
}

function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .toLowerCase()
    .replaceAll('ß', 'ss');
}

/** The slug that a server would usually derive from a name. */
export function slugLike(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}
