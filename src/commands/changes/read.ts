/** Changes of a mirror, or of two saved exports, from the words of a command to its rows. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { type FlagValues, longName } from '../../cli/define.ts';
import { type Past, requireMirror, withPast } from '../../cli/past.ts';
import { showRows } from '../../cli/query.ts';
import { amount, shellWord, timeText } from '../../cli/words.ts';
import { readCsv } from '../../core/csv.ts';
import { Failure, JsonSyntaxError, usage } from '../../core/errors.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { sameValue } from '../../core/same.ts';
import { fieldChanges, kindOfPair, numberChange, pairsOf } from '../../domain/analysis/difference.ts';
import {
  identity,
  isTable,
  NotASeries,
  type Row,
  rowsOfTable,
  type SavedSeries,
  type SavedValue,
  savedSeries,
} from '../../domain/analysis/saved.ts';
import {
  type Change,
  type ChangeKind,
  type ChangeRequest,
  changeKinds,
  readChanges,
} from '../../domain/history/changes.ts';
import { listOf } from '../../domain/history/find.ts';
import { couldRead, grantsOf, readableValues, recipientOf } from '../../domain/history/ledger.ts';
import { Reads } from '../../domain/history/reads.ts';
import { instantOf, momentOf, type Span, syncAt } from '../../domain/history/steps.ts';
import type { History, Sync } from '../../domain/history/versions.ts';
import { withinRange } from '../../domain/series/range.ts';
import { measureOf } from '../../domain/series/units.ts';
import { metricIds } from '../metrics/read.ts';
import { withLive } from '../mirror/read.ts';
import {
  type ChangeRow,
  changeColumns,
  type changeFlags,
  changeRules,
  columnsOfChanges,
  shortField,
} from './columns.ts';

const subjects: Readonly<Record<string, readonly ChangeKind[]>> = {
  entries: ['entry'],
  metrics: ['metric', 'value'],
  grants: ['grant'],
  lists: ['list', 'attribute'],
  published: ['published'],
};

interface ChangesQuestion {
  kinds: readonly ChangeKind[];
  list: string | undefined;
  between: readonly [a: string, b: string] | undefined;
}

export async function showChanges(ctx: Context, words: readonly string[], flags: FlagValues<typeof changeFlags>) {
  const { since, between, live, seenBy: reader, metrics, last, key, exitCode, mirror, ...rowFlags } = flags;
  const question = questionOf(words, between);
  if ([since, question.between, live || undefined].filter((option) => option !== undefined).length > 1) {
    throw usage('--since, --between and --live cannot be used together', 'give one of them');
  }
  if (!(await ctx.out.check(changeColumns))) return;
  const recipient = reader === undefined ? undefined : ctx.companyOf(reader, '--seen-by');
  const ids = metricIds(metrics);
  const kinds = recipient !== undefined ? (['value'] as const) : question.kinds;
  const { changes, note = null } = await readAll(ctx, {
    ...question,
    kinds,
    since,
    live,
    recipient,
    metrics: ids,
    key,
    mirror,
  });
  const isChosen = choiceOf(ids, withinRange({ last }, ctx.now(), longName));
  const rows = changes.filter(isChosen).map((change): ChangeRow => {
    const { point: _, company, field, ...rest } = change;
    return {
      ...rest,
      field: shortField(field),
      company: ctx.companyName(company) ?? company,
      companyId: company,
      note,
    };
  });
  // A published value is named by its company.
  const isOther = rows.some(
    ({ kind, companyId }) => kind !== 'published' && companyId !== '' && companyId !== ctx.company(),
  );
  const columns = columnsOfChanges(rows).map((each) =>
    isOther && each.key === 'company' ? { ...each, hidden: false, required: true } : each,
  );
  await showRows(ctx, async () => rows, columns, {
    flags: rowFlags,
    command: ['changes', words, between, recipient, ids, last, flags.where],
    rules: { kind: changeKinds, ...changeRules },
    name: ({ kind, what, field }) => [kind, what, field].filter(Boolean).join(' '),
    empty: 'No changes.',
    counts: ['change', 'changes'],
  });
  if (!exitCode || rows.length === 0) return;
  throw new Failure('no', `${amount(rows.length, 'change was', 'changes were')} found`, { code: 'different' });
}

/** Whether a value is of the metrics and periods that flags name. Changes of anything else are not of a period. */
function choiceOf(ids: readonly string[] | undefined, isInRange: (periodKey: string) => boolean) {
  return ({ kind, id, field, where }: Change): boolean => {
    if (kind !== 'value' && kind !== 'published') return true;
    const metric = kind === 'value' ? id : field;
    const [period = ''] = (where ?? '').split(' ');
    return (metric === null || ids?.includes(metric) !== false) && isInRange(period);
  };
}

interface ChangesRequest extends ChangesQuestion {
  since: string | undefined;
  live: boolean | undefined;
  recipient: string | undefined;
  metrics: readonly string[] | undefined;
  key: string | undefined;
  mirror: string | undefined;
}

interface ReadChanges {
  changes: Change[];
  /** Which syncs are compared. */
  note?: string | undefined;
}

async function readAll(ctx: Context, request: ChangesRequest): Promise<ReadChanges> {
  const { kinds, list: target, between, since, live, recipient, metrics, key, mirror } = request;
  const isFile = (text: string) => text === '-' || existsSync(resolve(ctx.runtime.cwd, text));
  if (between?.some(isFile)) return { changes: await exportChanges(ctx, { between, kinds, key }) };
  const companies = ctx.settings.companies.value.length > 0 ? ctx.settings.companies.value : [ctx.requireCompany()];
  const choose = async (history: History) => ({
    kinds,
    companies,
    metrics,
    list: target === undefined ? undefined : (await listOf(history, companies[0] ?? '', target)).id,
  });
  const readable = async (history: History, changes: Change[]) =>
    recipient === undefined ? changes : seenBy(history, ctx.requireCompany(), recipient, changes);
  if (live) {
    const { result, verdict } = await withLive(ctx, await requireMirror(ctx, mirror), async (history, lastAt) => {
      const request = { ...(await choose(history)), span: { after: lastAt } };
      return readable(
        history,
        await pastChanges(ctx, { history, reads: async () => Reads.of(history, await history.syncs()) }, request),
      );
    });
    if (verdict) ctx.out.warn(verdict.message);
    return { changes: result };
  }
  const read = async (past: Past) => {
    const { span, says } = between ? spanOf(past, ...between) : spanSince(past, since);
    if (says !== '') ctx.out.note(says);
    const all = await pastChanges(ctx, past, { ...(await choose(past.history)), span });
    return { changes: await readable(past.history, all), note: between && (says || undefined) };
  };
  return withPast(ctx, read, mirror);
}

/** Reads WHAT, and the second state of `--between A B`, which the parser leaves among the words. @throws usage */
function questionOf(words: readonly string[], between: readonly string[] | undefined): ChangesQuestion {
  const rest = [...words];
  const states = [...(between ?? [])];
  const isSubject = (word: string | undefined) => word !== undefined && Object.hasOwn(subjects, word);
  if (states.length === 1) {
    const b = isSubject(rest[0]) ? (rest.length > 1 ? rest.pop() : undefined) : rest.shift();
    if (b === undefined) throw usage('--between needs two states, A and B', 'for all since A use --since');
    states.push(b);
  }
  const [a, b, ...more] = states;
  if (more.length > 0) throw usage('--between compares two states', 'give A and B');
  const [subject, list, ...others] = rest;
  if (subject !== undefined && !isSubject(subject)) {
    const near = nearest(subject, Object.keys(subjects));
    const ofList = `for a list use \`comem changes entries ${shellWord(subject)}\``;
    const meant = namesFile(subject) ? betweenFiles : near ? `did you mean ${near}?` : ofList;
    throw usage(`WHAT is ${Object.keys(subjects).join(', ')}, got "${subject}"`, meant);
  }
  if (others.some(namesFile)) throw usage('WHAT is followed by no files', betweenFiles);
  if (others.length > 0 || (list !== undefined && subject !== 'entries')) {
    throw usage(`"${others[0] ?? list}" is one word too many`, 'only `entries` takes a list');
  }
  const kinds = subject === undefined ? changeKinds : (subjects[subject] ?? []);
  return { kinds, list, between: a === undefined || b === undefined ? undefined : [a, b] };
}

const betweenFiles = 'two exports are compared with --between A B';

const namesFile = (word: string) => /\.(csv|tsv|json|ndjson|ya?ml)$/i.test(word);

/** The changes, with the names of people for ids. Those between two moments are by kind, those since one by time. */
async function pastChanges(ctx: Context, { history, reads }: Pick<Past, 'history' | 'reads'>, request: ChangeRequest) {
  const { changes, unread } = await readChanges(history, await reads(), request);
  if (unread.length > 0 && 'from' in request.span) {
    const names = unread.slice(0, maxNames).join(', ') + (unread.length > maxNames ? ', …' : '');
    ctx.out.warn(`no sync until A read ${names}: what is new there is not known, and left out`);
  }
  const named = changes.map((change) => ({ ...change, what: nameOf(ctx, change) }));
  if ('from' in request.span) return named;
  const timeOf = ({ when, seen }: Change) => instantOf(when ?? seen) ?? 0;
  return named.sort((a, b) => timeOf(a) - timeOf(b));
}

const maxNames = 5;

function nameOf(ctx: Context, { kind, what, id }: Change): string {
  if (kind === 'published') return ctx.companyName(what) ?? what;
  if (kind !== 'grant' || what === id) return what;
  return `to ${ctx.companyName(what) ?? what}`;
}

/** From A to B, and a sentence that names the syncs which are compared. @throws usage, notFound */
function spanOf({ syncs, newest }: Pick<Past, 'syncs' | 'newest'>, a: string, b: string): { span: Span; says: string } {
  const now = () => new Date(newest.seenAt);
  const at = (text: string, name: string) => {
    const moment = momentOf(text, now, 'last', name);
    return { moment, sync: syncAt(syncs, moment, name) };
  };
  const from = at(a, 'A');
  const to = at(b, 'B');
  if (from.moment > to.moment) throw usage('A is after B', 'give the earlier time first');
  const areSyncs = [from, to].every(({ moment, sync }) => instantOf(sync.seenAt) === moment);
  const says = areSyncs ? '' : `From ${sideText(from, syncs)} to ${sideText(to, syncs)}.`;
  return { span: { from: from.moment, to: to.moment }, says };
}

function spanSince({ syncs, newest }: Pick<Past, 'syncs' | 'newest'>, since?: string): { span: Span; says: string } {
  const moment = momentOf(since ?? '30d', () => new Date(newest.seenAt), 'first', '--since');
  const says = since === undefined ? [`Changes since ${timeText(new Date(moment))}; --since takes another time.`] : [];
  const [first = newest] = syncs;
  if (moment < (instantOf(first.seenAt) ?? 0))
    says.push(`The history begins at ${timeText(first.seenAt)}: what changed before is not known.`);
  return { span: { since: moment }, says: says.join(' ') };
}

/** Names the sync of a moment, and what is added to it if the moment lies between two syncs. */
function sideText({ moment, sync }: { moment: number; sync: Sync }, syncs: readonly Sync[]): string {
  const isBetween = moment > (instantOf(sync.seenAt) ?? 0) && syncs.some(({ number }) => number > sync.number);
  const later = isBetween ? ` with what the API dates until ${timeText(new Date(moment))}` : '';
  return `the sync of ${timeText(sync.seenAt)}${later}`;
}

/** Values that a recipient of the company's grants could read before they changed. */
async function seenBy(history: History, company: string, recipient: string, changes: readonly Change[]) {
  const grants = (await grantsOf(history, company)).filter((grant) => recipientOf(grant)?.id === recipient);
  const values = await readableValues(history, company);
  const lines = new Map(values.lines.map((line) => [`${line.metricId} ${line.periodKey}`, line]));
  return changes.filter(({ point, notBefore }) => {
    const line = point?.version === 'actual' && lines.get(`${point.metricId} ${point.periodKey}`);
    return line && couldRead(grants, values, { line, moment: instantOf(notBefore ?? undefined) ?? 0 });
  });
}

interface Exports {
  between: readonly [a: string, b: string];
  /** The kinds of WHAT; default: all. */
  kinds: readonly ChangeKind[];
  /** The column that matches rows. */
  key: string | undefined;
}

const times = { when: null, notBefore: null, seen: '' };

async function exportChanges(ctx: Context, { between: [a, b], kinds, key }: Exports): Promise<Change[]> {
  const [before, after] = [await openExport(ctx, a), await openExport(ctx, b)];
  const isSeries = kinds.includes('value') && (!kinds.includes('entry') || !hasTitles(before.content));
  return isSeries
    ? valueChanges(ctx, before, after)
    : rowChanges(before, after, { kind: kinds.includes('entry') ? 'entry' : kinds[0], key });
}

/** Nulls are ignored if one of the exports cannot tell them from missing values. 1.10 equals 1.1. */
function valueChanges(ctx: Context, before: ExportFile, after: ExportFile): Change[] {
  const [old, now] = [seriesOf(before), seriesOf(after)];
  const nulls = old.tellsNull && now.tellsNull;
  const months = new Map(old.values.map((value) => [identity(value), value.months]));
  const unlike = new Set(
    now.values.flatMap((value) => {
      const key = identity(value);
      return months.has(key) && months.get(key) !== value.months ? [key] : [];
    }),
  );
  if (unlike.size > 0) {
    const says = `${amount(unlike.size, 'value', 'values')} of periods that were not complete in both exports`;
    ctx.out.note(`Not compared: ${says}.`);
  }
  const compared = (saved: SavedSeries) =>
    saved.values.filter((each) => (nulls || each.value !== null) && !unlike.has(identity(each)));
  return [...pairsOf(compared(old), compared(now), identity)].flatMap((pair): Change[] => {
    const [a, b] = [pair.before?.value, pair.after?.value];
    if (pair.before && pair.after && sameValue(a, b)) return [];
    const { companyId: company = '', metricId, periodKey, version, unit } = pair.after ?? (pair.before as SavedValue);
    const subject = { kind: 'value' as const, id: metricId, what: metricId, where: `${periodKey} ${version}`, company };
    const difference = numberChange(a, b, measureOf({ unit }));
    const values = { field: 'value', before: a, after: b, ...(unit !== undefined && { unit }), ...difference };
    return [{ ...subject, ...times, change: kindOfPair(pair), ...values }];
  });
}

/** The fields that differ in rows with the same key. @throws usage for rows that cannot be matched */
function rowChanges(
  before: ExportFile,
  after: ExportFile,
  { kind = 'entry', key }: { kind: ChangeKind | undefined; key: string | undefined },
): Change[] {
  const [old, now] = [rowsOf(before), rowsOf(after)];
  const isNested = (rows: readonly Row[]) => rows.some(({ values }) => isObject(values));
  if (isNested(old) !== isNested(now)) {
    throw usage(`${before.name} and ${after.name} are of different forms`, 'export both as csv, or both as json');
  }
  const has = (column: string) => [...old, ...now].every((row) => cellOf(row, column) !== undefined);
  const column = key ?? ['id', 'title'].find(has) ?? 'id';
  checkKeys(old, column, before.name);
  checkKeys(now, column, after.name);
  const keyOf = (row: Row) => String(cellOf(row, column));
  return [...pairsOf(old, now, keyOf)].flatMap((pair): Change[] => {
    const row = pair.after ?? pair.before ?? {};
    const id = String(row.id ?? keyOf(row));
    const change = kindOfPair(pair);
    const whole = { field: null, before: undefined, after: undefined };
    const fields = change === 'changed' ? fieldChanges(pair.before ?? {}, pair.after ?? {}, ['values']) : [whole];
    const fixed = { kind, change, id, what: String(row.title ?? id), where: null, company: '', ...times } as const;
    return fields.map((field) => ({ ...fixed, ...field, ...numberChange(field.before, field.after) }));
  });
}

function cellOf(row: Row, column: string): unknown {
  return row[column] ?? (isObject(row.values) ? row.values[column] : undefined);
}

/** @throws usage for a row without a key, and for a key of several rows */
function checkKeys(rows: readonly Row[], column: string, name: string): void {
  const keys = new Set<string>();
  for (const row of rows) {
    const value = cellOf(row, column) ?? '';
    if (value === '') throw usage(`${name} has rows without ${column}`, 'name another column with --key');
    if (keys.has(String(value))) {
      throw usage(`${name} has several rows with ${column} "${value}"`, 'name another column with --key');
    }
    keys.add(String(value));
  }
}

/** Whether an export has rows of a list, not of a series. */
function hasTitles(content: unknown): boolean {
  if (isTable(content)) return ['id', 'title'].some((column) => content.header.includes(column));
  return Array.isArray(content) && content.some((row) => isObject(row) && ('id' in row || 'title' in row));
}

/** The rows of an export by their columns. @throws usage for one without rows */
function rowsOf({ name, content }: ExportFile): Row[] {
  if (isTable(content)) return rowsOfTable(content);
  if (Array.isArray(content) && content.every(isObject)) return content;
  throw usage(`${name} has no rows`, 'export them: `comem entries list LIST --out FILE.csv`');
}

/** The content of an export, and its name in messages. */
interface ExportFile {
  name: string;
  content: unknown;
}

/** @param file a path, or `-` for stdin. @throws usage naming the file and what is wrong with it */
async function openExport(ctx: Context, file: string): Promise<ExportFile> {
  if (/\.(?:xlsx|parquet)$/i.test(file)) throw binary(file);
  const text = await ctx.readArgument(file === '-' ? '-' : `@${file}`);
  const name = file === '-' ? 'stdin' : file;
  try {
    return { name, content: await parse(text, name) };
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw usage(`${name} is not valid JSON: ${error.message}`);
    throw error;
  }
}

/** @throws usage for what is not an export of metrics */
function seriesOf({ name, content }: ExportFile): SavedSeries {
  try {
    return savedSeries(content);
  } catch (error) {
    if (!(error instanceof NotASeries)) throw error;
    throw usage(
      `${name}: ${error.message}`,
      'it must be what `comem metrics series` writes as csv, tsv, json, ndjson or yaml',
    );
  }
}

const binary = (name: string) => usage(`${name} is a workbook or a Parquet file`, 'as csv or json to compare it');

async function parse(text: string, name: string): Promise<unknown> {
  const start = text.trimStart();
  if (start === '') throw usage(`${name} is empty`);
  if (start.startsWith('[')) return parseJson(text);
  if (start.startsWith('{')) {
    const lines = start.split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => parseJson(line));
  }
  if (start.startsWith('PK') || start.startsWith('PAR1')) throw binary(name);
  if (start.startsWith('- ')) return (await (await import('../../core/yaml.ts')).readYaml(text, name)).value;
  const [header, ...rows] = await readCsv(text, { name });
  return { header: header?.cells ?? [], rows: rows.map(({ cells }) => cells) };
}
