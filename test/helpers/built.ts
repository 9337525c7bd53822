/** What is in the built program, by its source maps. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The modules that are bundled in the file, relative to the project. A file of nothing but imports has none. */
export function modulesIn(file: string): string[] {
  const map = `${file}.map`;
  if (!existsSync(map)) return [];
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] };
  return sources.map((source) => relative(root, resolve(dirname(map), source)));
}

/** The folder of the npm package that the module belongs to, if it is not ours. */
export function packageOf(module: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0];
}

export function readPackage(folder: string): { name: string; version: string; license: string } {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}
