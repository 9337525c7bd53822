/** What an import reads: the bytes of the file as a table and its hash, and the list with a fingerprint of its state. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { fileBytes } from '../../../cli/plan-file.ts';
import { blocking } from '../../../cli/runtime.ts';
import { listEntries } from '../../../contract/entry-operations.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import { readCsv } from '../../../core/csv.ts';
import { decodeText } from '../../../core/decode.ts';
import { usage } from '../../../core/errors.ts';
import { stringifyJson } from '../../../core/json.ts';
import { tsvEscapes } from '../../../core/tsv.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import {
  formatOfName,
  formatOfText,
  otherFormat,
  type RowFormat,
  readRows,
  rowFormats,
} from '../../../domain/import/file.ts';
import type { ReadNote, SourceTable } from '../../../domain/import/table.ts';
import type { readList } from '../../lists/read.ts';
import type { ImportFlags } from './flags.ts';

export interface Source {
  /** What messages call it. */
  name: string;
  hash: string;
  table: SourceTable;
}

export type List = Awaited<ReturnType<typeof readList>>;

/** FILE, or stdin for `-`. @throws usage for what is not text, or not a table */
export async function readSource(ctx: Context, file: string, flags: ImportFlags): Promise<Source> {
  const name = file === '-' ? 'stdin' : file;
  const other = flags.format === undefined ? otherFormat(file) : undefined;
  if (other !== undefined) {
    throw usage(
      `${file}: .${other} files are not supported`,
      'save it as CSV, TSV, JSON or NDJSON; if only the extension is wrong, give --format FORMAT',
    );
  }
  const bytes = file === '-' ? await stdinBytes(ctx) : await fileBytes(resolve(ctx.runtime.cwd, file), file);
  const { text, assumed } = decodeText(bytes, name, flags.encoding);
  if (assumed !== undefined)
    ctx.out.note(`${name} is not UTF-8: it is read as ${assumed} (change it with --encoding).`);
  const given = rowFormats.find((format) => format === flags.format);
  const format: RowFormat = given ?? formatOfName(file) ?? formatOfText(text);
  if (flags.tsvEscapes !== undefined && format !== 'tsv') {
    throw usage(`--tsv-escapes is for TSV files, and ${name} is read as ${format}`, 'give --format tsv if it is one');
  }
  const escapes = tsvEscapes.find((one) => one === flags.tsvEscapes);
  const header =
    flags.header === undefined
      ? undefined
      : (await readCsv(flags.header, { name: '--header', delimiter: ',' }))[0]?.cells;
  if (header !== undefined && format !== 'csv' && format !== 'tsv') {
    throw usage(`--header names the columns of CSV and TSV, and ${name} is read as ${format}`);
  }
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const table = await blocking(ctx.runtime, () =>
    readRows(text, format, { name, hasMark, tsvEscapes: escapes, header }),
  );
  for (const note of table.notes ?? []) ctx.out.note(`${name}: ${notes[note]}.`);
  return { name, table, hash: hashOf(bytes) };
}

const notes: Readonly<Record<ReadNote, string>> = {
  escapes: '\\t, \\n, \\r and \\\\ are read as escapes (--tsv-escapes none leaves them as they are)',
  backslashes: 'backslashes are read as they are (--tsv-escapes backslash reads \\t, \\n, \\r and \\\\ as escapes)',
  quotes: 'cells in quotes are read as a spreadsheet writes them (--tsv-escapes backslash keeps the quotes)',
  guards: "the ' before formulas, as --excel writes it, is taken off",
};

export function hashOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** The bytes, not text: the encoding is detected here. */
async function stdinBytes({ runtime }: Context): Promise<Buffer> {
  if (runtime.terminal.stdinIsTTY) {
    throw usage('stdin is a terminal, and FILE is - (a pipe or a file on stdin)', 'write `< FILE`');
  }
  const chunks: Buffer[] = [];
  for await (const chunk of runtime.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** What the plan was made for: any change of attributes or entries gives another text. */
export function stateOf(attributes: readonly Attribute[], entries: readonly Partial<CustomListEntry>[]): string {
  const hash = createHash('sha256');
  for (const { slug, name, attribute_type, config, is_required } of attributes) {
    hash.update(stringifyJson([slug, name, attribute_type, config, is_required]));
  }
  const byId = [...entries].sort((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1));
  for (const { id, title, values, position, archived, linked_entity_type, linked_entity_id } of byId) {
    const sorted = Object.entries(values ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    hash.update(stringifyJson([id, title, sorted, position, archived, linked_entity_type, linked_entity_id]));
  }
  return hash.digest('hex');
}

/** Every entry of the list, archived ones too. */
export async function allEntries(ctx: Context, listId: string): Promise<Partial<CustomListEntry>[]> {
  const client = await ctx.client();
  const entries: Partial<CustomListEntry>[] = [];
  for await (const page of client.pages(listEntries, { params: { listId }, query: { archived: true } })) {
    for (const entry of page) entries.push(entry);
    ctx.out.progress(`Reading the list: ${entries.length} entries`);
  }
  ctx.out.progress(undefined);
  return entries;
}
