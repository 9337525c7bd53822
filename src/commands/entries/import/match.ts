/** Matches the columns of a file with the list, and types the attributes that the import adds. */

import type { Context } from '../../../cli/context.ts';
import { blocking } from '../../../cli/runtime.ts';
import { shellWord } from '../../../cli/words.ts';
import { type AttributeType, attributeTypes } from '../../../contract/lists.ts';
import { type Failure, usage } from '../../../core/errors.ts';
import { nearestHint } from '../../../core/nearest.ts';
import { mapRows } from '../../../core/row-store.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import type { ReadingOptions } from '../../../domain/import/cells.ts';
import {
  headerNamed,
  type ImportColumn,
  type Mapping,
  type Matching,
  matchColumns,
  slugLike,
  type UnmatchedColumn,
  unknownColumn,
} from '../../../domain/import/columns.ts';
import { quote } from '../../../domain/import/findings.ts';
import {
  type AddedOptions,
  asAttribute,
  extendOptions,
  type JoinedOption,
  type NearType,
  type NewAttribute,
  newAttributes,
} from '../../../domain/import/infer.ts';
import { isStep, readSteps, type Steps, splitOutside } from '../../../domain/import/steps.ts';
import type { ImportIssue, SourceTable } from '../../../domain/import/table.ts';
import { cellHint, refuse } from './cells.ts';
import { flagNames, type ImportFlags } from './flags.ts';
import type { Source } from './read.ts';

export interface MatchedColumns {
  columns: ImportColumn[];
  key: ImportColumn;
  /** Attributes that the import adds. */
  created: NewAttribute[];
  /** Options that the import adds to attributes of the list. */
  options: AddedOptions[];
  /** Columns that only the server sets. */
  ignored: string[];
  /** The number of columns that match nothing. */
  unknown: number;
  issues: ImportIssue[];
  /** Columns whose type a few cells decide. */
  warnings: string[];
}

/** Matches the columns with the fields and attributes of the list. @throws usage, also when no column is the key */
export async function matchFile(
  { runtime }: Context,
  { name, table }: Source,
  attributes: readonly Attribute[],
  flags: ImportFlags & { mappings: Mappings },
  reading: ReadingOptions,
): Promise<MatchedColumns> {
  const { createAttrs: create = false, key: keyName = 'title' } = flags;
  const matching = matchColumns(table, attributes, {
    mappings: flags.mappings.columns,
    create,
    key: keyName,
    flags: flagNames,
  });
  const { unmatched, ignored } = matching;
  const added = await blocking(runtime, () => createdFor(table, matching, attributes, flags, reading));
  const unknown = create ? [] : unmatched.map((column) => unknownColumn(column, table, attributes, flagNames));
  const extended = flags.addOptions
    ? await blocking(runtime, () => extendOptions(table, matching.columns, reading))
    : { columns: matching.columns, added: [], joined: [] };
  const columns = [...extended.columns, ...added.columns];
  const joined = extended.joined.map(({ header, slug, line, label, parts, separator }) => {
    const mapping = (step: string) => `--map '${header}=${slug}|${step}'`;
    const message = `"${label}" would be one option; for ${parts.length} write ${mapping(`split("${separator}")`)}, for one ${mapping('trim')}`;
    return { line, column: header, message };
  });
  const issues = [...matching.issues, ...unknown, ...(reading.isExport ? [] : [...added.issues, ...joined])];
  const key = keyColumn(keyName, columns);
  if (key === undefined) {
    const failure = noKey(keyName, table);
    const { issues: wrong, unnamed, headerLine, lineUnit } = table;
    // Names of groups of columns leave most columns without a name.
    const isAbove = (unnamed?.size ?? 0) > 1 && headerLine !== undefined;
    const above = `${flagNames.skipRow} ${headerLine} leaves out a ${lineUnit} above the names of the columns`;
    const hints = isAbove ? [above] : [failure.hint, cellHint([], flags, unknown.length - 1)];
    refuse([...wrong, ...issues], name, table, hints.filter(Boolean).join('; '));
    throw failure;
  }
  if (key.target.field === 'value' && key.target.attribute.attribute_type === 'multi_select') {
    throw usage(`--key ${flags.key}: a multi_select has several values, and a key must be one`);
  }
  const { created, warnings } = added;
  return { columns, key, created, options: extended.added, ignored, unknown: unknown.length, issues, warnings };
}

interface Mappings {
  columns: Map<string, Mapping>;
  /** The step `empty` of all columns. */
  all?: Steps;
}

/** `COLUMN=TARGET|step`, `COLUMN=step` and `*=empty(…)`. @throws usage for another text, and for an unknown step */
export function mappingsOf(values: readonly string[] = []): Mappings {
  const mappings: Mappings = { columns: new Map() };
  for (const [column, right] of pairsOf('--map', values)) {
    const source = `--map ${column}`;
    const [first = '', ...more] = splitOutside(right, '|');
    const isBare = isStep(first);
    const written = isBare ? [first, ...more] : more;
    const steps = written.length === 0 ? undefined : readSteps(written.join('|'), source);
    if (column !== '*') mappings.columns.set(column, { target: isBare ? undefined : first.trim(), steps });
    else if (steps && /^empty\([^|]*$/.test(right)) mappings.all = steps;
    else throw usage(`${source}: only the step empty is for all columns`, "write it as --map '*=empty(n/a)'");
  }
  return mappings;
}

/** The source without the texts that stand for empty cells. */
export function withEmptyCells(source: Source, { all }: Mappings): Source {
  if (all === undefined) return source;
  const { table } = source;
  const emptied = (cell: unknown) => (typeof cell === 'string' ? all.text(cell) : cell);
  const rows = mapRows(table.rows, ({ line, cells }) => ({ line, cells: cells.map(emptied) }));
  return { ...source, table: { ...table, rows } };
}

/** Splits at the last `=` outside of brackets: column names may contain `=`, and so may arguments of steps. */
function pairsOf(flag: string, values: readonly string[]): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const value of values) {
    const before = splitOutside(value, '=');
    const target = before.pop() ?? '';
    // An unclosed bracket belongs to the column name.
    const at = before.length > 0 ? value.length - target.length - 1 : value.lastIndexOf('=');
    const column = value.slice(0, at).trim();
    if (at < 1 || column === '') {
      const [, name, target] = /^([^=:]+):([^=:]+)$/.exec(value) ?? [];
      throw usage(`${flag} takes COLUMN=TARGET, got "${value}"`, name && `write ${flag} '${name}=${target}'`);
    }
    if (pairs.has(column)) throw usage(`${flag} names the column "${column}" twice`);
    pairs.set(column, value.slice(at + 1).trim());
  }
  return pairs;
}

function createdFor(
  table: SourceTable,
  { columns: matched, unmatched }: Matching,
  attributes: readonly Attribute[],
  flags: ImportFlags,
  reading: ReadingOptions,
): Pick<MatchedColumns, 'columns' | 'created' | 'issues' | 'warnings'> {
  const types = typesOf(flags, unmatched, matched);
  const columns: ImportColumn[] = [];
  const issues: ImportIssue[] = [];
  const warnings: string[] = [];
  if (!flags.createAttrs) return { columns, created: [], issues, warnings };
  const inferred = newAttributes(table, unmatched, attributes, { types, reading });
  const created = inferred.map(({ joined, near, column: { index, header, steps }, ...attribute }) => {
    // Steps may split or replace the options.
    if (joined && !steps) issues.push({ line: joined.line, column: header, message: severalOptions(header, joined) });
    const target = { field: 'value', slug: attribute.slug, attribute: asAttribute(attribute) } as const;
    columns.push({ index, header, target, steps });
    if (near) warnings.push(nearTypeWarning(header, attribute.attribute_type, near, table.lineUnit));
    return attribute;
  });
  return { columns, created, issues, warnings };
}

function nearTypeWarning(
  header: string,
  type: AttributeType,
  { type: near, wrong, count, cell, format }: NearType,
  unit: SourceTable['lineUnit'],
): string {
  const example = `${unit} ${cell.line}, ${quote(cell.text)}`;
  if (format !== undefined)
    return `Column ${header} is ${type}: years of two digits (${example}) are dates with --date-format ${format}.`;
  const cells = `${wrong} of ${count} cells (${example})`;
  return `Column ${header} is ${type} because of ${cells}; --type ${shellWord(`${header}=${near}`)} reports ${wrong === 1 ? 'it' : 'them'}.`;
}

/** The types of new attributes by header, as --type and the last steps of --map name them. */
function typesOf(
  flags: ImportFlags,
  unmatched: readonly UnmatchedColumn[],
  matched: readonly ImportColumn[],
): Map<string, AttributeType> {
  const pairs = pairsOf('--type', flags.type ?? []);
  const types = new Map<string, AttributeType>();
  for (const { header, steps } of unmatched) {
    if (steps?.isSplit) types.set(header, 'multi_select');
    if (steps?.as) types.set(header, steps.as.kind === 'date' ? 'date' : 'number');
  }
  const headers = unmatched.map(({ header }) => header);
  for (const [column, name] of pairs) {
    const type = attributeTypes.find((known) => known === name);
    if (type === undefined) {
      throw usage(
        `--type ${column}=${name}: a type is one of ${attributeTypes.join(', ')}`,
        name === 'percent' ? `write --map '${column}=percent()': it divides by 100` : undefined,
      );
    }
    if (!flags.createAttrs) throw usage('--type sets the type of a new attribute, and needs --create-attrs');
    const header = headerNamed(column, headers);
    const { target } = matched.find((each) => headerNamed(column, [each.header]) !== undefined) ?? {};
    const before = header === undefined && target?.field === 'value' ? target.attribute.attribute_type : undefined;
    // An earlier import of the same file has created it.
    if (before === type) continue;
    if (before !== undefined) {
      throw usage(
        `--type ${column}=${name}: the list has this attribute already, of the type ${before}`,
        'omit --type',
      );
    }
    if (header === undefined) {
      const says = `--type ${column}=${name}: no attribute is created for a column "${column}"`;
      throw usage(says, nearestHint(column, headers));
    }
    types.set(header, type);
  }
  return types;
}

function severalOptions(header: string, { label, parts, separator }: JoinedOption): string {
  const several = separator === ';' ? '' : ` --map '${header}=${header}|split("${separator}")'`;
  return `"${label}" would be one option; for ${parts.length} write --type '${header}=multi_select'${several}, for one --type '${header}=select', for free text --type '${header}=text'`;
}

/** The column of `--key`, by field, slug, attribute name or header. */
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
      ? `name the column of titles, such as --map '${headers[0]}=title', or choose another key with --key`
      : `name its column with --map 'COLUMN=${key}'`;
  return usage(`--key ${key}: the file has no such column; it has ${headers.join(', ')}`, hint);
}
