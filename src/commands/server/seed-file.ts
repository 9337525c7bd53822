/** What `server load` reads. Points are read while they are loaded: such a file may be larger than memory. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { Failure } from '../../core/errors.ts';

export async function seedFile(ctx: Context, file: string) {
  if (!/\.(csv|tsv)$/i.test(file)) return { text: await ctx.readArgument(`@${file}`) };
  const path = resolve(ctx.runtime.cwd, file);
  return { text: '', open: () => fileBytes(path) };
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
