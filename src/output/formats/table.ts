/**
 * Tables for people. Rows are gathered in blocks: the first block decides the widths, later blocks keep them, so that
 * a result of any size needs the memory of one block.
 */
import { isUuid } from '../../contract/validate.ts';
import { displayCell, isNumberColumn } from '../cells.ts';
import type { Column } from '../column.ts';
import { cleanLine, type Measure, measureFor } from '../terminal-text.ts';
import { fit, gap, type Wish } from './fit.ts';
import { type Align, layOut } from './layout.ts';
import type { Result, RowWriter, TableRules } from './writer.ts';

/** Rows of one block: enough to find good widths, few enough to wait for. */
const block = 512;

export function tableWriter<Row>(result: Result<Row>, rules: TableRules): RowWriter<Row> {
  const { columns } = result;
  const headings = columns.map((column) => cleanLine(column.heading ?? column.key));
  const texts = (row: Row) => columns.map((column) => cleanLine(displayCell(column, row)));
  let widths: number[] | undefined;
  let pending: string[][] = [];

  const draw = async (): Promise<string> => {
    const rows = pending;
    pending = [];
    const first = widths === undefined;
    const measure = await measureFor([...headings, ...rows.flat()]);
    const natural = columns.map((column, index) => wishOf(column, headings[index] ?? '', rows, index, measure));
    widths = widthsFor(natural, widths, rules.width);
    const shown = columns.map((_, index) => index).filter((index) => (widths?.[index] ?? 0) > 0);
    const pick = (cells: readonly string[]) =>
      shown.map((index) => measure.cut(cells[index] ?? '', widths?.[index] ?? 1));
    const places = shown.map((index) => ({
      width: widths?.[index] ?? 1,
      align: (isNumberColumn(columns[index] ?? {}) ? 'right' : 'left') as Align,
    }));
    const headed = first && result.header;
    const lines = await layOut([...(headed ? [headings] : []), ...rows].map(pick), places, gap, measure);
    if (headed) lines[0] = await rules.heading(lines[0] ?? '');
    return lines.map((line) => `${line}\n`).join('');
  };

  return {
    rows(rows) {
      for (const row of rows) pending.push(texts(row));
      return pending.length >= block ? draw() : '';
    },
    broken: async () => (pending.length > 0 ? draw() : ''),
    async close() {
      const text = pending.length > 0 ? await draw() : '';
      const missing = columns.filter((_, index) => widths?.[index] === 0).map(({ key }) => key);
      if (missing.length > 0) rules.leftOut(missing);
      return text;
    },
  };
}

/** One object: a line for each field, its heading before it. */
export async function fieldsTable<Row>(row: Row, columns: readonly Column<Row>[], rules: TableRules): Promise<string> {
  const cells = columns.map((column) => [cleanLine(column.heading ?? column.key), cleanLine(displayCell(column, row))]);
  const measure = await measureFor(cells.flat());
  const before = Math.max(1, ...cells.map(([heading = '']) => measure.width(heading)));
  const room = rules.width === undefined ? undefined : Math.max(rules.width - before - gap, 8);
  const cut = cells.map(([heading = '', text = ''], index) => {
    const keep = room === undefined || !mayCut(columns[index], text);
    return [heading, keep ? text : measure.cut(text, room)];
  });
  const value = Math.max(1, ...cut.map(([, text = '']) => measure.width(text)));
  const lines = await layOut(
    cut,
    [
      { width: before, align: 'left' },
      { width: value, align: 'left' },
    ],
    gap,
    measure,
  );
  const styled = await Promise.all(
    lines.map(async (line, index) => {
      const heading = cells[index]?.[0] ?? '';
      return `${await rules.heading(heading)}${line.slice(heading.length)}\n`;
    }),
  );
  return styled.join('');
}

function wishOf<Row>(
  column: Column<Row>,
  heading: string,
  rows: readonly (readonly string[])[],
  index: number,
  measure: Measure,
): Wish {
  let cells = 0;
  let ids = 0;
  for (const row of rows) {
    const text = row[index] ?? '';
    const width = measure.width(text);
    cells = Math.max(cells, width);
    if (isUuid(text)) ids = Math.max(ids, width);
  }
  return { cells, heading: measure.width(heading), kind: kindOf(column.type), ids, spare: column.spare };
}

function mayCut<Row>(column: Column<Row> | undefined, text: string): boolean {
  return kindOf(column?.type) === 'text' && !isUuid(text);
}

function kindOf(type: Column['type']): Wish['kind'] {
  if (type === 'id') return 'id';
  return type === undefined || type === 'text' || type === 'json' ? 'text' : 'whole';
}

/** Later blocks keep the widths of the first; where nothing may be cut they only grow. */
function widthsFor(
  wishes: readonly Wish[],
  kept: readonly number[] | undefined,
  available: number | undefined,
): number[] {
  if (kept && available !== undefined) return [...kept];
  const natural = wishes.map(({ cells, heading }, index) => Math.max(cells, heading, kept?.[index] ?? 1));
  return available === undefined ? natural : fit(wishes, available);
}
