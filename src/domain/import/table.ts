/** A file as a table of rows, before its columns are matched. */

import { isUuid } from '../../contract/validate.ts';
import { isNumeric, plainDecimal } from '../../core/json.ts';
import type { GrowingRows, Rows } from '../../core/row-store.ts';
import type { UnitCell, WrongCell } from '../../core/workbook.ts';

export const textFormats = ['csv', 'tsv', 'json', 'ndjson', 'yaml'] as const;
export const rowFormats = [...textFormats, 'xlsx'] as const;

/** The names of the command's flags, for messages. */
export type FlagNames = Readonly<
  Record<'addOptions' | 'createAttrs' | 'dateFormat' | 'decimal' | 'map' | 'sheet' | 'skipRow', string>
>;

/** Modes: which of creating, updating and archiving an import does. */
export const importModes = ['upsert', 'insert', 'update', 'sync'] as const;

export interface SourceRow {
  /** Line where the row starts, or its number among the items of a JSON array; from 1. */
  line: number;
  /** A cell for each header; undefined if the row has none. Texts, JSON values or `SheetCell`s. */
  cells: readonly unknown[];
}

export interface SourceTable {
  headers: readonly string[];
  /** Empty and repeated headers by index; their columns are called `#2` and so on. */
  unnamed?: ReadonlyMap<number, string>;
  /** The line that names the columns; undefined for JSON. */
  headerLine?: number | undefined;
  rows: Rows<SourceRow>;
  /** Cells are JSON values and carry their own type. */
  json: boolean;
  lineUnit: 'line' | 'item' | 'row';
  delimiter?: string;
  /** Problems of reading, such as a row with more cells than the header. */
  issues: readonly ImportIssue[];
  /** Rows that begin with a word for a sum of the others, with that text. */
  totals?: ReadonlyMap<number, string>;
  /** How the file is read, in sentences without their period. */
  notes?: readonly string[];
  warnings?: readonly string[];
  /** The reading of columns that a file of failed rows kept from its source. */
  formats?: Readonly<Record<string, string>>;
}

/** The column that marks a file of failed rows. */
export const reasonColumn = '_reason';

/** The cells of a row by header, as another file can hold them. */
export function recordOf(headers: readonly string[], cells: readonly unknown[]): Record<string, unknown> {
  const record: [string, unknown][] = [];
  for (const [index, header] of headers.entries()) {
    const cell = cells[index];
    if (cell !== undefined) record.push([header, cell]);
  }
  return Object.fromEntries(record);
}

/** Makes headers unique: empty and repeated ones become `#2` and so on. */
export function uniqueHeaders(names: readonly string[]): Required<Pick<SourceTable, 'headers' | 'unnamed'>> {
  const known = new Set(['']);
  const isNew = (name: string) => !known.has(name) && known.add(name) !== undefined;
  const unnamed = new Map([...names.entries()].filter(([, name]) => !isNew(name)));
  return { headers: names.map((name, at) => (unnamed.has(at) ? `#${at + 1}` : name)), unnamed };
}

/** Texts that people write into cells without a value. */
const placeholders = new Set('n/a #n/a n.a. na nan - -- – — none null nil tbd tba ? k.a. (none) (blank)'.split(' '));

export function isPlaceholder(text: string): boolean {
  return text.length < 10 && placeholders.has(text.trim().toLowerCase());
}

/** Words for a sum of rows, in the languages of `yesWords`. */
const totalWord =
  /^(?:(?:grand|sub|over-?all|net)[\s-]*)?(?:totals?|sum|summe|gesamt(?:summe|betrag)?|zwischensumme|somme|totale?s?|suma|soma)(?:\s*[:=(\d].*|\s+g[eé]n[eé]ral)?$/iu;

/** Most titles above the names of the columns. */
const maxTitles = 5;

/** Whether the row of this line is left out; `text` is its first cell that is filled. */
export type SkipRule = (line: number, text?: string) => boolean;

interface TableOptions {
  rows: GrowingRows<SourceRow>;
  lineUnit: 'line' | 'row';
  skips?: SkipRule | undefined;
  /** The problem of a row that does not fit the headers. */
  problem(cells: readonly unknown[], headers: readonly string[]): string | undefined;
}

/** Collects the rows of a text or a sheet: titles of one cell, the names of the columns, and data. Empty rows are left out. */
export class TableBuilder {
  private readonly issues: ImportIssue[] = [];
  private readonly totals = new Map<number, string>();
  private named: ReturnType<typeof uniqueHeaders> | undefined;
  private headerLine: number | undefined;
  private isFailed = false;
  /** Rows of one cell at the beginning: titles, or a table of one column. */
  private first: SourceRow[] = [];

  constructor(private readonly options: TableOptions) {}

  get headers(): readonly string[] {
    return this.named?.headers ?? [];
  }

  add(row: SourceRow): void {
    const filled = row.cells.filter((cell) => !isEmptyCell(cell));
    if (filled.length === 0) return;
    // Numbers of rows are those of the source.
    if (!this.named) this.isFailed ||= row.cells.includes(reasonColumn);
    if (!this.isFailed && this.options.skips?.(row.line, cellText(filled[0]))) return;
    if (this.named) this.push(row);
    else if (filled.length > 1) this.begin(row);
    else if (this.first.length < maxTitles) this.first.push(row);
    else this.beginWithFirst(row);
  }

  ended(): SourceTable | undefined {
    if (!this.named) this.beginWithFirst();
    if (!this.named) return undefined;
    const { issues, totals, named, first, headerLine } = this;
    const { rows, lineUnit } = this.options;
    const lines = `the ${first.length === 1 ? lineUnit : `${first.length} ${lineUnit}s`} above the names of the columns`;
    const notes =
      first.length === 0 ? [] : [`${lines} ${first.length === 1 ? 'is a title' : 'are titles'}, and left out`];
    return { ...named, headerLine, rows, json: false, lineUnit, issues, totals, notes };
  }

  private begin({ line, cells }: SourceRow): void {
    this.headerLine = line;
    this.named = uniqueHeaders(Array.from(cells, (cell) => cellText(cell).replace(/\s+/g, ' ').trim()));
  }

  private beginWithFirst(...more: SourceRow[]): void {
    const [header, ...rows] = [...this.first, ...more];
    this.first = [];
    if (header) this.begin(header);
    for (const row of rows) this.push(row);
  }

  private push(row: SourceRow): void {
    const { line, cells } = row;
    const { headers } = this;
    const message = this.options.problem(cells, headers);
    if (message !== undefined) this.issues.push({ line, message });
    const first = cells.find((cell) => typeof cell === 'string' && cell.trim() !== '');
    if (typeof first === 'string' && totalWord.test(first.trim())) this.totals.set(line, first.trim());
    const isWhole = cells.length >= headers.length && !cells.includes(undefined);
    this.options.rows.push(isWhole ? row : { line, cells: headers.map((_, index) => cells[index] ?? '') });
  }
}

export function isEmptyCell(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === '';
}

/** A problem that keeps a row or the file from being imported. */
export interface ImportIssue {
  line?: number | undefined;
  column?: string | undefined;
  message: string;
  /** The text of the cell, where it probably stands for an empty one. */
  placeholder?: string | undefined;
}

/** `line 4, column Amount`. */
export function placeOf({ line, column }: ImportIssue, lineUnit: SourceTable['lineUnit'] = 'line'): string {
  return [
    ...(line === undefined ? [] : [`${lineUnit} ${line}`]),
    ...(column === undefined ? [] : [`column ${column}`]),
  ].join(', ');
}

/** Sorts issues by line; those without a line come first. */
export function inFileOrder(issues: readonly ImportIssue[]): ImportIssue[] {
  return [...issues].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

const exportColumns = ['id', 'title', 'position', 'archived', 'created_at', 'updated_at'];

/**
 * Whether a table is an export of entries that comem wrote, by its columns and ids. `whole`: with every fixed column;
 * `part`: some columns, with the ids; undefined: another program's table.
 */
export function exportKind(
  headers: readonly string[],
  rows: Iterable<{ cells: readonly unknown[] }>,
): 'whole' | 'part' | undefined {
  const id = headers.indexOf('id');
  if (id < 0) return undefined;
  let hasRows = false;
  for (const { cells } of rows) {
    const cell = cells[id];
    // The header itself.
    if (cell === 'id') continue;
    if (typeof cell !== 'string' || !isUuid(cell)) return undefined;
    hasRows = true;
  }
  if (!hasRows) return undefined;
  return exportColumns.every((name) => headers.includes(name)) ? 'whole' : 'part';
}

/** Whether a sheet shows the number with a percent sign or a currency. */
export function isUnitCell(cell: unknown): cell is UnitCell {
  return typeof cell === 'object' && cell !== null && 'unit' in cell && 'number' in cell;
}

export function isWrongCell(cell: unknown): cell is WrongCell {
  return typeof cell === 'object' && cell !== null && 'wrong' in cell;
}

/** The cell as text, numbers with this decimal mark. */
export function cellText(cell: unknown, mark = '.'): string {
  if (cell === undefined || cell === null || isWrongCell(cell)) return '';
  if (isUnitCell(cell)) return `${cellText(cell.number, mark)}${cell.unit === '%' ? '%' : ` ${cell.unit}`}`;
  if (!isNumeric(cell)) return String(cell);
  return mark === ',' ? plainDecimal(cell).replace('.', ',') : plainDecimal(cell);
}
