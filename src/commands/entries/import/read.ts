/** Reads the input of an import: the file as a table with its hash, and the entries of the list. */

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { filePieces, stdinPieces } from '../../../cli/input-files.ts';
import { blocking } from '../../../cli/runtime.ts';
import { getList } from '../../../contract/list-operations.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import { isId } from '../../../contract/validate.ts';
import { decode, encodingOf } from '../../../core/decode.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { stringifyJson } from '../../../core/json.ts';
import { mapRows, openRowStore } from '../../../core/row-store.ts';
import { type Attribute, optionLabel } from '../../../domain/entries/options.ts';
import { asSource } from '../../../domain/import/failed.ts';
import { formatOfName, formatOfText, otherFormat, readRows, type TextFormat } from '../../../domain/import/file.ts';
import { quote } from '../../../domain/import/findings.ts';
import { reasonColumn, rowFormats, type SourceTable } from '../../../domain/import/table.ts';
import type { readList } from '../../lists/read.ts';
import { flagNames, type ImportFlags } from './flags.ts';

export interface Source {
  /** Name in messages. */
  name: string;
  hash: string;
  table: SourceTable;
}

export type List = Awaited<ReturnType<typeof readList>>;

/** FILE, or stdin for `-`. @throws usage for a file that is not text, or not a table */
export async function readSource(ctx: Context, file: string, flags: ImportFlags): Promise<Source> {
  const name = file === '-' ? 'stdin' : file;
  const other = flags.format === undefined ? otherFormat(file) : undefined;
  if (other !== undefined) {
    throw usage(
      `${file}: .${other} files are not supported`,
      'save it as CSV, TSV, JSON, NDJSON or XLSX; if only the extension is wrong, give --format FORMAT',
    );
  }
  const { skips, rest, named } = skippedRows(flags.skipRow);
  const input = file === '-' ? await stdinPieces(ctx.runtime) : filePieces(resolve(ctx.runtime.cwd, file), file);
  const sourceOf = (read: SourceTable): Source => {
    const isFailed = read.headers.includes(reasonColumn);
    const missing = isFailed ? undefined : rest();
    if (missing !== undefined) throw usage(`--skip-row ${missing}: ${name} has no ${read.lineUnit} ${missing}`);
    if (isFailed && flags.mode === 'sync') {
      throw usage(
        `${name} holds failed rows only, and --mode sync would remove all other entries`,
        'use --mode upsert',
      );
    }
    const table = asSource(read);
    if (!isFailed && flags.skipRow) ctx.out.note(`${name}: left out ${named(read.lineUnit)}.`);
    for (const note of table.notes ?? []) ctx.out.note(`${name}: ${note}.`);
    for (const warning of table.warnings ?? []) ctx.out.warn(`${name}, ${warning}`);
    return { name, table, hash: hashOf(input.open()) };
  };
  try {
    const { sheet, encoding: namedEncoding, format: namedFormat } = ofSource(ctx, name, input.open, flags);
    const named = rowFormats.find((format) => format === namedFormat) ?? formatOfName(file);
    const isZip = [0x50, 0x4b, 3, 4].every((byte, at) => input.read(0, 4)[at] === byte);
    if (named === 'xlsx' || (isZip && namedFormat === undefined)) {
      if (namedEncoding !== undefined) throw usage(`--encoding is for files of text, and ${name} is a workbook`);
      const { readSheet } = await import('../../../domain/import/sheet.ts');
      return sourceOf(await blocking(ctx.runtime, () => readSheet(input, { name, sheet, skips, flags: flagNames })));
    }
    if (sheet !== undefined) throw usage(`--sheet names a sheet of a workbook, and ${name} is not one`);
    const { encoding, isAssumed } = encodingOf(input.open, name, namedEncoding);
    if (isAssumed) ctx.out.note(`${name} is not UTF-8: it is read as ${encoding} (change it with --encoding).`);
    const open = () => decode(input.open(), name, encoding);
    const format: TextFormat = named ?? formatOfText(beginning(open()));
    const reading = { name, hasMark: hasMark(input.open()), keep: openRowStore, skips };
    const table = await blocking(ctx.runtime, () => readRows(open, format, reading));
    return sourceOf(table);
  } finally {
    input.close();
  }
}

/** The flags that describe the file. A file of failed rows is imported with those of its source, which are not its own. */
function ofSource(ctx: Context, name: string, open: () => Iterable<Uint8Array>, flags: ImportFlags) {
  const { encoding, format, sheet, skipRow } = flags;
  const isFailed = new RegExp(`(?:^|[,;|\\t])"?${reasonColumn}"?\\s*$|"${reasonColumn}":`, 'm');
  if (!isFailed.test(beginning(decode(open(), name, 'windows-1252'), 2))) return flags;
  const values = { '--encoding': encoding, '--format': format, '--sheet': sheet, '--skip-row': skipRow };
  const names = Object.entries(values).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (names.length > 0) {
    const reason = names.length === 1 ? 'is ignored: it describes' : 'are ignored: they describe';
    ctx.out.note(`${name} holds failed rows, so ${names.join(', ')} ${reason} the original file.`);
  }
  return { encoding: undefined, format: undefined, sheet: undefined };
}

/** The rows of --skip-row. */
function skippedRows(written: readonly string[] = []) {
  const lines = new Map<number, string | undefined>();
  for (const text of written.flatMap((list) => list.split(','))) {
    if (!/^\s*[1-9]\d{0,8}\s*$/.test(text)) throw usage(`--skip-row takes the number of a row, got "${text}"`);
    lines.set(Number(text), undefined);
  }
  return {
    skips(line: number, text = '') {
      if (lines.has(line)) lines.set(line, text);
      return lines.has(line);
    },
    rest: () => [...lines].find(([, text]) => text === undefined)?.[0],
    named: (unit: string) =>
      Array.from(lines, ([line, text = '']) => `${unit} ${line}${text === '' ? '' : ` (${quote(text)})`}`).join(', '),
  };
}

/** The first lines of a text, enough to detect its format. */
function beginning(pieces: Iterable<string>, lines = 1): string {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.trimStart().split('\n').length > lines) break;
  }
  return text;
}

function hasMark(pieces: Iterable<Uint8Array>): boolean {
  for (const [a, b, c] of pieces) return a === 0xef && b === 0xbb && c === 0xbf;
  return false;
}

export function hashOf(data: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const piece of data) hash.update(piece);
  return hash.digest('hex');
}

/** A fingerprint of a list: any change of attributes or entries changes it, another order does not. */
export function listHash(attributes: readonly Attribute[], entries: readonly Partial<CustomListEntry>[]): string {
  const columns = attributes.map(({ slug, name, attribute_type, config, is_required }) =>
    stringifyJson([slug, name, attribute_type, config, is_required]),
  );
  const rows = entries.map(({ id, title, values, position, archived, linked_entity_type, linked_entity_id }) => {
    const sorted = Object.entries(values ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return hashOf([stringifyJson([id, title, sorted, position, archived, linked_entity_type, linked_entity_id])]);
  });
  return hashOf([...columns, ...rows.sort()]);
}

/** Replaces option ids by labels in entries of another list. */
export async function withLabels(ctx: Context, listId: string, source: Source): Promise<Source> {
  const { table } = source;
  const at = table.json ? table.headers.indexOf('list_id') : -1;
  if (at < 0) return source;
  const ids = new Set<unknown>();
  for (const { cells } of table.rows) ids.add(cells[at]);
  const others = new Map<unknown, readonly Attribute[]>();
  for (const id of ids) {
    if (typeof id !== 'string' || !isId(id) || id.toLowerCase() === listId.toLowerCase()) continue;
    others.set(id, await attributesOf(ctx, id));
  }
  if (others.size === 0) return source;
  const rows = mapRows(table.rows, ({ line, cells }) => {
    const attributes = others.get(cells[at]);
    if (attributes === undefined) return { line, cells };
    return {
      line,
      cells: cells.map((cell, index) => {
        const attribute = attributes.find(({ slug }) => table.headers[index] === `values.${slug}`);
        return attribute?.config?.options ? labelsOf(attribute, cell) : cell;
      }),
    };
  });
  return { ...source, table: { ...table, rows } };
}

function labelsOf(attribute: Attribute, cell: unknown): unknown {
  if (Array.isArray(cell)) return cell.map((item: unknown) => labelsOf(attribute, item));
  return typeof cell === 'string' ? optionLabel(attribute, cell) : cell;
}

/** The attributes of another list; none, with a warning, if it cannot be read. */
async function attributesOf(ctx: Context, listId: string): Promise<readonly Attribute[]> {
  try {
    return (await (await ctx.client()).call(getList, { params: { listId } })).list_attributes ?? [];
  } catch (error) {
    if (!(error instanceof Failure) || (error.kind !== 'notFound' && error.kind !== 'credential')) throw error;
    ctx.out.warn(
      `the rows are of the list ${listId}, which cannot be read here: options go by their ids; an export as CSV has their labels`,
    );
    return [];
  }
}
