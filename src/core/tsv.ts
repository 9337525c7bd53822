/** Tab-separated text to cells: as comem writes it (`\t \n \r \\`), or with the quoted cells of a spreadsheet. */
import { type CsvRecord, readCsv } from './csv.ts';

const escapes: Record<string, string> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/** Lines without anything on them are left out. */
export async function readTsv(text: string, name: string): Promise<CsvRecord[]> {
  const plain = text.replace(/^\uFEFF/, '');
  // A cell in quotes is a spreadsheet's where the whole file reads so; else the quote is a character like any other.
  if (/(^|[\t\n\r])"/.test(plain)) {
    const quoted = await readCsv(plain, { name, delimiter: '\t' }).catch(() => undefined);
    if (quoted) return quoted;
  }
  return plain
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ line: index + 1, cells: line.split('\t').map(unescaped) }))
    .filter(({ cells }) => cells.length > 1 || cells[0] !== '');
}

function unescaped(cell: string): string {
  return cell.includes('\\') ? cell.replace(/\\([tnr\\])/g, (_, letter: string) => escapes[letter] ?? letter) : cell;
}
