/**
 * Metric points of CSV (docs/server.md, "Seed files"): wide, with the dates in the first column and one column for each
 * metric, or long, with the columns period, metric and value. What `comem metrics series -o csv` writes is read back.
 */
import { type MetricDefinition, type Version, versions } from '../../contract/metrics.ts';
import { isDate, isDateTime } from '../../contract/validate.ts';
import { streamCsv } from '../../core/csv.ts';
import { type Failure, usage } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { formatPeriod, type Period, type PeriodType, parsePeriod, periodHolding } from '../../core/periods.ts';
import { foldCase, sameValue } from '../../core/same.ts';
import { parseNumber, rangeIssue } from '../../domain/entries/values.ts';
import { type DecimalMark, readNumber } from '../../domain/import/numbers.ts';
import type { SeedPoints, SeedSource } from './seed.ts';

export interface PointsCsvOptions {
  /** The name of the file in messages. */
  name: string;
  /** The company of rows that do not name one. */
  company: string;
  /** The version of rows that do not name one; default actual. */
  version?: Version | undefined;
  /** Old column name to new one, before the header is understood. */
  rename?: Readonly<Record<string, string>> | undefined;
  /** The metrics that exist. */
  catalog?: readonly Pick<MetricDefinition, 'metricId' | 'label'>[] | undefined;
}

type Wrong = (message: string, hint?: string) => Failure;

/** The bytes of a file from its beginning, each time. */
export type OpenFile = () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Values of one part. */
const batchSize = 5_000;

/** The points of a file, part by part. @throws usage that names the line */
export async function* readPointsCsv(open: OpenFile, options: PointsCsvOptions): AsyncGenerator<SeedSource> {
  const { name } = options;
  const wrongAt =
    (line: number): Wrong =>
    (message, hint) =>
      usage(`${name}, line ${line}: ${message}`, hint);
  const source = (rows: readonly { line: number; points: SeedPoints }[]): SeedSource => ({
    seed: { points: rows.map(({ points }) => points) },
    fail(path, message) {
      const [, index, field, ...metric] = path.split('.');
      const { line = 1, points } = rows[Number(index)] ?? {};
      const subject = field === 'metrics' ? `${metric.join('.')} of ${points?.period} (${points?.version})` : field;
      return wrongAt(line)(`${subject} ${message}`);
    },
  });
  const mark = await decimalMarkOf(open, options);
  let columns: readonly Column[] | undefined;
  let rows: { line: number; points: SeedPoints }[] = [];
  let values = 0;
  for await (const { line, cells } of streamCsv(open(), { name })) {
    const wrong = wrongAt(line);
    if (!columns) {
      columns = columnsOf(cells, options, wrong);
      continue;
    }
    // Spreadsheets leave rows of empty cells at the end.
    if (cells.every((cell) => cell.trim() === '')) continue;
    const points = rowOf(cells, { columns, mark, options, wrong });
    rows.push({ line, points });
    values += Object.keys(points.metrics).length;
    if (values < batchSize) continue;
    yield source(rows);
    rows = [];
    values = 0;
  }
  if (!columns) throw usage(`${name} is empty`, formsHint);
  yield source(rows);
}

/** The decimal mark of the numbers, by the first of them that has one reading. @throws usage where none has, and one has two */
async function decimalMarkOf(open: OpenFile, options: PointsCsvOptions): Promise<DecimalMark> {
  const { name } = options;
  let doubt: Failure | undefined;
  let header: readonly string[] | undefined;
  // Where the comma is the decimal mark, files are separated by semicolons, and 84.250 may be 84250.
  let isSemicolon = false;
  const onDelimiter = (delimiter: string) => {
    isSemicolon = delimiter === ';';
  };
  for await (const { line, cells } of streamCsv(open(), { name, onDelimiter })) {
    for (const cell of header ? cells.slice(1) : []) {
      const text = cell.trim();
      if (/^-?\d*$/.test(text)) continue;
      const [point, comma] = [readNumber(text, '.')?.value, readNumber(text, ',')?.value];
      if (point === undefined && comma === undefined) continue;
      if (comma === undefined) return '.';
      if (point === undefined) return ',';
      if (sameValue(point, comma) || (parseNumber(text) !== undefined && !isSemicolon)) continue;
      doubt ??= usage(
        `${name}, line ${line}: "${text}" is ${point} with a decimal point and ${comma} with a decimal comma`,
        'write it without a mark between thousands',
      );
    }
    header ??= cells;
  }
  if (doubt) throw doubt;
  return '.';
}

interface RowRules {
  columns: readonly Column[];
  mark: DecimalMark;
  options: PointsCsvOptions;
  wrong: Wrong;
}

function rowOf(cells: readonly string[], { columns, mark, options, wrong }: RowRules): SeedPoints {
  if (cells.length !== columns.length) {
    throw wrong(`has ${cells.length} cells where the header has ${columns.length}`);
  }
  const row: Partial<Record<Fact, string>> = {};
  const values: [metric: string, text: string][] = [];
  for (const [index, column] of columns.entries()) {
    const text = (cells[index] ?? '').trim();
    if ('metric' in column) values.push([column.metric, text]);
    else if ('fact' in column && text !== '') row[column.fact] = text;
  }
  const version = versionOf(row, options, wrong);
  const period = periodOf(row, version, wrong);
  const { company = options.company, source, updated_at, metric, value = '' } = row;
  if (updated_at !== undefined && !isDateTime(updated_at)) {
    throw wrong(`updated_at must be an ISO 8601 timestamp, got "${updated_at}"`);
  }
  if (columns.some((column) => 'fact' in column && column.fact === 'metric')) {
    if (metric === undefined) throw wrong('has no metric');
    if (metric.includes(',')) throw wrong(`"${metric}" is not a metric id: it contains a comma`);
    values.push([metricIdOf(metric, options), value]);
  }
  const known = values.filter(([, text]) => text !== '');
  const metrics = Object.fromEntries(known.map(([id, text]) => [id, numberOf(text, { metric: id, mark, wrong })]));
  const origin = { ...(source && { source }), ...(updated_at && { updated_at }) };
  return { company, period: period.key, version, ...origin, metrics };
}

const facts = ['period', 'metric', 'value', 'version', 'period_type', 'company', 'source', 'updated_at'] as const;
type Fact = (typeof facts)[number];

/** A fact of the row, the values of one metric, or nothing that is stored. */
type Column = { fact: Fact } | { metric: string } | Record<string, never>;

/** The names that `metrics series` gives the same columns. */
const exported: Readonly<Record<string, Fact>> = {
  periodKey: 'period',
  periodType: 'period_type',
  metricId: 'metric',
  updatedAt: 'updated_at',
};
/** In the long form of `metrics series`; the catalog holds them. */
const ignored = new Set(['unit', 'currency']);

const formsHint =
  'a wide file has the dates in its first column and one column for each metric; a long one has the columns period, ' +
  'metric and value; rename columns with --map OLD=NEW';

function columnsOf(
  cells: readonly string[],
  { name: file, rename, catalog }: PointsCsvOptions,
  wrongAt: Wrong,
): Column[] {
  const wrong = (message: string) => wrongAt(message, formsHint);
  const headings = cells.map((cell) => cell.trim());
  const missing = Object.keys(rename ?? {}).find((old) => !headings.includes(old));
  if (missing !== undefined) throw usage(`--map: ${file} has no column ${missing}; it has ${headings.join(', ')}`);
  const names = headings.map((heading) => rename?.[heading] ?? heading);
  const factOf = (name: string): Fact | undefined =>
    Object.hasOwn(exported, name) ? exported[name] : facts.find((fact) => fact === name.toLowerCase());
  const long = ['period', 'metric', 'value'].every((need) => names.some((name) => factOf(name) === need));
  // A wide file of ours starts with periodKey, and then its version and source are not metrics.
  const ours = names[0] === 'periodKey';
  const columns = names.map((name, index): Column => {
    if (name === '') throw wrong(`column ${index + 1} has no name`);
    const fact = factOf(name);
    if (long) {
      if (fact) return { fact };
      if (ignored.has(name)) return {};
      throw wrong(`unknown column ${name}; a long file has ${facts.join(', ')}`);
    }
    if (index === 0) return { fact: 'period' };
    if (fact && (ours || ['version', 'period_type', 'company'].includes(fact))) return { fact };
    if (name.includes(',')) throw wrong(`"${name}" is not a metric id: it contains a comma`);
    return { metric: metricIdOf(name, { catalog }) };
  });
  const ids = columns.map((column, index) => ('metric' in column ? column.metric : names[index]));
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw wrong(`the column ${twice} appears twice`);
  const [first] = names;
  if (first && pointPeriod(first)) throw wrong(`the first line must name the columns, but starts with ${first}`);
  if (!long && !columns.some((column) => 'metric' in column)) throw wrong('no column has values');
  return columns;
}

/** A metric of the catalog, by its id or label in any case; any other name is the id of a new one. */
function metricIdOf(name: string, { catalog = [] }: Pick<PointsCsvOptions, 'catalog'>): string {
  if (catalog.some(({ metricId }) => metricId === name)) return name;
  const same = catalog.filter(({ metricId, label }) =>
    [metricId, label].some((text) => foldCase(text) === foldCase(name)),
  );
  return same.length === 1 && same[0] ? same[0].metricId : name;
}

function versionOf(row: Partial<Record<Fact, string>>, options: PointsCsvOptions, wrong: Wrong): Version {
  const text = row.version ?? options.version ?? 'actual';
  const version = versions.find((candidate) => candidate === text);
  if (!version) throw wrong(`version must be one of ${versions.join(', ')}, got "${text}"`);
  return version;
}

function periodOf(row: Partial<Record<Fact, string>>, version: Version, wrong: Wrong): PointPeriod {
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
      'give the months, or load it as a plan with --versions budget or --versions forecast',
    );
  }
  return period;
}

/** A number with every digit it was written with, as an import reads it. The unit of a metric is that of the catalog. */
function numberOf(text: string, { metric, mark, wrong }: { metric: string; mark: DecimalMark; wrong: Wrong }): Numeric {
  const plain = mark === '.' ? parseNumber(text) : undefined;
  if (plain !== undefined) return plain;
  const { value, currency, isPercent, scale } = readNumber(text, mark) ?? {};
  if (value !== undefined && (currency ?? scale) === undefined && !isPercent) return value;
  throw wrong(
    rangeIssue(text) ??
      `"${text}" in the column ${metric} is not a number such as ${mark === '.' ? '-1,234.5' : '-1.234,5'}`,
    'leave a cell without a value empty; remove currency and percent signs',
  );
}

export interface PointPeriod {
  type: PeriodType;
  key: string;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The forms that are read, for messages. */
const periodForms = '2006-01-01, 2006-01, 2006-Q1, 2006 or Jan 1 2006';

/**
 * `2006-01`, `2006-Q1` and `2006` are that period; a date (`2006-01-01`, `Jan 1 2006`) is its month, or its quarter or
 * year where `type` asks for it. Undefined for every other text, and for a period of another grain than `type`.
 */
export function pointPeriod(text: string, type?: PeriodType): PointPeriod | undefined {
  const day = isoDate(text);
  const period = day === undefined ? exactPeriod(text) : parsePeriod(day.slice(0, 7));
  if (!period) return undefined;
  const grain = type ?? period.type;
  if (day === undefined && grain !== period.type) return undefined;
  const held = periodHolding(period, grain);
  return held && { type: grain, key: formatPeriod(held) };
}

/** A period as the API writes it; `2006-q1` is not one. */
function exactPeriod(text: string): Period | undefined {
  const period = parsePeriod(text);
  return period && formatPeriod(period) === text ? period : undefined;
}

function isoDate(text: string): string | undefined {
  if (isDate(text)) return text;
  const [, name = '', day = '', year = ''] = /^([A-Z][a-z]{2}) (\d{1,2}) (\d{4})$/.exec(text) ?? [];
  const month = months.indexOf(name) + 1;
  const iso = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return month > 0 && isDate(iso) ? iso : undefined;
}
