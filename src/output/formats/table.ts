/**
 * Tables for people. Rows are gathered in blocks: the first block decides units and widths, later blocks keep them, so
 * that a result of any size needs the memory of one block.
 */
import type { Column } from '../column.ts';
import {
  byRank,
  headingOf,
  type ScreenColumn,
  screenColumns,
  tellsScale,
  textCell,
  uniqueLength,
} from '../screen-column.ts';
import { cleanLine, painter } from '../terminal-text.ts';
import { isNumberColumn } from '../values.ts';
import { cut, cutWords, width } from '../width.ts';
import { type ColumnSize, cutHeading, type DrawnRow, drawRow, fit, gap, layOut, markLength } from './layout.ts';
import type { Result, RowWriter, TableRules } from './writer.ts';

/** Rows of one block: enough to find good widths, few enough to wait for. */
const maxRows = 512;
const minRows = 4;
/** Cells of one block: signals are heard between blocks. */
const maxCells = 20_000;

export function tableWriter<Row>(result: Result<Row>, rules: TableRules): RowWriter<Row> {
  const isArranged = rules.look.isScreen && !result.chosen;
  const ordered = isArranged ? byRank(result.columns) : result.columns;
  const block = Math.min(Math.max(Math.floor(maxCells / ordered.length), minRows), maxRows);
  const nameOf = (column: Column<Row>) => headingOf(column, rules.look) || column.key;
  const isReady = turnTaker(rules.turn);
  let pending: Row[] = [];
  let screen: ScreenColumn<Row>[] | undefined;
  let sizes: ColumnSize[] = [];
  let widths: number[] = [];
  let isRecords = false;
  let recordCount = 0;

  /** The cells of the rows; the first block decides the widths, and without a terminal each block widens them. */
  const measure = async (columns: readonly ScreenColumn<Row>[], rows: readonly Row[], isFirst: boolean) => {
    const isSized = isFirst || rules.width === undefined;
    if (isFirst) {
      const headingOf = ({ heading }: ScreenColumn<Row>) => (result.header ? heading : '');
      sizes = columns.map((each) => emptySize(each.column, headingOf(each), result.chosen === true));
    }
    const cells: string[][] = [];
    for (const row of rows) {
      const texts = columns.map(({ text }) => text(row));
      cells.push(texts);
      if (isSized) for (const [at, text] of texts.entries()) widen(sizes[at], text);
      await isReady();
    }
    if (isFirst) for (const [at, size] of sizes.entries()) size.idCells = idCells(size, at, cells, rules.look.ascii);
    if (rules.width === undefined) widths = sizes.map(({ cells, heading }) => Math.max(cells, heading, 1));
    else if (isFirst) widths = fit(sizes, rules.width);
    return cells;
  };

  const draw = async (isAll: boolean): Promise<string> => {
    const paint = await painter(rules.color);
    const rows = pending;
    pending = [];
    const isFirst = screen === undefined;
    const columns = isAll && isArranged ? informativeColumns(ordered, rows, rules) : ordered;
    screen ??= screenColumns(columns, rows, rules.look, { most: rules.maxCellWidth });
    let cells = await measure(screen, rows, isFirst);
    const repeated = isFirst && isAll && isArranged ? repeatedColumns(screen, widths, cells) : [];
    if (repeated.length > 0) {
      const others = screen.flatMap((each) => (repeated.includes(each) ? [] : [each.column]));
      rules.left.repeated.push(...repeated.map((each) => `${each.heading}: ${each.text(rows[0] as Row)}`));
      screen = screenColumns(others, rows, rules.look, { most: rules.maxCellWidth });
      cells = await measure(screen, rows, isFirst);
    }
    // Without room for the units each number shows its own.
    if (isFirst && screen.some(({ column }, at) => widths[at] === 0 && tellsScale(column))) {
      const others = screen.map(({ column }) => column).filter((column) => !tellsScale(column));
      screen = screenColumns(others, rows, rules.look, { most: rules.maxCellWidth });
      cells = await measure(screen, rows, isFirst);
    }
    if (isFirst) isRecords = screen.some(({ column }, at) => widths[at] === 0 && isNeeded(column));
    if (isRecords)
      return records(
        rows,
        screen.map(({ column }) => column).filter((column) => !tellsScale(column)),
      );
    const places = screen.flatMap((column, at) => {
      const width = widths[at] ?? 0;
      const isShown = width > 0 || isBelow(column.column);
      return isShown ? [{ ...column, at, width, kind: sizes[at]?.kind ?? 'text', idCells: sizes[at]?.idCells }] : [];
    });
    const visible = places.filter(({ width }) => width > 0);
    const { ascii } = rules.look;
    const isHeaded = isFirst && result.header;
    const body: DrawnRow[] = [];
    if (isHeaded) body.push({ cells: visible.map((each) => cutHeading(each, each.width, ascii)) });
    for (const [index, row] of rows.entries()) {
      const all = cells[index] ?? [];
      // Without a terminal every column is as wide as its cells.
      if (rules.width === undefined && !rules.color) body.push({ cells: all });
      else {
        const texts = places.map(({ at }) => all[at] ?? '');
        const tones = rules.color ? places.map(({ tone }) => tone(row)) : [];
        body.push(drawRow(texts, tones, places, { width: rules.width, ascii, paint }));
      }
      await isReady();
    }
    const lines = await layOut(body, visible, isFirst, isReady);
    const [first] = lines;
    if (isHeaded && first !== undefined) lines[0] = paint('bold', first);
    return lines.map((line) => `${line}\n`).join('');
  };

  /** A row as one object, after a blank line, where the columns that are required have no room beside each other. */
  const records = async (rows: readonly Row[], columns: readonly Column<Row>[]): Promise<string> => {
    let text = '';
    for (const row of rows) {
      text += `${recordCount > 0 ? '\n' : ''}${await fieldsTable(row, { columns, chosen: true }, rules, recordCount === 0)}`;
      recordCount += 1;
      await isReady();
    }
    return text;
  };

  return {
    rows(rows) {
      for (const row of rows) pending.push(row);
      return pending.length >= block ? draw(false) : '';
    },
    broken: async () => (pending.length > 0 ? draw(false) : ''),
    async close() {
      const text = pending.length > 0 ? await draw(screen === undefined) : '';
      const missing = (isRecords ? [] : (screen ?? []))
        .filter(({ column }, at) => widths[at] === 0 && !isBelow(column))
        .map(({ column }) => column);
      const [ids, others] = [missing.filter(isId), missing.filter((column) => !isId(column))];
      rules.left.ids ||= ids.length > 0;
      rules.left.columns.push(...others.map(nameOf));
      return text;
    },
  };
}

/** The columns in which all rows say the same, which give way to a column without room. */
function repeatedColumns<Row>(
  screen: readonly ScreenColumn<Row>[],
  widths: readonly number[],
  cells: readonly (readonly string[])[],
): ScreenColumn<Row>[] {
  const isFull = screen.some(({ column }, at) => widths[at] === 0 && !isId(column) && !isBelow(column));
  if (!isFull || cells.length < 2) return [];
  return screen.filter(({ column }, at) => {
    const text = cells[0]?.[at];
    return at > 0 && !column.group && text !== '' && cells.every((texts) => texts[at] === text);
  });
}

/** Milliseconds of work between two turns of the event loop. */
const maxWorkMs = 50;

/** Called after each row: signals are handled while rows of long texts are laid out. */
function turnTaker(turn: () => Promise<void>): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < maxWorkMs) return undefined;
    return turn().then(() => {
      since = performance.now();
    });
  };
}

/** Its texts are lines below their rows where the column has no room. */
const isBelow = <Row>({ required, wraps }: Column<Row>) => required === true && wraps === true;

/** Whether a row cannot be read without the column; a table without room for it shows objects. */
const isNeeded = <Row>({ required, wraps, spare }: Column<Row>) => required === true && !wraps && !spare;

const isId = <Row>({ type, names }: Column<Row>) => type === 'id' && !names;

/** Without the columns that are empty, or in which all rows say the same. */
function informativeColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { look, left }: Pick<TableRules, 'look' | 'left'>,
): readonly Column<Row>[] {
  if (rows.length === 0) return columns;
  const isSame = (column: Column<Row>, text: string) => rows.every((row) => textCell(column, row, look) === text);
  const isUsual = ({ usual, get }: Column<Row>) => usual !== undefined && rows.every((row) => get(row) === usual);
  const empty = columns.filter((column, at) => at > 0 && column.absent === undefined && isSame(column, ''));
  left.empty.push(...empty.map((column) => headingOf(column, look)).filter((heading) => heading !== ''));
  const repeated = columns.flatMap((column, at) => {
    const text = textCell(column, rows[0] as Row, look);
    const isRepeated = at > 0 && column.saidOnce && rows.length > 1 && text !== '' && isSame(column, text);
    if (isRepeated) left.repeated.push(`${headingOf(column, look)}: ${cleanLine(text)}`);
    return isRepeated ? [column] : [];
  });
  return columns.filter((column) => !empty.includes(column) && !repeated.includes(column) && !isUsual(column));
}

/** One object: a line for each field, its heading before it, long text in several. */
export async function fieldsTable<Row>(
  row: Row,
  { columns, chosen }: Pick<Result<Row>, 'columns' | 'chosen'>,
  rules: Omit<TableRules, 'turn'>,
  isFirst = true,
): Promise<string> {
  const { look, width: wide = Number.POSITIVE_INFINITY } = rules;
  const { ascii } = look;
  const isArranged = look.isScreen && !chosen;
  // Each number shows its unit.
  const fields = isArranged
    ? informativeColumns(byRank(columns), [row], rules).filter((column) => !tellsScale(column))
    : columns;
  const cells = screenColumns(fields, [row], { ...look, isScreen: false, header: false });
  const headings = fields.map((column) => {
    return cutWords(cleanLine(headingOf(column, look)), Math.floor(wide / 2), ascii);
  });
  const longest = Math.max(0, ...headings.map(width));
  const texts = fields.map((column, at) => {
    const number = isNumberColumn(column) && !column.shown ? cells[at]?.text(row) : undefined;
    const text = number ?? textCell(column, row, look, true);
    return column.type === 'json' ? cut(cleanLine(text), Math.max(wide - longest - gap, 8), ascii) : cleanLine(text);
  });
  const sizes: ColumnSize[] = [
    { cells: longest, heading: 0, kind: 'whole' },
    { cells: Math.max(1, ...texts.map(width)), heading: 0, kind: 'wraps' },
  ];
  const widths = fit(sizes, wide);
  const places = sizes.map(({ kind }, at) => ({ heading: '', width: widths[at] ?? 0, kind, align: 'left' as const }));
  const paint = await painter(rules.color);
  const body = texts.map((text, at) =>
    drawRow([headings[at] ?? '', text], ['bold', cells[at]?.tone(row)], places, { width: rules.width, ascii, paint }),
  );
  const lines = await layOut(body, places, isFirst, () => undefined);
  return lines.map((line) => `${line}\n`).join('');
}

function emptySize<Row>(column: Column<Row>, heading: string, chosen: boolean): ColumnSize {
  const { spare, required, wraps, names } = column;
  const kind = kindOf(column, chosen);
  return { cells: 0, heading: width(heading), kind, spare, names: names !== undefined, required: required && !wraps };
}

function widen(size: ColumnSize | undefined, text: string): void {
  if (!size) return;
  size.cells = Math.max(size.cells, width(text));
}

/** The cells of shortened ids that tell those of a column apart. */
function idCells(
  { kind }: ColumnSize,
  at: number,
  cells: readonly (readonly string[])[],
  ascii: boolean,
): number | undefined {
  return kind === 'id' ? uniqueLength(cells.flatMap((texts) => texts[at] || [])) + markLength(ascii) : undefined;
}

function kindOf<Row>(column: Column<Row>, chosen: boolean): ColumnSize['kind'] {
  if (column.wraps) return 'wraps';
  if (isId(column)) return chosen || column.whole ? 'whole' : 'id';
  return isWhole(column) ? 'whole' : 'text';
}

function isWhole<Row>({ type, whole, names }: Column<Row>): boolean {
  return whole === true || !(names || type === undefined || type === 'text' || type === 'id' || type === 'json');
}
