/** What the flags say about columns: where each goes, what is done to its cells, the type of a new attribute. */
import { type AttributeType, attributeTypes } from '../../../contract/lists.ts';
import { type Failure, usage } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import { mapRows } from '../../../core/spool.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import { headerNamed, type ImportColumn, slugLike, type UnmatchedColumn } from '../../../domain/import/columns.ts';
import { monthNames, readDate } from '../../../domain/import/dates.ts';
import { asAttribute, type JoinedOption, type NewAttribute, newAttributes } from '../../../domain/import/infer.ts';
import { readNumber } from '../../../domain/import/numbers.ts';
import type { ReadingOptions } from '../../../domain/import/reading.ts';
import { cellText, isUnitCell, isWrongCell } from '../../../domain/import/sheet-cells.ts';
import { readSteps, type Steps, splitOutside } from '../../../domain/import/steps.ts';
import type { ImportIssue, SourceTable } from '../../../domain/import/table.ts';
import type { ImportFlags } from './flags.ts';

interface Mappings {
  map: Map<string, string>;
  steps: Map<string, Steps>;
}

/** `COLUMN=TARGET` and `COLUMN=TARGET|step|step`. @throws usage for one that is not, and for an unknown step */
export function mappingsOf(written: readonly string[] = []): Mappings {
  const map = new Map<string, string>();
  const steps = new Map<string, Steps>();
  for (const [column, right] of pairsOf('--map', written)) {
    const [target = '', ...more] = splitOutside(right, '|');
    map.set(column, target.trim());
    if (more.length > 0) steps.set(column, readSteps(more.join('|'), `--map ${column}`));
  }
  return { map, steps };
}

/** The column's name may contain a `=`, the target does not; the steps may, in brackets. */
function pairsOf(name: string, written: readonly string[]): [string, string][] {
  const seen = new Set<string>();
  return written.map((one) => {
    const before = splitOutside(one, '=');
    const last = before.pop() ?? '';
    // A bracket that is not closed belongs to the name of the column.
    const at = before.length > 0 ? one.length - last.length - 1 : one.lastIndexOf('=');
    const column = one.slice(0, at).trim();
    if (at < 1 || column === '') throw usage(`${name} takes COLUMN=TARGET, got "${one}"`);
    if (seen.has(column)) throw usage(`${name} names the column "${column}" twice`);
    seen.add(column);
    return [column, one.slice(at + 1).trim()];
  });
}

export function createdFor(
  table: SourceTable,
  unmatched: readonly UnmatchedColumn[],
  own: readonly Attribute[],
  flags: ImportFlags,
  reading: ReadingOptions,
): { created: NewAttribute[]; issues: ImportIssue[] } {
  const types = new Map(pairsOf('--type', flags.type ?? []));
  if (types.size > 0 && !flags.createAttrs)
    throw usage('--type sets the type of a new attribute, and needs --create-attrs');
  const named = new Map<string, AttributeType>();
  const headers = unmatched.map(({ header }) => header);
  for (const [column, written] of types) {
    const header = headerNamed(column, headers);
    if (header === undefined) {
      const near = nearest(column, headers);
      throw usage(
        `--type ${column}=${written}: no attribute is created for a column "${column}"`,
        near && `did you mean ${near}?`,
      );
    }
    const type = attributeTypes.find((one) => one === written);
    if (type === undefined) throw usage(`--type ${column}=${written}: a type is one of ${attributeTypes.join(', ')}`);
    named.set(header, type);
  }
  if (!flags.createAttrs) return { created: [], issues: [] };
  for (const { header, steps } of unmatched) {
    if (steps?.as && !named.has(header)) named.set(header, steps.as.kind === 'date' ? 'date' : 'number');
  }
  const attributes = newAttributes(asMeant(table, unmatched, reading), unmatched, own, named);
  const issues = attributes.flatMap(({ joined }, index): ImportIssue[] => {
    const column = unmatched[index];
    // With steps of its own the column is read as they say.
    if (joined === undefined || column === undefined || column.steps !== undefined) return [];
    return [{ line: joined.line, column: column.header, message: severalOptions(column.header, joined) }];
  });
  return { created: attributes.map(({ joined: _, ...attribute }) => attribute), issues };
}

function severalOptions(header: string, { label, parts, separator }: JoinedOption): string {
  const several = separator === ';' ? '' : ` --map '${header}=${header}|split("${separator}")'`;
  return `"${label}" would be one option; for ${parts.length} write --type '${header}=multi_select'${several}, for one --type '${header}=select'`;
}

/** The cells by which new attributes are typed: as they will be read, as far as the flags say it. */
function asMeant(table: SourceTable, unmatched: readonly UnmatchedColumn[], reading: ReadingOptions): SourceTable {
  if (table.json) return table;
  const { style, dateFormat, locale, trim } = reading;
  const months = monthNames(locale);
  const meant = (cell: unknown, steps: Steps | undefined): unknown => {
    if (isWrongCell(cell)) return '';
    if (isUnitCell(cell)) return cell.number;
    if (typeof cell !== 'string') return cell;
    const text = steps ? steps.text(trim ? cell.trim() : cell) : trim ? cell.trim() : cell;
    // A leading zero belongs to a code.
    const number = style && !/^[+-]?0\d/.test(text) ? readNumber(text, style)?.value : undefined;
    return number ?? (dateFormat && readDate(text, dateFormat, months)) ?? text;
  };
  const steps = new Map(unmatched.map((column) => [column.index, column.steps]));
  const rows = mapRows(table.rows, ({ line, cells }) => ({
    line,
    cells: cells.map((cell, index) => (steps.has(index) ? meant(cell, steps.get(index)) : cellText(cell))),
  }));
  return { ...table, rows };
}

export function columnsFor(unmatched: readonly UnmatchedColumn[], created: readonly NewAttribute[]): ImportColumn[] {
  return created.flatMap((attribute, index): ImportColumn[] => {
    const column = unmatched[index];
    if (column === undefined) return [];
    const target = { field: 'value', slug: attribute.slug, attribute: asAttribute(attribute), fresh: true } as const;
    return [{ index: column.index, header: column.header, target, steps: column.steps }];
  });
}

/** The column of `--key`: named by field, slug, attribute or header. */
export function keyColumn(key: string, columns: readonly ImportColumn[]): ImportColumn | undefined {
  const bare = key.replace(/^values\./, '');
  const fits: ((column: ImportColumn) => boolean)[] = [
    ({ target }) => target.field === key && (key === 'id' || key === 'title'),
    ({ target }) => target.field === 'value' && target.slug === bare,
    ({ target, header }) => target.field === 'value' && (header === key || target.attribute.name === key),
    ({ target }) => target.field === 'value' && target.slug === slugLike(key),
  ];
  return fits.map((fit) => columns.find(fit)).find((column) => column !== undefined);
}

export function noKey(key: string, { headers }: SourceTable): Failure {
  const hint =
    key === 'title'
      ? "name the column of titles with --map 'COLUMN=title', or choose another key with --key"
      : `name its column with --map 'COLUMN=${key}'`;
  return usage(`--key ${key}: the file has no such column; it has ${headers.join(', ')}`, hint);
}
