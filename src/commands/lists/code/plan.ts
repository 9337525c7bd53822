/** Plans of list files: their changes, and the impact of each change on the entries. */

import type { Context } from '../../../cli/context.ts';
import { amount } from '../../../cli/words.ts';
import type { Settings } from '../../../config/settings.ts';
import { listEntries } from '../../../contract/entry-operations.ts';
import type { CustomListSummary } from '../../../contract/lists.ts';
import { Failure } from '../../../core/errors.ts';
import { stringifyJson } from '../../../core/json.ts';
import { nearest } from '../../../core/nearest.ts';
import { type Difference, impactText, isAffected } from '../../../domain/list-code/difference.ts';
import { existingList } from '../../../domain/list-code/existing.ts';
import { type ListPlan, type PlanOptions, planList } from '../../../domain/list-code/plan.ts';
import { type ExistingList, withoutIds } from '../../../domain/list-code/spec.ts';
import type { Cell, Column } from '../../../output/column.ts';
import { companyLists, readList } from '../read.ts';
import { type FileProblem, type ListFile, mistakes, readFolder } from './folder.ts';

/** A change with its impact. */
interface Change extends Difference {
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
  const targets = files.map((file) => {
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
  for (const { file, spec, id } of targets) {
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
      (name) => name !== undefined,
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
  if (existing === undefined || differences.every(({ affected }) => affected === undefined)) return differences;
  const counts = differences.map(() => 0);
  const client = await ctx.client();
  let read = 0;
  const input = { params: { listId: existing.id }, query: { archived: true } };
  for await (const page of client.pages(listEntries, input)) {
    for (const { values } of page) {
      for (const [index, { affected }] of differences.entries()) {
        if (affected && isAffected(affected, values)) counts[index] = (counts[index] ?? 0) + 1;
      }
    }
    read += page.length;
    ctx.out.progress(`Reading the entries of "${existing.name}": ${read}`);
  }
  return differences.map((difference, index): Change => {
    if (difference.affected === undefined) return difference;
    const entries = counts[index] ?? 0;
    const impact = impactText(difference, entries);
    return { ...difference, entries, ...(impact === undefined ? {} : { impact }) };
  });
}

/** One change as `lists plan` and `lists diff` show it. */
interface ChangeRow {
  list: string;
  action: Change['action'];
  kind: Change['kind'];
  target: string;
  /** The change in words, with its impact. */
  change: string;
  field: string | null;
  from: unknown;
  to: unknown;
  entries: number | null;
  impact: string | null;
  file?: string;
}

const marks = { create: '+', update: '~', delete: '-' } as const;
const markColors = { create: 'green', update: 'yellow', delete: 'red' } as const;

/** A table shows the change in words: it has no room for the parts. */
const parts = { hidden: true } as const;

export const diffColumns: readonly Column<ChangeRow>[] = [
  {
    ...{ key: 'action', title: '', rank: 1 },
    get: ({ action }) => action,
    onScreen: ({ action }) => marks[action],
    tone: ({ action }) => markColors[action],
  },
  { key: 'kind', title: 'Kind', get: ({ kind }) => kind },
  { key: 'target', title: 'Target', get: ({ target }) => target },
  { key: 'change', title: 'Change', wraps: true, get: ({ change }) => change },
  { key: 'field', ...parts, get: ({ field }) => field },
  { key: 'from', ...parts, get: ({ from }) => from as Cell },
  { key: 'to', ...parts, get: ({ to }) => to as Cell },
];

export const planColumns: readonly Column<ChangeRow>[] = [
  { key: 'list', title: 'List', get: ({ list }) => list },
  ...diffColumns.map((column) => (column.key === 'kind' ? { ...column, ...parts } : column)),
  { key: 'impact', ...parts, get: ({ impact }) => impact },
  { key: 'entries', type: 'integer', ...parts, get: ({ entries }) => entries },
  { key: 'file', ...parts, get: ({ file }) => file },
];

export function rowOf(change: Change, list: string, file?: string): ChangeRow {
  const { action, kind, target, field, from, to, entries, impact } = change;
  return {
    list,
    action,
    kind,
    target,
    change: changeText(change),
    field: field ?? null,
    from: from ?? null,
    to: to ?? null,
    entries: entries ?? null,
    impact: impact ?? null,
    ...(file === undefined ? {} : { file }),
  };
}

export function planRows(plans: readonly FilePlan[]): ChangeRow[] {
  return plans.flatMap((plan) => plan.changes.map((change) => rowOf(change, listName(plan), plan.file.name)));
}

function listName({ existing, file }: FilePlan): string {
  return existing?.slug ?? file.spec.slug ?? file.spec.name;
}

interface PlanLine {
  text: string;
  color?: 'green' | 'yellow' | 'red';
}

/** The plan for stderr, before it is executed. */
export function planLines(plans: readonly FilePlan[], prune: boolean): PlanLine[] {
  return plans.flatMap((plan): PlanLine[] =>
    plan.changes.length === 0
      ? []
      : [
          { text: `Plan for the list "${plan.existing?.name ?? plan.file.spec.name}" from ${plan.file.name}:` },
          ...plan.changes.map(
            (change): PlanLine => ({
              text: `  ${changeLine(change)}${change.action === 'delete' && !prune ? ' (kept without --prune)' : ''}`,
              color: markColors[change.action],
            }),
          ),
        ],
  );
}

function changeLine(change: Change): string {
  const { action, kind, target } = change;
  const text = changeText(change);
  return `${marks[action]} ${kind} ${target}${text === '' ? '' : `: ${text}`}`;
}

function changeText({ action, field, from, to, impact }: Change): string {
  const created = action === 'create' && to !== undefined ? word(to) : '';
  const text = field === undefined ? created : `${field} ${word(from)} -> ${word(to)}`;
  if (impact === undefined) return text;
  return text === '' ? impact : `${text} (${impact})`;
}

function word(value: unknown): string {
  if (value === null || value === undefined) return '(none)';
  return typeof value === 'string' && value !== '' ? value : stringifyJson(value);
}

/** The note on deletions that `plan` and `apply` leave out. */
export function deletionsNote(left: number): string {
  return `${amount(left, 'deletion needs', 'deletions need')} \`lists apply --prune\`.`;
}
