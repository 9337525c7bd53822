/**
 * Tab-separated text to cells. Two habits exist and no mark tells them apart: comem and databases write `\t \n \r \\`
 * and no quotes; spreadsheets write backslashes as they are and put cells in quotes. A file is read by its evidence.
 */
import { type CsvRecord, readCsv } from './csv.ts';

export const tsvEscapes = ['backslash', 'none'] as const;
export type TsvEscapes = (typeof tsvEscapes)[number];

interface TsvOptions {
  /** What the text is called in messages. */
  name: string;
  /** backslash: as comem writes it, where a quote is a character like any other. */
  escapes?: TsvEscapes | undefined;
  /** Whether the lines are an export of ours: all its columns, or some with the ids. */
  own?(rows: readonly CsvRecord[]): 'whole' | 'part' | undefined;
}

interface Tsv {
  records: CsvRecord[];
  /** How the text was read, where that was a choice nobody made. */
  read?: 'escapes' | 'backslashes' | 'quotes';
}

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/** Lines without anything on them are left out. */
export async function readTsv(text: string, options: TsvOptions): Promise<Tsv> {
  const plain = text.replace(/^\uFEFF/, '');
  const rows = splitLines(plain);
  const unescapedRows = () => rows.map(({ line, cells }) => ({ line, cells: cells.map(unescaped) }));
  if (options.escapes === 'backslash') return { records: unescapedRows() };
  const own = options.escapes === undefined ? options.own?.(rows) : undefined;
  const quoted = own === undefined ? await quotedRecords(plain, rows, options.name) : undefined;
  if (quoted) return { records: quoted, read: 'quotes' };
  if (options.escapes === 'none' || !plain.includes('\\')) return { records: rows };
  const isPlain = !isEscaped(plain) || (own !== 'whole' && rows.some(({ cells }) => cells.some(isPath)));
  if (isPlain) return { records: rows, read: 'backslashes' };
  return { records: unescapedRows(), ...(own === 'whole' ? {} : { read: 'escapes' }) };
}

function splitLines(plain: string): CsvRecord[] {
  return plain
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ line: index + 1, cells: line.split('\t') }))
    .filter(({ cells }) => cells.length > 1 || cells[0] !== '');
}

/** Whether every backslash begins an escape. */
function isEscaped(text: string): boolean {
  return !text.replace(/\\[tnr\\]/g, '').includes('\\');
}

/** `C:\new` and `\\host\new`: an escaped path doubles its backslashes. */
function isPath(cell: string): boolean {
  return /^(?:[A-Za-z]:\\[^\\]|\\\\[^\\]+\\(?!\\))/.test(cell);
}

/**
 * The records of a file whose quotes are a spreadsheet's: it reads so from end to end, and either its headers are in
 * quotes, or each cell in quotes needs them. Else a quote is a character like any other.
 */
async function quotedRecords(
  plain: string,
  rows: readonly CsvRecord[],
  name: string,
): Promise<CsvRecord[] | undefined> {
  if (!/(^|[\t\n\r])"/.test(plain)) return undefined;
  let needless = false;
  const records = await readCsv(plain, {
    name,
    delimiter: '\t',
    onQuoted: (cell) => {
      needless ||= !/[\t\n\r",]/.test(cell);
    },
  }).catch(() => undefined);
  const headed = rows[0]?.cells.every((cell) => /^".*"$/.test(cell));
  return headed || !needless ? records : undefined;
}

function unescaped(cell: string): string {
  return cell.includes('\\') ? cell.replace(/\\([tnr\\])/g, (_, letter: string) => escapes[letter] ?? letter) : cell;
}
