/** The check file on disk, and the inline form that says the same on the command line. */
import type { Context } from '../../cli/context.ts';
import { learnNames } from '../../cli/each-company.ts';
import { blocking } from '../../cli/runtime.ts';
import {
  aliasesById,
  cachedNames,
  companiesNamed,
  isUnknownCompany,
  resolveCompanies,
} from '../../config/companies.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import { isUuid } from '../../contract/validate.ts';
import { compare } from '../../core/decimal.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { isEmptyValue } from '../../core/same.ts';
import { readYaml, writeYaml } from '../../core/yaml.ts';
import { type CheckSection, ofCompanies, readChecks } from '../../domain/checks/check-file.ts';
import { keyOf } from '../../domain/checks/list-test.ts';
import { type Attribute, optionsOf } from '../../domain/entries/options.ts';
import { type Entry, entryScope, valueReader } from '../../domain/entries/scope.ts';
import { storedIssue } from '../../domain/entries/values.ts';
import { readList } from '../lists/read.ts';

/** The sections of a check file. @param ask names of companies may be requested @throws usage with every mistake */
export async function readCheckFile(ctx: Context, file: string, { ask = true } = {}): Promise<CheckSection[]> {
  const text = await ctx.readArgument(file === '-' ? '-' : `@${file}`).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    throw error.with({ hint: `\`comem check init LIST --out ${file}\` writes a first one` });
  });
  const { value, place } = await blocking(ctx.runtime, () => readYaml(text, file)).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    throw error.with({ hint: 'write each expectation on a line of its own, after "- "' });
  });
  const { sections, problems } = await blocking(ctx.runtime, () => readChecks(value, place));
  if (problems.length === 0) return settleSections(ctx, file, sections, ask);
  const mistakes = problems.map(({ path, message, ...place }) => ({
    ...place,
    message: path === '' ? message : `${path}: ${message}`,
  }));
  const lines = mistakes.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  const many = `${problems.length} mistake${problems.length === 1 ? '' : 's'}`;
  throw new Failure('usage', `${file} has ${many}`, { code: 'check_file', lines, details: mistakes });
}

/** A section that states expectations of one list in a line each. @throws Failure usage */
export function inlineSection(
  list: string,
  expectations: readonly string[],
  { where, allowEmpty }: { where?: string; allowEmpty?: boolean },
): CheckSection[] {
  const rows = { ...(where !== undefined && { where }), ...(allowEmpty && { 'allow-empty': true }) };
  const value = { version: 1, checks: [{ list, expect: expectations, ...rows }] };
  const { sections, problems } = readChecks(value, () => ({ line: 1, column: 1 }));
  const [problem] = problems;
  // The path is `checks.0.where` or `checks.0.expect.1`: the flags have the names of the fields.
  if (problem) throw usage(`--${problem.path.split('.')[2]}: ${problem.message}`);
  return sections.map((section) => ({
    ...section,
    checks: section.checks.map(({ line: _line, column: _column, ...spec }) => spec),
  }));
}

/** Only the checks with one of the tags; sections without any are left out. @throws Failure usage when nothing is left */
export function withTags(sections: readonly CheckSection[], tags: readonly string[] | undefined): CheckSection[] {
  if (!tags || tags.length === 0) return [...sections];
  const tagged = sections
    .map((section) => ({
      ...section,
      checks: section.checks.filter((spec) => spec.tags.some((tag) => tags.includes(tag))),
    }))
    .filter((section) => section.checks.length > 0);
  if (tagged.length > 0) return tagged;
  const known = [...new Set(sections.flatMap((section) => section.checks.flatMap((spec) => spec.tags)))];
  throw new Failure('usage', `--only: no check has the tag ${tags.join(' or ')}`, {
    hint: known.length > 0 ? `tags in the file: ${known.join(', ')}` : 'no check in the file has a tag',
  });
}

/** The observed values of one attribute. */
class ObservedColumn {
  filled = 0;
  isValid = true;
  /** The distinct texts; undefined after the first repeated one. */
  distinct: Set<string> | undefined = new Set();
  low: Numeric | undefined;
  high: Numeric | undefined;

  constructor(
    readonly slug: string,
    readonly attribute: Attribute,
    private readonly read: (entry: Entry) => unknown,
  ) {}

  add(entry: Entry): void {
    const stored = entry.values?.[this.slug];
    if (storedIssue(this.attribute, stored) !== undefined) this.isValid = false;
    if (isEmptyValue(stored) || (typeof stored === 'string' && stored.trim() === '')) return;
    this.filled += 1;
    this.distinct = withText(this.distinct, keyOf(this.read(entry)));
    if (!isNumeric(stored)) return;
    if (this.low === undefined || compare(stored, this.low) < 0) this.low = stored;
    if (this.high === undefined || compare(stored, this.high) > 0) this.high = stored;
  }
}

function withText(distinct: Set<string> | undefined, text: string): Set<string> | undefined {
  return distinct?.has(text) ? undefined : distinct?.add(text);
}

export async function describeList(ctx: Context, target: string, archived: boolean): Promise<string> {
  const list = await readList(ctx, target);
  const attributes = list.list_attributes ?? [];
  const scope = entryScope(attributes, ctx.now);
  const observed = attributes.flatMap((attribute) => {
    const { slug } = attribute;
    return slug === undefined ? [] : [new ObservedColumn(slug, attribute, valueReader(scope, `values.${slug}`))];
  });
  let titles: Set<string> | undefined = new Set();
  const client = await ctx.client();
  let count = 0;
  for await (const page of client.pages(listEntries, { params: { listId: list.id }, query: { archived } })) {
    for (const entry of page) {
      count += 1;
      titles = withText(titles, keyOf(entry.title ?? ''));
      for (const column of observed) column.add(entry);
    }
  }
  const expect = [
    'exists',
    `count >= ${Math.floor(count * 0.9)}`,
    `count <= ${Math.max(Math.ceil(count * 1.5), 10)}`,
    ...(attributes.length > 0 ? [`attributes(${observed.map(({ slug }) => slug).join(', ')})`] : []),
    ...(count > 0 && titles ? ['unique(title)'] : []),
    ...observed.flatMap((column) => statements(column, count)),
  ];
  const rows = { ...(archived && { archived: 'include' }), ...(count === 0 && { 'allow-empty': true }) };
  const section = { list: list.slug ?? target, ...rows, expect };
  const head =
    '# yaml-language-server: $schema=node_modules/comem/dist/checks.schema.json\n' +
    '# These checks passed when this file was written. Keep those that must hold, and name each check.\n';
  return head + writeYaml({ version: 1, checks: [section] });
}

/** Types whose values name something: a repeated one is likely a mistake. */
const keys: ReadonlySet<string | undefined> = new Set(['text', 'email', 'url']);

function statements(observed: ObservedColumn, count: number): string[] {
  const { attribute, slug, filled, isValid, distinct, low, high } = observed;
  const options = (optionsOf(attribute) ?? []).map(({ label, id }) => JSON.stringify(label ?? id ?? ''));
  return [
    `attribute(${[slug, attribute.attribute_type, ...options].join(', ')})`,
    ...(filled > 0 && filled === count ? [`required(${slug})`] : []),
    ...(isValid && filled > 0 ? [`valid(${slug})`] : []),
    ...(distinct && filled > 1 && keys.has(attribute.attribute_type) ? [`unique(${slug})`] : []),
    ...(low === undefined || high === undefined ? [] : [`range(${slug}, ${low}, ${high})`]),
  ];
}

/** The sections, those of a group once for each of its companies. @throws usage, notFound for an unknown company */
async function settleSections(ctx: Context, file: string, sections: readonly CheckSection[], ask: boolean) {
  const grouped = withGroups(ctx, sections);
  for (const { subject, label, company } of grouped) {
    const meant = subject === 'list' || company !== undefined ? undefined : companyCalled(ctx, label);
    if (meant === undefined) continue;
    throw usage(
      `${file}: "${subject}: ${label}" is only a label, and ${meant} is a company that the section does not name`,
      `add "company: ${meant.startsWith('@') ? `'${meant}'` : meant}" to the section, or choose another label`,
    );
  }
  for (const company of new Set(grouped.flatMap(({ company }) => company ?? []))) await requireKnown(ctx, company, ask);
  return grouped;
}

/** A section of a group is one of each of its companies, by what people call them. */
function withGroups(ctx: Context, sections: readonly CheckSection[]): CheckSection[] {
  const { aliases, groups, profile } = ctx.settings;
  const aliasOf = aliasesById(aliases);
  return sections.flatMap((section) => {
    if (!section.company?.startsWith('@')) return [section];
    const ids = resolveCompanies(section.company, { companies: aliases, groups }, 'company', profile.value);
    return ofCompanies(
      section,
      ids.map((id) => aliasOf.get(id) ?? id),
    );
  });
}

/** The company that a word is taken for, as `company:` spells it: an id, alias or group, or a name that the API gave. */
function companyCalled({ settings, folders }: Context, word: string): string | undefined {
  const text = word.trim();
  if (isUuid(text)) return text;
  const groups = ['all', ...Object.keys(settings.groups)].map((name) => `@${name}`);
  const known = [...Object.keys(settings.aliases), ...groups];
  const folded = text.toLowerCase();
  const meant = known.includes(text) ? text : known.find((name) => name.toLowerCase() === folded);
  if (meant !== undefined || text === '') return meant;
  return companiesNamed(text, cachedNames(folders, settings.baseUrl.value)).length > 0 ? text : undefined;
}

/** Refuses a word that names no company. What is not known yet may be a name of the API. */
async function requireKnown(ctx: Context, company: string, ask: boolean): Promise<void> {
  try {
    ctx.companyOf(company, 'company');
  } catch (error) {
    if (!isUnknownCompany(error)) throw error;
    if (!ask) return;
    if (!(await learnNames(ctx))) throw error;
    ctx.companyOf(company, 'company');
  }
}
