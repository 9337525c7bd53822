/** Plans of list files: their changes as rows, and the impact of each change on the entries. */
import { isReported } from '../../../cli/bulk.ts';
import type { Context } from '../../../cli/context.ts';
import { amount } from '../../../cli/words.ts';
import { profileNames } from '../../../config/profile.ts';
import type { Settings } from '../../../config/settings.ts';
import { listEntries } from '../../../contract/entry-operations.ts';
import type { CustomListSummary } from '../../../contract/lists.ts';
import { Failure } from '../../../core/errors.ts';
import { stringifyJson } from '../../../core/json.ts';
import { nearestHint } from '../../../core/nearest.ts';
import {
  compareLists,
  type Difference,
  differencesOf,
  impactText,
  isAffected,
} from '../../../domain/list-code/difference.ts';
import { existingList, withIds } from '../../../domain/list-code/existing.ts';
import { type ListPlan, type PlanOptions, planList } from '../../../domain/list-code/plan.ts';
import { type ExistingList, withoutIds } from '../../../domain/list-code/spec.ts';
import type { Cell, Column } from '../../../output/column.ts';
import { companyLists, readList } from '../read.ts';
import {
  type FileProblem,
  type ListFile,
  mistakes,
  readFolder,
  readListFile,
  textOf,
  writeListFile,
} from './folder.ts';
import {
  callOf,
  countedColumns,
  placeholderId,
  startWriting,
  type WrittenList,
  withProfile,
  writeList,
} from './write.ts';

interface Change extends Difference {
  /** Entries that it affects; undefined if it cannot affect any. */
  entries?: number;
  impact?: string;
}

interface FilePlan {
  file: ListFile;
  /** Undefined: the list is created. */
  existing?: ExistingList & { id: string };
  plan: ListPlan;
  /** The company that owns the list, or will. */
  companies: Settings['companies'];
  changes: Change[];
}

interface PlanChoice extends PlanOptions {
  dir: string;
  /** Lists, by slug, name, id or file; all when empty. */
  only: readonly string[];
  bySlug?: boolean | undefined;
}

/** @param showsDrift differences that the API cannot undo are part of the plan @throws usage naming all mistakes */
async function makePlans(ctx: Context, choice: PlanChoice, showsDrift = false) {
  const files = selectFiles(await readFolder(ctx, choice.dir), choice.only);
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
  const ownCompanies = ctx.settings.companies;
  for (const { file, spec, id } of targets) {
    ctx.settings.companies = ownCompanies;
    const existing = id === undefined ? undefined : { ...existingList(await readList(ctx, id)), id };
    const plan = planList(spec, existing, choice);
    for (const { path, refused } of plan.differences) {
      if (refused && !(showsDrift && refused.isDrift)) wrong(file, path, `${path}: ${refused.why}; ${refused.instead}`);
    }
    const companies = ctx.settings.companies;
    plans.push({ file, plan, companies, changes: plan.differences, ...(existing ? { existing } : {}) });
  }
  if (problems.length > 0) throw mistakes(problems);
  for (const plan of plans) {
    ctx.settings.companies = plan.companies;
    plan.changes = await withImpact(ctx, plan);
  }
  ctx.settings.companies = ownCompanies;
  ctx.out.progress(undefined);
  const others = choice.only.length > 0 ? [] : lists.filter(({ id }) => id !== undefined && !owners.has(id));
  return { plans, others };
}

function selectFiles(files: readonly ListFile[], only: readonly string[]): ListFile[] {
  if (only.length === 0) return [...files];
  const namesOf = ({ name, spec }: ListFile) =>
    [spec.slug, spec.name, spec.id, name, name.replace(/^.*[\\/]/, ''), name.replace(/^.*[\\/]|\.ya?ml$/g, '')].filter(
      (name) => name !== undefined,
    );
  const picked = only.flatMap((target) => {
    const some = files.filter((file) => namesOf(file).includes(target));
    if (some.length > 0) return some;
    const all = `the files are: ${files.map(({ name }) => name).join(', ')}`;
    const hint = nearestHint(target, files.flatMap(namesOf), all);
    throw new Failure('notFound', `no list file matches "${target}"`, { hint });
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
        `id: this company has no list ${id}: it was deleted, or the file belongs to another company or profile; --by slug matches it by its slug, and without the id a new list is created`,
      );
    }
    return known?.id;
  }
  const bySlug = slug === undefined ? [] : lists.filter((list) => list.slug === slug);
  const matches = bySlug.length > 0 ? bySlug : lists.filter((list) => list.name === name);
  if (matches.length > 1) {
    const candidates = matches.map((list) => `${list.id} (${list.slug})`).join(', ');
    wrong(file, 'name', `name: "${name}" matches ${matches.length} lists: ${candidates}; add the id of one of them`);
  }
  return matches[0]?.id;
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
type ChangeRow = ReturnType<typeof rowOf>;

function rowOf(change: Change, list: string, file?: string) {
  const { action, kind, target, field = null, from = null, to = null, entries = null } = change;
  const impact = change.impact ?? change.refused?.why ?? null;
  const row = { list, action, kind, target, change: changeText(change), field, from, to, entries, impact };
  return { ...row, ...(file !== undefined && { file }) };
}

const marks = { create: '+', update: '~', delete: '-' } as const;
const markColors = { create: 'green', update: 'yellow', delete: 'red' } as const;

/** A table shows the change in words: it has no room for the parts. */
const parts = { hidden: true } as const;

const diffColumns: readonly Column<ChangeRow>[] = [
  {
    key: 'action',
    heading: 'Action',
    title: '',
    rank: 1,
    get: ({ action }) => action,
    onScreen: ({ action }) => marks[action],
    tone: ({ action }) => markColors[action],
  },
  { key: 'kind', heading: 'Kind', get: ({ kind }) => kind },
  { key: 'target', heading: 'Target', get: ({ target }) => target },
  { key: 'change', heading: 'Change', wraps: true, get: ({ change }) => change },
  { key: 'field', heading: 'Field', ...parts, get: ({ field }) => field },
  { key: 'from', heading: 'From', ...parts, get: ({ from }) => from as Cell },
  { key: 'to', heading: 'To', ...parts, get: ({ to }) => to as Cell },
];

const listColumn: Column<ChangeRow> = { key: 'list', heading: 'List', get: ({ list }) => list };

const planColumns: readonly Column<ChangeRow>[] = [
  listColumn,
  ...diffColumns.map((column) => (column.key === 'kind' ? { ...column, ...parts } : column)),
  { key: 'impact', heading: 'Impact', ...parts, get: ({ impact }) => impact },
  { key: 'entries', heading: 'Entries', type: 'integer', ...parts, get: ({ entries }) => entries },
  { key: 'file', heading: 'File', ...parts, get: ({ file }) => file },
];

function planRows(plans: readonly FilePlan[]): ChangeRow[] {
  return plans.flatMap((plan) => plan.changes.map((change) => rowOf(change, listName(plan), plan.file.name)));
}

const listName = ({ existing, file }: FilePlan): string => existing?.slug ?? file.spec.slug ?? file.spec.name;

/** Notes the plan before it is executed. */
function notePlans(ctx: Context, plans: readonly FilePlan[], prune: boolean): void {
  for (const { changes, existing, file } of plans) {
    if (changes.length === 0) continue;
    ctx.out.note(`Plan for the list "${existing?.name ?? file.spec.name}" from ${file.name}:`);
    for (const change of changes) {
      const { action, kind, target } = change;
      const text = [`${marks[action]} ${kind} ${target}`, changeText(change)].filter(Boolean).join(': ');
      const left = action === 'delete' && !prune ? ' (kept without --prune)' : '';
      ctx.out.note(`  ${text}${left}`, markColors[action]);
    }
  }
}

function changeText({ action, field, from, to, refused, impact = refused?.why }: Change): string {
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
function deletionsNote(left: number): string {
  return `${amount(left, 'deletion needs', 'deletions need')} \`lists apply --prune\`.`;
}

/** Prints the changes of the files; with `exitCode` any change is exit 1. */
export async function showPlan(ctx: Context, choice: PlanChoice, exitCode: boolean): Promise<void> {
  if (!(await ctx.out.check(planColumns))) return;
  const { plans, others } = await makePlans(ctx, choice, true);
  const rows = planRows(plans);
  await ctx.out.rows(rows, planColumns, { empty: 'The lists match their files.' });
  if (others.length > 0)
    ctx.out.note(`Lists without a file: ${others.map(({ slug, name, id }) => slug ?? name ?? id).join(', ')}.`);
  const left = plans.reduce((sum, { plan }) => sum + plan.left, 0);
  if (left > 0) ctx.out.note(deletionsNote(left));
  if (exitCode && rows.length > 0) {
    throw new Failure('no', `${amount(rows.length, 'change', 'changes')} between the files and the lists`, {
      code: 'changes',
    });
  }
}

export async function applyLists(ctx: Context, choice: PlanChoice): Promise<void> {
  if (!(await ctx.out.check(countedColumns))) return;
  const { plans } = await makePlans(ctx, choice);
  const writes = plans.flatMap(({ plan, existing }) =>
    plan.writes.map((write) => callOf(write, existing?.id ?? placeholderId)),
  );
  notePlans(ctx, plans, choice.prune ?? false);
  if (ctx.settings.dryRun || writes.length > 0) {
    if (ctx.settings.dryRun && plans.some(({ existing }) => existing === undefined)) {
      ctx.out.note(`${placeholderId} is the id of a list that does not exist yet.`);
    }
    const changed = plans.filter(({ plan }) => plan.writes.length > 0).length;
    const question = `Send ${amount(writes.length, 'write', 'writes')} to ${amount(changed, 'list', 'lists')}?`;
    await ctx.prepare(writes, writes.length > 0 ? question : undefined);
  }
  const writing = startWriting(ctx);
  const { tally, bulk } = writing;
  for (const filePlan of plans) {
    ctx.settings.companies = filePlan.companies;
    const written = await writeList(writing, filePlan.plan.writes, filePlan.existing);
    tally.counts.unchanged += filePlan.plan.unchanged;
    tally.counts.skipped += filePlan.plan.left;
    if (!choice.bySlug) await writeIds(ctx, filePlan, written, bulk.stopped);
  }
  ctx.out.progress(undefined);
  tally.warn(ctx);
  if (tally.counts.skipped > 0) ctx.out.note(deletionsNote(tally.counts.skipped));
  else if (writes.length === 0) ctx.out.note('The lists match their files; nothing was written.');
  if (isReported(ctx)) await ctx.out.value(tally.counts, countedColumns, { asRows: true });
  const failure = tally.verdict(ctx, 'the ids that were assigned are in the files; run the same command for the rest');
  if (failure) throw failure;
}

/** Writes the ids that the server assigned into the file: from the list, or from the answers when nothing is sent any more. */
async function writeIds(ctx: Context, filePlan: FilePlan, written: WrittenList, stopped: boolean): Promise<void> {
  const { file, existing, plan } = filePlan;
  if (written.id === undefined) return;
  const known: ExistingList = existing ?? { id: written.id, name: file.spec.name, attributes: [] };
  const list = stopped || plan.writes.length === 0 ? known : await listNow(ctx, written.id, known);
  const spec = withIds(file.spec, list, written.created);
  if ((await textOf(ctx, file.name)) !== file.text) {
    ctx.out.warn(
      `${file.name} changed while its plan was executed: its ids were not written; \`lists pull\` writes them`,
    );
  } else if (await writeListFile(ctx, file.name, spec, file.text)) {
    ctx.out.note(`Wrote ids into ${file.name}.`);
  }
}

async function listNow(ctx: Context, id: string, otherwise: ExistingList): Promise<ExistingList> {
  try {
    return existingList(await readList(ctx, id));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return otherwise;
  }
}

/** Prints what turns the first into the second: lists, or all lists of two profiles. @throws `no` under `exitCode` */
export async function diffLists(ctx: Context, from: string, to: string, exitCode: boolean): Promise<void> {
  const isWhole = [from, to].every((side) => side.endsWith(':') && isProfile(ctx, side.slice(0, -1)));
  const columns = isWhole ? [listColumn, ...diffColumns] : diffColumns;
  if (!(await ctx.out.check(columns))) return;
  const rows = isWhole ? await profileDifferences(ctx, from, to) : await listDifferences(ctx, from, to);
  await ctx.out.rows(rows, columns, { empty: `${from} and ${to} are equal.` });
  if (!exitCode || rows.length === 0) return;
  const says = `${amount(rows.length, 'difference', 'differences')} between ${from} and ${to}`;
  throw new Failure('no', says, { code: 'changes' });
}

const isProfile = (ctx: Context, name: string): boolean => profileNames(ctx.profiles).includes(name);

async function listDifferences(ctx: Context, from: string, to: string): Promise<ChangeRow[]> {
  const companies = ctx.settings.companies;
  const before = await readSide(ctx, from);
  // The second is of the company of the command, whatever the first was of.
  ctx.settings.companies = companies;
  return differenceRows(before, await readSide(ctx, to), before.slug ?? before.name);
}

function differenceRows(existing: ExistingList, { position: _, ...wanted }: ExistingList, list: string): ChangeRow[] {
  return differencesOf(compareLists(wanted, existing)).map((difference) => rowOf(difference, list));
}

async function profileDifferences(ctx: Context, from: string, to: string): Promise<ChangeRow[]> {
  const [before, after] = [await listsOf(ctx, from.slice(0, -1)), await listsOf(ctx, to.slice(0, -1))];
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((slug): ChangeRow[] => {
    const [existing, wanted] = [before.get(slug), after.get(slug)];
    if (existing && wanted) return differenceRows(existing, wanted, slug);
    return [rowOf({ action: wanted ? 'create' : 'delete', kind: 'list', target: slug, path: '' }, slug)];
  });
}

async function listsOf(ctx: Context, profile: string): Promise<Map<string, ExistingList>> {
  return withProfile(ctx, { profile }, async (other) => {
    const ids = (await companyLists(other)).flatMap(({ id }) => id ?? []);
    const lists = await Promise.all(ids.map(async (id) => existingList(await readList(other, id))));
    return new Map(lists.map((list) => [list.slug ?? list.name, list]));
  });
}

/** A file, PROFILE:LIST or LIST. */
async function readSide(ctx: Context, side: string): Promise<ExistingList> {
  if (/\.ya?ml$/i.test(side)) {
    const { spec } = await readListFile(ctx, side);
    return { ...spec, attributes: spec.attributes ?? [] };
  }
  const at = side.indexOf(':');
  const [profile, list] = [side.slice(0, at), side.slice(at + 1)];
  // A list's name may contain a colon too: the part before it is a profile only if one has that name.
  if (at > 0 && list !== '' && isProfile(ctx, profile)) {
    return withProfile(ctx, { profile }, async (other) => existingList(await readList(other, list)));
  }
  try {
    return existingList(await readList(ctx, side));
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'notFound') throw error;
    const names = profileNames(ctx.profiles);
    if (names.includes(side))
      throw error.with({ hint: `"${side}" is a profile: ${side}: stands for all of its lists` });
    if (at <= 0 || list === '') throw error;
    throw error.with({ hint: `profile "${profile}" not found either; the profiles are ${names.join(', ')}` });
  }
}
