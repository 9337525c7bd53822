/**
 * CSV text to cells, each record with the line where it starts. The only file that knows the CSV reader.
 *
 * What spreadsheets write is read: a byte order mark, LF or CRLF, comma, semicolon or tab, quoted cells with line
 * breaks in them. Cells are the text as written; the caller knows what it means.
 */
import { type Failure, usage } from './errors.ts';

export interface CsvRecord {
  /** The line of the file where the record starts, from 1. */
  line: number;
  cells: string[];
}

interface CsvOptions {
  /** What the text is called in messages. */
  name: string;
  /** One character; default: the one of `, ; TAB |` that is most frequent in the first line. */
  delimiter?: string;
  /** Told each cell that is in quotes. */
  onQuoted?(cell: string): void;
}

/** The records of a CSV text, empty lines left out. Throws a usage failure with the line of a broken quote. */
export async function readCsv(text: string, options: CsvOptions): Promise<CsvRecord[]> {
  const { parse } = await import('csv-parse/sync');
  const { onQuoted } = options;
  const { text: rows, delimiter } = withoutHint(text.replace(/^\uFEFF/, ''));
  const bytes = Buffer.from(rows);
  const lineAt = lineCounter(bytes);
  let end = 0;
  try {
    const records: CsvRecord[] = [];
    parse(bytes, {
      delimiter: options.delimiter ?? delimiter ?? sniffDelimiter(rows),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      ...(onQuoted && {
        cast(cell: string, { quoting }: { quoting: boolean }) {
          if (quoting) onQuoted(cell);
          return cell;
        },
      }),
      on_record: (cells: string[], context) => {
        records.push({ line: lineAt(end), cells });
        end = context.bytes;
        return null;
      },
    });
    return records;
  } catch (cause) {
    throw broken(cause, options.name);
  }
}

/** A first line `sep=;` tells Excel the delimiter. An empty line takes its place, so that lines keep their numbers. */
function withoutHint(text: string): { text: string; delimiter?: string } {
  const [line, delimiter] = /^"?sep=([^"\r\n])"?(?=\r|\n|$)/i.exec(text) ?? [];
  return line === undefined || delimiter === undefined ? { text } : { text: text.slice(line.length), delimiter };
}

/** The delimiter of a CSV text, from its first line outside quotes. */
export function sniffDelimiter(text: string): string {
  const counts = new Map([',', ';', '\t', '|'].map((candidate) => [candidate, 0]));
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '\n' || character === '\r') break;
    else if (counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  let best = ',';
  for (const [candidate, count] of counts) if (count > (counts.get(best) ?? 0)) best = candidate;
  return best;
}

/**
 * Gives the line of the first record at or after a byte; offsets must not fall. The reader's own count of lines takes
 * CRLF for two.
 */
function lineCounter(bytes: Buffer): (offset: number) => number {
  const [cr, lf] = [13, 10];
  let line = 1;
  let at = 0;
  return (offset) => {
    while (at < bytes.length && (at < offset || bytes[at] === cr || bytes[at] === lf)) {
      if (bytes[at] === lf || (bytes[at] === cr && bytes[at + 1] !== lf)) line += 1;
      at += 1;
    }
    return line;
  };
}

function broken(cause: unknown, name: string): Failure {
  const { code, lines } = cause as { code?: string; lines?: number };
  const where = lines === undefined ? name : `${name}, line ${lines}`;
  const says: Record<string, string> = {
    CSV_QUOTE_NOT_CLOSED: 'a quoted cell is not closed before the end of the file',
    CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote; write a quote inside a cell as ""',
    INVALID_OPENING_QUOTE: 'a quote is inside a cell that does not start with one; quote the entire cell',
  };
  const message = (code && says[code]) || (cause instanceof Error ? cause.message : String(cause));
  return usage(`${where}: ${message}`, 'save it as CSV in the form of RFC 4180');
}
