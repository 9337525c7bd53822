/** Attributes for columns that a list does not have yet, typed by their cells. */
import type { AttributeType } from '../../contract/lists.ts';
import { isDate } from '../../contract/validate.ts';
import { isMailAddress, isWebAddress } from '../../core/addresses.ts';
import { isNumeric, plainDecimal } from '../../core/json.ts';
import type { Attribute } from '../entries/options.ts';
import { parseNumber } from '../entries/values.ts';
import { slugLike, type UnmatchedColumn } from './columns.ts';
import { isEmptyCell, type SourceTable } from './table.ts';

/** An attribute as the API is asked to create it, with the slug that it is expected to get. */
export interface NewAttribute {
  name: string;
  slug: string;
  attribute_type: AttributeType;
  config?: { options: { label: string }[] };
  /** The few cells that keep the column from being a date or a number. */
  odd?: OddCells;
}

export interface OddCells {
  type: 'number' | 'date';
  count: number;
  /** Of the first one. */
  line: number;
  cell: string;
}

/** Words repeated this often on average are options; more of them than this, or longer ones, are text. */
const repeats = 3;
const mostOptions = 25;
const longestOption = 60;

/** `types`: header to type, as far as the caller sets it. */
export function newAttributes(
  table: SourceTable,
  columns: readonly UnmatchedColumn[],
  attributes: readonly Attribute[],
  types: ReadonlyMap<string, AttributeType> = new Map(),
): NewAttribute[] {
  const taken = new Set(attributes.flatMap(({ slug }) => slug ?? []));
  return columns.map(({ index, header, name }) => {
    const cells = table.rows.map(({ cells }) => cells[index]).filter((cell) => !isEmptyCell(cell));
    const attribute_type = types.get(header) ?? inferType(cells);
    const slug = free(slugLike(name) || 'attribute', taken);
    taken.add(slug);
    const options = optionLabels(attribute_type, cells);
    const odd = types.has(header) ? undefined : oddCells(table, index, attribute_type);
    return {
      ...{ name: name.trim(), slug, attribute_type },
      ...(options === undefined ? {} : { config: { options } }),
      ...(odd === undefined ? {} : { odd }),
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

/** The narrowest type that takes every cell; text for a column without any. */
export function inferType(cells: readonly unknown[]): AttributeType {
  if (cells.length === 0) return 'text';
  const every = (fits: (cell: unknown) => boolean) => cells.every(fits);
  const text = (fits: (text: string) => boolean) => every((cell) => typeof cell === 'string' && fits(cell));
  if (every(Array.isArray)) return 'multi_select';
  if (every((cell) => typeof cell === 'boolean') || text((cell) => /^(true|false|yes|no)$/i.test(cell.trim())))
    return 'checkbox';
  if (every(isNumeric) || text(isNumberText)) return 'number';
  if (text((cell) => isDate(cell.trim()))) return 'date';
  if (text((cell) => isWebAddress(cell))) return 'url';
  if (text((cell) => isMailAddress(cell))) return 'email';
  if (!text(() => true)) return 'text';
  const words = new Set(cells as string[]);
  const short = [...words].every((word) => word.length <= longestOption && !/[\n\r]/.test(word));
  return short && words.size <= mostOptions && cells.length >= words.size * repeats ? 'select' : 'text';
}

/** A leading zero belongs to a code, not a number. */
function isNumberText(cell: string): boolean {
  return parseNumber(cell) !== undefined && !/^\s*[+-]?0\d/.test(cell);
}

/** One cell, or one of each hundred, that does not fit where all others are numbers or dates. */
function oddCells({ rows }: SourceTable, index: number, given: AttributeType): OddCells | undefined {
  if (given !== 'text' && given !== 'select') return undefined;
  const filled = rows.filter(({ cells }) => !isEmptyCell(cells[index]));
  for (const type of ['number', 'date'] as const) {
    const fits = (cell: unknown) =>
      typeof cell === 'string'
        ? type === 'number'
          ? isNumberText(cell)
          : isDate(cell.trim())
        : type === 'number' && isNumeric(cell);
    const odd = filled.filter(({ cells }) => !fits(cells[index]));
    const [first] = odd;
    if (first !== undefined && filled.length > 2 && odd.length <= Math.max(1, filled.length / 100)) {
      return { type, count: odd.length, line: first.line, cell: labelOf(first.cells[index]) };
    }
  }
  return undefined;
}

function optionLabels(type: AttributeType, cells: readonly unknown[]): { label: string }[] | undefined {
  if (type !== 'select' && type !== 'status' && type !== 'multi_select') return undefined;
  const words = cells.flatMap((cell) => {
    if (Array.isArray(cell)) return cell.map(labelOf);
    const text = labelOf(cell);
    return type === 'multi_select' ? text.split(';').map((part) => part.trim()) : [text];
  });
  return [...new Set(words)].filter((word) => word !== '').map((label) => ({ label }));
}

function labelOf(cell: unknown): string {
  return isNumeric(cell) ? plainDecimal(cell) : String(cell);
}

function free(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let number = 2; ; number += 1) if (!taken.has(`${slug}-${number}`)) return `${slug}-${number}`;
}
