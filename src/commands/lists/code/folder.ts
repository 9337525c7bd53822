/** The folder of list files: one YAML file for each list, and the schema beside them that editors check them by. */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { blocking } from '../../../cli/runtime.ts';
import { amount } from '../../../cli/words.ts';
import type { CustomListWithAttributes } from '../../../contract/lists.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { makeFolder } from '../../../core/files.ts';
import { readYaml, rewriteYaml, type TextPosition, writeYaml, YamlSyntaxError } from '../../../core/yaml.ts';
import { existingList, listFile } from '../../../domain/list-code/existing.ts';
import {
  expand,
  type ListSpec,
  listSchemaDocument,
  type Problem,
  readListSpec,
} from '../../../domain/list-code/spec.ts';
import type { Column } from '../../../output/column.ts';
import { writeFile } from '../../../output/write/sinks.ts';
import { companyLists, readList } from '../read.ts';

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
  /** The name in messages. */
  name: string;
  text: string;
  spec: ListSpec;
  place(path: string): TextPosition;
}

export interface FileProblem extends Problem {
  file: string;
}

/** Reads one file. @throws usage naming every mistake with line and column */
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
  if (problems.length > 0) throw mistakes(problems);
  return files;
}

/** Names of the YAML files in the folder; undefined when the folder does not exist. */
async function yamlFiles(ctx: Context, dir: string): Promise<string[] | undefined> {
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
async function openFolder(ctx: Context, dir: string): Promise<void> {
  try {
    makeFolder(resolve(ctx.runtime.cwd, dir));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usage(
      `cannot create -d ${dir}: ${code === 'EEXIST' || code === 'ENOTDIR' ? 'it is a file' : (code ?? message)}`,
    );
  }
  await writeChanged(ctx, join(dir, schemaFile), `${JSON.stringify(listSchemaDocument(), undefined, 2)}\n`);
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
  await writeChanged(ctx, name, after);
  return true;
}

export function mistakes(problems: readonly FileProblem[]): Failure {
  const lines = problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
  const says = `the list files have ${amount(problems.length, 'mistake', 'mistakes')}; nothing was written`;
  return new Failure('usage', says, { code: 'list_file', lines, details: problems });
}

async function writeChanged(ctx: Context, name: string, text: string): Promise<void> {
  if ((await textOf(ctx, name)) === text) return;
  await writeFile(name, ctx.runtime.cwd, text, '-d');
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

/** The id in a file that is going to be replaced, regardless of its mistakes. */
async function idIn(ctx: Context, text: string, name: string): Promise<unknown> {
  const value = expand((await blocking(ctx.runtime, () => readYaml(text, name))).value);
  return typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : undefined;
}

interface PulledList {
  id: string;
  list: string;
  file: string;
  attributes: number;
  outcome: 'created' | 'updated' | 'unchanged';
}

const pulledColumns: readonly Column<PulledList>[] = [
  { key: 'list', heading: 'List', get: ({ list }) => list },
  { key: 'file', heading: 'File', whole: true, get: ({ file }) => file },
  { key: 'attributes', heading: 'Attributes', type: 'integer', get: ({ attributes }) => attributes },
  { key: 'outcome', heading: 'Outcome', get: ({ outcome }) => outcome },
  { key: 'id', heading: 'ID', type: 'id', hidden: true, get: ({ id }) => id },
];

/** Writes one file for each list; a file that has the list's id keeps its name and its comments. */
export async function pullLists(ctx: Context, targets: readonly string[], dir: string): Promise<void> {
  if (!(await ctx.out.check(pulledColumns))) return;
  const read = await chosenLists(ctx, targets);
  const files: { name: string; text: string; id: unknown }[] = [];
  for (const file of (await yamlFiles(ctx, dir)) ?? []) {
    const name = join(dir, file);
    const text = await textOf(ctx, name);
    if (text !== undefined) files.push({ name, text, id: await idIn(ctx, text, name) });
  }
  const taken = new Set<string>();
  const jobs = read.map((list) => {
    const spec = fileOf(ctx, list);
    const known = files.findLast(({ id }) => typeof id === 'string' && id.toLowerCase() === list.id.toLowerCase());
    if (known) return { list, spec, name: known.name, before: known.text };
    const name = join(dir, `${fileName(list, taken)}.yaml`);
    const other = files.find((file) => file.name === name);
    // A file without an id was written by hand for this list, and becomes its file.
    if (other?.id !== undefined) {
      throw usage(
        `${name} is the file of another list (${other.id}), and "${list.slug}" would be written there`,
        'give another folder with -d, or move that file away',
      );
    }
    return { list, spec, name, before: other?.text };
  });
  await openFolder(ctx, dir);
  const rows: PulledList[] = [];
  for (const { list, name, before, spec } of jobs) {
    const changed = await writeListFile(ctx, name, spec, before);
    const outcome = before === undefined ? 'created' : changed ? 'updated' : 'unchanged';
    const attributes = spec.attributes?.length ?? 0;
    rows.push({ id: list.id, list: list.slug ?? list.id, file: name, attributes, outcome });
  }
  await ctx.out.rows(rows, pulledColumns, { empty: 'No lists.' });
}

/** The file of a list. A list of another server may have what `lists plan` refuses. */
function fileOf(ctx: Context, list: CustomListWithAttributes): ListSpec {
  const spec = listFile(existingList(list));
  const { problems } = readListSpec(spec, () => ({ line: 1, column: 1 }));
  if (problems.length > 0) {
    const mistakes = problems.map(({ message }) => message).join('; ');
    ctx.out.warn(`\`lists plan\` does not take the file of "${list.slug || list.id}": ${mistakes}`);
  }
  return spec;
}

/** The lists of the targets, each once, in the company that the target names. */
async function chosenLists(ctx: Context, targets: readonly string[]): Promise<Awaited<ReturnType<typeof readList>>[]> {
  if (targets.length === 0) {
    const ids = (await companyLists(ctx)).flatMap(({ id }) => id ?? []);
    return Promise.all(ids.map((id) => readList(ctx, id)));
  }
  const companies = ctx.settings.companies;
  const lists = new Map<string, Awaited<ReturnType<typeof readList>>>();
  for (const target of targets) {
    ctx.settings.companies = companies;
    const list = await readList(ctx, target);
    lists.set(list.id, list);
  }
  return [...lists.values()];
}

/** The slug, where it is a name for a file and no other list has it; file systems may ignore case. */
function fileName({ slug = '', id }: { slug?: string | undefined; id: string }, taken: Set<string>): string {
  const isFree = (name: string) => /^\w[\w-]{0,99}$/.test(name) && !taken.has(name.toLowerCase());
  let number = taken.size + 1;
  while (taken.has(`list-${number}`)) number += 1;
  const name = [slug, id].find(isFree) ?? `list-${number}`;
  taken.add(name.toLowerCase());
  return name;
}
