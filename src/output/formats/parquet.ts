/**
 * Parquet with typed columns, written a row group at a time. The only file that knows the library.
 *
 * A column's type is settled by the first group: what its cells say and the column declares. Numbers are doubles; a
 * column with a number that a double cannot hold to the digit is text, and said so.
 */
import type { DecodedArray, SchemaElement } from 'hyparquet';
import { Failure } from '../../errors.ts';
import { isInteger, isNumeric, plainDecimal } from '../../json.ts';
import type { Cell, Column } from '../column.ts';
import { machineCell } from '../machine-cell.ts';
import type { FileRules, FileWriter } from './file-writer.ts';
import type { Result } from './row-writer.ts';
import { dayOf, doubleOf, microsecondsOf } from './typed-cell.ts';

/** Rows of one group: enough to compress well, few enough to be held. */
const groupRows = 8_000;

type Value = string | number | bigint | boolean | Date;

interface Kind {
  /** What of the schema says the type. */
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
  ...{ text, id: text, json: text, boolean: bool, date: day, datetime: instant },
  ...{ integer, number: double, currency: double, percent: double },
};

export async function parquetWriter<Row>({ columns }: Result<Row>, rules: FileRules): Promise<FileWriter<Row>> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const bytes = new ByteWriter();
  const cells: Cell[][] = columns.map(() => []);
  let held = 0;
  let file: { writer: InstanceType<typeof ParquetWriter>; kinds: Kind[] } | undefined;

  const open = () => {
    const settled = columns.map((column, index) => settle(column, cells[index] ?? [], rules));
    const elements = columns.map(
      ({ key }, index): SchemaElement => ({
        ...(settled[index] ?? text).element,
        name: key,
        repetition_type: 'OPTIONAL',
      }),
    );
    const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...elements];
    return { writer: new ParquetWriter({ writer: bytes, schema, createdBy: 'comem' }), kinds: settled };
  };
  const group = () => {
    file ??= open();
    if (held === 0) return;
    const { writer, kinds: settled } = file;
    const columnData = columns.map(({ key }, index) => ({
      name: key,
      data: valuesOf(settled[index] ?? text, cells[index] ?? [], key),
    }));
    writer.write({ columnData, rowGroupSize: held });
    for (const column of cells) column.length = 0;
    held = 0;
  };
  /** What was written so far, taken out of the library's buffer; its own offsets go on. */
  const taken = () => {
    const ready = bytes.getBytes().slice();
    bytes.index = 0;
    return ready;
  };

  return {
    rows(rows) {
      for (const row of rows) for (const [index, column] of columns.entries()) cells[index]?.push(column.get(row));
      held += rows.length;
      if (held < groupRows) return undefined;
      group();
      return taken();
    },
    async close() {
      group();
      await file?.writer.finish();
      return taken();
    },
  };
}

/** The kind that a column declares, or text where a cell of the first group is not of it. */
function settle<Row>({ key, type = 'text' }: Column<Row>, cells: readonly Cell[], rules: FileRules): Kind {
  const kind = kinds[type];
  const misfit = cells.find((cell) => cell !== undefined && cell !== null && kind.of(cell) === undefined);
  if (misfit === undefined || misfit === null) return kind;
  rules.warn(`${key} is a column of text: ${machineCell(misfit)} is not what a typed column keeps to the digit`);
  return text;
}

function valuesOf(kind: Kind, cells: readonly Cell[], key: string): DecodedArray {
  return cells.map((cell) => {
    if (cell === undefined || cell === null) return undefined;
    const value = kind.of(cell);
    if (value !== undefined) return value;
    throw new Failure(
      'rejected',
      `-o parquet: ${machineCell(cell)} in ${key} is not of the type of the rows before it`,
      {
        code: 'column_type',
        hint: '-o csv and -o ndjson keep every value as it is; --fields leaves the column out',
      },
    );
  });
}
