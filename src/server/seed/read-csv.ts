/**
 * Metric points from CSV (docs/server.md, "Seed files"): wide, with the dates in the first column and one column for each
 * metric, or long, with the columns period, metric and value. What `comem metrics series -o csv` writes is read back.
 */
import { type Version, versions } from '../../contract/metrics.ts';
import { isDateTime } from '../../contract/validate.ts';
import { type CsvRecord, streamCsv } from '../../core/csv.ts';
import { type Failure, usage } from '../../core/errors.ts';
import { NumberRangeError, type Numeric, numeric } from '../../core/json.ts';
import { type Column, type Fact, formsHint, understandHeader } from './csv-columns.ts';
import { FileFacts } from './csv-facts.ts';
import { type PointPeriod, periodForms, pointPeriod } from './point-period.ts';
import type { SeedPoints } from './seed.ts';
import { type BlankPoint, RepeatedPoint, SeenPoints, samePoint } from './seen-points.ts';

export interface PointsCsvOptions {
  /** What the file is called in messages. */
  name: string;
  /** The company of rows that do not name one. */
  company: string;
  /** The version of rows that do not name one; default actual. */
  version?: Version | undefined;
  /** Old column name to new one, before the header is understood. */
  rename?: Readonly<Record<string, string>> | undefined;
}

type Wrong = (line: number, message: string, hint?: string) => Failure;

/** A part of a file, of as many points as are loaded at once. */
interface PointsBatch {
  /** Grouped by company, period and version. */
  points: SeedPoints[];
  /** All metrics so far, in the order of the file. */
  metrics: readonly string[];
  blanks: BlankPoint[];
}

/** The bytes of a file from its beginning, each time. */
export type OpenFile = () => AsyncIterable<Uint8Array>;

const batchSize = 5_000;

/** Reads a file part by part. `facts` learns what to say of it. Throws a usage failure that names the line. */
export async function* readPointsCsv(
  open: OpenFile,
  options: PointsCsvOptions,
  facts = new FileFacts(),
): AsyncGenerator<PointsBatch> {
  const seen = new SeenPoints();
  const reading = (): Reading => ({ points: new Map(), blanks: [], size: 0, facts, isNew: (point) => seen.add(point) });
  let read = reading();
  const named: string[] = [];
  const batch = (): PointsBatch => ({
    points: [...read.points.values()],
    metrics: [...new Set([...named, ...facts.metrics()])],
    blanks: read.blanks,
  });
  try {
    for await (const { record, columns } of recordsOf(open, options)) {
      if (named.length === 0)
        named.push(...columns.flatMap((column) => (column.is === 'values' ? [column.metric] : [])));
      addRecord(record, columns, options, read);
      if (read.size < batchSize) continue;
      yield batch();
      read = reading();
    }
  } catch (error) {
    throw error instanceof RepeatedPoint ? await repeated(error, open, options) : error;
  }
  yield batch();
}

async function* recordsOf(
  open: OpenFile,
  options: PointsCsvOptions,
): AsyncGenerator<{ record: CsvRecord; columns: readonly Column[] }> {
  let columns: readonly Column[] | undefined;
  for await (const record of streamCsv(open(), { name: options.name })) {
    if (columns) yield { record, columns };
    else columns = columnsOf(record, options);
  }
  if (!columns) throw usage(`${options.name} is empty`, formsHint);
}

function columnsOf({ line, cells }: CsvRecord, { name, rename }: PointsCsvOptions): Column[] {
  const names = cells.map((cell) => cell.trim());
  const missing = Object.keys(rename ?? {}).find((old) => !names.includes(old));
  if (missing !== undefined) throw usage(`--rename: ${name} has no column ${missing}; it has ${names.join(', ')}`);
  const renamed = names.map((one) => rename?.[one] ?? one);
  return understandHeader(renamed, (message) => wrongAt(name)(line, message, formsHint));
}

function wrongAt(name: string): Wrong {
  return (line, message, hint) => usage(`${name}, line ${line}: ${message}`, hint);
}

/** Says where the point was first, which only another reading of the file can tell. */
async function repeated({ line, point }: RepeatedPoint, open: OpenFile, options: PointsCsvOptions): Promise<Failure> {
  const { metric, period, version } = point;
  let first = 0;
  for await (const { record, columns } of recordsOf(open, options)) {
    const isNew = (other: BlankPoint) => {
      if (samePoint(point, other)) first = record.line;
      return true;
    };
    addRecord(record, columns, options, { points: new Map(), blanks: [], size: 0, facts: new FileFacts(), isNew });
    if (first > 0) break;
  }
  return wrongAt(options.name)(line, `${metric} of ${period} (${version}) is repeated from line ${first}`);
}

/** What the rows of a batch have given so far. */
interface Reading {
  points: Map<string, SeedPoints>;
  blanks: BlankPoint[];
  size: number;
  facts: FileFacts;
  /** Whether the file has not had the point before. */
  isNew(point: BlankPoint): boolean;
}

function addRecord(
  { line, cells }: CsvRecord,
  columns: readonly Column[],
  options: PointsCsvOptions,
  read: Reading,
): void {
  const { points } = read;
  const wrong = wrongAt(options.name);
  // Spreadsheets leave rows of empty cells at the end.
  if (cells.every((cell) => cell.trim() === '')) return;
  if (cells.length !== columns.length) {
    throw wrong(line, `has ${cells.length} cells where the header has ${columns.length}`);
  }
  const row: Partial<Record<Fact, string>> = {};
  const given = cells.flatMap((cell, index) => {
    const column = columns[index];
    return column === undefined ? [] : [{ column, text: cell.trim() }];
  });
  for (const { column, text } of given) {
    if (column.is !== 'values' && column.is !== 'nothing' && text !== '') row[column.is] = text;
  }
  const version = versionOf(row, options, (message) => wrong(line, message));
  const period = periodOf(row, version, (message, hint) => wrong(line, message, hint));
  const company = row.company ?? options.company;
  if (row.updated_at !== undefined && !isDateTime(row.updated_at)) {
    throw wrong(line, `updated_at must be an ISO 8601 timestamp, got "${row.updated_at}"`);
  }
  const key = JSON.stringify([company, period.key, version, row.source, row.updated_at]);
  const group = points.get(key) ?? {
    company,
    period: period.key,
    version,
    // Without a prototype: any text may be a metric id.
    metrics: Object.create(null) as SeedPoints['metrics'],
    ...(row.source === undefined ? {} : { source: row.source }),
    ...(row.updated_at === undefined ? {} : { updated_at: row.updated_at }),
  };
  const put = (metric: string, text: string) => {
    if (text === '.') read.facts.addDot(line);
    const point = { company, period: period.key, version, metric };
    read.size += 1;
    if (text === '' || text === '.') {
      read.blanks.push(point);
      return;
    }
    read.facts.addValue(metric, period);
    if (!read.isNew(point)) throw new RepeatedPoint(line, point);
    // Values of a seed are numbers to TypeScript, and exact ones where a double would lose a digit.
    group.metrics[metric] = numberOf(text, metric, (message, hint) => wrong(line, message, hint)) as number;
    points.set(key, group);
  };
  if (row.metric !== undefined || columns.some((column) => column.is === 'metric')) {
    if (row.metric === undefined) throw wrong(line, 'has no metric');
    if (row.metric.includes(',')) throw wrong(line, `"${row.metric}" is not a metric id: it contains a comma`);
    put(row.metric, row.value ?? '');
    return;
  }
  for (const { column, text } of given) if (column.is === 'values') put(column.metric, text);
}

function versionOf(
  row: Partial<Record<Fact, string>>,
  options: PointsCsvOptions,
  wrong: (message: string) => Failure,
): Version {
  const text = row.version ?? options.version ?? 'actual';
  const version = versions.find((candidate) => candidate === text);
  if (!version) throw wrong(`version must be one of ${versions.join(', ')}, got "${text}"`);
  return version;
}

function periodOf(
  row: Partial<Record<Fact, string>>,
  version: Version,
  wrong: (message: string, hint?: string) => Failure,
): PointPeriod {
  const { period: text, period_type: grain } = row;
  if (text === undefined) throw wrong('has no date', `dates are written ${periodForms}`);
  if (grain !== undefined && grain !== 'month' && grain !== 'quarter' && grain !== 'year') {
    throw wrong(`period_type must be month, quarter or year, got "${grain}"`);
  }
  const period = pointPeriod(text, grain);
  if (!period) {
    if (grain !== undefined && pointPeriod(text)) throw wrong(`"${text}" is not a ${grain}, as period_type says`);
    throw wrong(`"${text}" is not a date; dates are written ${periodForms}`, formsHint);
  }
  if (version === 'actual' && period.type !== 'month') {
    throw wrong(
      `${text} is a ${period.type}, and actuals exist only by month`,
      'give the months, or load it as a plan with --as-version budget or --as-version forecast',
    );
  }
  return period;
}

/** A plain decimal with every digit it was written with; `007`, `+5` and `.5` are 7, 5 and 0.5. */
function numberOf(text: string, metric: string, wrong: (message: string, hint?: string) => Failure): Numeric {
  const match = /^([+-]?)(\d*)(\.\d+)?([eE][+-]?\d+)?$/.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match ?? [];
  if (!match || (whole === '' && fraction === '')) {
    throw wrong(
      `"${text}" in the column ${metric} is not a plain number such as -1234.5`,
      'leave a cell without a value empty; remove thousands separators, currency and percent signs',
    );
  }
  const literal = `${sign === '-' ? '-' : ''}${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction}${exponent}`;
  try {
    return numeric(literal);
  } catch (error) {
    throw error instanceof NumberRangeError ? wrong(error.message) : error;
  }
}
