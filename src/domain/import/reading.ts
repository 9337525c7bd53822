/** Cells of a column as they are meant: by what its attribute takes, its steps, and how all its cells are written. */

import { quotient } from '../../core/decimal.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { parseNumber, rangeIssue } from '../entries/numbers.ts';
import type { ImportColumn } from './columns.ts';
import { DateColumn, type DateFinding } from './date-column.ts';
import { type DateFormat, dateFormat } from './dates.ts';
import { type Cited, NumberColumn, type NumberFinding } from './number-column.ts';
import { localeOf, type NumberStyle, readNumber, styleOf } from './numbers.ts';
import { cellText, isUnitCell, isWrongCell } from './sheet-cells.ts';
import type { SourceTable } from './table.ts';
import { WordColumn, type WordFinding } from './word-column.ts';

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
