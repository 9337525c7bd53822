/** What `server load` reads. A long file of CSV or JSON is read while it is loaded: it may be larger than memory. */
import { createReadStream, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { filePieces, stdinPieces } from '../../cli/pieces.ts';
import { tooLong } from '../../cli/read-argument.ts';
import { Failure, usage } from '../../core/errors.ts';
import { mostTextBytes } from '../../core/limits.ts';
import {
  isOfPoints,
  type SeedForm,
  seedFormOfName,
  seedFormOfText,
  seedForms,
  unnamedSeed,
} from '../../server/seed/seed-form.ts';

/** Bytes of JSON that are read at once, so that what is wrong has its line and column. */
const atOnce = 512 * 1024;
/** Enough of a text to tell its form. */
const beginning = 4096;

/** FILE, or stdin for `-`. @param format what it holds; default: as its name says */
export async function seedFile(ctx: Context, file: string, format?: string) {
  const form = seedForms.find((one) => one === format) ?? seedFormOfName(file);
  const path = resolve(ctx.runtime.cwd, file);
  const found = file === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
  if (file === '-' || (found && !found.isFile() && !found.isDirectory())) return piped(ctx, file, path, form);
  const name = basename(file);
  if (form === undefined) throw unnamedSeed(name);
  if (isOfPoints(form) || (form === 'json' && found && found.size > atOnce))
    return { name, form, text: '', open: () => fileBytes(path) };
  return { name, form, text: await ctx.readArgument(`@${file}`) };
}

/** What can be read once only is kept in a temporary file: loading reads it again. */
async function piped(ctx: Context, file: string, path: string, given: SeedForm | undefined) {
  const input = file === '-' ? await stdinPieces(ctx.runtime) : filePieces(path, file);
  const name = file === '-' ? 'stdin' : basename(file);
  const form = given ?? seedFormOfText(input.read(0, beginning).toString());
  if (isOfPoints(form) || (form === 'json' && input.size > atOnce)) {
    const open = async function* () {
      yield* input.open();
    };
    return { name, form, text: '', open };
  }
  try {
    if (input.size > mostTextBytes) throw tooLong(name, input.size);
    return { name, form, text: new TextDecoder('utf-8', { fatal: true }).decode(input.read(0, input.size)) };
  } catch (error) {
    throw error instanceof Failure ? error : usage(`${name} is not UTF-8 text`);
  } finally {
    input.close();
  }
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
