/**
 * Tab-separated text to cells, in one of two conventions: comem and databases escape with `\t \n \r \\` and use no
 * quotes; spreadsheets quote cells and do not escape. Nothing marks a file: its content decides.
 */
import { type CsvRecord, refuseColumns, refuseLine, streamCsv } from './csv.ts';
import { type GrowingRows, mapRows, type Rows } from './row-store.ts';

export type OpenText = () => Iterable<string>;

interface TsvOptions {
  name: string;
  /** Whether the rows are an export of comem: with all its columns, or some and the ids. */
  exportKind?(rows: Rows<CsvRecord>): 'whole' | 'part' | undefined;
  keep(): Promise<GrowingRows<CsvRecord>>;
}

interface Tsv {
  records: Rows<CsvRecord>;
  read?: 'escapes' | 'backslashes' | 'quotes';
}

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/** Empty lines are left out. */
export async function readTsv(open: OpenText, options: TsvOptions): Promise<Tsv> {
  const { rows, evidence } = splitLines(open(), options.name, await options.keep());
  const exportKind = options.exportKind?.(rows);
  const quoted =
    exportKind === undefined && evidence.hasQuote ? await quotedRecords(open(), evidence, options) : undefined;
  if (quoted) return { records: quoted, read: 'quotes' };
  if (!evidence.hasBackslash) return { records: rows };
  const isPlain = !evidence.isEscaped || (exportKind !== 'whole' && evidence.hasPath);
  if (isPlain) return { records: rows, read: 'backslashes' };
  const records = mapRows(rows, ({ line, cells }) => ({ line, cells: cells.map(unescapeCell) }));
  return { records, ...(exportKind === 'whole' ? {} : { read: 'escapes' }) };
}

function splitLines(pieces: Iterable<string>, name: string, rows: GrowingRows<CsvRecord>) {
  const evidence = {
    hasBackslash: false,
    isEscaped: true,
    hasPath: false,
    hasQuote: false,
    hasQuotedHeaders: false,
  };
  for (const { line, text } of linesOf(pieces, name)) {
    const cells = text.split('\t');
    refuseColumns(cells.length, name, line);
    if (text === '') continue;
    if (rows.length === 0) evidence.hasQuotedHeaders = cells.every((cell) => /^".*"$/.test(cell));
    evidence.hasQuote ||= cells.some((cell) => cell.startsWith('"'));
    if (text.includes('\\')) {
      evidence.hasBackslash = true;
      evidence.isEscaped &&= !text.replace(/\\[tnr\\]/g, '').includes('\\');
      evidence.hasPath ||= cells.some(isPath);
    }
    rows.push({ line, cells });
  }
  return { rows, evidence };
}

/** A stream of lines that end in LF, CRLF or CR, or in LF only. */
export function* linesOf(
  pieces: Iterable<string>,
  name: string,
  ends?: '\n',
): Generator<{ line: number; text: string }> {
  // A CR at the end of a piece may be half of a CRLF.
  const end = ends ?? /\r\n|\n|\r(?!$)/;
  let rest = '';
  let endsInReturn = false;
  let line = 0;
  for (const piece of pieces) {
    // Pieces of a long line are joined without splitting.
    if (!endsInReturn && !/[\r\n]/.test(piece)) {
      rest += piece;
      refuseLine(rest.length, name, line + 1);
      continue;
    }
    endsInReturn = piece.endsWith('\r');
    const parts = (rest + piece).split(end);
    rest = parts.pop() ?? '';
    for (const text of parts) {
      line += 1;
      yield { line, text };
    }
  }
  for (const text of ends ? [rest] : rest.split('\r')) {
    line += 1;
    yield { line, text };
  }
}

/** `C:\new` and `\\host\new`: an escaped path doubles its backslashes. */
function isPath(cell: string): boolean {
  return /^(?:[A-Za-z]:\\[^\\]|\\\\[^\\]+\\(?!\\))/.test(cell);
}

/**
 * The records of a file with the quotes of a spreadsheet; undefined where quotes are characters of the text. The file
 * must be valid with quotes, and either its headers have them, or each quoted cell needs them.
 */
async function quotedRecords(
  pieces: Iterable<string>,
  { hasQuotedHeaders }: { hasQuotedHeaders: boolean },
  { name, keep }: TsvOptions,
): Promise<Rows<CsvRecord> | undefined> {
  let needless = false;
  const onQuoted = (cell: string) => {
    needless ||= !/[\t\n\r",]/.test(cell);
  };
  const records = await keep();
  try {
    for await (const record of streamCsv(pieces, { name, delimiter: '\t', onQuoted })) {
      records.push(record);
      if (needless && !hasQuotedHeaders) return undefined;
    }
  } catch {
    return undefined;
  }
  return records;
}

function unescapeCell(cell: string): string {
  return cell.includes('\\') ? cell.replace(/\\([tnr\\])/g, (_, letter: string) => escapes[letter] ?? letter) : cell;
}
