/** The file that `server load` and `serve --seed` read. It may be larger than memory. */
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { filePieces, stdinPieces } from '../../cli/input-files.ts';
import type { SeedFile, SeedForm } from '../../server/seed/file.ts';

export const seedForms = ['yaml', 'json', 'ndjson', 'csv', 'tsv'] as const satisfies readonly SeedForm[];

/** Enough of a text to tell its form. */
const beginning = 64 * 1024;

/** FILE, or stdin for `-`. @param format default: by the name, and of a pipe by its beginning */
export async function seedFile(ctx: Context, file: string, format?: string): Promise<SeedFile> {
  const { seedFormOfName, seedFormOfText } = await import('../../server/seed/file.ts');
  const path = resolve(ctx.runtime.cwd, file);
  const input = file === '-' ? await stdinPieces(ctx.runtime) : filePieces(path, file);
  const named = seedForms.find((form) => form === format) ?? seedFormOfName(file);
  const isPipe = file === '-' || !statSync(path).isFile();
  const beginningForm = () => (isPipe ? seedFormOfText(input.read(0, beginning).toString()) : undefined);
  return {
    name: file === '-' ? 'stdin' : basename(file),
    form: named ?? beginningForm(),
    open: () => input.open(),
    warn: (note) => ctx.out.warn(note),
  };
}
