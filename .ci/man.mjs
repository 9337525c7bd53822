// Prints the man pages into man/, from the command definitions, and their names into package.json.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = join(root, '.cache/man.cjs');

await build({
  stdin: { contents: "export * from './src/cli/man.ts'; export { tree } from './src/main.ts';", resolveDir: root },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  external: ['libsql', '@napi-rs/keyring'],
  outfile,
  logLevel: 'error',
});
const { default: program } = await import(pathToFileURL(outfile));
const pages = await program.manPages(program.tree);
const folder = join(root, 'man');
await mkdir(folder, { recursive: true });
const old = (await readdir(folder)).filter((name) => !(name in pages));
await Promise.all(old.map((name) => rm(join(folder, name))));
await Promise.all(Object.entries(pages).map(([name, text]) => writeFile(join(folder, name), text)));

// package.json names every page, and nothing else in it changes.
const file = join(root, 'package.json');
const text = await readFile(file, 'utf8');
const named = Object.keys(pages)
  .sort()
  .map((name) => `./man/${name}`);
await writeFile(
  file,
  text.replace(/"man": \[[^\]]*\]/, `"man": ${JSON.stringify(named, undefined, 2).replaceAll('\n', '\n  ')}`),
);
