/** What list files change, compared with the API, with the impact of each change on the entries. */

import type { Context } from '../../../cli/context.ts';
import type { Settings } from '../../../config/settings.ts';
import { listEntries } from '../../../contract/entry-operations.ts';
import type { CustomListSummary } from '../../../contract/lists.ts';
import { Failure } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import type { Difference } from '../../../domain/list-code/difference.ts';
import { existingList } from '../../../domain/list-code/existing.ts';
import { impactText, meets } from '../../../domain/list-code/impact.ts';
import { type ListPlan, type PlanOptions, planList } from '../../../domain/list-code/plan.ts';
import { withoutIds } from '../../../domain/list-code/read.ts';
import type { ExistingList } from '../../../domain/list-code/spec.ts';
import { companyLists, readList } from '../read.ts';
import { type FileProblem, type ListFile, mistakes, readFolder } from './folder.ts';

/** A change with its impact. */
export interface Change extends Difference {
  /** Entries that it affects; undefined if it cannot affect any. */
  entries?: number;
  impact?: string;
}

export interface FilePlan {
  file: ListFile;
  /** Undefined: the list is created. */
  existing?: ExistingList & { id: string };
  plan: ListPlan;
  /** The company that owns the list, or will. */
  companies: Settings['companies'];
  changes: Change[];
}

export interface PlanChoice extends PlanOptions {
  dir: string;
  /** Lists, by slug, name, id or file; all when empty. */
  only: readonly string[];
  bySlug?: boolean | undefined;
}

/** @throws usage naming all mistakes of the files, what the API cannot do among them */
export async function makePlans(ctx: Context, choice: PlanChoice): Promise<FilePlan[]> {
  const files = chosen(await readFolder(ctx, choice.dir), choice.only);
  const lists = await companyLists(ctx);
  const problems: FileProblem[] = [];
  const wrong = ({ name, place }: ListFile, path: string, message: string) =>
    problems.push({ file: name, ...place(path), message });
  const owners = new Map<string, string>();
  const found = files.map((file) => {
    const spec = choice.bySlug ? withoutIds(file.spec) : file.spec;
    const id = listOf({ ...file, spec }, lists, wrong);
    const owner = id === undefined ? undefined : owners.get(id);
    if (owner !== undefined) wrong(file, 'name', `name: ${owner} is a file of the same list`);
    if (id !== undefined) owners.set(id, file.name);
    return { file, spec, id };
  });
  if (problems.length > 0) throw mistakes(problems);
  const plans: FilePlan[] = [];
  const own = ctx.settings.companies;
  for (const { file, spec, id } of found) {
    ctx.settings.companies = own;
    const existing = id === undefined ? undefined : { ...existingList(await readList(ctx, id)), id };
    const plan = planList(spec, existing, choice);
    for (const { path, refused } of plan.differences) {
      if (refused) wrong(file, path, `${path}: ${refused.why}; ${refused.instead}`);
    }
    const companies = ctx.settings.companies;
    plans.push({ file, plan, companies, changes: plan.differences, ...(existing ? { existing } : {}) });
  }
  if (problems.length > 0) throw mistakes(problems);
  for (const plan of plans) {
    ctx.settings.companies = plan.companies;
    plan.changes = await withImpact(ctx, plan);
  }
  ctx.settings.companies = own;
  ctx.out.progress(undefined);
  return plans;
}

function chosen(files: readonly ListFile[], only: readonly string[]): ListFile[] {
  if (only.length === 0) return [...files];
  const namesOf = ({ name, spec }: ListFile) =>
    [spec.slug, spec.name, spec.id, name, name.replace(/^.*[\\/]/, ''), name.replace(/^.*[\\/]|\.ya?ml$/g, '')].filter(
      (one) => one !== undefined,
    );
  const picked = only.flatMap((target) => {
    const some = files.filter((file) => namesOf(file).includes(target));
    if (some.length > 0) return some;
    const near = nearest(target, files.flatMap(namesOf));
    throw new Failure('notFound', `no list file matches "${target}"`, {
      hint:
        near === undefined ? `the files are: ${files.map(({ name }) => name).join(', ')}` : `did you mean "${near}"?`,
    });
  });
  return [...new Set(picked)];
}

type Wrong = (file: ListFile, path: string, message: string) => void;

/** The id of the list that the file means; undefined when it has to be created. */
function listOf(file: ListFile, lists: readonly CustomListSummary[], wrong: Wrong): string | undefined {
  const { id, slug, name } = file.spec;
  if (id !== undefined) {
    const known = lists.find((list) => list.id?.toLowerCase() === id.toLowerCase());
    if (known?.id === undefined) {
      wrong(
        file,
        'id',
        `id: this company has no list ${id}: it was deleted, or the file belongs to another company or profile; --by-slug matches it by its slug, and without the id a new list is created`,
      );
    }
    return known?.id;
  }
  const bySlug = slug === undefined ? [] : lists.filter((list) => list.slug === slug);
  const found = bySlug.length > 0 ? bySlug : lists.filter((list) => list.name === name);
  if (found.length > 1) {
    const candidates = found.map((list) => `${list.id} (${list.slug})`).join(', ');
    wrong(file, 'name', `name: "${name}" matches ${found.length} lists: ${candidates}; add the id of one of them`);
  }
  return found[0]?.id;
}

/** Counts the affected entries, archived ones too, when a change affects data. */
async function withImpact(ctx: Context, { existing, plan }: FilePlan): Promise<Change[]> {
  const { differences } = plan;
  if (existing === undefined || differences.every(({ question }) => question === undefined)) return differences;
  const counts = differences.map(() => 0);
  const client = await ctx.client();
  let read = 0;
  const input = { params: { listId: existing.id }, query: { archived: true } };
  for await (const page of client.pages(listEntries, input)) {
    for (const { values } of page) {
      for (const [index, { question }] of differences.entries()) {
        if (question && meets(question, values)) counts[index] = (counts[index] ?? 0) + 1;
      }
    }
    read += page.length;
    ctx.out.progress(`Reading the entries of "${existing.name}": ${read}`);
  }
  return differences.map((difference, index): Change => {
    if (difference.question === undefined) return difference;
    const entries = counts[index] ?? 0;
    const impact = impactText(difference, entries);
    return { ...difference, entries, ...(impact === undefined ? {} : { impact }) };
  });
}
