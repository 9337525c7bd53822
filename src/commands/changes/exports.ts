/** Changes from one saved export to another: values of metrics, or fields of rows such as entries. */

import type { Context } from '../../cli/context.ts';
import { amount } from '../../cli/words.ts';
import { readCsv } from '../../core/csv.ts';
import { JsonSyntaxError, usage } from '../../core/errors.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { sameValue } from '../../core/same.ts';
import { fieldChanges, kindOfPair, numberChange, pairsOf } from '../../domain/analysis/difference.ts';
import {
  identity,
  isTable,
  NotASeries,
  type Reading,
  type Row,
  readings,
  rowsOfTable,
} from '../../domain/analysis/saved.ts';
import type { Change, ChangeKind } from '../../domain/history/changes.ts';

interface Exports {
  between: readonly [a: string, b: string];
  /** Those of WHAT; every kind without it. */
  kinds: readonly ChangeKind[];
  /** The column that matches rows. */
  key: string | undefined;
}

const times = { when: null, notBefore: null, seen: '' };

export async function exportChanges(ctx: Context, { between: [a, b], kinds, key }: Exports): Promise<Change[]> {
  const [before, after] = [await openExport(ctx, a), await openExport(ctx, b)];
  const isSeries = kinds.includes('value') && (!kinds.includes('entry') || !hasTitles(before.content));
  return isSeries
    ? valueChanges(ctx, before, after)
    : rowChanges(before, after, { kind: kinds.includes('entry') ? 'entry' : kinds[0], key });
}

/** Nulls are ignored if one of the exports cannot tell them from missing values. 1.10 equals 1.1. */
function valueChanges(ctx: Context, before: File, after: File): Change[] {
  const [old, now] = [seriesOf(before), seriesOf(after)];
  const nulls = old.tellsNull && now.tellsNull;
  const months = new Map(old.readings.map((reading) => [identity(reading), reading.months]));
  const unlike = new Set(
    now.readings.flatMap((reading) => {
      const key = identity(reading);
      return months.has(key) && months.get(key) !== reading.months ? [key] : [];
    }),
  );
  if (unlike.size > 0) {
    const says = `${amount(unlike.size, 'value', 'values')} of periods that were not complete in both exports`;
    ctx.out.note(`Not compared: ${says}.`);
  }
  const compared = (saved: Saved) =>
    saved.readings.filter((reading) => (nulls || reading.value !== null) && !unlike.has(identity(reading)));
  return [...pairsOf(compared(old), compared(now), identity)].flatMap((pair): Change[] => {
    const [a, b] = [pair.before?.value, pair.after?.value];
    if (pair.before && pair.after && sameValue(a, b)) return [];
    const { companyId: company = '', metricId, periodKey, version } = pair.after ?? (pair.before as Reading);
    const subject = { kind: 'value' as const, id: metricId, what: metricId, where: `${periodKey} ${version}`, company };
    return [
      { ...subject, ...times, change: kindOfPair(pair), field: 'value', before: a, after: b, ...numberChange(a, b) },
    ];
  });
}

/** The fields that differ in rows with the same key. @throws usage for rows that cannot be matched */
function rowChanges(
  before: File,
  after: File,
  { kind = 'entry', key }: { kind: ChangeKind | undefined; key: string | undefined },
): Change[] {
  const [old, now] = [rowsOf(before), rowsOf(after)];
  const isNested = (rows: readonly Row[]) => rows.some(({ values }) => isObject(values));
  if (isNested(old) !== isNested(now)) {
    throw usage(`${before.name} and ${after.name} are of different forms`, 'export both as csv, or both as json');
  }
  const has = (column: string) => [...old, ...now].every((row) => cellOf(row, column) !== undefined);
  const column = key ?? ['id', 'title'].find(has) ?? 'id';
  for (const { rows, name } of [
    { rows: old, name: before.name },
    { rows: now, name: after.name },
  ]) {
    checkKeys(rows, column, name);
  }
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
function rowsOf({ name, content }: File): Row[] {
  if (isTable(content)) return rowsOfTable(content);
  if (Array.isArray(content) && content.every(isObject)) return content;
  throw usage(`${name} has no rows`, 'export them: `comem entries list LIST --out FILE.csv`');
}

interface Saved {
  readings: Reading[];
  /** False where null and absent look alike. */
  tellsNull: boolean;
}

/** The content of an export, and its name in messages. */
interface File {
  name: string;
  content: unknown;
}

/** @param file a path, or `-` for stdin. @throws usage naming the file and what is wrong with it */
async function openExport(ctx: Context, file: string): Promise<File> {
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
function seriesOf({ name, content }: File): Saved {
  try {
    return readings(content);
  } catch (error) {
    if (!(error instanceof NotASeries)) throw error;
    throw usage(
      `${name}: ${error.message}`,
      'it must be what `comem metrics series` writes as csv, tsv, json, ndjson or yaml',
    );
  }
}

function binary(name: string) {
  return usage(`${name} is a workbook or a Parquet file`, 'as csv or json to compare it');
}

async function parse(text: string, name: string): Promise<unknown> {
  const start = text.trimStart();
  if (start === '') throw usage(`${name} is empty`);
  if (start.startsWith('[')) return parseJson(text);
  if (start.startsWith('{')) {
    // NDJSON has one object on each line; a response of the API is one object over one or many lines.
    const lines = start.split('\n').filter((line) => line.trim() !== '');
    const isNdjson = lines.every((line) => line.trimStart().startsWith('{') && line.trimEnd().endsWith('}'));
    return isNdjson && (lines.length > 1 || !/"items"\s*:/.test(start))
      ? lines.map((line) => parseJson(line))
      : parseJson(text);
  }
  if (start.startsWith('PK') || start.startsWith('PAR1')) throw binary(name);
  if (start.startsWith('- ')) return (await (await import('../../core/yaml.ts')).readYaml(text, name)).value;
  const [header, ...rows] = await readCsv(text, { name });
  return { header: header?.cells ?? [], rows: rows.map(({ cells }) => cells) };
}
