/** The file of an import: its bytes once, as a table and as the hash by which it is known again. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { decodeText } from '../../../core/decode.ts';
import { usage } from '../../../core/errors.ts';
import {
  formatOfName,
  formatOfText,
  type RowFormat,
  readRows,
  refuseOtherFormat,
} from '../../../domain/import/file.ts';
import type { SourceTable } from '../../../domain/import/table.ts';
import type { ImportFlags } from './flags.ts';

export interface Source {
  /** What messages call it. */
  name: string;
  hash: string;
  table: SourceTable;
}

/** FILE, or stdin for `-`. @throws usage for what is no text, or no table */
export async function readSource(ctx: Context, file: string, flags: ImportFlags): Promise<Source> {
  const name = file === '-' ? 'stdin' : file;
  if (flags.format === undefined) refuseOtherFormat(file);
  const bytes = file === '-' ? await stdinBytes(ctx) : await fileBytes(ctx, file);
  const { text, assumed } = decodeText(bytes, name, flags.encoding);
  if (assumed !== undefined) {
    ctx.out.note(`${name} is not UTF-8: it is read as ${assumed} (--encoding says otherwise).`);
  }
  const format = (flags.format as RowFormat | undefined) ?? formatOfName(file) ?? formatOfText(text);
  const table = await readRows(text, format, { name });
  return { name, table, hash: hashOf(bytes) };
}

export function hashOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

export async function fileBytes(ctx: Context, file: string): Promise<Buffer> {
  try {
    return await readFile(resolve(ctx.runtime.cwd, file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const says: Record<string, string> = { ENOENT: `there is no file ${file}`, EISDIR: `${file} is a folder` };
    throw usage(says[code ?? ''] ?? `${file} cannot be read: ${code ?? message}`);
  }
}

/** Not as UTF-8 text yet, as other commands read it: the encoding is found out here. */
async function stdinBytes({ runtime }: Context): Promise<Buffer> {
  if (runtime.terminal.stdinIsTTY) {
    throw usage('stdin is a terminal, and FILE is - (a pipe or a file on stdin)', 'write `< FILE`');
  }
  const chunks: Buffer[] = [];
  for await (const chunk of runtime.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
