/** What `server load` reads. A long file is read while it is loaded: it may be larger than memory. */
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { Failure } from '../../core/errors.ts';

/** Bytes of YAML or JSON that are read at once, so that what is wrong has its line and column. */
const atOnce = 512 * 1024;

export async function seedFile(ctx: Context, file: string) {
  const path = resolve(ctx.runtime.cwd, file);
  if (/\.(csv|tsv)$/i.test(file) || isLong(path)) return { text: '', open: () => fileBytes(path) };
  return { text: await ctx.readArgument(`@${file}`) };
}

/** Only a regular file can be read more than once. */
function isLong(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size > atOnce;
}

/** @throws usage for a file that cannot be read */
async function* fileBytes(file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(file)) yield chunk as Buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'not found' : (code ?? message);
    throw new Failure('usage', `cannot read ${file}: ${why}`, { code: code === 'ENOENT' ? 'no_such_file' : 'usage' });
  }
}
