/** The reader of a column's cells: by the type of its attribute, its steps, and how all its cells are written. */

import { isDate } from '../../contract/validate.ts';
import { quotient } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { canonicalText } from '../../core/same.ts';
import type { UnitCell } from '../../core/workbook/workbook.ts';
import { type Attribute, optionsOf } from '../entries/options.ts';
import { parseNumber, rangeIssue } from '../entries/values.ts';
import type { ImportColumn } from './columns.ts';
import {
  commaStyle,
  currenciesOf,
  type DateFormat,
  dateFormat,
  dateFormats,
  localeOf,
  monthNames,
  type NumberStyle,
  orderIn,
  orderOf,
  pointStyle,
  type ReadNumber,
  readDate,
  readNumber,
  styleOf,
} from './numbers.ts';
import { cellText, isEmptyCell, isUnitCell, isWrongCell, type SourceTable } from './table.ts';

export interface ReadingOptions {
  style?: NumberStyle | undefined;
  locale?: string | undefined;
  dateFormat?: DateFormat | undefined;
  /** Blanks around texts are removed. */
  trim: boolean;
}

type CellFinding = NumberFinding | DateFinding | WordFinding | { is: 'trimmed'; count: number; cell: Cited };

export type Finding = { header: string } & CellFinding;

/** The columns, each with the way to read its cells, and what is to say about them. */
export function withReadings(
  table: SourceTable,
  columns: readonly ImportColumn[],
  options: ReadingOptions,
): { columns: ImportColumn[]; findings: Finding[] } {
  const readings = columns.map((column) => readingOf(column, table.json, options));
  const surveyed = readings.filter((reading) => !table.json || reading.column.steps !== undefined);
  if (surveyed.length > 0) {
    for (const { line, cells } of table.rows) for (const one of surveyed) one.survey(cells[one.column.index], line);
  }
  return {
    columns: readings.map(({ column, convert }) => ({ ...column, convert })),
    findings: surveyed.flatMap((reading) =>
      reading.findings().map((finding) => ({ header: reading.column.header, ...finding })),
    ),
  };
}

interface ColumnReading {
  column: ImportColumn;
  survey(cell: unknown, line: number): void;
  findings(): CellFinding[];
  convert(cell: unknown): unknown;
}

/** Reads the texts of one column, after it has seen all of them. */
interface CellReader {
  add(text: string, line: number, raw: string): void;
  readonly findings: readonly CellFinding[];
  /** @param raw the cell as it is in the file */
  read(text: string, raw: string): unknown;
}

function readingOf(column: ImportColumn, json: boolean, options: ReadingOptions): ColumnReading {
  const { steps } = column;
  const reader = json && !steps?.as ? undefined : readerOf(column, options);
  const numbers = reader instanceof NumberColumn ? reader : undefined;
  const isTrimming = options.trim && !json;
  let trimmed: Extract<CellFinding, { is: 'trimmed' }> | undefined;
  const textOf = (cell: string) => {
    const text = isTrimming ? cell.trim() : cell;
    return steps ? steps.text(text) : text;
  };
  return {
    column,
    survey(cell, line) {
      if (isUnitCell(cell)) numbers?.addCell(cell, line);
      else if (isNumeric(cell)) numbers?.addCell({ number: cell }, line);
      if (typeof cell !== 'string' || cell === '') return;
      if (isTrimming && cell.trim() !== cell) {
        trimmed ??= { is: 'trimmed', count: 0, cell: { line, text: cell } };
        trimmed.count += 1;
      }
      const text = textOf(cell);
      if (text !== '') reader?.add(text, line, cell);
    },
    findings: () => [...(reader?.findings ?? []), ...(trimmed ? [trimmed] : [])],
    convert(cell) {
      if (isWrongCell(cell)) throw usage(cell.wrong);
      let plain = cell;
      if (isUnitCell(cell)) plain = numbers ? cell.number : `${cellText(cell)} ${cell.unit}`;
      if (isNumeric(plain) && numbers) return numbers.share(plain);
      if (typeof plain !== 'string' && !(isEmptyCell(plain) && steps)) return plain;
      const raw = typeof plain === 'string' ? plain : '';
      const text = textOf(raw);
      if (text === '') return cell === undefined ? undefined : '';
      return reader ? reader.read(text, raw) : text;
    },
  };
}

/** By the last step of the mapping, else by the type of the attribute; undefined where a text stays as it is. */
function readerOf({ header, steps, target }: ImportColumn, options: ReadingOptions): CellReader | undefined {
  const attribute = target.field === 'value' ? target.attribute : undefined;
  const { kind, argument } = steps?.as ?? {};
  switch (kind ?? attribute?.attribute_type) {
    case 'percent':
    case 'number':
    case 'currency':
    case 'rating': {
      const style = argument === undefined ? options.style : styleNamed(argument, header);
      const currency = attribute?.attribute_type === 'currency' ? attribute.config?.currency : undefined;
      return new NumberColumn(style, currency, kind === 'percent');
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

function styleNamed(language: string, header: string): NumberStyle {
  const locale = localeOf(language.trim());
  if (locale === undefined) throw usage(`--map ${header}: unknown language "${language}"`);
  return styleOf(locale);
}

function formatNamed(text: string, header: string): DateFormat {
  const format = dateFormat(text);
  if (format === undefined) throw usage(`--map ${header}: "${text}" is not a format of dates such as dd.mm.yyyy`);
  return format;
}

/** A cell, as it is named. */
interface Cited {
  line: number;
  text: string;
}

type NumberFinding =
  /** Two cells that no one way of writing explains. */
  | { is: 'mixed'; point: Cited; comma: Cited }
  /** A cell with two readings. */
  | { is: 'ambiguous'; cell: Cited; point: string; comma: string; isPlain: boolean }
  /** Only the decimal comma explains the cell. */
  | { is: 'comma'; cell: Cited }
  | { is: 'currencies'; cells: [Cited, Cited] }
  | { is: 'currency'; cell: Cited; wanted: string }
  | { is: 'partly percent'; cells: [Cited, Cited] }
  | { is: 'percent'; cell: Cited };

export class NumberColumn {
  private readonly proof: { point?: Cited; comma?: Cited } = {};
  private doubt: Extract<NumberFinding, { is: 'ambiguous' }> | undefined;
  private currencies: { codes: readonly string[]; cell: Cited } | undefined;
  private clash: Cited | undefined;
  private foreign: Cited | undefined;
  private percent: Cited | undefined;
  private bare: Cited | undefined;

  /**
   * @param given the style, if it is known
   * @param currency of the attribute
   * @param isShare 25 and 25% are 0.25
   */
  constructor(
    private readonly given: NumberStyle | undefined,
    private readonly currency: string | undefined,
    private readonly isShare = false,
  ) {}

  add(text: string, line: number): void {
    const cell = { line, text };
    if (this.given !== undefined) {
      const read = readNumber(text, this.given);
      if (read) this.addUnit(read, cell);
      return;
    }
    const [point, comma] = [readNumber(text, pointStyle), readNumber(text, commaStyle)];
    if (point) this.addUnit(point, cell);
    else if (comma) this.addUnit(comma, cell);
    if (point && comma) {
      const [one, other] = [canonicalText(point.value), canonicalText(comma.value)];
      if (one === other) return;
      const isPlain = parseNumber(text) !== undefined;
      // A cell with a sign or a comma is the clearer example.
      if (this.doubt === undefined || (this.doubt.isPlain && !isPlain)) {
        this.doubt = { is: 'ambiguous', cell, point: one, comma: other, isPlain };
      }
    } else if (point) this.proof.point ??= cell;
    else if (comma) this.proof.comma ??= cell;
  }

  /** A number of a workbook, which its format shows with a unit, or without one. */
  addCell({ number, unit }: Partial<UnitCell> & { number: Numeric }, line: number): void {
    const isPercent = unit === '%';
    this.addUnit(
      { value: number, currency: isPercent ? undefined : unit, isPercent },
      { line, text: shown(number, unit) },
    );
  }

  /** @throws usage for a text that only another way of writing explains */
  read(text: string): unknown {
    const { style } = this;
    const isPoint = style.decimal === '.';
    const value = readNumber(text, style)?.value ?? (isPoint ? parseNumber(text) : undefined);
    if (value !== undefined) return this.share(value);
    // A text that is no number at all is refused by the rule of its attribute.
    if (isPoint && parseNumber(text) === undefined && !this.isShare) return text;
    const [group = ' '] = style.groups;
    throw usage(rangeIssue(text) ?? `${JSON.stringify(text)} is not a number such as 1${group}234${style.decimal}5`);
  }

  share(value: Numeric): Numeric {
    return this.isShare ? (quotient(value, 100) ?? value) : value;
  }

  /** What the column shows about itself, problems and notes. */
  get findings(): NumberFinding[] {
    const found: NumberFinding[] = [];
    const { point, comma } = this.proof;
    if (point && comma) found.push({ is: 'mixed', point, comma });
    else if (comma) found.push({ is: 'comma', cell: comma });
    else if (!point && this.doubt) found.push(this.doubt);
    if (this.clash && this.currencies) found.push({ is: 'currencies', cells: [this.currencies.cell, this.clash] });
    else if (this.foreign && this.currency) found.push({ is: 'currency', cell: this.foreign, wanted: this.currency });
    if (this.isShare) return found;
    if (this.percent && this.bare) found.push({ is: 'partly percent', cells: [this.percent, this.bare] });
    else if (this.percent) found.push({ is: 'percent', cell: this.percent });
    return found;
  }

  get style(): NumberStyle {
    return this.given ?? (this.proof.comma && !this.proof.point ? commaStyle : pointStyle);
  }

  private addUnit({ value, currency, isPercent }: ReadNumber, cell: Cited): void {
    if (isPercent) this.percent ??= cell;
    else if (Number(value) !== 0) this.bare ??= cell;
    if (currency === undefined) return;
    const codes = currenciesOf(currency) ?? [currency];
    if (this.currency !== undefined && !codes.includes(this.currency)) this.foreign ??= cell;
    const common = this.currencies ? this.currencies.codes.filter((code) => codes.includes(code)) : codes;
    if (common.length === 0) this.clash ??= cell;
    else this.currencies = { codes: common, cell: this.currencies?.cell ?? cell };
  }
}

function shown(number: Numeric, unit: string | undefined): string {
  const digits = canonicalText(number);
  return unit === undefined ? digits : unit === '%' ? `${digits}%` : `${digits} ${unit}`;
}

type DateFinding =
  /** A cell with two readings. */
  | { is: 'ambiguous date'; cell: Cited; readings: { format: string; date: string }[] }
  /** Two cells that no one format explains. */
  | { is: 'mixed dates'; cells: [Cited, Cited] }
  /** The only format that fits, and a cell that shows it. */
  | { is: 'dates'; cell: Cited; format: string };

export class DateColumn {
  private readonly known: readonly DateFormat[];
  private readonly months: ReadonlyMap<string, number>;
  private readonly isGiven: boolean;
  private alive: readonly DateFormat[];
  private first: Cited | undefined;
  /** The last cell that ruled a format out. */
  private decisive: Cited | undefined;
  private clash: Cited | undefined;
  /** Cells by the formats that read them differently. */
  private readonly doubts = new Map<string, Cited>();

  /**
   * @param given the format, if it is known; else the order of a locale is that of the column
   * @param isStrict a text that is not a date is refused here, not by the rule of its attribute
   */
  constructor(
    given: DateFormat | undefined,
    locale: string | undefined,
    private readonly isStrict = false,
  ) {
    this.months = monthNames(locale);
    this.isGiven = given !== undefined;
    const order = locale === undefined ? undefined : orderOf(locale);
    const fits = (format: DateFormat) =>
      order === undefined || [order, 'ymd'].includes(orderIn(format)) || format.parts.includes('mmm');
    this.known = given === undefined ? dateFormats.filter(fits) : [given];
    this.alive = this.known;
  }

  add(text: string, line: number): void {
    if (this.isGiven || isPlainDate(text)) return;
    const cell = { line, text };
    const read = this.alive.map((format) => ({ format, date: readDate(text, format, this.months) }));
    const fitting = read.filter(({ date }) => date !== undefined);
    if (fitting.length === 0) {
      // A cell that nothing explains is an error of its own.
      if (this.known.some((format) => readDate(text, format, this.months) !== undefined)) this.clash ??= cell;
      return;
    }
    this.first ??= cell;
    if (fitting.length < this.alive.length) {
      this.alive = fitting.map(({ format }) => format);
      this.decisive = cell;
    }
    for (const [at, one] of fitting.entries()) {
      for (const other of fitting.slice(at + 1)) {
        const pair = `${one.format.text} ${other.format.text}`;
        if (one.date !== other.date && !this.doubts.has(pair)) this.doubts.set(pair, cell);
      }
    }
  }

  get findings(): DateFinding[] {
    const { first, alive, clash, decisive } = this;
    if (this.isGiven || first === undefined) return [];
    if (clash) return [{ is: 'mixed dates', cells: [decisive ?? first, clash] }];
    const [one, ...others] = alive;
    for (const other of others) {
      const cell = this.doubts.get(`${one?.text} ${other.text}`);
      if (cell === undefined || one === undefined) continue;
      const readings = [one, other].map((format) => ({
        format: format.text,
        date: readDate(cell.text, format, this.months) ?? '',
      }));
      return [{ is: 'ambiguous date', cell, readings }];
    }
    return [{ is: 'dates', cell: decisive ?? first, format: one?.text ?? '' }];
  }

  /** The date as the API writes it. @throws usage if `isStrict` */
  read(text: string): string {
    if (isPlainDate(text)) return text.trim();
    const [format] = this.alive;
    const date = format && readDate(text, format, this.months);
    if (date === undefined && this.isStrict) throw usage(`${JSON.stringify(text)} is not a date of this column`);
    return date ?? text;
  }
}

function isPlainDate(text: string): boolean {
  return isDate(text.trim()) || text.trim().toLowerCase() === 'today';
}

type WordFinding =
  /** `x` beside another word for yes: it may mean either. */
  | { is: 'crosses'; cells: [Cited, Cited] }
  /** Texts that are taken for an option. */
  | { is: 'joined'; cell: Cited; label: string; count: number };

const yes = new Set(
  'true yes y 1 on ja j wahr oui vrai si sí sì verdadero vero sim verdadeiro ✓ ✔ ✔️ ☑ ☑️ ✅'.split(' '),
);
const no = new Set('false no n 0 off nein falsch non faux falso não nao nee ✗ ✘ ☐ ❌'.split(' '));
const cross = new Set(['x', '☒']);

/** A label as people take two for the same: without regard to case, blanks and the form of accents. */
export function foldLabel(label: string): string {
  return label.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

class WordColumn {
  private readonly labels = new Map<string, string | undefined>();
  private readonly exact = new Set<string>();
  private readonly hasSeparator: boolean;
  private readonly joined = new Map<string, { cell: Cited; label: string; count: number }>();
  private cross: Cited | undefined;
  private yes: Cited | undefined;

  constructor(
    private readonly attribute: Attribute,
    private readonly kind: 'checkbox' | 'option',
  ) {
    const options = optionsOf(attribute) ?? [];
    for (const { id, label } of options) {
      for (const name of [id, label]) if (name !== undefined) this.exact.add(name);
      if (label === undefined) continue;
      const folded = foldLabel(label);
      this.labels.set(folded, this.labels.has(folded) ? undefined : label);
    }
    this.hasSeparator = options.some(({ label }) => label?.includes(';'));
  }

  /** @param raw the cell as it is in the file */
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
    return this.exact.has(text) ? text : this.labels.get(foldLabel(text));
  }
}
