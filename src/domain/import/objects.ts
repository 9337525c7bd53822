/** Objects of JSON, NDJSON and YAML as the rows of a table. */
import { refuseColumns } from '../../core/csv.ts';
import { JsonSyntaxError, shortened, usage } from '../../core/errors.ts';
import { NumberRangeError, parseJson, stringifyJson } from '../../core/json.ts';
import { JsonElements } from '../../core/json-stream.ts';
import { type GrowingRows, mapRows } from '../../core/spool.ts';
import { linesOf, type OpenText } from '../../core/tsv.ts';
import type { ImportIssue, SourceRow, SourceTable } from './table.ts';

/** The items of an array, one after the other; a text that is not JSON is read again for the place of its mistake. */
export function readItems(open: OpenText, name: string, table: ObjectTable): void {
  let items = 0;
  const elements = new JsonElements((text) => {
    items += 1;
    table.add(items, parseJson(text));
  });
  try {
    for (const piece of open()) elements.write(piece);
    addItems(parseJson(elements.left().replace(/^\uFEFF/, '')), 'json', name, table);
  } catch (error) {
    if (error instanceof NumberRangeError) throw usage(`${name}: ${error.message}`);
    if (!(error instanceof JsonSyntaxError)) throw error;
    parsed([...open()].join(''), name);
    throw error;
  }
}

export function addItems(value: unknown, format: 'json' | 'yaml', name: string, table: ObjectTable): void {
  if (!Array.isArray(value)) {
    const hint = format === 'json' ? 'use the format ndjson for one object per line' : undefined;
    throw usage(`${name} must hold one ${format === 'json' ? 'JSON array' : 'YAML sequence'} of objects`, hint);
  }
  for (const [index, item] of value.entries()) table.add(index + 1, item);
}

/** Each line on its own, so that one mistake hides no other; a text without any valid line is not NDJSON. */
export function readLines(pieces: Iterable<string>, name: string, table: ObjectTable): void {
  let first: string | undefined;
  let hasItem = false;
  let start = true;
  for (const { line, text } of linesOf(pieces, name, '\n')) {
    const own = start ? text.replace(/^\uFEFF/, '') : text;
    start = false;
    if (own.trim() === '') continue;
    try {
      table.add(line, parseJson(own.trimEnd()));
      hasItem = true;
    } catch (error) {
      if (error instanceof NumberRangeError) {
        table.refuse(line, error.message);
        continue;
      }
      if (!(error instanceof JsonSyntaxError)) throw error;
      const wrong = `is not JSON: ${error.says} at column ${error.column}`;
      first ??= `${name}, line ${line} ${wrong}`;
      table.refuse(line, wrong);
    }
  }
  if (first !== undefined && !hasItem) throw usage(first, 'use the format json for one array of objects');
}

function parsed(text: string, name: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw usage(`${name} is not JSON: ${error.message}`);
    throw error;
  }
}

/** Cells by place: a cell that an object does not have is not one that is null. */
interface ObjectRow {
  line: number;
  cells: Record<number, unknown>;
}

/** Objects as rows; the values of an entry, as the API nests them, become columns `values.SLUG`. */
export class ObjectTable {
  private readonly places = new Map<string, number>();
  private readonly issues: ImportIssue[] = [];

  constructor(
    private readonly rows: GrowingRows<ObjectRow>,
    private readonly name: string,
  ) {}

  refuse(line: number, message: string): void {
    this.issues.push({ line, message });
  }

  add(line: number, value: unknown): void {
    if (!isObject(value)) {
      this.refuse(line, `must be an object, got ${short(value)}`);
      return;
    }
    const cells: ObjectRow['cells'] = {};
    for (const [key, cell] of Object.entries(value)) {
      if (key !== 'values' || !isObject(cell)) cells[this.place(key)] = cell;
      else for (const [slug, inner] of Object.entries(cell)) cells[this.place(`values.${slug}`)] = inner;
    }
    this.rows.push({ line, cells });
  }

  ended(place: SourceTable['place']): SourceTable {
    const rows = mapRows(this.rows, ({ line, cells }): SourceRow => ({ line, cells: Object.assign([], cells) }));
    return { headers: [...this.places.keys()], rows, json: true, place, issues: this.issues };
  }

  private place(header: string): number {
    const known = this.places.get(header);
    if (known !== undefined) return known;
    const place = this.places.size;
    refuseColumns(place + 1, this.name);
    this.places.set(header, place);
    return place;
  }
}

function short(value: unknown): string {
  return shortened(stringifyJson(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}
