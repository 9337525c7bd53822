/** A program of the tests as one file of JavaScript: processes of its own run it, and Node 20 runs no TypeScript. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const sqlite = '@photostructure/sqlite';

/** @returns the path of the program, which is in the folder */
export async function bundle(entry: URL, folder: string): Promise<string> {
  const file = join(folder, 'program.mjs');
  await build({
    input: fileURLToPath(entry),
    platform: 'node',
    // Native code: found from here, since the folder has no packages.
    external: [sqlite],
    output: { file, format: 'esm', codeSplitting: false, paths: { [sqlite]: import.meta.resolve(sqlite) } },
    logLevel: 'warn',
  });
  return file;
}
