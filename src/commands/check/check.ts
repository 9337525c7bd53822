/** A run of checks from the command line: file, sections, baseline, reports, exit code. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonOf } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import type { FlagValues } from '../../cli/define.ts';
import { readSeries } from '../../client/series.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import { getLiveMetrics, listGrants } from '../../contract/metric-operations.ts';
import type { CompanyMetrics, MetricSeriesItem } from '../../contract/metrics.ts';
import { issues } from '../../contract/validate.ts';
import { limiter, withTurns } from '../../core/concurrency.ts';
import { Failure, Finished, isSkippable, usage } from '../../core/errors.ts';
import { propertyOf, stringifyJson } from '../../core/json.ts';
import { formatPeriod, parsePeriod, periodAt } from '../../core/periods.ts';
import { type CheckSection, maxMonths } from '../../domain/checks/check-file.ts';
import { grantTest } from '../../domain/checks/grant-checks.ts';
import { listTest, referencesOf } from '../../domain/checks/list-checks.ts';
import { keyOf, type ListFacts, type ListTest, outcomeOf, valuesOf } from '../../domain/checks/list-test.ts';
import { type MetricFacts, metricReads, metricTest } from '../../domain/checks/metric-checks.ts';
import {
  type Aggregates,
  type Baseline,
  BaselineSchema,
  baselineOf,
  type CheckResult,
  type CheckSpec,
  defaultFindings,
  type Outcome,
  outcome,
  type Severity,
  withBaseline,
} from '../../domain/checks/model.ts';
import { readFilters } from '../../domain/entries/filters.ts';
import type { Attribute } from '../../domain/entries/options.ts';
import { type Entry, entryScope, isArchived, valueReader } from '../../domain/entries/scope.ts';
import { type Checked, checkCondition, checkTree } from '../../domain/expression/check.ts';
import { holds } from '../../domain/expression/evaluate.ts';
import { UnknownOptions } from '../../domain/expression/literals.ts';
import type { Scope } from '../../domain/expression/typed.ts';
import { writeFile } from '../../output/write/sinks.ts';
import { countEntries } from '../entries/read.ts';
import { readList } from '../lists/read.ts';
import { catalogOf, conflictWarning, refuseUnknown } from '../metrics/read.ts';
import { readCheckFile, withTags } from './check-file.ts';
import type { baselineFlags, reportFlags } from './flags.ts';
import { counts, reportTargets, summary, verdict, writeReports } from './reports.ts';

type CheckFlags = FlagValues<typeof reportFlags & typeof baselineFlags> & { only?: readonly string[] };

export async function checkFile(ctx: Context, file: string, flags: CheckFlags): Promise<void> {
  const sections = withTags(await readCheckFile(ctx, file), flags.only);
  await check(ctx, file, sections, flags);
}

/** Runs sections and reports them as `name`. @throws Failure when the run did not pass */
export async function check(ctx: Context, name: string, sections: readonly CheckSection[], flags: CheckFlags) {
  if (flags.updateBaseline && !flags.baseline) throw usage('--update-baseline needs --baseline FILE');
  const targets = reportTargets(ctx, flags.report);
  const baseline =
    flags.baseline === undefined ? undefined : await readBaseline(ctx, flags.baseline, flags.updateBaseline ?? false);
  const startedAt = new Date(ctx.runtime.now());
  const begun = performance.now();
  // A baseline must know every finding, not the first few.
  const cap = baseline || flags.updateBaseline ? Number.POSITIVE_INFINITY : (flags.maxFindings ?? defaultFindings);
  const aggregates: Aggregates = {};
  const run = await runChecks(ctx, sections, { cap, baseline, outcomes: new Map(), aggregates });
  if (flags.updateBaseline && flags.baseline !== undefined && !run.unreadable) {
    const now = baselineOf(run.results, aggregates, baseline);
    await writeFile(flags.baseline, ctx.runtime.cwd, `${stringifyJson(now, 2)}\n`, '--baseline');
    // A check without a baseline has one from now on.
    const known = ({ lacks }: Outcome) => (lacks === 'baseline' ? { known: true } : {});
    run.results = withBaseline(run.results, baseline ?? now).map((result) => ({ ...result, ...known(result) }));
    const hasNew = run.results.some(({ status, known }) => status === 'fail' && !known);
    const remark = hasNew ? '; new failures are not in it: delete the file first to accept them' : '';
    ctx.out.note(`${baseline ? 'Updated' : 'Created'} the baseline ${flags.baseline}${remark}.`);
  } else if (baseline) {
    run.results = withBaseline(run.results, baseline);
  }
  const results = run.results.map((result) => ({
    ...result,
    findings: result.findings.slice(0, flags.maxFindings ?? defaultFindings),
  }));
  await writeReports(ctx, targets, {
    file: name,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - begun),
    profile: ctx.settings.profile.value,
    results,
  });
  const isOnScreen =
    ctx.runtime.terminal.stdoutIsTTY && targets.some((target) => target.format === 'table' && !target.file);
  judge(run, (flags.failOn as Severity | undefined) ?? 'error', isOnScreen && ctx.settings.out === undefined);
}

/** Undefined if the file does not exist yet and this run writes it. */
async function readBaseline(ctx: Context, file: string, mayBeMissing: boolean): Promise<Baseline | undefined> {
  if (!existsSync(resolve(ctx.runtime.cwd, file))) {
    if (mayBeMissing) return undefined;
    throw usage(`--baseline: there is no file ${file}`, 'add --update-baseline to write it');
  }
  const value = jsonOf(file, await ctx.readArgument(`@${file}`));
  const [issue] = issues(BaselineSchema, value);
  if (issue)
    throw usage(
      `${file} is not a baseline: ${issue.path} ${issue.message}`,
      'delete it, and write one with --update-baseline',
    );
  return value as Baseline;
}

interface Results {
  results: CheckResult[];
  /** The first reason for which data could not be read. */
  unreadable: Failure | undefined;
}

/** Groups that are read at the same time. */
const concurrency = 4;

/** Reads every list, series and grant set once, whatever the number of checks that look at it. */
async function runChecks(ctx: Context, sections: readonly CheckSection[], run: Run): Promise<Results> {
  const groups = new Map<string, SectionGroup>();
  for (const section of sections) {
    const key = section.subject === 'list' ? `list ${section.label}` : `${section.subject} ${section.company ?? ''}`;
    const group = groups.get(key);
    groups.set(key, group ? [...group, section] : [section]);
  }
  const limited = limiter(concurrency);
  const failures = await Promise.all([...groups.values()].map((group) => limited(() => runGroup(ctx, group, run))));
  const results = sections.flatMap((section) =>
    section.checks.flatMap((spec) => {
      const outcome = run.outcomes.get(spec);
      return outcome ? [{ spec, subject: subjectOf(section), part: section.part, ...outcome }] : [];
    }),
  );
  return { results, unreadable: failures.find((failure) => failure !== undefined) };
}

/** @returns why the data could not be read */
async function runGroup(ctx: Context, group: SectionGroup, run: Run): Promise<Failure | undefined> {
  const [{ subject }] = group;
  let isOpen = false;
  try {
    // A list of another company must not change the company of groups that are read at the same time.
    const groupContext = ctx.withSettings();
    await groupContext.client();
    isOpen = true;
    await sectionReaders[subject](groupContext, group, run);
    return undefined;
  } catch (error) {
    if (!isSkippable(error)) throw error;
    // A company or a database that was not found says nothing about its lists.
    const missing = isOpen && subject === 'list' && error.kind === 'notFound';
    const specs = group.flatMap((section) => section.checks);
    for (const spec of specs) if (!run.outcomes.has(spec)) run.outcomes.set(spec, unread(spec, error, missing));
    // A missing list is the answer to a check of its existence, and an unread list to any other.
    return !missing || specs.some((spec) => !asksExistence(spec)) ? error : undefined;
  }
}

const asksExistence = (spec: CheckSpec): boolean => spec.expect.trim() === 'exists';

function unread(spec: CheckSpec, error: Failure, missing: boolean): Outcome {
  return missing && asksExistence(spec) ? outcome(false, error.message, spec.expect) : notRun(spec, error);
}

/** The most reasons that a message names. */
const maxReasons = 5;

/** Throws when the run did not pass: why data could not be read, then `no` for checks that failed. */
function judge({ results, unreadable }: Results, failOn: Severity, isOnScreen: boolean): void {
  if (unreadable) {
    const missed = results.filter((result) => verdict(result) === 'error');
    const reasons = new Map<string, number>();
    // Data that could not be read decides the exit code.
    const unread = missed.filter(({ lacks }) => lacks === undefined);
    for (const { observed } of [...unread, ...missed.filter((result) => !unread.includes(result))])
      reasons.set(observed, (reasons.get(observed) ?? 0) + 1);
    const [only, ...others] = [...reasons].map(([reason, count]) => `${reason} (${count})`);
    const why = others.length === 0 ? unreadable.message : [only, ...others].slice(0, maxReasons).join('; ');
    const says = `${missed.length} of ${results.length} checks could not run: ${why}`;
    const { hint, status, details, request, retryable } = unreadable;
    throw new Failure(unreadable.kind, says, { hint, status, details, request, retryable, cause: unreadable });
  }
  const totals = counts(results);
  const failed = totals.fail + totals.error + (failOn === 'warn' ? totals.warn : 0);
  // The last line of the report has the same counts.
  if (failed > 0 && isOnScreen) throw new Finished(1);
  const lacked = new Set(results.filter((result) => verdict(result) === 'error').map(({ lacks }) => lacks));
  const isInline = results.every(({ spec }) => spec.line === undefined);
  const hint = [
    ...(lacked.has('baseline') ? ['write a baseline first: --baseline FILE --update-baseline'] : []),
    ...(lacked.has('rows')
      ? [`${isInline ? '--allow-empty' : '`allow-empty: true` in the section'} lets a check find nothing`]
      : []),
  ].join('; ');
  if (failed > 0) {
    const code = 'check_failed';
    throw new Failure('no', `checks failed: ${summary(results)}`, { code, ...(hint && { hint }) });
  }
}

/** A section while rows are read: its condition, its tests, and the count of its rows. */
interface Running {
  section: CheckSection;
  /** All must hold. */
  where: Checked<Entry>[];
  unknown: UnknownOptions<Entry>;
  total: number;
  tests: { spec: CheckSpec; test: ListTest }[];
}

/** A run of checks: what the readers of sections need, and the outcomes that they add. */
export interface Run {
  /** The number of findings of one check to keep. */
  readonly cap: number;
  readonly baseline: Baseline | undefined;
  readonly outcomes: Map<CheckSpec, Outcome>;
  /** For a baseline, by section: `count`, `sum(value)`. */
  readonly aggregates: Aggregates;
}

function notRun(spec: CheckSpec, { message }: Failure): Outcome {
  return { ...outcome(false, message, spec.expect), status: 'error' };
}

/** Sections of one list, one company's metrics or one company's grants, of which the first has the name. */
type SectionGroup = readonly [CheckSection, ...CheckSection[]];

/** Reads what the sections of a group look at, once, and adds the outcomes of their checks. */
const sectionReaders = { list: readListChecks, metrics: readMetricChecks, grants: readGrantChecks };

async function readListChecks(ctx: Context, sections: SectionGroup, run: Run): Promise<void> {
  // Other lists are looked up in the own company, whose list this one may not be.
  const origin = ctx.withSettings();
  const list = await readList(ctx, sections[0].label);
  const attributes = list.list_attributes ?? [];
  const references = await referencedValues(origin, sections);
  const facts: Omit<ListFacts, 'before'> = {
    attributes,
    now: ctx.now(),
    cap: run.cap,
    references: (other, column) => references.get(JSON.stringify([other, column])) ?? new Set(),
  };
  const scope = entryScope(attributes, () => facts.now);
  let wrong: Failure | undefined;
  /** A wrong expectation has its own outcome. */
  const attempt = <T>(spec: CheckSpec, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!isSkippable(error)) throw error;
      wrong ??= error;
      run.outcomes.set(spec, notRun(spec, error));
      return undefined;
    }
  };
  const running = sections.map((section): Running => {
    const where = chosenRows(section, attributes, scope);
    const values = run.baseline?.aggregates[inBaseline(section)];
    const before = (aggregate: string) => propertyOf(values, aggregate);
    return {
      section,
      where,
      unknown: new UnknownOptions(
        scope,
        where.flatMap(({ unknownOptions }) => unknownOptions),
      ),
      total: 0,
      tests: section.checks.flatMap((spec) => {
        const test = attempt(spec, () => listTest(spec.expect, { ...facts, before }));
        return test ? [{ spec, test }] : [];
      }),
    };
  });
  if (running.some(needsRows)) await readRows(ctx, list.id, running);
  else
    for (const group of running)
      group.total = await countEntries(ctx, { params: { listId: list.id }, query: archivedQuery(group.section) });
  for (const group of running) addOutcomes(group, run, attempt);
  if (wrong) throw wrong;
}

const inBaseline = (section: CheckSection): string => subjectOf(section) + section.part;

/** @throws Failure usage */
function chosenRows(section: CheckSection, attributes: readonly Attribute[], scope: Scope<Entry>): Checked<Entry>[] {
  const { where, filter = [] } = section;
  const subject = subjectOf(section);
  const typing = { source: `filter of ${subject}`, conditions: 'where:', now: scope.now() };
  const written = readFilters(filter, attributes, typing);
  return [
    ...(where === undefined ? [] : [checkCondition(where, scope, `where of ${subject}`)]),
    ...written.map(({ node, source }) => checkTree(node, scope, source)),
  ];
}

/** A count of the list needs only the server's total. */
function needsRows({ where, tests }: Running): boolean {
  return where.length > 0 || tests.some(({ test }) => test.row !== undefined);
}

function archivedQuery({ archived }: CheckSection): { archived?: boolean; archivedOnly?: boolean } {
  if (archived === 'include') return { archived: true };
  return archived === 'only' ? { archivedOnly: true } : { archived: false };
}

async function readRows(ctx: Context, listId: string, running: readonly Running[]): Promise<void> {
  const client = await ctx.client();
  const readsArchived = ({ section, tests }: Running) =>
    section.archived !== 'exclude' || tests.some(({ test }) => test.archived);
  const query = { archived: running.some(readsArchived) };
  // One read may serve several sections: the field `archived` decides which of them an entry belongs to.
  const isSorted = query.archived === true && running.some(({ section }) => section.archived !== 'include');
  for await (const page of client.pages(listEntries, { params: { listId }, query })) {
    for await (const entry of withTurns(page, ctx.runtime.signal)) {
      if (isSorted) isArchived(entry);
      for (const reader of running) {
        reader.unknown.read(entry);
        show(reader, entry);
      }
    }
  }
}

/** Shows an entry to the tests of a section; some look at archived entries, whatever the section leaves out. */
function show(running: Running, entry: Entry): void {
  const { section, where, tests } = running;
  if (!where.every(({ root }) => holds(root, entry))) return;
  const isArchivedRow = entry.archived ?? section.archived === 'only';
  const isTaken = section.archived === 'include' || isArchivedRow === (section.archived === 'only');
  if (isTaken) running.total += 1;
  for (const { test } of tests) if (isTaken || test.archived) test.row?.(entry);
}

function addOutcomes(
  { section, where, unknown, tests, total }: Running,
  { outcomes, aggregates }: Run,
  attempt: (spec: CheckSpec, work: () => void) => void,
): void {
  const failure = unknown.failure();
  if (failure) throw failure;
  const { allowEmpty } = section;
  for (const { spec, test } of tests) {
    attempt(spec, () => outcomes.set(spec, outcomeOf(test, { total, isChosen: where.length > 0, allowEmpty })));
    const values = test.aggregates?.();
    if (values) aggregates[inBaseline(section)] = { ...aggregates[inBaseline(section)], ...values };
  }
}

/** The distinct values of each column of another list that some expectation refers to, each list read once. */
async function referencedValues(ctx: Context, sections: readonly CheckSection[]): Promise<Map<string, Set<string>>> {
  const columnsOf = new Map<string, Set<string>>();
  for (const { expect } of sections.flatMap((section) => section.checks)) {
    const [list, column] = referencesOf(expect) ?? [];
    if (list !== undefined && column !== undefined)
      columnsOf.set(list, new Set([...(columnsOf.get(list) ?? []), column]));
  }
  const values = new Map<string, Set<string>>();
  for (const [target, columns] of columnsOf) {
    // A list of another company must not change the company of the list that is checked.
    const other = ctx.withSettings();
    const list = await readList(other, target).catch((error: unknown) => {
      // It is not the list that is checked, whose absence a check may be about.
      if (error instanceof Failure && error.kind === 'notFound') throw usage(error.message, error.hint);
      throw error;
    });
    const scope = entryScope(list.list_attributes ?? [], ctx.now);
    const readers = [...columns].map((column) => {
      checkCondition(`\`${column}\` is empty`, scope, `references(…, "${target}", ${column})`);
      const known = new Set<string>();
      values.set(JSON.stringify([target, column]), known);
      return { known, read: valueReader(scope, column) };
    });
    const client = await other.client();
    for await (const page of client.pages(listEntries, { params: { listId: list.id }, query: { archived: true } })) {
      for (const entry of page) {
        for (const { known, read } of readers) for (const item of valuesOf(read(entry))) known.add(keyOf(item));
      }
    }
  }
  return values;
}

/** The name of a section in reports: `list pipeline`, `metrics acme`, `grants`. */
const subjectOf = ({ subject, label }: CheckSection): string => (label === '' ? subject : `${subject} ${label}`);

async function readGrantChecks(ctx: Context, sections: SectionGroup, { cap, outcomes }: Run): Promise<void> {
  const [{ company }] = sections;
  const companyId = company === undefined ? ctx.requireCompany() : ctx.companyOf(company, 'company');
  const client = await ctx.client();
  const grants = await client.call(listGrants, { query: { companyId } });
  const facts = { grants, now: ctx.now(), cap, nameOf: (id: string) => ctx.companyName(id) };
  for (const { allowEmpty, checks } of sections)
    for (const spec of checks) outcomes.set(spec, grantTest(spec.expect)({ ...facts, allowEmpty }));
}

/** Months of a section that names none. */
const defaultMonths = 12;

interface Range {
  from: number;
  to: number;
}

async function readMetricChecks(ctx: Context, sections: SectionGroup, { cap, outcomes }: Run): Promise<void> {
  const [{ company }] = sections;
  const query = company === undefined ? {} : { companyId: ctx.companyOf(company, 'company') };
  // A wrong range is refused before anything is sent; the newest month goes by the server's clock.
  for (const section of sections) rangeOf(section, ctx.now());
  const reads = sections.flatMap((section) => section.checks.map(({ expect }) => metricReads(expect)));
  const versions = [...new Set(reads.flatMap(({ versions }) => versions))];
  const before = Math.max(0, ...reads.map((read) => read.before));
  const client = await ctx.client();
  const { definitions } = await catalogOf(ctx, query.companyId);
  refuseUnknown(
    reads.flatMap(({ metricIds }) => metricIds),
    [{ definitions }],
  );
  const now = ctx.now();
  const ranges = sections.map((section) => rangeOf(section, now));
  const live = reads.some((read) => read.live)
    ? await client.call(getLiveMetrics, {
        query: { ...query, companyId: query.companyId ?? ctx.requireCompany() },
      })
    : undefined;
  const whole = {
    from: Math.max(0, Math.min(...ranges.map(({ from }) => from)) - before),
    to: Math.max(...ranges.map(({ to }) => to)),
  };
  const items: MetricSeriesItem[] = [];
  const months = readSeries(
    client,
    {
      versions,
      from: month(whole.from),
      to: month(whole.to),
      order: 'asc',
      companies: query.companyId === undefined ? undefined : [query.companyId],
    },
    { onConflict: conflictWarning(ctx) },
  );
  if (versions.length > 0) for await (const item of months) items.push(item);
  const read: Omit<MetricFacts, 'range'> = { definitions, items, live: live as CompanyMetrics | undefined, now, cap };
  for (const [index, { allowEmpty, checks }] of sections.entries()) {
    const facts: MetricFacts = { ...read, range: ranges[index] ?? whole, allowEmpty };
    for (const spec of checks) outcomes.set(spec, metricTest(spec.expect)(facts));
  }
}

/** The months of a section; by default up to the last complete month. */
function rangeOf({ from, to, last, label }: CheckSection, now: Date): Range {
  const end = monthOf(to) ?? periodAt(now, 'month').index - 1;
  const begin = monthOf(from) ?? end - (last ?? defaultMonths) + 1;
  if (begin < 0)
    throw usage(`metrics ${label}: ${last ?? defaultMonths} months up to ${month(end)} begin before the year 0000`);
  if (begin > end) throw usage(`metrics ${label}: from ${month(begin)} is after to ${month(end)}`);
  if (end - begin >= maxMonths)
    throw usage(`metrics ${label}: ${month(begin)} to ${month(end)} is more than ${maxMonths} months`);
  return { from: begin, to: end };
}

const monthOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parsePeriod(text)?.index;
const month = (index: number): string => formatPeriod({ type: 'month', index });
