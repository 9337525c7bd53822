/** `lists pull`: lists of the API as files. */
import { join } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import type { CustomListWithAttributes } from '../../../contract/lists.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { existingList, listFile } from '../../../domain/list-code/existing.ts';
import { type ListSpec, readableFile } from '../../../domain/list-code/spec.ts';
import type { Column } from '../../../output/column.ts';
import { companyLists, readList } from '../read.ts';
import { looseList, openFolder, writeListFile, yamlFiles } from './folder.ts';

interface PulledList {
  id: string;
  list: string;
  file: string;
  attributes: number;
  outcome: 'created' | 'updated' | 'unchanged';
}

const pulledColumns: readonly Column<PulledList>[] = [
  { key: 'list', get: ({ list }) => list },
  { key: 'file', get: ({ file }) => file },
  { key: 'attributes', type: 'integer', get: ({ attributes }) => attributes },
  { key: 'outcome', get: ({ outcome }) => outcome },
  { key: 'id', type: 'id', hidden: true, get: ({ id }) => id },
];

/** Writes one file for each list; a file that has the list's id keeps its name and its comments. */
export async function pullLists(ctx: Context, targets: readonly string[], dir: string): Promise<void> {
  if (!(await ctx.out.check(pulledColumns))) return;
  const read = await chosenLists(ctx, targets);
  const byId = new Map<string, { name: string; text: string }>();
  const byName = new Map<string, { id: unknown; text: string }>();
  for (const file of (await yamlFiles(ctx, dir)) ?? []) {
    const name = join(dir, file);
    const known = await looseList(ctx, name);
    if (known === undefined) continue;
    byName.set(name, { id: known.id, text: known.text });
    if (typeof known.id === 'string') byId.set(known.id.toLowerCase(), { name, text: known.text });
  }
  const taken = new Set<string>();
  const jobs = read.map((list) => {
    const spec = readable(ctx, list);
    const existingFile = byId.get(list.id.toLowerCase());
    if (existingFile !== undefined) return { list, spec, name: existingFile.name, before: existingFile.text };
    const name = join(dir, `${freeName(list, taken)}.yaml`);
    const other = byName.get(name);
    // A file without an id was written by hand for this list, and becomes its file.
    if (other !== undefined && other.id !== undefined) {
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
    rows.push({
      id: list.id,
      list: list.slug ?? list.id,
      file: name,
      attributes: spec.attributes?.length ?? 0,
      outcome,
    });
  }
  await ctx.out.rows(rows, pulledColumns, { empty: 'No lists.' });
}

/** The file of a list, which `lists plan` can read. @throws rejected when the list has no such file */
function readable(ctx: Context, list: CustomListWithAttributes): ListSpec {
  const { spec, leftOut, problems } = readableFile(listFile(existingList(list)));
  const name = list.slug || list.id;
  if (problems.length > 0) {
    throw new Failure('rejected', `the list "${name}" cannot be written to a file: ${problems.join('; ')}`, {
      hint: 'name the other lists, or change this one first; nothing was written',
    });
  }
  if (leftOut.length > 0) {
    ctx.out.warn(`the file of "${name}" leaves out what a list file cannot contain: ${leftOut.join(', ')}`);
  }
  return spec;
}

/** Each list once, of the company that its target names. */
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

/** Characters of a file's name: some file systems take 255 bytes with the extension. */
const longestName = 100;

/**
 * A slug is lower-case letters, digits and hyphens; what another server gives must still be one plain name, and one that
 * no other list has.
 */
function freeName({ slug, id }: { slug?: string | undefined; id: string }, taken: Set<string>): string {
  const [name, short] = [plainName(slug ?? ''), plainName(id).slice(0, 8)];
  const baseName = name || plainName(id) || 'list';
  // File systems may ignore case.
  for (let turn = 1; ; turn += 1) {
    const suffix = turn === 1 ? '' : turn === 2 && short !== '' ? `-${short}` : `-${turn}`;
    const free = baseName.slice(0, longestName) + suffix;
    if (taken.has(free.toLowerCase())) continue;
    taken.add(free.toLowerCase());
    return free;
  }
}

function plainName(text: string): string {
  return text
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, longestName)
    .replace(/[.-]+$/, '');
}
