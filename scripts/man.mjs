// Prints the man pages into man/, from the command definitions, and their names into package.json.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import config from '../rolldown.config.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dir = join(root, '.cache/man');

await build({
  ...config,
  cwd: root,
  input: { main: 'src/main.ts', man: 'scripts/man-pages.ts' },
  output: { dir, format: 'cjs' },
});
const { tree } = await import(pathToFileURL(join(dir, 'main.js')));
const { manPages } = await import(pathToFileURL(join(dir, 'man.js')));
const pages = await manPages(tree);
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
