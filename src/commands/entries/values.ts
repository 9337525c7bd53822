/** The values of `entries create` and `entries update`: those of `--set`, and the answers of a person. */
import { type bodyFieldFlags, bodyOf, changes, pairs } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag, inGroup } from '../../cli/define.ts';
import { among, askText, type Choice, choose, chooseSome, problemIn } from '../../cli/prompts.ts';
import { shellWord } from '../../cli/words.ts';
import type { AttributeType, CustomListEntry } from '../../contract/lists.ts';
import { Failure, JsonSyntaxError, usage } from '../../core/errors.ts';
import { isObject, parseJson, propertyOf } from '../../core/json.ts';
import {
  changeFormula,
  computedValues,
  type EntryChange,
  hasEdits,
  optionSets,
  withEdits,
} from '../../domain/entries/changes.ts';
import { type Attribute, findAttribute, optionsOf } from '../../domain/entries/options.ts';
import {
  type Assignment,
  missingRequired,
  typedText,
  typedValues,
  writtenNumber,
} from '../../domain/entries/values.ts';
import { firstEntries, firstPlace, readEntry, readList, resolveEntry, toPrecede } from '../lists/read.ts';
import type { ReadList } from './read.ts';

export const setFlag = inGroup('VALUES', {
  set: flag.list('SLUG=VALUE', 'a value, typed by its attribute; also +=, -= and :='),
});

export const editFlags = inGroup('VALUES', {
  unset: flag.list('SLUG', 'clear this value', { hidden: true }),
});

/** For the descriptions of the commands that take `--set`. */
export const setRules =
  'The values of --set: an option by label or id, several options of a multi_select as a;b, a date also as today (UTC), a number also as 20M, 1.5k or 2.5%.';

/** For the description of `entries update`. */
export const formulaRules =
  "After := comes JSON, or an expression of the entry's own values: --set 'revenue := revenue * 1.1'. Where it is empty, the value stays.";

interface SetFlags {
  set?: readonly string[] | undefined;
  unset?: readonly string[] | undefined;
}

/** The values of `--set`, by the names that were typed. */
export interface SetValues {
  assignments: Assignment[];
  /** `tags+=AI`. */
  add: Assignment[];
  /** `tags-=AI`. */
  remove: Assignment[];
  formulas: { slug: string; text: string }[];
}

/** Reads `--set`. What follows `:=` and does not begin like JSON is an expression. */
export function readSet({ set = [], unset = [] }: SetFlags): SetValues {
  const read: SetValues = { assignments: [], add: [], remove: [], formulas: [] };
  for (const written of [...set, ...unset.map((name) => `${name}:=null`)]) {
    const [, name, sign, option = ''] = /^\s*([^=:]*[^=:\s+-])\s*([+-])=(.*)$/s.exec(written) ?? [];
    if (name !== undefined) {
      read[sign === '+' ? 'add' : 'remove'].push({ slug: name, text: option });
      continue;
    }
    const [, factor, product, amount = ''] = /^\s*([^=:]*?)\s*([*/])=(.*)$/s.exec(written) ?? [];
    if (factor && product) {
      const formula = shellWord(changeFormula(factor, product, amount));
      throw usage(`--set ${written}: ${product}= is not known`, `write an expression after :=, as in --set ${formula}`);
    }
    const [, target = '', formula = ''] = /^([^=:]+):=(.*)$/s.exec(written) ?? [];
    const [slug, text] = [target.trim(), formula.trim()];
    if (slug !== '' && text !== '' && !isJson(text)) read.formulas.push({ slug, text });
    else read.assignments.push(...pairs('--set', [written]).map(({ key, ...value }) => ({ slug: key, ...value })));
  }
  return read;
}

/** The values by slug: an attribute may be called by its name. */
function withSlugs(values: SetValues, attributes: readonly Attribute[]): SetValues {
  const named = <T extends { slug: string }>(all: readonly T[]) =>
    all.map((each) => {
      const name = each.slug.replace(/^values\./, '');
      return { ...each, slug: findAttribute(attributes, name)?.slug ?? name };
    });
  const { assignments, add, remove, formulas } = values;
  return { assignments: named(assignments), add: named(add), remove: named(remove), formulas: named(formulas) };
}

/** Whether the text is JSON, or a mistake in it. */
function isJson(text: string): boolean {
  if (/^["[{]/.test(text)) return true;
  try {
    parseJson(text);
    return true;
  } catch (error) {
    return !(error instanceof JsonSyntaxError);
  }
}

/** The `values` of a body, if there are any. @param isNew there are no values to compute from */
function assignedValues(
  ctx: Context,
  attributes: readonly Attribute[],
  assignments: readonly Assignment[],
  isNew: boolean,
): { values?: Record<string, unknown> } {
  if (assignments.length === 0) return {};
  const typing = { source: '--set', now: ctx.now(), asWritten: true };
  const failures = assignments.flatMap((assignment) => {
    const failure = failureOf(() => typedValues(attributes, [assignment], typing));
    return failure === undefined ? [] : [failure.with({ hint: hintOf(assignment, attributes, isNew) ?? failure.hint })];
  });
  const [first, second] = failures;
  if (second) {
    const hints = failures.flatMap(({ hint }) => hint ?? []);
    const says = failures.map(({ message }) => message).join('; ');
    throw usage(`${failures.length} values cannot be set: ${says}`, hints.join('; ') || undefined);
  }
  if (first) throw first;
  return { values: typedValues(attributes, assignments, typing) };
}

/** Flags of fields that `--set` does not take. */
const fieldFlags: Readonly<Record<string, string>> = {
  title: 'use --title',
  position: 'use --position',
  archived: 'run `comem entries archive` or `comem entries unarchive`',
};

/** The hint for a field, a formula or a percentage in the place of a value. */
function hintOf(assignment: Assignment, attributes: readonly Attribute[], isNew: boolean): string | undefined {
  const { slug } = assignment;
  const attribute = findAttribute(attributes, slug);
  if (!attribute) return propertyOf(fieldFlags, slug);
  const text = 'text' in assignment ? assignment.text.trim() : '';
  const [, sign = '', percentage] = /^([+-]?)([\d._]+%)$/.exec(text) ?? [];
  if (percentage !== undefined) {
    const value = `write the number: --set ${slug}=${writtenNumber(text)}`;
    const formula = shellWord(changeFormula(slug, sign || '+', percentage));
    return isNew ? value : `to change the value, write --set ${formula}; or ${value}`;
  }
  const words = text.split(/[\s*/+,()]+/);
  const isFormula = /[*/+(]|\s-\s/.test(text) && words.some((word) => findAttribute(attributes, word));
  if (isNew || !isFormula) return undefined;
  return `write an expression after :=, as in --set ${shellWord(`${slug} := ${text}`)}`;
}

/** The failure that the work throws. */
function failureOf(work: () => void): Failure | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Notes amounts whose point may be meant as a separator of thousands. */
function noteDecimals({ out }: Context, attributes: readonly Attribute[], assignments: readonly Assignment[]): void {
  for (const assignment of assignments) {
    const { attribute_type: type, config, slug } = findAttribute(attributes, assignment.slug) ?? {};
    const text = 'text' in assignment ? assignment.text.trim() : '';
    if (type !== 'currency' || !/^[+-]?\d{1,3}\.\d{3}$/.test(text)) continue;
    const thousands = text.replace('.', '');
    out.note(
      `${slug}: ${text} is ${Number(text)} ${config?.currency ?? ''}`.trim() +
        `; for ${thousands}, write ${thousands}.`,
    );
  }
}

type ChangeFlags = FlagValues<typeof setFlag & typeof editFlags & typeof bodyFieldFlags> & { position?: number };

interface ChangeInput {
  /** The fields of other flags. */
  fields: Record<string, unknown>;
  flags: ChangeFlags;
  set: SetValues;
  /** The arguments, which may hold a value that lacks its flag. */
  words?: readonly string[];
}

/** A change of entries, and the attributes that it sets. */
export interface EntryEdit {
  change(entry: Partial<CustomListEntry>): EntryChange;
  /** The assignments of `--set`. */
  slugs: string[];
  formulas: readonly { slug: string; text: string }[];
}

/** The change that the flags make. @throws usage if there is none */
export async function entryEdit(ctx: Context, list: ReadList, input: ChangeInput): Promise<EntryEdit> {
  const edit = await checkedEdit(ctx, list, input);
  noteDecimals(ctx, list.list_attributes ?? [], edit.assignments);
  return edit;
}

async function checkedEdit(ctx: Context, list: ReadList, input: ChangeInput) {
  const { fields, flags, words = [] } = input;
  const attributes = list.list_attributes ?? [];
  const set = withSlugs(input.set, attributes);
  const { assignments, formulas } = set;
  const sets = optionSets(attributes, set);
  const slugs = [...assignments, ...formulas].map(({ slug }) => slug);
  const twice = slugs.find((slug) => sets.add.has(slug) || sets.remove.has(slug));
  if (twice !== undefined) throw usage(`${twice} is set or cleared, and edited with += or -=`, 'give one of them');
  const compute = computedValues(attributes, formulas, { source: '--set', now: ctx.now });
  const named = { ...fields, ...assignedValues(ctx, attributes, assignments, false) };
  const value = words.find((word) => attributes.some(({ slug }) => word.startsWith(`${slug}=`)));
  const hint = value && `did you mean --set ${shellWord(value)}?`;
  const body = await (hasEdits(sets) || formulas.length > 0
    ? bodyOf(ctx, named, flags)
    : changes(ctx, named, flags, hint));
  const others = await toPrecede(flags.position, () => firstEntries(ctx, list.id));
  const change = (entry: Partial<CustomListEntry>) => {
    const values = { ...(body.values as EntryChange['values']), ...compute(entry) };
    const all = Object.keys(values).length > 0 ? { ...body, values } : body;
    return withEdits({ ...all, ...firstPlace(others, entry.id) }, sets, entry);
  };
  return { change, slugs, formulas, assignments };
}

/** Asks on a terminal: for all values if the title was asked for, too, otherwise for required ones. */
async function askedValues(
  ctx: Context,
  attributes: readonly Attribute[],
  assignments: readonly Assignment[],
  flags: FlagValues<typeof bodyFieldFlags>,
  asksAll = false,
): Promise<Assignment[]> {
  // The body may contain values, and is not read yet.
  if (!ctx.settings.input || flags.data !== undefined || flags.body !== undefined) return [];
  const named = new Set(assignments.map(({ slug }) => slug));
  const answers: Assignment[] = [];
  for (const attribute of attributes) {
    const { slug, is_required: isRequired } = attribute;
    if (slug === undefined || named.has(slug) || !(asksAll || isRequired)) continue;
    const text = await askValue(ctx, attribute);
    if (text !== '') answers.push({ slug, text });
  }
  return answers;
}

/** @throws usage for values that the list cannot hold */
export async function checkSet(ctx: Context, target: string | undefined, flags: SetFlags) {
  if (target === undefined || flags.set === undefined) return;
  newValues(ctx, (await readList(ctx, target)).list_attributes ?? [], flags);
}

/** @throws usage for a change that the list cannot hold */
export async function checkChange(ctx: Context, target: string | undefined, input: Omit<ChangeInput, 'set'>) {
  if (target === undefined || input.flags.data === '-') return;
  await checkedEdit(ctx, await readList(ctx, target), { ...input, set: readSet(input.flags) });
}

/** The values of a new entry. @throws usage for one that the list cannot hold */
function newValues(ctx: Context, attributes: readonly Attribute[], flags: SetFlags): Assignment[] {
  const set = withSlugs(readSet(flags), attributes);
  refuseFormulas(set);
  assignedValues(ctx, attributes, set.assignments, true);
  return set.assignments;
}

/** The body of a new entry, after asking for missing values. */
export async function newEntry(
  ctx: Context,
  attributes: readonly Attribute[],
  fields: { title: string },
  flags: FlagValues<typeof setFlag & typeof bodyFieldFlags>,
  asksAll?: boolean,
) {
  const named = newValues(ctx, attributes, flags);
  const assignments = [...named, ...(await askedValues(ctx, attributes, named, flags, asksAll))];
  noteDecimals(ctx, attributes, assignments);
  const values = assignedValues(ctx, attributes, assignments, true);
  const body = await bodyOf(ctx, { ...fields, ...values }, flags);
  requireValues(attributes, body.values);
  return body;
}

/** @throws usage if a required value is missing */
function requireValues(attributes: readonly Attribute[], values: unknown): void {
  const missing = missingRequired(attributes, isObject(values) ? values : {});
  if (missing.length === 0) return;
  const flags = missing.map((slug) => `--set ${slug}=VALUE`).join(' ');
  throw usage(`the list requires a value for ${missing.join(', ')}`, `add ${flags}`);
}

/** The entry to change, with its values where the change depends on them. */
export function findEntry(
  ctx: Context,
  listId: string,
  name: string,
  { formulas, add, remove }: SetValues,
): Promise<Partial<CustomListEntry>> {
  const dependsOnValues = formulas.length + add.length + remove.length > 0;
  return dependsOnValues ? readEntry(ctx, listId, name) : resolveEntry(ctx, listId, name).then(({ id }) => ({ id }));
}

/** @throws usage for an expression or a change of options, which a new entry has no values for */
function refuseFormulas({ formulas, add, remove }: SetValues): void {
  const [edit] = [...add, ...remove];
  if (edit) throw usage(`--set ${edit.slug}: a new entry has no options to change`, `write --set ${edit.slug}=A;B`);
  const [formula] = formulas;
  if (!formula) return;
  const { slug, text } = formula;
  throw usage(
    `--set ${slug}: not JSON: ${text}, and a new entry has no values for an expression`,
    `write --set ${slug}=VALUE, or put JSON strings in double quotes`,
  );
}

/** Formats that a question mentions. */
const takes: Partial<Record<AttributeType, string>> = {
  number: 'a number',
  rating: 'a number',
  date: '2026-03-31 or today',
  url: 'an address',
  email: 'an e-mail address',
};

/** The answer; empty where an optional value is skipped. */
async function askValue(ctx: Context, attribute: Attribute): Promise<string> {
  const { runtime } = ctx;
  const { name, slug, attribute_type: type, is_required: isRequired = false, config } = attribute;
  const label = name ?? slug;
  const options = optionsOf(attribute)?.map(({ id, label: text }) => ({
    value: id ?? text ?? '',
    name: text ?? id ?? '',
  }));
  if (type === 'multi_select' && options?.length) {
    return (await chooseSome(runtime, `${label}:`, options, isRequired)).join(';');
  }
  const none: Choice[] = isRequired ? [] : [{ value: '', name: '(none)' }];
  if (type === 'checkbox') {
    const answers = [...none, { value: 'true', name: 'yes' }, { value: 'false', name: 'no' }];
    return choose(runtime, { message: `${label}:`, find: among(answers) });
  }
  if (options?.length) return choose(runtime, { message: `${label}:`, find: among([...none, ...options]) });
  const typing = { now: ctx.now(), asWritten: true };
  const hint =
    type === 'currency' ? `an amount in ${config?.currency ?? 'the currency of the list'}` : takes[type ?? 'text'];
  const says = [hint, isRequired ? undefined : 'Enter for none'].filter((text) => text !== undefined).join(', ');
  return askText(runtime, {
    message: `${label}${says === '' ? '' : ` (${says})`}:`,
    validate: (text) =>
      text === '' ? !isRequired || 'A value is needed.' : (problemIn(() => typedText(attribute, text, typing)) ?? true),
  });
}
