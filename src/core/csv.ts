/** CSV text to cells, each record with the line where it starts. Cells are text as written; the caller types them. */
import { pipeline } from 'node:stream/promises';
import { Failure, usage } from './errors.ts';
import { maxColumns, maxLineCharacters } from './limits.ts';

export interface CsvRecord {
  /** The line of the file where the record starts, from 1. */
  line: number;
  cells: string[];
}

/**
 * Text that spreadsheets take for a formula: in full width too, and after blanks, which some of them remove. `--excel`
 * writes a `'` before it, and another one before a text that has one, so that a reader can take one off.
 */
export const formulaLike = /^'*(?:[\t\r\n]|[\s\p{Cf}\0]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/u;

interface CsvOptions {
  name: string;
  /** One character; default: the one of `, ; TAB |` that is most frequent in the first line. */
  delimiter?: string;
  onDelimiter?(delimiter: string): void;
  onQuoted?(cell: string): void;
}

const rules = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: maxLineCharacters,
};

/** @throws Failure usage */
export function refuseColumns(count: number, name: string, line?: number): void {
  if (count <= maxColumns) return;
  const where = line === undefined ? name : `${name}, line ${line}`;
  throw usage(`${where}: ${count} columns, and the limit is ${maxColumns}`);
}

/** @throws Failure usage */
export function refuseLine(length: number, name: string, line: number): void {
  if (length <= maxLineCharacters) return;
  throw usage(`${name}, line ${line}: a line of more than ${maxLineCharacters} characters, which is the limit`);
}

type Pieces<T> = Iterable<T> | AsyncIterable<T>;

export async function readCsv(text: string, options: CsvOptions): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of streamCsv([text], options)) records.push(record);
  return records;
}

/** The records of text, or of bytes in UTF-8, without empty lines. @throws usage with the line of a broken quote */
export async function* streamCsv(source: Pieces<Uint8Array | string>, options: CsvOptions): AsyncGenerator<CsvRecord> {
  const { parse } = await import('csv-parse');
  const chunks = textOf(source, options.name);
  const next = async (): Promise<string | undefined> => {
    const { done, value } = await chunks.next();
    return done ? undefined : value;
  };
  // The first line decides the delimiter.
  let head = '';
  for (let text = await next(); text !== undefined; text = await next()) {
    head += text;
    if (/[\r\n]/.test(text) || head.length > maxLineCharacters) break;
  }
  const { text: first, delimiter: hinted } = withoutHint(head.replace(/^\uFEFF/, ''));
  const delimiter = options.delimiter ?? hinted ?? sniffDelimiter(first);
  options.onDelimiter?.(delimiter);
  const lines = new LineCounter();
  async function* pieces() {
    for (let text: string | undefined = first; text !== undefined; text = await next()) {
      const bytes = Buffer.from(text);
      lines.add(bytes);
      yield bytes;
    }
  }
  const { onQuoted } = options;
  const starts: number[] = [];
  let end = 0;
  const parser = parse({
    ...rules,
    ...(onQuoted && {
      cast(cell: string, { quoting }: { quoting: boolean }) {
        if (quoting) onQuoted(cell);
        return cell;
      },
    }),
    delimiter,
    on_record: (cells: string[], context) => {
      const line = lines.at(end);
      refuseColumns(cells.length, options.name, line);
      starts.push(line);
      end = context.bytes;
      return cells;
    },
  });
  // An error also ends the loop below, which reports it.
  const fed = pipeline(pieces(), parser).catch(() => undefined);
  try {
    for await (const cells of parser) yield { line: starts.shift() ?? 0, cells: cells as string[] };
  } catch (cause) {
    throw cause instanceof Failure ? cause : syntaxFailure(cause, options.name);
  } finally {
    await fed;
    await chunks.return(undefined);
  }
}

async function* textOf(source: Pieces<Uint8Array | string>, name: string): AsyncGenerator<string, undefined> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const decoded = (bytes?: Uint8Array) => {
    try {
      return bytes ? utf8.decode(bytes, { stream: true }) : utf8.decode();
    } catch {
      throw usage(`${name} is not UTF-8 text`, 'save it in UTF-8');
    }
  };
  for await (const piece of source) yield typeof piece === 'string' ? piece : decoded(piece);
  const rest = decoded();
  if (rest !== '') yield rest;
}

/** Replaces a first line `sep=;`, which is for Excel, by an empty one: lines keep their numbers. */
function withoutHint(text: string): { text: string; delimiter?: string } {
  const [line, delimiter] = /^"?sep=([^"\r\n])"?(?=\r|\n|$)/i.exec(text) ?? [];
  return line === undefined || delimiter === undefined ? { text } : { text: text.slice(line.length), delimiter };
}

/** Lines in which a delimiter is searched, below titles of a table of three columns or more. */
const sniffedLines = 6;

/** The delimiter of a CSV text, from the first line that has one, outside quotes. */
export function sniffDelimiter(text: string): string {
  const outside = text.replace(/"[^"]*"?/g, '');
  for (const [index, line] of outside.split(/\r\n|[\n\r]/, sniffedLines).entries()) {
    const counts = [',', ';', '\t', '|'].map((candidate) => ({ candidate, count: line.split(candidate).length - 1 }));
    const best = counts.reduce((most, each) => (each.count > most.count ? each : most));
    if (best.count > (index === 0 ? 0 : 1)) return best.candidate;
  }
  return ',';
}

/** Lines by offset, from bytes as they come. The reader's own count of lines takes CRLF for two. */
class LineCounter {
  private readonly chunks: Uint8Array[] = [];
  private start = 0;
  private offset = 0;
  private line = 1;
  private afterReturn = false;

  add(chunk: Uint8Array): void {
    this.chunks.push(chunk);
  }

  /** The line of the first record at or after an offset; offsets must not fall. */
  at(offset: number): number {
    const [cr, lf] = [13, 10];
    for (let [chunk] = this.chunks; chunk !== undefined; [chunk] = this.chunks) {
      for (let at = this.offset - this.start; at < chunk.length; at += 1) {
        const byte = chunk[at];
        if (this.offset >= offset && byte !== cr && byte !== lf) return this.line;
        if (byte === cr || (byte === lf && !this.afterReturn)) this.line += 1;
        this.afterReturn = byte === cr;
        this.offset += 1;
      }
      this.start += chunk.length;
      this.chunks.shift();
    }
    return this.line;
  }
}

function syntaxFailure(cause: unknown, name: string): Failure {
  const { code, lines } = cause as { code?: string; lines?: number };
  const where = lines === undefined ? name : `${name}, line ${lines}`;
  const says: Record<string, string> = {
    CSV_QUOTE_NOT_CLOSED: 'a quoted cell is not closed before the end of the file',
    CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote; write a quote inside a cell as ""',
    CSV_MAX_RECORD_SIZE: `a record of more than ${maxLineCharacters} characters, which is the limit`,
    INVALID_OPENING_QUOTE: 'a quote is inside a cell that does not start with one; quote the entire cell',
  };
  const message = (code && says[code]) || (cause instanceof Error ? cause.message : String(cause));
  return usage(`${where}: ${message}`, 'save it as CSV in the form of RFC 4180');
}
