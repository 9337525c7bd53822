/**
 * Parquet with typed columns, written a row group at a time. The only file that knows the library.
 *
 * The first group decides the type of a column, by its cells and its declared type. Numbers are doubles; a
 * column with a number that no double holds exactly is text, with a warning.
 */
import type { DecodedArray, SchemaElement } from 'hyparquet';
import { Failure } from '../../core/errors.ts';
import { isInteger, isNumeric, plainDecimal } from '../../core/json.ts';
import { type Cell, type Column, machineCell } from '../column.ts';
import { dayOf, doubleOf, microsecondsOf } from './typed-cell.ts';
import type { FileRules, FileWriter, Result } from './writer.ts';

/** Rows of one group. */
const groupRows = 4_000;

type Value = string | number | bigint | boolean | Date;

interface Kind {
  /** The part of the schema that has the type. */
  element: Omit<SchemaElement, 'name' | 'repetition_type'>;
  /** Undefined: the cell is not of this kind. */
  of(cell: NonNullable<Cell>): Value | undefined;
}

const text: Kind = { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, of: machineCell };
const double: Kind = { element: { type: 'DOUBLE' }, of: doubleOf };
const bool: Kind = {
  element: { type: 'BOOLEAN' },
  of: (cell) => (typeof cell === 'boolean' ? cell : undefined),
};
const day: Kind = { element: { type: 'INT32', converted_type: 'DATE' }, of: dayOf };
const instant: Kind = {
  element: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
  of: microsecondsOf,
};
const integer: Kind = {
  element: { type: 'INT64' },
  of(cell) {
    if (!isNumeric(cell) || !isInteger(cell)) return undefined;
    const whole = BigInt(plainDecimal(cell).split('.')[0] ?? '0');
    return BigInt.asIntN(64, whole) === whole ? whole : undefined;
  },
};

const kinds: Readonly<Record<NonNullable<Column['type']>, Kind>> = {
  text,
  id: text,
  json: text,
  boolean: bool,
  date: day,
  datetime: instant,
  integer,
  number: double,
  currency: double,
  percent: double,
};

/** A column of the current group. */
interface Gathered<Row> {
  column: Column<Row>;
  /** Cells until the first group is complete and decides their kind; values from then on. */
  held: (Cell | Value)[];
  read?(cell: Cell): Value | undefined;
}

export async function parquetWriter<Row>({ columns }: Result<Row>, rules: FileRules): Promise<FileWriter<Row>> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const bytes = new ByteWriter();
  const gathered = columns.map((column): Gathered<Row> => ({ column, held: [] }));
  let count = 0;
  let file: InstanceType<typeof ParquetWriter> | undefined;

  const open = () => {
    const elements = gathered.map((each): SchemaElement => {
      const { key } = each.column;
      const kind = settle(each.column, each.held as Cell[], rules);
      each.read = reader(kind, key);
      each.held = (each.held as Cell[]).map(each.read);
      return { ...kind.element, name: key, repetition_type: 'OPTIONAL' };
    });
    const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...elements];
    return new ParquetWriter({ writer: bytes, schema, createdBy: 'comem' });
  };
  const group = () => {
    file ??= open();
    if (count === 0) return;
    const columnData = gathered.map(({ column, held }) => ({ name: column.key, data: held as DecodedArray }));
    file.write({ columnData, rowGroupSize: count });
    for (const { held } of gathered) held.length = 0;
    count = 0;
  };
  /** Takes the bytes so far out of the library's buffer; its own offsets keep counting. */
  const taken = () => {
    const ready = bytes.getBytes().slice();
    bytes.index = 0;
    return ready;
  };

  return {
    rows(rows) {
      for (const { column, held, read } of gathered) {
        for (const row of rows) held.push(read ? read(column.get(row)) : column.get(row));
      }
      count += rows.length;
      if (count < groupRows) return undefined;
      group();
      return taken();
    },
    async close() {
      group();
      await file?.finish();
      return taken();
    },
  };
}

/** The kind that a column declares, or text where a cell of the first group is not of it. */
function settle<Row>({ key, type = 'text' }: Column<Row>, cells: readonly Cell[], rules: FileRules): Kind {
  const kind = kinds[type];
  const misfit = cells.find((cell) => cell !== undefined && cell !== null && kind.of(cell) === undefined);
  if (misfit === undefined || misfit === null) return kind;
  rules.warn(`${key} is written as text: a typed column cannot hold ${machineCell(misfit)} exactly`);
  return text;
}

/** Cells as values. A cell equal to that of the previous row is not converted again. */
function reader(kind: Kind, key: string): (cell: Cell) => Value | undefined {
  let before: { cell: Cell; value: Value } | undefined;
  return (cell) => {
    if (cell === undefined || cell === null) return undefined;
    if (before && Object.is(before.cell, cell)) return before.value;
    const value = kind.of(cell);
    if (value !== undefined) {
      before = { cell, value };
      return value;
    }
    throw new Failure(
      'rejected',
      `-o parquet: ${machineCell(cell)} in ${key} does not have the type of the earlier rows`,
      {
        code: 'column_type',
        hint: '-o csv and -o ndjson keep every value as it is; --fields leaves the column out',
      },
    );
  };
}
