/** Types the cells of the matched columns: reads the flags of numbers and dates, explains how each column is read, and names what is wrong. */
import type { Context } from '../../../cli/context.ts';
import { blocking } from '../../../cli/runtime.ts';
import { amount } from '../../../cli/words.ts';
import { Failure, shortened, usage } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import {
  columnReaders,
  type Finding,
  type ImportRow,
  type ReadingOptions,
  typedRows,
} from '../../../domain/import/cells.ts';
import { decimalColumn, type ImportColumn } from '../../../domain/import/columns.ts';
import { type DecimalMark, dateFormat, decimalMarkOf, localeOf } from '../../../domain/import/numbers.ts';
import {
  exportKind,
  type ImportIssue,
  inFileOrder,
  placeOf,
  type Remedy,
  type SourceTable,
} from '../../../domain/import/table.ts';
import type { ImportFlags } from './flags.ts';

export interface Reading extends ReadingOptions {
  /** The file is an export of comem: a point is the decimal point, and texts keep their blanks. */
  isExport: boolean;
}

export interface TypedCells {
  rows: Iterable<ImportRow>;
  /** Issues of cells; complete after the last row is read. */
  issues: readonly ImportIssue[];
  /** Columns with two readings. */
  columnIssues: ImportIssue[];
  notes: string[];
  /** The decimal mark of the file. */
  decimal: DecimalMark | undefined;
}

export async function typeCells(
  { runtime }: Context,
  table: SourceTable,
  { columns, key }: { columns: readonly ImportColumn[]; key: ImportColumn },
  reading: Reading,
): Promise<TypedCells> {
  const { readers, findings, decimal } = await blocking(runtime, () => columnReaders(table, columns, reading));
  const { issues, notes } = explain(findings, table, reading);
  return { ...typedRows(table, readers, key), columnIssues: issues, notes, decimal: reading.decimal ?? decimal };
}

/** The reading options of the flags. @throws usage for flags that contradict each other or the file */
export function readingOptions(ctx: Context, table: SourceTable, flags: ImportFlags): Reading {
  const { locale: name, dateFormat: dates } = flags;
  const textFlags = { '--locale': name, '--decimal': flags.decimal, '--date-format': dates };
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
  const isExport = !table.json && exportKind(table.headers, table.rows) !== undefined;
  const mark = flags.decimal as DecimalMark | undefined;
  const empty = flags.empty === 'keep' ? 'keep' : 'clear';
  return {
    decimal: mark ?? (locale === undefined ? decimalOf(table) : decimalMarkOf(locale)),
    locale,
    dateFormat: format,
    trim: !isExport,
    empty,
    now: ctx.now(),
    isExport,
  };
}

/** The decimal mark that a file of failed rows names. */
function decimalOf({ headers, rows }: SourceTable): DecimalMark | undefined {
  const at = headers.indexOf(decimalColumn);
  if (at < 0) return undefined;
  for (const { cells } of rows) if (cells[at] === ',') return ',';
  return undefined;
}

function explain(
  findings: readonly Finding[],
  { lineUnit: unit }: SourceTable,
  { isExport }: Reading,
): { issues: ImportIssue[]; notes: string[] } {
  const issues: ImportIssue[] = [];
  const notes: string[] = [];
  const comma = findings.find((finding) => finding.is === 'comma');
  for (const finding of findings) {
    const message = issueOf(finding, unit, comma);
    if (message !== undefined) issues.push({ line: lineOf(finding), column: finding.header, message });
    else if (!(isExport && finding.is === 'ambiguous')) notes.push(noteOf(finding, unit));
  }
  return { issues, notes };
}

function lineOf(finding: Finding): number {
  return 'cell' in finding ? finding.cell.line : 'cells' in finding ? finding.cells[1].line : finding.comma.line;
}

/** The message of a column with two readings; undefined for findings that are notes. */
function issueOf(finding: Finding, unit: string, comma: Finding | undefined): string | undefined {
  const at = ({ line, text }: { line: number; text: string }) => `${quoted(text)} on ${unit} ${line}`;
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

function noteOf(finding: Finding, unit: string): string {
  const column = `Column ${finding.header}`;
  if (finding.is === 'mixed' || !('cell' in finding)) return column;
  const example = `${unit} ${finding.cell.line}, ${quoted(finding.cell.text)}`;
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
      return `${column}: blanks around ${amount(finding.count, 'text', 'texts')} are removed (${example}).`;
    default:
      return column;
  }
}

function quoted(text: string): string {
  return JSON.stringify(shortened(text, 40));
}

/** As many issues as a person can use; a message for each of 300,000 takes minutes and half a gigabyte. */
const mostListed = 1000;

/** @throws usage with the first issues, unless there is none */
export function refuse(issues: readonly ImportIssue[], name: string, table: SourceTable, hint?: string): void {
  if (issues.length === 0) return;
  const details = inFileOrder(issues)
    .slice(0, mostListed)
    .map((issue) => {
      const { remedy: _, ...rest } = issue;
      return { ...rest, message: messageOf(issue), path: placeOf(issue, table.lineUnit) };
    });
  const listed = issues.length > mostListed ? `, of which the first ${mostListed} are listed` : '';
  throw new Failure(
    'usage',
    `${name} cannot be imported: ${amount(issues.length, 'error', 'errors')}${listed}; nothing was written`,
    { code: 'invalid_file', details: { issues: details }, hint },
  );
}

export function messageOf({ message, remedy, column }: ImportIssue): string {
  return `${message}${remedy === undefined ? '' : howTo(remedy, column ?? 'COLUMN')}`;
}

/** The flags that solve an issue. */
function howTo(remedy: Remedy, column: string): string {
  switch (remedy) {
    case 'choose':
      return `; choose one with --map '${column}=SLUG'`;
    case 'name':
      return `; name it with --map '${column}=SLUG', or leave it out with --map '${column}='`;
    case 'own':
      return `; keep it as an attribute with --map '${column}=SLUG', or leave it out with --map '${column}='`;
    case 'option':
      return '; add it with --add-options';
    case 'leaveOut':
      return `; leave one out with --map '${column}='`;
    case 'match':
      return `; match it with --map '${column}=SLUG', leave it out with --map '${column}=', or add it with --create-attrs`;
    case 'title':
      return "; name its column with --map 'COLUMN=title'";
  }
}
