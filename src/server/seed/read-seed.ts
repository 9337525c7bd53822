/** Reads a seed file of any form and validates it. */
import { extname } from 'node:path';
import { issues } from '../../contract/validate.ts';
import { JsonSyntaxError, usage } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import type { Located } from '../../core/located.ts';
import { placesOf, readYaml } from '../../core/yaml.ts';
import type { SeedSource } from './load.ts';
import { Seed } from './seed.ts';

const forms = ['.yaml', '.yml', '.json', '.csv', '.tsv'];

/** Whether a file of this name holds metric points, which need a company to belong to. */
export function isPointsFile(name: string): boolean {
  return ['.csv', '.tsv'].includes(extname(name).toLowerCase());
}

/** @throws usage for a file of another extension */
export function checkSeedName(name: string): void {
  if (forms.includes(extname(name).toLowerCase())) return;
  throw usage(`${name} is not a seed file: its name must end in ${forms.join(', ')}`);
}

/** YAML or JSON. Throws a usage failure with line and column. */
export async function readSeed(text: string, name: string): Promise<SeedSource> {
  const { value, place } =
    extname(name).toLowerCase() === '.json' ? await readJson(text, name) : await readYaml(text, name);
  const fail: SeedSource['fail'] = (path, says) => {
    const { line, column } = place(path);
    return usage(`${name}, line ${line}, column ${column}: ${path === '' ? 'the file' : path} ${says}`);
  };
  const [first, ...more] = issues(Seed, value);
  if (!first) return { seed: value as Seed, fail };
  throw fail(first.path, more.length === 0 ? first.message : `${first.message} (and ${more.length} more)`);
}

async function readJson(text: string, name: string): Promise<Located> {
  const bare = text.replace(/^\uFEFF/, '');
  try {
    return { value: parseJson(bare), place: await placesOf(bare) };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw usage(`${name}, line ${error.line}, column ${error.column}: ${error.says}`);
  }
}
