/** The folder of list files: one YAML file for each list, and the schema beside them that editors check them by. */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { blocking } from '../../../cli/runtime.ts';
import { amount } from '../../../cli/words.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { makeFolder } from '../../../core/files.ts';
import { readYaml, rewriteYaml, writeYaml, YamlSyntaxError } from '../../../core/yaml.ts';
import {
  expanded,
  type ListSpec,
  listSchemaDocument,
  type Place,
  type Problem,
  readListSpec,
} from '../../../domain/list-code/spec.ts';
import { fileSink } from '../../../output/write/file-sink.ts';

/** The copy of the schema that a file names: a path into the package is valid on one machine only. */
const schemaFile = 'list.schema.json';

const head = [
  `# yaml-language-server: $schema=${schemaFile}`,
  '# What is left out stays; attributes and options are complete lists, in this order.',
  '# Keep the ids: they make a new name a rename.',
  '',
  '',
].join('\n');

export interface ListFile {
  /** As messages call it. */
  name: string;
  text: string;
  spec: ListSpec;
  place(path: string): Place;
}

/** A mistake and its file. */
export interface FileProblem extends Problem {
  file: string;
}

/** One file. @throws usage naming every mistake with line and column */
export async function readListFile(ctx: Context, name: string): Promise<ListFile> {
  const { file, problems } = await tryFile(ctx, name);
  if (file && problems.length === 0) return file;
  throw mistakes(problems);
}

/** Every list file of the folder, by name. @throws usage naming every mistake of every file */
export async function readFolder(ctx: Context, dir: string): Promise<ListFile[]> {
  const names = await yamlFiles(ctx, dir);
  const none = 'run `comem lists pull` to create list files';
  if (names === undefined) throw usage(`folder ${dir} not found`, none);
  if (names.length === 0) throw usage(`the folder ${dir} has no list file (*.yaml)`, none);
  const read = await Promise.all(names.map((name) => tryFile(ctx, join(dir, name))));
  const problems = read.flatMap((result) => result.problems);
  const files = read.flatMap(({ file }) => file ?? []);
  problems.push(...repeated(files));
  if (problems.length > 0) throw mistakes(problems);
  return files;
}

/** Names of the YAML files in the folder; undefined when the folder does not exist. */
export async function yamlFiles(ctx: Context, dir: string): Promise<string[] | undefined> {
  try {
    const names = await readdir(resolve(ctx.runtime.cwd, dir));
    return names.filter((name) => /^[^.].*\.ya?ml$/.test(name)).sort();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw usage(`cannot read -d ${dir}: ${code === 'ENOTDIR' ? 'it is not a folder' : (code ?? message)}`);
  }
}

/** Makes the folder, and puts the schema into it. */
export async function openFolder(ctx: Context, dir: string): Promise<void> {
  try {
    makeFolder(resolve(ctx.runtime.cwd, dir));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usage(
      `cannot create -d ${dir}: ${code === 'EEXIST' || code === 'ENOTDIR' ? 'it is a file' : (code ?? message)}`,
    );
  }
  await writeComplete(ctx, join(dir, schemaFile), `${JSON.stringify(listSchemaDocument(), undefined, 2)}\n`);
}

/** The text of a file as it is now; undefined when it does not exist. */
export async function textOf(ctx: Context, name: string): Promise<string | undefined> {
  try {
    return await readFile(resolve(ctx.runtime.cwd, name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw usage(`cannot read ${name}: ${(error as Error).message}`);
  }
}

/** Writes the list and keeps the comments of an existing file. False when the file is up to date. */
export async function writeListFile(ctx: Context, name: string, spec: ListSpec, before?: string): Promise<boolean> {
  const after = before === undefined ? head + writeYaml(spec) : await rewriteYaml(before, spec);
  if (after === before) return false;
  await writeComplete(ctx, name, after);
  return true;
}

export function mistakes(problems: readonly FileProblem[]): Failure {
  const lines = problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
  const says = `the list files have ${amount(problems.length, 'mistake', 'mistakes')}; nothing was written`;
  return new Failure('usage', says, { code: 'list_file', lines, details: problems });
}

async function writeComplete(ctx: Context, name: string, text: string): Promise<void> {
  if ((await textOf(ctx, name)) === text) return;
  const sink = await fileSink(name, ctx.runtime.cwd, '-d');
  await sink.write(text);
  await sink.end();
}

/** A file with its mistakes; text that is not YAML is one mistake. */
async function tryFile(ctx: Context, name: string): Promise<{ file?: ListFile; problems: FileProblem[] }> {
  const text = await ctx.readArgument(`@${name}`);
  try {
    const { value, place } = await blocking(ctx.runtime, () => readYaml(text, name));
    const { spec, problems } = readListSpec(value, place);
    const file: ListFile = { name, text, spec, place };
    return {
      ...(problems.length === 0 ? { file } : {}),
      problems: problems.map((problem) => ({ ...problem, file: name })),
    };
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
    return { problems: [{ file: name, ...error.place, message: error.says }] };
  }
}

/** Two files for one list would revert each other. */
function repeated(files: readonly ListFile[]): FileProblem[] {
  return (['id', 'slug'] as const).flatMap((field) => {
    const first = new Map<string, string>();
    return files.flatMap(({ name, spec, place }): FileProblem[] => {
      const value = spec[field];
      const other = value === undefined ? undefined : first.get(value);
      if (value !== undefined && other === undefined) first.set(value, name);
      return other === undefined ? [] : [{ file: name, ...place(field), message: `${field}: ${other} has the same` }];
    });
  });
}

/** The content of a file that is going to be replaced, regardless of its mistakes. */
export async function looseList(ctx: Context, name: string): Promise<{ text: string; id?: unknown } | undefined> {
  const text = await textOf(ctx, name);
  if (text === undefined) return undefined;
  const value = expanded((await blocking(ctx.runtime, () => readYaml(text, name))).value);
  return { text, ...(typeof value === 'object' && value !== null ? { id: Reflect.get(value, 'id') } : {}) };
}
