/**
 * Types the cells of a file. All cells of a column are surveyed before the first is read, because only the whole column
 * shows how its numbers and dates are written.
 */

import { isUuid } from '../../contract/validate.ts';
import { Failure, shorten, usage } from '../../core/errors.ts';
import { isInteger, isNumeric, type Numeric, plainDecimal, propertyOf } from '../../core/json.ts';
import { canonicalText, foldedText } from '../../core/same.ts';
import { type Attribute, optionsOf } from '../entries/options.ts';

import { typedJson, typedText } from '../entries/values.ts';
import type { ColumnTarget, EntryField, ImportColumn, KeyTarget } from './columns.ts';
import { DateColumn, type DateFormat, dateFormat } from './dates.ts';
import type { ColumnFormats } from './failed.ts';
import { type CellRef, type ColumnContext, type Finding, placeIn, problem, quote } from './findings.ts';
import { type DecimalMark, decimalMarkOf, localeOf, NumberColumn } from './numbers.ts';
import { emptyMapping } from './steps.ts';
import {
  cellText,
  type FlagNames,
  type ImportIssue,
  isEmptyCell,
  isPlaceholder,
  isUnitCell,
  isWrongCell,
  type SourceTable,
} from './table.ts';

export interface ReadingOptions {
  /** The decimal mark of numbers; undefined to derive it from each column. */
  decimal?: DecimalMark | undefined;
  locale?: string | undefined;
  dateFormat?: DateFormat | undefined;
  /** The decimal marks and formats of dates that a file of failed rows kept from its source, by header. */
  formats?: ColumnFormats | undefined;
  /** The file is an export of comem: a point is the decimal point, and texts keep their blanks. */
  isExport: boolean;
  /** An empty cell clears the value of an entry, or keeps it. */
  empty: 'clear' | 'keep';
  now: Date;
  flags: FlagNames;
}

type CellValue = { value: unknown } | { wrong: string; placeholder?: string | undefined };

export interface TypedCells {
  /** The valid rows, lazily. */
  rows: Iterable<ImportRow>;
  /** Issues of cells; complete after the last row is read. */
  issues: readonly ImportIssue[];
  columnIssues: ImportIssue[];
  notes: string[];
  /** Which cells may stand for no value, and the mapping that empties them. */
  placeholders: string | undefined;
  /** The decimal marks and formats of dates of the columns. */
  formats: ColumnFormats;
}

/** Surveys all cells, and then reads them row by row. Every row needs a key, and keys must be unique. */
export function typeCells(
  table: SourceTable,
  { columns, key }: { columns: readonly ImportColumn[]; key: ImportColumn },
  options: ReadingOptions,
): TypedCells {
  const readers = columns.map((column) => new Cells(column, table.json, options));
  const surveyed = readers.filter(({ column }) => !table.json || column.steps !== undefined);
  if (surveyed.length > 0) {
    for (const { line, cells } of table.rows) {
      for (const reader of surveyed) reader.survey(cells[reader.column.index], line);
    }
  }
  const { isExport, flags } = options;
  const marks = new Set(surveyed.flatMap((reader) => reader.format ?? []));
  // A comma that separates no cells separates decimals.
  const mayHaveCommas = marks.has(',') || (table.delimiter === ';' && !marks.has('.') && !isExport);
  const findings = surveyed.flatMap((reader) => {
    const { header } = reader.column;
    const context = { header, unit: table.lineUnit, mayHaveCommas, isExport, flags };
    return reader.findings(context).map((finding) => ({ header, ...finding }));
  });
  const issues: ImportIssue[] = [];
  const notes = findings.flatMap(({ is, says }) => (is === 'note' ? [says] : []));
  return {
    rows: validRows(table, { readers, key, flags }, issues),
    issues,
    columnIssues: findings.flatMap(({ is, header: column, line, says: message }) =>
      is === 'problem' ? [{ line, column, message }] : [],
    ),
    notes,
    placeholders: isExport ? undefined : placeholderNote(surveyed, flags),
    formats: Object.fromEntries(
      readers.flatMap(({ column, format }) => (format === undefined ? [] : [[column.header, format]])),
    ),
  };
}

/** Surveys the texts of a column, and then reads them. `raw` is the text without trimming. */
interface TextReader {
  /** The decimal mark or the format of dates, where the flags or the texts show it. */
  readonly format?: string | undefined;
  add?(text: string, line: number): void;
  findings?(context: ColumnContext): readonly Finding[];
  read(text: string, raw: string): unknown;
}

class Cells {
  private readonly texts: TextReader | undefined;
  private readonly isTrimming: boolean;
  /** Texts that probably stand for an empty cell. */
  readonly placeholders = new Set<string>();
  placeholderCount = 0;

  constructor(
    readonly column: ImportColumn,
    private readonly json: boolean,
    private readonly options: ReadingOptions,
  ) {
    this.texts = json && !column.steps?.as ? undefined : textReader(column, options);
    this.isTrimming = !options.isExport && !json;
  }

  survey(cell: unknown, line: number): void {
    if (isUnitCell(cell)) this.numbers?.addCell(cell, line);
    else if (isNumeric(cell)) this.numbers?.addCell({ number: cell }, line);
    if (typeof cell !== 'string' || cell === '') return;
    const text = this.textOf(cell);
    if (isPlaceholder(text) && !this.hasOption(text)) {
      this.placeholders.add(text.trim());
      this.placeholderCount += 1;
    }
    if (text !== '') this.texts?.add?.(text, line);
  }

  get format(): string | undefined {
    return this.texts?.format;
  }

  findings(context: ColumnContext): readonly Finding[] {
    return this.texts?.findings?.(context) ?? [];
  }

  read(cell: unknown): CellValue {
    if (isWrongCell(cell)) return { wrong: cell.wrong };
    const { target } = this.column;
    const { empty, now } = this.options;
    let content: unknown;
    try {
      content = this.meaningOf(cell);
    } catch (error) {
      return { ...wrongOf(error, ({ message }) => message), placeholder: this.placeholderIn(cell) };
    }
    if (content === undefined) return { value: undefined };
    if (isEmptyCell(content) && !(this.json && content === null && target.field === 'value')) {
      return { value: empty === 'keep' && content !== null ? undefined : null };
    }
    if (target.field !== 'value')
      return fieldValue(target.field, this.json ? content : sheetField(target.field, content));
    const { attribute } = target;
    try {
      if (this.json || isTyped(attribute, content)) return { value: typedJson(attribute, content, { now }) };
      return { value: typedText(attribute, isNumeric(content) ? plainDecimal(content) : String(content), { now }) };
    } catch (error) {
      const remedy = optionsOf(attribute) ? `add it with ${this.options.flags.addOptions}` : undefined;
      return {
        ...wrongOf(error, ({ message, hint }) => [message, hint, remedy].filter((text) => text).join('; ')),
        placeholder: this.placeholderIn(cell),
      };
    }
  }

  /** The text of a cell that has no value of its column: in numbers any word. */
  private placeholderIn(cell: unknown): string | undefined {
    if (typeof cell !== 'string') return undefined;
    return isPlaceholder(cell) || (this.numbers && /^[^\d"]+$/.test(cell)) ? cell.trim() : undefined;
  }

  /** Options that the import adds have their labels as ids. */
  private hasOption(text: string): boolean {
    const { target } = this.column;
    const options = target.field === 'value' ? optionsOf(target.attribute) : undefined;
    return options?.some(({ id, label }) => label === text.trim() && id !== label) ?? false;
  }

  /** The cell after its steps, as a number, date or text. @throws usage for a text that does not fit the column */
  private meaningOf(cell: unknown): unknown {
    let plain = cell;
    if (isUnitCell(cell)) plain = this.numbers ? cell.number : cellText(cell);
    if (isNumeric(plain) && this.numbers) return this.numbers.share(plain);
    if (typeof plain !== 'string' && !(isEmptyCell(plain) && this.column.steps)) return plain;
    const raw = typeof plain === 'string' ? plain : '';
    const text = this.textOf(raw);
    if (text === '') return cell === undefined ? undefined : '';
    return this.texts ? this.texts.read(text, this.column.steps ? text : raw) : text;
  }

  private textOf(cell: string): string {
    const text = this.isTrimming ? cell.trim() : cell;
    return this.column.steps?.text(text) ?? text;
  }

  private get numbers(): NumberColumn | undefined {
    return this.texts instanceof NumberColumn ? this.texts : undefined;
  }
}

function wrongOf(error: unknown, says: (failure: Failure) => string): { wrong: string } {
  if (error instanceof Failure) return { wrong: says(error) };
  throw error;
}

/** The reader for the last step of the mapping, or for the type of the attribute; undefined for plain text. */
function textReader({ header, steps, target }: ImportColumn, options: ReadingOptions): TextReader | undefined {
  const attribute = target.field === 'value' ? target.attribute : undefined;
  const { kind, argument } = steps?.as ?? {};
  switch (kind ?? attribute?.attribute_type) {
    case 'percent':
    case 'number':
    case 'currency':
    case 'rating': {
      const mark =
        argument === undefined ? (options.decimal ?? markIn(options.formats?.[header])) : markOf(argument, header);
      const currency = attribute?.attribute_type === 'currency' ? attribute.config?.currency : undefined;
      return new NumberColumn(mark, currency, kind === 'percent');
    }
    case 'date': {
      const known = options.formats?.[header];
      const format =
        argument === undefined ? (options.dateFormat ?? dateFormat(known ?? '')) : formatNamed(argument, header);
      return new DateColumn(format, options.locale);
    }
    case 'checkbox':
      return new CheckboxColumn();
    case 'select':
    case 'status':
    case 'multi_select':
      return attribute && new OptionColumn(attribute);
    default:
      return undefined;
  }
}

function markIn(format: string | undefined): DecimalMark | undefined {
  return format === '.' || format === ',' ? format : undefined;
}

function markOf(language: string, header: string): DecimalMark {
  const locale = localeOf(language.trim());
  if (locale === undefined) throw usage(`column ${header}: unknown language "${language}"`);
  return decimalMarkOf(locale);
}

function formatNamed(text: string, header: string): DateFormat {
  const format = dateFormat(text);
  if (format === undefined) throw usage(`column ${header}: "${text}" is not a format of dates such as dd.mm.yyyy`);
  return format;
}

/** Whether the cell is already a value of the attribute's type: a number or boolean of a sheet or a step. */
function isTyped({ attribute_type: type }: Attribute, cell: unknown): boolean {
  if (isNumeric(cell)) return type === 'number' || type === 'currency' || type === 'rating';
  return typeof cell === 'boolean' && type === 'checkbox';
}

/** Numbers of a sheet in columns of titles and ids are texts. */
function sheetField(field: EntryField, cell: unknown): unknown {
  if (field === 'position' || field === 'archived') return isNumeric(cell) ? Number(cell) : cell;
  return isNumeric(cell) ? plainDecimal(cell) : String(cell);
}

function fieldValue(field: EntryField, cell: unknown): CellValue {
  const wrong = (rule: string): CellValue => ({
    wrong: `${field} must be ${rule}, got ${shorten(JSON.stringify(cell))}`,
  });
  switch (field) {
    case 'position': {
      const value = typeof cell === 'string' && /^\s*[+-]?\d+\s*$/.test(cell) ? Number(cell) : cell;
      return isNumeric(value) && isInteger(value) && Number.isSafeInteger(Number(value))
        ? { value: Number(value) }
        : wrong('a whole number');
    }
    case 'archived': {
      const word = String(cell).trim().toLowerCase();
      return yes.has(word) || no.has(word) ? { value: yes.has(word) } : wrong('true or false');
    }
    case 'id':
    case 'linked_entity_id':
      return typeof cell === 'string' && isUuid(cell.trim()) ? { value: cell.trim() } : wrong('a UUID');
    default:
      return typeof cell === 'string' ? { value: cell } : wrong('a string');
  }
}

export interface ImportRow {
  line: number;
  cells: readonly unknown[];
  /** The key in its canonical text. */
  key: string;
  fields: Partial<Record<EntryField, string | Numeric | boolean | null>>;
  /** Values by slug; null clears. */
  values: Record<string, unknown>;
}

function* validRows(
  table: SourceTable,
  { readers, key, flags }: { readers: readonly Cells[]; key: ImportColumn; flags: FlagNames },
  issues: ImportIssue[],
): Generator<ImportRow> {
  const { header, target } = key;
  const lines = new Map<string, number>();
  for (const { line, cells } of table.rows) {
    const before = issues.length;
    const row: ImportRow = { line, cells, key: '', fields: {}, values: {} };
    for (const reader of readers) {
      const { column } = reader;
      const result = reader.read(cells[column.index]);
      if ('wrong' in result) {
        issues.push({ line, column: column.header, message: result.wrong, placeholder: result.placeholder });
      } else if (result.value !== undefined) setValue(row, column.target, result.value);
    }
    const value = target.field === 'value' ? propertyOf(row.values, target.slug) : row.fields[target.field];
    if (value === undefined || value === null) {
      const isRefused = issues.slice(before).some(({ column }) => column === header);
      const remedy = table.totals?.has(line) ? `; if it is a total, leave it out with ${flags.skipRow} ${line}` : '';
      const message = `the key is empty; every row needs one${remedy}`;
      if (!isRefused) issues.push({ line, column: header, message });
      continue;
    }
    row.key = keyText(target, value);
    const first = lines.get(row.key);
    if (first === undefined) lines.set(row.key, line);
    else {
      const message = `the key ${JSON.stringify(shorten(row.key))} is on ${table.lineUnit} ${first} already; keys must be unique in the file`;
      issues.push({ line, column: header, message });
    }
    if (issues.length === before) yield row;
  }
}

/** One note for all columns, because one mapping empties their cells. */
function placeholderNote(columns: readonly Cells[], flags: FlagNames): string | undefined {
  const filled = columns.filter(({ placeholderCount }) => placeholderCount > 0);
  const texts = new Set(filled.flatMap(({ placeholders }) => [...placeholders]));
  if (texts.size === 0) return undefined;
  const counts = filled.map(({ column, placeholderCount: count }) => `${column.header} ${count}`).join(', ');
  const words = Array.from(texts, quote).join(', ');
  return `Cells that may stand for no value: ${words} (${counts}); ${flags.map} ${emptyMapping(texts)} empties them.`;
}

function setValue(row: ImportRow, target: ColumnTarget, value: unknown): void {
  if (target.field !== 'value') row.fields[target.field] = value as string | Numeric | boolean | null;
  // An assignment would set the prototype for the slug `__proto__`.
  else Object.defineProperty(row.values, target.slug, { value, writable: true, enumerable: true, configurable: true });
}

export function keyText(target: KeyTarget, value: unknown): string {
  const text = canonicalText(value);
  return target.field === 'id' ? text.toLowerCase() : text;
}

const yes = new Set(
  'true yes y 1 on ja j wahr oui vrai si sí sì verdadero vero sim verdadeiro ✓ ✔ ✔️ ☑ ☑️ ✅'.split(' '),
);
const no = new Set('false no n 0 off nein falsch non faux falso não nao nee ✗ ✘ ☐ ❌'.split(' '));
const cross = new Set(['x', '☒']);

/** Whether the text is a word or a sign for yes or no; letters and digits alone mean more. */
export function isYesOrNo(text: string): boolean {
  const word = text.trim().toLowerCase();
  return !/^[a-z\d]$/.test(word) && (yes.has(word) || no.has(word));
}

class CheckboxColumn {
  private cross: CellRef | undefined;
  private yes: CellRef | undefined;

  add(text: string, line: number): void {
    const word = text.trim().toLowerCase();
    if (cross.has(word)) this.cross ??= { line, text };
    else if (yes.has(word)) this.yes ??= { line, text };
  }

  findings(context: ColumnContext): Finding[] {
    const { cross: crossed, yes: other } = this;
    if (!crossed || !other) return [];
    const cells = `${placeIn(context, crossed)} may mean yes or no beside ${placeIn(context, other)}`;
    return [problem(other, `${cells}; replace it with ${context.flags.map} '${context.header}=replace(x,yes)'`)];
  }

  read(text: string): string {
    const word = text.trim().toLowerCase();
    return yes.has(word) || cross.has(word) ? 'true' : no.has(word) ? 'false' : text;
  }
}

class OptionColumn {
  private readonly labels = new Map<string, string | undefined>();
  private readonly exact = new Set<string>();
  private readonly isSplit: boolean;

  constructor(attribute: Attribute) {
    const options = optionsOf(attribute) ?? [];
    for (const { id, label } of options) {
      for (const name of [id, label]) if (name !== undefined) this.exact.add(name);
      if (label === undefined) continue;
      const folded = foldedText(label);
      this.labels.set(folded, this.labels.has(folded) ? undefined : label);
    }
    this.isSplit = attribute.attribute_type === 'multi_select' && !options.some(({ label }) => label?.includes(';'));
  }

  read(text: string, raw: string): string {
    if (this.exact.has(raw)) return raw;
    const parts = this.isSplit ? text.split(';').map((part) => part.trim()) : [text];
    return parts
      .map((part) => (this.exact.has(part) ? part : (this.labels.get(foldedText(part)) ?? part)))
      .join(parts.length > 1 ? '; ' : '');
  }
}
