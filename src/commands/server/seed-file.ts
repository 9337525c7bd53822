/** The file that `server load` and `serve --seed` read. It may be larger than memory. */
import { basename, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { filePieces, stdinPieces } from '../../cli/input-files.ts';
import type { SeedFile, SeedForm } from '../../server/seed/file.ts';

export const seedForms = ['yaml', 'json', 'ndjson', 'csv', 'tsv'] as const satisfies readonly SeedForm[];

/** FILE, or stdin for `-`. @param format default: by the extension, and YAML on stdin */
export async function seedFile(ctx: Context, file: string, format?: string): Promise<SeedFile> {
  const input = file === '-' ? await stdinPieces(ctx.runtime) : filePieces(resolve(ctx.runtime.cwd, file), file);
  return {
    name: file === '-' ? 'stdin' : basename(file),
    form: seedForms.find((form) => form === format) ?? (file === '-' ? 'yaml' : undefined),
    open: () => input.open(),
  };
}
