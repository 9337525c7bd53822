/** Columns matched with the list and the readers of their cells, by the flags and the cells themselves. */

import type { Context } from '../../../cli/context.ts';
import { blocking } from '../../../cli/runtime.ts';
import { amount } from '../../../cli/words.ts';
import { type AttributeType, attributeTypes } from '../../../contract/lists.ts';
import { type Failure, shortened, usage } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import { mapRows } from '../../../core/spool.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import { type Finding, type ReadingOptions, withReadings } from '../../../domain/import/cells.ts';
import {
  headerNamed,
  type ImportColumn,
  matchColumns,
  slugLike,
  type UnmatchedColumn,
  unknownColumn,
} from '../../../domain/import/columns.ts';
import { asAttribute, type JoinedOption, type NewAttribute, newAttributes } from '../../../domain/import/infer.ts';
import {
  dateFormat,
  localeOf,
  monthNames,
  type NumberStyle,
  pointStyle,
  readDate,
  readNumber,
  styleOf,
} from '../../../domain/import/numbers.ts';
import { readSteps, type Steps, splitOutside } from '../../../domain/import/steps.ts';
import {
  cellText,
  type ImportIssue,
  isUnitCell,
  isWrongCell,
  ownExport,
  type SourceTable,
} from '../../../domain/import/table.ts';
import type { ImportFlags } from './flags.ts';

export interface MatchedColumns {
  columns: ImportColumn[];
  key: ImportColumn | undefined;
  /** Attributes that the import adds. */
  created: NewAttribute[];
  /** Columns that only the server sets. */
  ignored: string[];
  issues: ImportIssue[];
  notes: string[];
  /** The decimal mark that the flags name. */
  decimal: string | undefined;
}

/** @throws usage for flags that contradict each other or the file */
export async function columnsOf(
  { runtime }: Context,
  table: SourceTable,
  attributes: readonly Attribute[],
  flags: ImportFlags,
): Promise<MatchedColumns> {
  const { createAttrs: create = false, key = 'title' } = flags;
  const matching = matchColumns(table, attributes, { ...mappingsOf(flags.map), create, key });
  const { unmatched, ignored } = matching;
  const isExport = !table.json && ownExport(table.headers, table.rows) !== undefined;
  const options = readingOptions(flags, table, isExport);
  const { created, issues: joined } = await blocking(runtime, () =>
    createdFor(table, unmatched, attributes, flags, options),
  );
  const unknown = create ? [] : unmatched.map((column) => unknownColumn(column, attributes));
  const matched = [...matching.columns, ...columnsFor(unmatched, created)];
  const { columns, findings } = await blocking(runtime, () => withReadings(table, matched, options));
  const { issues, notes } = explain(findings, table, isExport);
  return {
    columns,
    key: keyColumn(key, columns),
    created,
    ignored,
    issues: [...matching.issues, ...unknown, ...(isExport ? [] : joined), ...issues],
    notes,
    decimal: options.style?.decimal,
  };
}

interface Mappings {
  map: Map<string, string>;
  steps: Map<string, Steps>;
}

/** `COLUMN=TARGET` and `COLUMN=TARGET|step|step`. @throws usage for one that is not, and for an unknown step */
function mappingsOf(values: readonly string[] = []): Mappings {
  const map = new Map<string, string>();
  const steps = new Map<string, Steps>();
  for (const [column, right] of pairsOf('--map', values)) {
    const [target = '', ...more] = splitOutside(right, '|');
    map.set(column, target.trim());
    if (more.length > 0) steps.set(column, readSteps(more.join('|'), `--map ${column}`));
  }
  return { map, steps };
}

/** The column's name may contain a `=`, the target does not; the steps may, in brackets. */
function pairsOf(flag: string, values: readonly string[]): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const value of values) {
    const before = splitOutside(value, '=');
    const target = before.pop() ?? '';
    // A bracket that is not closed belongs to the name of the column.
    const at = before.length > 0 ? value.length - target.length - 1 : value.lastIndexOf('=');
    const column = value.slice(0, at).trim();
    if (at < 1 || column === '') throw usage(`${flag} takes COLUMN=TARGET, got "${value}"`);
    if (pairs.has(column)) throw usage(`${flag} names the column "${column}" twice`);
    pairs.set(column, value.slice(at + 1).trim());
  }
  return pairs;
}

function createdFor(
  table: SourceTable,
  unmatched: readonly UnmatchedColumn[],
  attributes: readonly Attribute[],
  flags: ImportFlags,
  options: ReadingOptions,
): { created: NewAttribute[]; issues: ImportIssue[] } {
  const types = typesOf(flags, unmatched);
  if (!flags.createAttrs) return { created: [], issues: [] };
  const issues: ImportIssue[] = [];
  const created = newAttributes(asMeant(table, unmatched, options), unmatched, attributes, types).map(
    ({ joined, ...attribute }, index) => {
      const { header = '', steps } = unmatched[index] ?? {};
      // With steps of its own the column is read as they say.
      if (joined && !steps) issues.push({ line: joined.line, column: header, message: severalOptions(header, joined) });
      return attribute;
    },
  );
  return { created, issues };
}

/** The types of new attributes by header, as --type and the last steps of --map name them. */
function typesOf(flags: ImportFlags, unmatched: readonly UnmatchedColumn[]): Map<string, AttributeType> {
  const pairs = pairsOf('--type', flags.type ?? []);
  if (pairs.size > 0 && !flags.createAttrs) {
    throw usage('--type sets the type of a new attribute, and needs --create-attrs');
  }
  const types = new Map<string, AttributeType>();
  for (const { header, steps } of unmatched) {
    if (steps?.as) types.set(header, steps.as.kind === 'date' ? 'date' : 'number');
  }
  const headers = unmatched.map(({ header }) => header);
  for (const [column, name] of pairs) {
    const header = headerNamed(column, headers);
    if (header === undefined) {
      const near = nearest(column, headers);
      throw usage(
        `--type ${column}=${name}: no attribute is created for a column "${column}"`,
        near && `did you mean ${near}?`,
      );
    }
    const type = attributeTypes.find((known) => known === name);
    if (type === undefined) throw usage(`--type ${column}=${name}: a type is one of ${attributeTypes.join(', ')}`);
    types.set(header, type);
  }
  return types;
}

function severalOptions(header: string, { label, parts, separator }: JoinedOption): string {
  const several = separator === ';' ? '' : ` --map '${header}=${header}|split("${separator}")'`;
  return `"${label}" would be one option; for ${parts.length} write --type '${header}=multi_select'${several}, for one --type '${header}=select'`;
}

/** The cells by which new attributes are typed: as they will be read, as far as the flags say it. */
function asMeant(table: SourceTable, unmatched: readonly UnmatchedColumn[], reading: ReadingOptions): SourceTable {
  if (table.json) return table;
  const { style, dateFormat, locale, trim } = reading;
  const months = monthNames(locale);
  const meant = (cell: unknown, steps: Steps | undefined): unknown => {
    if (isWrongCell(cell)) return '';
    if (isUnitCell(cell)) return cell.number;
    if (typeof cell !== 'string') return cell;
    const text = steps ? steps.text(trim ? cell.trim() : cell) : trim ? cell.trim() : cell;
    // A leading zero belongs to a code.
    const number = style && !/^[+-]?0\d/.test(text) ? readNumber(text, style)?.value : undefined;
    return number ?? (dateFormat && readDate(text, dateFormat, months)) ?? text;
  };
  const steps = new Map(unmatched.map((column) => [column.index, column.steps]));
  const rows = mapRows(table.rows, ({ line, cells }) => ({
    line,
    cells: cells.map((cell, index) => (steps.has(index) ? meant(cell, steps.get(index)) : cellText(cell))),
  }));
  return { ...table, rows };
}

function columnsFor(unmatched: readonly UnmatchedColumn[], created: readonly NewAttribute[]): ImportColumn[] {
  return created.flatMap((attribute, index): ImportColumn[] => {
    const column = unmatched[index];
    if (column === undefined) return [];
    const target = { field: 'value', slug: attribute.slug, attribute: asAttribute(attribute), fresh: true } as const;
    return [{ index: column.index, header: column.header, target, steps: column.steps }];
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

export function noKey(key: string, { headers }: SourceTable): Failure {
  const hint =
    key === 'title'
      ? "name the column of titles with --map 'COLUMN=title', or choose another key with --key"
      : `name its column with --map 'COLUMN=${key}'`;
  return usage(`--key ${key}: the file has no such column; it has ${headers.join(', ')}`, hint);
}

/** @param isExport the file is an export of comem, whose texts keep their blanks */
function readingOptions(flags: ImportFlags, table: SourceTable, isExport: boolean): ReadingOptions {
  const { locale: name, decimal, thousands, dateFormat: dates } = flags;
  const textFlags = { '--locale': name, '--decimal': decimal, '--thousands': thousands, '--date-format': dates };
  const [flag] = Object.entries(textFlags).find(([, value]) => value !== undefined) ?? [];
  if (table.json && flag !== undefined) {
    throw usage(`${flag} is for the texts of CSV, TSV and XLSX; JSON and YAML have numbers and dates of their own`);
  }
  const locale = name === undefined ? undefined : localeOf(name);
  if (name !== undefined && locale === undefined) {
    const near = nearest(name, ['de', 'fr', 'ch', 'en', 'es', 'it', 'nl', 'pt', 'at', 'us', 'gb']);
    throw usage(`--locale ${name} is not a known language`, near ? `did you mean ${near}?` : 'write it as de or fr-CH');
  }
  const format = dates === undefined ? undefined : dateFormat(dates);
  if (dates !== undefined && format === undefined) {
    throw usage(`--date-format ${dates} is not a format of dates`, 'write it as dd.mm.yyyy, mm/dd/yyyy or d mmm yy');
  }
  return { style: numberStyle(flags, locale), locale, dateFormat: format, trim: !flags.noTrim && !isExport };
}

function numberStyle({ decimal, thousands }: ImportFlags, locale: string | undefined): NumberStyle | undefined {
  const ofLocale = locale === undefined ? undefined : styleOf(locale);
  if (decimal === undefined && thousands === undefined) return ofLocale;
  const mark = decimal ?? (thousands === '.' ? ',' : (ofLocale?.decimal ?? pointStyle.decimal));
  const groups = thousands === undefined ? [mark === ',' ? '.' : ','] : [thousands];
  for (const [flag, value] of [
    ['--decimal', decimal],
    ['--thousands', thousands],
  ] as const) {
    if (value !== undefined && (value.length !== 1 || /[\d+\-\p{L}]/u.test(value))) {
      throw usage(`${flag} takes one character that separates digits, got ${JSON.stringify(value)}`);
    }
  }
  if (groups.includes(mark)) throw usage(`--decimal and --thousands are both "${mark}"`, 'give two characters');
  return { decimal: mark, groups };
}

/** @param isExport the file is an export of comem, in which a point is the decimal point */
function explain(
  findings: readonly Finding[],
  { place }: SourceTable,
  isExport: boolean,
): { issues: ImportIssue[]; notes: string[] } {
  const issues: ImportIssue[] = [];
  const notes: string[] = [];
  const comma = findings.find((finding) => finding.is === 'comma');
  for (const finding of findings) {
    const message = issueOf(finding, place, comma);
    if (message !== undefined) issues.push({ line: lineOf(finding), column: finding.header, message });
    else if (!(isExport && finding.is === 'ambiguous')) notes.push(noteOf(finding, place));
  }
  return { issues, notes };
}

function lineOf(finding: Finding): number {
  return 'cell' in finding ? finding.cell.line : 'cells' in finding ? finding.cells[1].line : finding.comma.line;
}

/** What has two readings is refused; undefined for what only needs a note. */
function issueOf(finding: Finding, place: string, comma: Finding | undefined): string | undefined {
  const at = ({ line, text }: { line: number; text: string }) => `${quoted(text)} on ${place} ${line}`;
  switch (finding.is) {
    case 'mixed':
      return `${at(finding.point)} has a decimal point and ${at(finding.comma)} a decimal comma; say which with --decimal . or --decimal ,`;
    case 'ambiguous':
      if (finding.isPlain && comma === undefined) return undefined;
      return `${quoted(finding.cell.text)} is ${finding.point} with a decimal point and ${finding.comma} with a decimal comma; say which with --decimal . or --decimal ,`;
    case 'currencies':
      return `mixes currencies: ${at(finding.cells[0])}, ${at(finding.cells[1])}; split the column, or remove the sign with --map 'COLUMN=SLUG|strip(…)|number'`;
    case 'currency':
      return `${quoted(finding.cell.text)} is not in ${finding.wanted}, the currency of the attribute`;
    case 'partly percent':
      return `${at(finding.cells[0])} has a percent sign and ${at(finding.cells[1])} has none; write all in one way`;
    case 'crosses':
      return `${at(finding.cells[0])} may mean yes or no beside ${at(finding.cells[1])}; replace it with --map 'COLUMN=SLUG|replace(x,yes)'`;
    case 'ambiguous date': {
      const readings = finding.readings.map(({ format, date }) => `${date} as ${format}`).join(' and ');
      return `${quoted(finding.cell.text)} is ${readings}; say which with --date-format`;
    }
    case 'mixed dates':
      return `no one format reads both ${at(finding.cells[0])} and ${at(finding.cells[1])}; write all dates in one way`;
    default:
      return undefined;
  }
}

function noteOf(finding: Finding, place: string): string {
  const column = `Column ${finding.header}`;
  if (finding.is === 'mixed' || !('cell' in finding)) return column;
  const example = `${place} ${finding.cell.line}, ${quoted(finding.cell.text)}`;
  switch (finding.is) {
    case 'ambiguous':
      return `${column}: a point is read as the decimal point (${example} is ${finding.point}); --decimal , reads ${finding.comma}.`;
    case 'comma':
      return `${column}: numbers have a decimal comma (${example}); --decimal . reads them with a point.`;
    case 'percent':
      return `${column}: percents keep their number (${example}); --map '${finding.header}=SLUG|percent' divides by 100.`;
    case 'dates':
      return `${column}: dates are read as ${finding.format}, the only format that fits (${example}).`;
    case 'joined':
      return `${column}: ${amount(finding.count, 'cell', 'cells')} joined with the option "${finding.label}" (${example}).`;
    case 'trimmed':
      return `${column}: blanks around ${amount(finding.count, 'text', 'texts')} are removed (${example}); --no-trim keeps them.`;
    default:
      return column;
  }
}

function quoted(text: string): string {
  return JSON.stringify(shortened(text, 40));
}
