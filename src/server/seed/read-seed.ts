/** Reads a seed file of any form and validates it. */
import { issues } from '../../contract/validate.ts';
import { JsonSyntaxError, usage } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import type { Located } from '../../core/located.ts';
import { placesOf, readYaml } from '../../core/yaml.ts';
import type { SeedSource } from './load.ts';
import { Seed } from './seed.ts';

/** Throws a usage failure with line and column. */
export async function readSeed(text: string, name: string, form: 'json' | 'yaml'): Promise<SeedSource> {
  const { value, place } = form === 'json' ? await readJson(text, name) : await readYaml(text, name);
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
