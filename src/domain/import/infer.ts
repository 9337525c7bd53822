/** Attributes for columns that a list does not have yet, typed by their cells. */
import type { AttributeType } from '../../contract/lists.ts';
import { isMailAddress, isWebAddress } from '../../core/addresses.ts';
import { isNumeric, plainDecimal } from '../../core/json.ts';
import type { Attribute } from '../entries/options.ts';
import { slugLike, type UnmatchedColumn } from './columns.ts';
import { isDateCell, isNumberText, type OddCells, OddColumn } from './odd-cells.ts';
import { isEmptyCell, type SourceTable } from './table.ts';
import { foldLabel } from './word-column.ts';

/** An attribute as the API is asked to create it, with the slug that it is expected to get. */
export interface NewAttribute {
  name: string;
  slug: string;
  attribute_type: AttributeType;
  config?: { options: { label: string }[] };
  /** What keeps the column from being a date or a number. */
  odd?: OddCells;
}

/** An option that reads as several: `bio, lokal`. */
export interface JoinedOption {
  label: string;
  line: number;
  parts: string[];
  separator: string;
}

/** Words repeated this often on average are options; more of them than this, or longer ones, are text. */
const repeats = 3;
const mostOptions = 25;
const longestOption = 60;

/** What people write between several options in one cell; a comma between digits belongs to a number. */
const separators = /[;|\n]|,(?!\d)/;

/** `types`: header to type, as far as the caller sets it. */
export function newAttributes(
  table: SourceTable,
  columns: readonly UnmatchedColumn[],
  attributes: readonly Attribute[],
  types: ReadonlyMap<string, AttributeType> = new Map(),
): (NewAttribute & { joined?: JoinedOption })[] {
  const taken = new Set(attributes.flatMap(({ slug }) => slug ?? []));
  const facts = columns.map(({ index, header, name }) => ({
    index,
    of: new ColumnFacts(types.get(header), !table.json && isCodeName(name)),
  }));
  for (const { line, cells } of table.rows) for (const { index, of } of facts) of.add(cells[index], line);
  return columns.map(({ name }, at) => {
    const { type: attribute_type, options, odd, joined } = (facts[at] as { of: ColumnFacts }).of;
    const slug = free(slugLike(name) || 'attribute', taken);
    taken.add(slug);
    return {
      ...{ name: name.trim(), slug, attribute_type },
      ...(options === undefined ? {} : { config: { options } }),
      ...(odd === undefined ? {} : { odd }),
      ...(joined === undefined ? {} : { joined }),
    };
  });
}

/**
 * The attribute as values are typed by it before it exists: its options go by their labels, which `resolveValues` turns into
 * the ids that the server gives.
 */
export function asAttribute({ config, odd: _, ...rest }: NewAttribute): Attribute {
  if (config === undefined) return { ...rest, is_required: false };
  return {
    ...rest,
    is_required: false,
    config: { options: config.options.map(({ label }) => ({ id: label, label })) },
  };
}

const codeNames = new Set(
  'zip zipcode postal postcode plz phone telephone telefon tel mobile handy fax isbn ean gtin upc sku iban version'.split(
    ' ',
  ),
);

/** Whether a column of digits is a code: postal codes without a leading zero and versions such as 1.10 look like numbers. */
function isCodeName(name: string): boolean {
  return slugLike(name)
    .split('-')
    .some((word) => codeNames.has(word));
}

/** The narrowest type that takes every cell; text for a column without any. */
export function inferType(cells: readonly unknown[]): AttributeType {
  const facts = new ColumnFacts();
  for (const [index, cell] of cells.entries()) facts.add(cell, index + 1);
  return facts.type;
}

const isText = (fits: (text: string) => boolean) => (cell: unknown) => typeof cell === 'string' && fits(cell);

/** The types that cells show, the narrowest first. A cell of JSON says its own type, and so must all others. */
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

/** What the cells of a column show, without the cells. */
class ColumnFacts {
  private count = 0;
  private fitting = fittings;
  /** Whether every cell is a text that may be an option. */
  private isShort = true;
  /** Labels in the order of the file; given up when they are too many to be options. */
  private labels: Map<string, { label: string; line: number }> | undefined = new Map();
  private readonly odds = new OddColumn();

  /**
   * @param given the type that the caller sets
   * @param isCode the column is named after what is written in digits and is no number
   */
  constructor(
    private readonly given?: AttributeType,
    private readonly isCode = false,
  ) {}

  add(cell: unknown, line: number): void {
    if (isEmptyCell(cell)) return;
    this.count += 1;
    if (!this.fitting.every(([, fits]) => fits(cell))) this.fitting = this.fitting.filter(([, fits]) => fits(cell));
    if (typeof cell !== 'string' || cell.length > longestOption || /[\n\r]/.test(cell)) this.isShort = false;
    this.addLabels(cell, line);
    if (this.given !== undefined) return;
    this.odds.add(cell, line, labelOf);
  }

  get type(): AttributeType {
    if (this.given !== undefined) return this.given;
    const [first] = this.count === 0 ? [] : this.fitting;
    if (first?.[0] === 'number' && this.isCode) return 'text';
    if (first !== undefined) return first[0];
    const words = this.labels?.size ?? 0;
    return this.isShort && words > 0 && words <= mostOptions && this.count >= words * repeats ? 'select' : 'text';
  }

  get options(): { label: string }[] | undefined {
    if (!isOptions(this.type)) return undefined;
    return [...(this.labels?.values() ?? [])].filter(({ label }) => label !== '').map(({ label }) => ({ label }));
  }

  /** A part of several options is separated as by people, or beside other options is one of them. */
  get joined(): JoinedOption | undefined {
    const isNamed = this.given === 'select' || this.given === 'status';
    if (isNamed || !isOptions(this.type) || this.fitting[0]?.[0] === 'multi_select') return undefined;
    for (const { label, line } of this.labels?.values() ?? []) {
      const [separator] = separators.exec(label) ?? [];
      if (separator === undefined) continue;
      const parts = label.split(separator).map((part) => part.trim());
      const isKnown = (part: string) => this.labels?.has(foldLabel(part)) === true;
      if (parts.some((part) => part === '') || !(this.given === 'multi_select' || parts.some(isKnown))) continue;
      return { label, line, parts, separator };
    }
    return undefined;
  }

  get odd(): OddCells | undefined {
    if (this.given !== undefined || (this.type !== 'text' && this.type !== 'select')) return undefined;
    return this.odds.odd;
  }

  private addLabels(cell: unknown, line: number): void {
    if (this.labels === undefined || (this.given !== undefined && !isOptions(this.given))) return;
    const parts =
      this.given === 'multi_select'
        ? labelOf(cell)
            .split(';')
            .map((part) => part.trim())
        : [labelOf(cell)];
    for (const label of Array.isArray(cell) ? cell.map(labelOf) : parts) {
      const folded = foldLabel(label);
      if (!this.labels.has(folded)) this.labels.set(folded, { label, line });
    }
    const mayBeMany = this.given !== undefined || this.fitting[0]?.[0] === 'multi_select';
    if (!mayBeMany && this.labels.size > mostOptions) this.labels = undefined;
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
