/**
 * Types the cells of a file. All cells of a column are surveyed before the first is read, because only the whole column
 * shows how its numbers and dates are written.
 */

import { isUuid } from '../../contract/validate.ts';
import { Failure, shortened, usage } from '../../core/errors.ts';
import { isInteger, isNumeric, type Numeric, plainDecimal, propertyOf } from '../../core/json.ts';
import { canonicalText, foldedText } from '../../core/same.ts';
import { type Attribute, optionsOf } from '../entries/options.ts';

import { typedJson, typedText } from '../entries/values.ts';
import type { ColumnTarget, EntryField, ImportColumn, KeyTarget } from './columns.ts';
import {
  type CellRef,
  DateColumn,
  type DateFinding,
  type DateFormat,
  type DecimalMark,
  dateFormat,
  decimalMarkOf,
  localeOf,
  NumberColumn,
  type NumberFinding,
} from './numbers.ts';
import {
  cellText,
  type ImportIssue,
  isEmptyCell,
  isUnitCell,
  isWrongCell,
  type Remedy,
  type SourceTable,
} from './table.ts';

export interface ReadingOptions {
  /** The decimal mark of numbers; undefined to derive it from each column. */
  decimal?: DecimalMark | undefined;
  locale?: string | undefined;
  dateFormat?: DateFormat | undefined;
  /** Blanks around texts are removed. */
  trim: boolean;
  /** An empty cell clears the value of an entry, or keeps it. */
  empty: 'clear' | 'keep';
  /** For `today`. */
  now: Date;
}

type CellFinding = NumberFinding | DateFinding | WordFinding | { is: 'trimmed'; count: number; cell: CellRef };

/** A problem of a column, or a note on its reading. */
export type Finding = { header: string } & CellFinding;

type CellValue = { value: unknown } | { wrong: string; remedy?: Remedy };

/** Reads the cells of one column. */
interface ColumnReader {
  column: ImportColumn;
  read(cell: unknown): CellValue;
}

/** Surveys all cells and makes a reader for each column. */
export function columnReaders(
  table: SourceTable,
  columns: readonly ImportColumn[],
  options: ReadingOptions,
): { readers: ColumnReader[]; findings: Finding[]; decimal: DecimalMark | undefined } {
  const readers = columns.map((column) => new Cells(column, table.json, options));
  const surveyed = readers.filter(({ column }) => !table.json || column.steps !== undefined);
  if (surveyed.length > 0) {
    for (const { line, cells } of table.rows) {
      for (const reader of surveyed) reader.survey(cells[reader.column.index], line);
    }
  }
  const findings = surveyed.flatMap(({ column: { header }, findings }) =>
    findings.map((finding) => ({ header, ...finding })),
  );
  const marks = new Set(surveyed.flatMap((reader) => reader.decimal ?? []));
  return { readers, findings, decimal: marks.size === 1 ? [...marks][0] : undefined };
}

/** Surveys the texts of a column, and then reads them. `raw` is the cell of the file. */
interface TextReader {
  add(text: string, line: number, raw: string): void;
  readonly findings: readonly CellFinding[];
  read(text: string, raw: string): unknown;
}

class Cells implements ColumnReader {
  private readonly texts: TextReader | undefined;
  private readonly isTrimming: boolean;
  private trimmed: Extract<CellFinding, { is: 'trimmed' }> | undefined;

  constructor(
    readonly column: ImportColumn,
    private readonly json: boolean,
    private readonly options: ReadingOptions,
  ) {
    this.texts = json && !column.steps?.as ? undefined : textReader(column, options);
    this.isTrimming = options.trim && !json;
  }

  survey(cell: unknown, line: number): void {
    if (isUnitCell(cell)) this.numbers?.addCell(cell, line);
    else if (isNumeric(cell)) this.numbers?.addCell({ number: cell }, line);
    if (typeof cell !== 'string' || cell === '') return;
    if (this.isTrimming && cell.trim() !== cell) {
      this.trimmed ??= { is: 'trimmed', count: 0, cell: { line, text: cell } };
      this.trimmed.count += 1;
    }
    const text = this.textOf(cell);
    if (text !== '') this.texts?.add(text, line, cell);
  }

  /** The decimal mark that the cells prove. */
  get decimal(): DecimalMark | undefined {
    return this.numbers?.provenMark;
  }

  get findings(): CellFinding[] {
    return [...(this.texts?.findings ?? []), ...(this.trimmed ? [this.trimmed] : [])];
  }

  read(cell: unknown): CellValue {
    if (isWrongCell(cell)) return { wrong: cell.wrong };
    const { target } = this.column;
    const { empty, now } = this.options;
    let content: unknown;
    try {
      content = this.meaningOf(cell);
    } catch (error) {
      return wrongOf(error, ({ message }) => message);
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
      const wrong = wrongOf(error, ({ message, hint }) => [message, hint].filter((text) => text).join('; '));
      return { ...wrong, ...(optionsOf(attribute) && { remedy: 'option' as const }) };
    }
  }

  /** The cell after its steps, as a number, date or text. @throws usage for a text that does not fit the column */
  private meaningOf(cell: unknown): unknown {
    let plain = cell;
    if (isUnitCell(cell)) plain = this.numbers ? cell.number : `${cellText(cell)} ${cell.unit}`;
    if (isNumeric(plain) && this.numbers) return this.numbers.share(plain);
    if (typeof plain !== 'string' && !(isEmptyCell(plain) && this.column.steps)) return plain;
    const raw = typeof plain === 'string' ? plain : '';
    const text = this.textOf(raw);
    if (text === '') return cell === undefined ? undefined : '';
    return this.texts ? this.texts.read(text, raw) : text;
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
      const mark = argument === undefined ? options.decimal : markOf(argument, header);
      const currency = attribute?.attribute_type === 'currency' ? attribute.config?.currency : undefined;
      return new NumberColumn(mark, currency, kind === 'percent');
    }
    case 'date': {
      const format = argument === undefined ? options.dateFormat : formatNamed(argument, header);
      return new DateColumn(format, options.locale, kind === 'date');
    }
    case 'checkbox':
      return attribute && new WordColumn(attribute, 'checkbox');
    case 'select':
    case 'status':
    case 'multi_select':
      return attribute && new WordColumn(attribute, 'option');
    default:
      return undefined;
  }
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
    wrong: `${field} must be ${rule}, got ${shortened(JSON.stringify(cell))}`,
  });
  switch (field) {
    case 'position': {
      const value = typeof cell === 'string' && /^\s*[+-]?\d+\s*$/.test(cell) ? Number(cell) : cell;
      return isNumeric(value) && isInteger(value) && Number.isSafeInteger(Number(value))
        ? { value: Number(value) }
        : wrong('a whole number');
    }
    case 'archived': {
      const word = typeof cell === 'string' ? cell.trim().toLowerCase() : cell;
      if (word === true || word === 'true' || word === 'yes' || word === '1') return { value: true };
      if (word === false || word === 'false' || word === 'no' || word === '0') return { value: false };
      return wrong('true or false');
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
  /** Index among the rows of the file. */
  index: number;
  /** The key in its canonical text. */
  key: string;
  /** null clears the field. */
  fields: Partial<Record<EntryField, string | Numeric | boolean | null>>;
  /** Values by slug; null clears. */
  values: Record<string, unknown>;
}

/**
 * The valid rows, lazily, and the problems of the others, which are complete after the last row.
 * Every row needs a key, and keys must be unique.
 */
export function typedRows(
  table: SourceTable,
  readers: readonly ColumnReader[],
  key: ImportColumn,
): { rows: Iterable<ImportRow>; issues: readonly ImportIssue[] } {
  const issues: ImportIssue[] = [];
  return { rows: validRows(table, readers, key, issues), issues };
}

function* validRows(
  table: SourceTable,
  readers: readonly ColumnReader[],
  { header, target }: ImportColumn,
  issues: ImportIssue[],
): Generator<ImportRow> {
  const lines = new Map<string, number>();
  let index = 0;
  for (const { line, cells } of table.rows) {
    const before = issues.length;
    const row: ImportRow = { line, index, key: '', fields: {}, values: {} };
    index += 1;
    for (const reader of readers) {
      const { column } = reader;
      const result = reader.read(cells[column.index]);
      if ('wrong' in result) {
        const { wrong: message, remedy } = result;
        issues.push({ line, column: column.header, message, ...(remedy && { remedy }) });
      }
      if ('value' in result && result.value !== undefined) setValue(row, column.target, result.value);
    }
    const value = target.field === 'value' ? propertyOf(row.values, target.slug) : row.fields[target.field];
    if (value === undefined || value === null) {
      const isRefused = issues.slice(before).some(({ column }) => column === header);
      if (!isRefused) issues.push({ line, column: header, message: 'the key is empty; every row needs one' });
      continue;
    }
    row.key = keyText(target, value);
    const first = lines.get(row.key);
    if (first === undefined) lines.set(row.key, line);
    else {
      const message = `the key ${JSON.stringify(shortened(row.key))} is on ${table.lineUnit} ${first} already; keys must be unique in the file`;
      issues.push({ line, column: header, message });
    }
    if (issues.length === before) yield row;
  }
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

type WordFinding =
  /** `x` beside another word for yes may mean yes or no. */
  | { is: 'crosses'; cells: [CellRef, CellRef] }
  /** Texts that match an option without case and blanks. */
  | { is: 'joined'; cell: CellRef; label: string; count: number };

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

class WordColumn {
  private readonly labels = new Map<string, string | undefined>();
  private readonly exact = new Set<string>();
  private readonly hasSeparator: boolean;
  private readonly joined = new Map<string, { cell: CellRef; label: string; count: number }>();
  private cross: CellRef | undefined;
  private yes: CellRef | undefined;

  constructor(
    private readonly attribute: Attribute,
    private readonly kind: 'checkbox' | 'option',
  ) {
    const options = optionsOf(attribute) ?? [];
    for (const { id, label } of options) {
      for (const name of [id, label]) if (name !== undefined) this.exact.add(name);
      if (label === undefined) continue;
      const folded = foldedText(label);
      this.labels.set(folded, this.labels.has(folded) ? undefined : label);
    }
    this.hasSeparator = options.some(({ label }) => label?.includes(';'));
  }

  /** @param raw the cell of the file */
  add(text: string, line: number, raw: string): void {
    if (this.kind === 'checkbox') {
      const word = text.trim().toLowerCase();
      if (cross.has(word)) this.cross ??= { line, text };
      else if (yes.has(word)) this.yes ??= { line, text };
      return;
    }
    if (this.exact.has(raw)) return;
    for (const part of this.parts(text)) {
      const label = this.labelOf(part);
      if (label === undefined || label === part.trim()) continue;
      const join = this.joined.get(label) ?? { cell: { line, text: part }, label, count: 0 };
      join.count += 1;
      this.joined.set(label, join);
    }
  }

  get findings(): WordFinding[] {
    const { cross: crossed, yes: other } = this;
    if (crossed && other) return [{ is: 'crosses', cells: [crossed, other] }];
    return [...this.joined.values()].map((join) => ({ is: 'joined', ...join }));
  }

  read(text: string, raw: string): string {
    if (this.kind === 'checkbox') {
      const word = text.trim().toLowerCase();
      return yes.has(word) || cross.has(word) ? 'true' : no.has(word) ? 'false' : text;
    }
    if (this.exact.has(raw)) return raw;
    const parts = this.parts(text);
    return parts
      .map((part) => (this.exact.has(part) ? part : (this.labelOf(part) ?? part)))
      .join(parts.length > 1 ? '; ' : '');
  }

  private parts(text: string): string[] {
    if (this.attribute.attribute_type !== 'multi_select' || this.hasSeparator) return [text];
    return text.split(';').map((part) => part.trim());
  }

  private labelOf(text: string): string | undefined {
    return this.exact.has(text) ? text : this.labels.get(foldedText(text));
  }
}
