/** Attributes for columns that a list does not have yet, typed by their cells. */

import type { AttributeType } from '../../contract/lists.ts';
import { isDate } from '../../contract/validate.ts';
import { isMailAddress, isWebAddress } from '../../core/addresses.ts';
import { isNumeric, plainDecimal } from '../../core/json.ts';
import { foldedText } from '../../core/same.ts';
import { type Attribute, optionsOf, optionTexts } from '../entries/options.ts';
import { parseNumber } from '../entries/values.ts';
import { isYesOrNo, type ReadingOptions } from './cells.ts';
import { type ImportColumn, slugLike, type UnmatchedColumn } from './columns.ts';
import { isDateIn, monthNames, readDate, shortFormat } from './dates.ts';
import type { CellRef } from './findings.ts';
import { type DecimalMark, NumberColumn, readNumber } from './numbers.ts';
import type { Steps } from './steps.ts';
import { cellText, isEmptyCell, isUnitCell, isWrongCell, type SourceTable } from './table.ts';

/** An attribute to create, with the slug that it will probably get. */
export interface NewAttribute {
  name: string;
  slug: string;
  attribute_type: AttributeType;
  config?: { options?: { label: string }[]; currency?: string };
}

/** A label that may be several options: `bio, lokal`. */
export interface JoinedOption {
  label: string;
  line: number;
  parts: string[];
  separator: string;
}

/** The type that most cells of a column have, and the first cell that lacks it. */
export interface NearType {
  type: AttributeType;
  /** Cells that do not fit, of so many that are filled. */
  wrong: number;
  count: number;
  cell: CellRef;
  /** The format of dates that would give it. */
  format?: string | undefined;
}

/** Texts are options if each repeats this often on average, and there are few and short ones. */
const repeats = 3;
const maxOptions = 25;
const maxOptionLength = 60;

/** Separators of options in one cell; a comma before a digit belongs to a number. */
const separators = /[;|\n]|,(?!\d)/;

interface InferOptions {
  /** Types by header, as far as the caller sets them. */
  types?: ReadonlyMap<string, AttributeType>;
  /** The reading of cells, as far as the caller knows it. */
  reading?: Pick<ReadingOptions, 'decimal' | 'dateFormat' | 'locale' | 'isExport'>;
}

export function newAttributes(
  table: SourceTable,
  columns: readonly UnmatchedColumn[],
  attributes: readonly Attribute[],
  { types = new Map(), reading = { isExport: true } }: InferOptions = {},
): (NewAttribute & { column: UnmatchedColumn; joined?: JoinedOption; near?: NearType })[] {
  const taken = new Set(attributes.flatMap(({ slug }) => slug ?? []));
  const meaningOf = meaningReader(table, reading.isExport);
  const forms = table.json ? fittings : [...fittings, ...writtenForms(reading)];
  const facts = columns.map((column) => ({
    column,
    facts: new ColumnFacts(forms, types.get(column.header), !table.json && isCodeName(column.name)),
    amounts: table.json ? undefined : new NumberColumn(reading.decimal, undefined),
  }));
  for (const { line, cells } of table.rows) {
    for (const { column, facts: of, amounts } of facts) {
      const cell = cells[column.index];
      of.add(meaningOf(cell, column.steps), line);
      if (!of.mayBeAmount) continue;
      if (isUnitCell(cell)) amounts?.addCell(cell, line);
      else if (typeof cell === 'string') amounts?.add(column.steps?.text(cell) ?? cell, line);
    }
  }
  return facts.map(({ column, facts: { type, isMulti, near: nearType }, amounts }) => {
    const code = amounts?.currencyCode;
    const currency = type === 'currency' || type === 'number' ? code : undefined;
    const attribute_type = currency === undefined ? type : 'currency';
    const isMoney = nearType?.type === 'number' && code !== undefined;
    const near = nearType && { near: isMoney ? { ...nearType, type: 'currency' as const } : nearType };
    const slug = free(slugLike(column.name) || 'attribute', taken);
    taken.add(slug);
    const attribute = { column, name: column.name.trim(), slug, attribute_type, ...near };
    if (currency !== undefined) return { ...attribute, config: { currency } };
    if (!isOptions(type)) return attribute;
    const labels = labelsIn(table, column, attribute, meaningOf);
    // The caller or the file says whether a cell has one option.
    const isSaid = isMulti || types.get(column.header) === 'select' || types.get(column.header) === 'status';
    const joined = isSaid ? undefined : joinedOption(labels.values());
    const options = Array.from(labels.values(), ({ label }) => ({ label }));
    return { ...attribute, config: { options }, ...(joined && { joined }) };
  });
}

/** Reads a cell before its column has a type. */
function meaningReader({ json }: SourceTable, isExport: boolean) {
  return (cell: unknown, steps: Steps | undefined): unknown => {
    if (json) return cell;
    if (isWrongCell(cell)) return '';
    if (isUnitCell(cell)) return cell.number;
    if (typeof cell !== 'string') return cell;
    const trimmed = isExport ? cell : cell.trim();
    return steps?.text(trimmed) ?? trimmed;
  };
}

/** The attribute before it exists, for typing values; labels are its option ids until `resolveValues` replaces them. */
export function asAttribute({ config, ...rest }: NewAttribute): Attribute {
  const attribute: Attribute = { ...rest, is_required: false };
  if (config === undefined) return attribute;
  const options = config.options?.map(({ label }) => ({ id: label, label }));
  return { ...attribute, config: { ...config, ...(options && { options }) } as NonNullable<Attribute['config']> };
}

/** Options that cells name and an attribute of the list lacks. */
export interface AddedOptions {
  slug: string;
  name: string;
  labels: string[];
}

/** Adds the options that cells name to the attributes of their columns; until they are created, labels are their ids. */
export function extendOptions(
  table: SourceTable,
  columns: readonly ImportColumn[],
  reading: Pick<ReadingOptions, 'isExport'>,
): { columns: ImportColumn[]; added: AddedOptions[]; joined: (JoinedOption & { header: string; slug: string })[] } {
  const added: AddedOptions[] = [];
  const joined: (JoinedOption & { header: string; slug: string })[] = [];
  const meaningOf = meaningReader(table, reading.isExport);
  const extended = columns.map((column): ImportColumn => {
    const { target, header } = column;
    if (target.field !== 'value' || !isOptions(target.attribute.attribute_type ?? 'text')) return column;
    const { attribute, slug } = target;
    const options = optionsOf(attribute) ?? [];
    const labels = labelsIn(table, column, attribute, meaningOf);
    for (const name of options.flatMap(({ id, label }) => [id, label])) labels.delete(foldedText(name ?? ''));
    if (labels.size === 0) return column;
    const several = attribute.attribute_type === 'multi_select' ? joinedOption(labels.values()) : undefined;
    if (several && !table.json && !column.steps) joined.push({ ...several, header, slug });
    const texts = Array.from(labels.values(), ({ label }) => label);
    added.push({ slug, name: attribute.name ?? slug, labels: texts });
    const all = [...options, ...texts.map((label) => ({ id: label, label }))];
    const config = { ...attribute.config, options: all } as NonNullable<Attribute['config']>;
    return { ...column, target: { ...target, attribute: { ...attribute, config } } };
  });
  return { columns: extended, added, joined };
}

interface Label {
  label: string;
  line: number;
}

/** The labels that the cells of a column name, by their folded text, in the order of the file: the usual spelling of each. */
function labelsIn(
  table: SourceTable,
  { index, steps }: { index: number; steps?: Steps | undefined },
  attribute: Attribute,
  meaningOf: (cell: unknown, steps: Steps | undefined) => unknown,
): Map<string, Label> {
  const labels = new Map<string, Label & { spellings: Map<string, number> }>();
  for (const { line, cells } of table.rows) {
    const cell = cells[index];
    const content = isUnitCell(cell) ? cellText(cell) : cell;
    for (const text of labelsOf(attribute, meaningOf(content, steps))) {
      const label = text.trim();
      const folded = foldedText(label);
      if (folded === '') continue;
      const known = labels.get(folded) ?? { label, line, spellings: new Map<string, number>() };
      known.spellings.set(label, (known.spellings.get(label) ?? 0) + 1);
      labels.set(folded, known);
    }
  }
  for (const known of labels.values()) known.label = usualSpelling(known.spellings) ?? known.label;
  return labels;
}

/** The most frequent spelling; of several, one with a capital. */
function usualSpelling(spellings: ReadonlyMap<string, number>): string | undefined {
  const rank = ([text, count]: [string, number]) => count * 2 + (/\p{Lu}/u.test(text) ? 1 : 0);
  return [...spellings].sort((a, b) => rank(b) - rank(a))[0]?.[0];
}

function labelsOf(attribute: Attribute, cell: unknown): string[] {
  if (Array.isArray(cell)) return cell.map(labelOf);
  if (isEmptyCell(cell) || typeof cell === 'object') return [];
  const text = labelOf(cell);
  return attribute.attribute_type === 'multi_select' ? optionTexts(attribute, text) : [text];
}

function joinedOption(labels: Iterable<Label>): JoinedOption | undefined {
  for (const { label, line } of labels) {
    const [separator] = separators.exec(label) ?? [];
    if (separator === undefined) continue;
    const parts = label.split(separator).map((part) => part.trim());
    if (parts.every((part) => part !== '')) return { label, line, parts, separator };
  }
  return undefined;
}

const codeNames = new Set(
  'zip zipcode postal postcode plz phone telephone telefon tel mobile handy fax isbn ean gtin upc sku iban version'.split(
    ' ',
  ),
);

/** Whether the name is that of a code in digits, such as postal codes and versions. */
function isCodeName(name: string): boolean {
  return slugLike(name)
    .split('-')
    .some((word) => codeNames.has(word));
}

const isText = (fits: (text: string) => boolean) => (cell: unknown) => typeof cell === 'string' && fits(cell);

/** Types and the cells that fit them, narrowest first. All cells of a column must fit. */
const fittings: readonly [AttributeType, (cell: unknown) => boolean][] = [
  ['multi_select', Array.isArray],
  ['checkbox', (cell) => typeof cell === 'boolean'],
  ['checkbox', isText((cell) => /^(true|false|yes|no)$/i.test(cell.trim()))],
  ['number', isNumeric],
  ['number', isText(isNumberText)],
  ['date', isDateCell],
  ['url', isText(isWebAddress)],
  ['email', isText(isMailAddress)],
];

/** Numbers, dates and words of other countries, each column in one form. */
function writtenForms({ decimal, dateFormat, locale }: NonNullable<InferOptions['reading']>): typeof fittings {
  const months = monthNames(locale);
  const marks = decimal ? [decimal] : (['.', ','] as const);
  const isDay = (text: string) =>
    dateFormat ? readDate(text, dateFormat, months) !== undefined : isDateIn(text, months);
  return [
    ['checkbox', isText(isYesOrNo)],
    ...marks.map((mark): (typeof fittings)[number] => [
      'number',
      (cell) => isNumeric(cell) || isWrittenNumber(cell, mark, decimal),
    ]),
    ['date', isText((text) => isDate(text.trim()) || isDay(text))],
  ];
}

/**
 * Whether the text is a number with this decimal mark. A blank between digits, without a mark or a unit, makes a code
 * unless the flags name the mark; a leading zero always does.
 */
function isWrittenNumber(text: unknown, mark: DecimalMark, flag: DecimalMark | undefined): boolean {
  if (typeof text !== 'string') return false;
  if (isNumberText(text)) return true;
  const mayBeNumber = flag ? !/^[+-]?0\d/.test(text) : !isCode(text) && /[.,%\p{L}\p{Sc}]/u.test(text);
  return mayBeNumber && readNumber(text, mark) !== undefined;
}

/** A form of cells, with the count of those that do not fit and the first of them. */
interface Form {
  type: AttributeType;
  fits: (cell: unknown) => boolean;
  wrong: number;
  cell?: CellRef;
}

/** Cells that a column must have of a type so that a few others are probably mistakes, also for each of these others. */
const minFittingCells = 3;
const fittingForEach = 9;
/** A form that so many more cells do not fit is given up, so that texts are not tried in vain. */
const maxWrongCells = 5;

/** Collects the facts that decide the type of a column, without its cells. */
class ColumnFacts {
  private count = 0;
  private forms: Form[];
  /** Whether every cell is a text that may be an option. */
  private isShort = true;
  /** Folded texts, until there are too many for options. */
  private readonly words = new Set<string>();
  /** Dates with years of two digits, which are texts without a format. */
  private shortDates = 0;
  private shortDate: CellRef | undefined;

  /** @param isCode the name is that of a code in digits */
  constructor(
    forms: typeof fittings,
    private readonly fixedType?: AttributeType,
    private readonly isCode = false,
  ) {
    this.forms = forms.map(([type, fits]) => ({ type, fits, wrong: 0 }));
  }

  add(cell: unknown, line: number): void {
    if (isEmptyCell(cell)) return;
    this.count += 1;
    if (typeof cell === 'string' && shortFormat(cell) !== undefined) {
      this.shortDates += 1;
      this.shortDate ??= { line, text: cell };
    }
    const failing = this.forms.filter(({ fits }) => !fits(cell));
    for (const form of failing) {
      form.wrong += 1;
      form.cell ??= { line, text: labelOf(cell) };
    }
    if (failing.length > 0) {
      const isGivenUp = ({ type, wrong }: Form) =>
        wrong > this.count / fittingForEach + maxWrongCells || (type === 'number' && isCode(labelOf(cell)));
      this.forms = this.forms.filter((form) => !failing.includes(form) || !isGivenUp(form));
    }
    if (typeof cell !== 'string' || cell.length > maxOptionLength || /[\n\r]/.test(cell) || isAmount(cell)) {
      this.isShort = false;
    }
    if (this.words.size <= maxOptions) this.words.add(foldedText(labelOf(cell)));
  }

  get isMulti(): boolean {
    return this.count > 0 && this.fitting?.type === 'multi_select';
  }

  /** Whether the column can be a currency, as far as its cells are known. */
  get mayBeAmount(): boolean {
    if (this.fixedType !== undefined) return this.fixedType === 'currency';
    return this.forms.some(({ type }) => type === 'number');
  }

  get type(): AttributeType {
    if (this.fixedType !== undefined) return this.fixedType;
    const fitting = this.count === 0 ? undefined : this.fitting;
    if (fitting?.type === 'number' && this.isCode) return 'text';
    if (fitting !== undefined) return fitting.type;
    const words = this.words.size;
    return this.isShort && words <= maxOptions && this.count >= words * repeats && words > 0 ? 'select' : 'text';
  }

  /** The type that all cells but a few have. */
  get near(): NearType | undefined {
    const { type: final, count } = this;
    if (this.fixedType !== undefined || (final !== 'text' && final !== 'select')) return undefined;
    const { shortDate, shortDates } = this;
    const [{ type, wrong, cell } = { type: final, wrong: 0 }] = [...this.forms].sort((a, b) => a.wrong - b.wrong);
    if (shortDate && !this.isCode && count - shortDates < (cell ? wrong : count) && this.isMost(shortDates)) {
      const format = shortFormat(shortDate.text)?.text;
      return { type: 'date', wrong: count - shortDates, count, cell: shortDate, format };
    }
    if (cell === undefined || type === 'multi_select' || (type === 'number' && this.isCode)) return undefined;
    // Words beside yes and no are options.
    if (type === 'checkbox' && final === 'select') return undefined;
    return this.isMost(count - wrong) ? { type, wrong, count, cell } : undefined;
  }

  /** Whether so many cells show what the column is, and the others are probably mistakes. */
  private isMost(fitting: number): boolean {
    const wrong = this.count - fitting;
    return fitting >= minFittingCells && (wrong <= 1 || fitting >= wrong * fittingForEach);
  }

  /** The narrowest form that all cells fit. */
  private get fitting(): Form | undefined {
    return this.forms.find(({ wrong }) => wrong === 0);
  }
}

function isOptions(type: AttributeType): boolean {
  return type === 'select' || type === 'status' || type === 'multi_select';
}

function labelOf(cell: unknown): string {
  return isNumeric(cell) ? plainDecimal(cell) : String(cell);
}

function free(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let number = 2; ; number += 1) if (!taken.has(`${slug}-${number}`)) return `${slug}-${number}`;
}

function isDateCell(cell: unknown): boolean {
  return typeof cell === 'string' && isDate(cell.trim());
}

/** Whether the text is a number, and no code such as a phone number. */
function isNumberText(cell: string): boolean {
  return parseNumber(cell) !== undefined && !isCode(cell);
}

/** Whether the text is a number in any language: a column of numbers and a few words is no list of options. */
function isAmount(text: string): boolean {
  return readNumber(text, '.') !== undefined || readNumber(text, ',') !== undefined;
}

/** Integers of at most this many digits are exact doubles. */
const maxDigits = 15;

/** `007`, `+4930123456`, `1e5`, or an id of more digits than a number keeps. */
function isCode(cell: string): boolean {
  const text = cell.trim();
  const [digits = ''] = /^\d+/.exec(text.replace(/^[+-]/, '')) ?? [];
  return /^[+-]?0\d/.test(text) || /^\+\d{6,}$/.test(text) || /^\d+[eE]\d+$/.test(text) || digits.length > maxDigits;
}
