/** Cells of a column as they are meant: by what its attribute takes, its steps, and how all its cells are written. */

import { isDate } from '../../contract/validate.ts';
import { quotient } from '../../core/decimal.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { canonicalText } from '../../core/same.ts';
import type { UnitCell } from '../../core/workbook/workbook.ts';
import { parseNumber, rangeIssue } from '../entries/numbers.ts';
import { type Attribute, optionsOf } from '../entries/options.ts';
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
import { cellText, isUnitCell, isWrongCell, type SourceTable } from './table.ts';

export interface ReadingOptions {
  style?: NumberStyle | undefined;
  locale?: string | undefined;
  dateFormat?: DateFormat | undefined;
  /** Blanks around texts are removed. */
  trim: boolean;
}

export type Finding = { header: string } & (
  | NumberFinding
  | DateFinding
  | WordFinding
  | { is: 'trimmed'; count: number; cell: Cited }
);

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

type Kind = 'number' | 'percent' | 'date' | 'checkbox' | 'option' | 'text';

interface Reading {
  column: ImportColumn;
  survey(cell: unknown, line: number): void;
  findings(): (NumberFinding | DateFinding | WordFinding | { is: 'trimmed'; count: number; cell: Cited })[];
  convert(cell: unknown): unknown;
}

function readingOf(column: ImportColumn, json: boolean, options: ReadingOptions): Reading {
  const { steps, target } = column;
  const attribute = target.field === 'value' ? target.attribute : undefined;
  const kind = steps?.as?.kind ?? (json ? 'text' : kindOf(column));
  const argument = steps?.as?.argument;
  const isNumber = kind === 'number' || kind === 'percent';
  const currency = attribute?.attribute_type === 'currency' ? attribute.config?.currency : undefined;
  const numbers = isNumber ? new NumberColumn(styleFor(column, argument) ?? options.style, currency) : undefined;
  const dates =
    kind === 'date' ? new DateColumn(dateFor(column, argument) ?? options.dateFormat, options.locale) : undefined;
  const words = attribute && (kind === 'checkbox' || kind === 'option') ? new WordColumn(attribute, kind) : undefined;
  const trimmed = { count: 0, cell: undefined as Cited | undefined };
  const textOf = (cell: string) => {
    const text = options.trim && !json ? cell.trim() : cell;
    return steps ? steps.text(text) : text;
  };
  return {
    column,
    survey(cell, line) {
      if (isUnitCell(cell)) numbers?.addCell(cell, line);
      else if (isNumeric(cell)) numbers?.addCell({ number: cell }, line);
      if (typeof cell !== 'string' || cell === '') return;
      if (options.trim && !json && cell.trim() !== cell) {
        trimmed.count += 1;
        trimmed.cell ??= { line, text: cell };
      }
      const text = textOf(cell);
      if (text === '') return;
      numbers?.add(text, line);
      dates?.add(text, line);
      words?.add(text, line, cell);
    },
    findings: () => [
      ...(numbers?.findings.filter(({ is }) => kind !== 'percent' || !is.includes('percent')) ?? []),
      ...(dates?.findings ?? []),
      ...(words?.findings ?? []),
      ...(trimmed.cell ? [{ is: 'trimmed' as const, count: trimmed.count, cell: trimmed.cell }] : []),
    ],
    convert(cell) {
      if (isWrongCell(cell)) throw usage(cell.wrong);
      const plain =
        isUnitCell(cell) && numbers ? cell.number : isUnitCell(cell) ? `${cellText(cell)} ${cell.unit}` : cell;
      const empty = plain === undefined || plain === null || plain === '';
      if (typeof plain !== 'string' && !(empty && steps))
        return isNumeric(plain) && numbers ? share(kind, plain) : plain;
      const text = textOf(typeof plain === 'string' ? plain : '');
      if (text === '') return cell === undefined ? undefined : '';
      if (numbers) return numberIn(text, numbers, kind);
      if (dates) return dates.read(text) ?? (steps?.as ? refuseDate(text) : text);
      return words ? words.read(text, String(plain)) : text;
    },
  };
}

function kindOf({ target }: ImportColumn): Kind {
  if (target.field !== 'value') return 'text';
  switch (target.attribute.attribute_type) {
    case 'number':
    case 'currency':
    case 'rating':
      return 'number';
    case 'date':
      return 'date';
    case 'checkbox':
      return 'checkbox';
    case 'select':
    case 'status':
    case 'multi_select':
      return 'option';
    default:
      return 'text';
  }
}

/** @throws usage for a text that only another way of writing explains */
function numberIn(text: string, { style }: NumberColumn, kind: Kind): unknown {
  const isPoint = style.decimal === '.';
  const value = readNumber(text, style)?.value ?? (isPoint ? parseNumber(text) : undefined);
  if (value !== undefined) return share(kind, value);
  // What does not read as a number at all is said by the rule of its attribute.
  if (isPoint && parseNumber(text) === undefined && kind === 'number') return text;
  const [group = ' '] = style.groups;
  throw usage(rangeIssue(text) ?? `${JSON.stringify(text)} is not a number such as 1${group}234${style.decimal}5`);
}

function share(kind: Kind, value: Numeric): Numeric {
  return kind === 'percent' ? (quotient(value, 100) ?? value) : value;
}

function refuseDate(text: string): never {
  throw usage(`${JSON.stringify(text)} is not a date of this column`);
}

function styleFor({ header, steps }: ImportColumn, name: string | undefined): NumberStyle | undefined {
  if (name === undefined || steps?.as?.kind === 'date') return undefined;
  const locale = localeOf(name.trim());
  if (locale === undefined) throw new Failure('usage', `--map ${header}: unknown language "${name}"`);
  return styleOf(locale);
}

function dateFor({ header, steps }: ImportColumn, text: string | undefined): DateFormat | undefined {
  if (text === undefined || steps?.as?.kind !== 'date') return undefined;
  const format = dateFormat(text);
  if (format === undefined) throw usage(`--map ${header}: "${text}" is not a format of dates such as dd.mm.yyyy`);
  return format;
}

/** How the numbers of a column are written, from all its cells. */

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
   */
  constructor(
    private readonly given: NumberStyle | undefined,
    private readonly currency: string | undefined,
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

  /** What the column shows about itself, problems and notes. */
  get findings(): NumberFinding[] {
    const found: NumberFinding[] = [];
    const { point, comma } = this.proof;
    if (point && comma) found.push({ is: 'mixed', point, comma });
    else if (comma) found.push({ is: 'comma', cell: comma });
    else if (!point && this.doubt) found.push(this.doubt);
    if (this.clash && this.currencies) found.push({ is: 'currencies', cells: [this.currencies.cell, this.clash] });
    else if (this.foreign && this.currency) found.push({ is: 'currency', cell: this.foreign, wanted: this.currency });
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

/** How the dates of a column are written, from all its cells. */

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

  /** @param given the format, if it is known; else the order of a locale is that of the column */
  constructor(given: DateFormat | undefined, locale: string | undefined) {
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

  /** The date as the API writes it, or undefined. */
  read(text: string): string | undefined {
    if (isPlainDate(text)) return text.trim();
    const [format] = this.alive;
    return format && readDate(text, format, this.months);
  }
}

function isPlainDate(text: string): boolean {
  return isDate(text.trim()) || text.trim().toLowerCase() === 'today';
}

/** The words of a column: yes and no in several languages, and options that are written in more than one way. */

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
      const found = this.joined.get(label) ?? { cell: { line, text: part }, label, count: 0 };
      found.count += 1;
      this.joined.set(label, found);
    }
  }

  get findings(): WordFinding[] {
    const { cross: crossed, yes: other } = this;
    if (crossed && other) return [{ is: 'crosses', cells: [crossed, other] }];
    return [...this.joined.values()].map((one) => ({ is: 'joined', ...one }));
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
