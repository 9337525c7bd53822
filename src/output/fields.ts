/** `--fields`: which columns a result shows, and which keys its JSON keeps. */

import { usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import type { Column } from './column.ts';

/** The columns named, in the order named; all when none are. @throws usage for an unknown name */
export function chosenColumns<Row>(
  columns: readonly Column<Row>[],
  fields: readonly string[] | undefined,
): readonly Column<Row>[] {
  if (fields === undefined) return columns;
  const chosen = new Set<Column<Row>>();
  for (const name of fields) chosen.add(columnNamed(columns, name));
  const told = columns.every((column) => column.tellsUnit !== true || chosen.has(column));
  return [...chosen].map((column) =>
    !told && (column.unitInRow || column.group) ? { ...column, unitInRow: false, ownUnit: true } : column,
  );
}

/** Gives the function that keeps the columns' keys of a row's JSON, nested ones in their place. */
export function keepKeys<Row>(columns: readonly Column<Row>[]): (json: unknown, row: Row) => unknown {
  const kept = columns.map((column) => ({ column, path: column.path ?? [column.key] }));
  return (json, row) => {
    if (typeof json !== 'object' || json === null) return json;
    const result = {};
    for (const { column, path } of kept) {
      if (column.inJson === 'cell') own(result, column.key, column.get(row));
      else copy(json, result, path);
    }
    return result;
  };
}

/** A row of `--fields help`. */
interface FieldHelp {
  field: string;
  aliases: string;
  heading: string;
  type: string;
}

export function fieldHelp<Row>(columns: readonly Column<Row>[]): FieldHelp[] {
  return columns.map((column) => ({
    field: column.key,
    aliases: (column.aliases ?? []).join(' '),
    heading: column.heading ?? column.key,
    type: column.type ?? 'text',
  }));
}

export const fieldHelpColumns: readonly Column<FieldHelp>[] = [
  { key: 'field', heading: 'Field', get: (row) => row.field },
  { key: 'aliases', heading: 'Aliases', get: (row) => row.aliases },
  { key: 'heading', heading: 'Heading', get: (row) => row.heading },
  { key: 'type', heading: 'Type', get: (row) => row.type },
];

function columnNamed<Row>(columns: readonly Column<Row>[], name: string): Column<Row> {
  const found = columns.find(({ key }) => key === name);
  if (found) return found;
  const other = columns.find(({ aliases }) => aliases?.includes(name));
  if (other) return other.own ?? other;
  const keys = columns.map(({ key }) => key);
  const near = nearest(name, keys);
  throw usage(
    `--fields: unknown column "${name}"`,
    `${near === undefined ? '' : `did you mean ${near}? `}the columns are ${keys.join(', ')}`,
  );
}

function copy(from: object, to: object, path: readonly string[]): void {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(from, key)) return;
  const value: unknown = Reflect.get(from, key);
  if (rest.length === 0) {
    own(to, key, value);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const within: unknown = Object.hasOwn(to, key) ? Reflect.get(to, key) : undefined;
  const target = typeof within === 'object' && within !== null ? within : {};
  copy(value, target, rest);
  own(to, key, target);
}

/** A key named `__proto__` is a key like any other. */
function own(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
