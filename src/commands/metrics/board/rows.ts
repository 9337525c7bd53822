/** The rows of `metrics board`: a metric in a period, with its versions and their variance. */

import type { Context } from '../../../cli/context.ts';
import type { CompanyPart } from '../../../cli/each-company.ts';
import type { Version } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import { isNumeric, type Numeric } from '../../../core/json.ts';
import { formatPeriod, isPartial, parsePeriod } from '../../../core/periods.ts';
import {
  autoScale,
  groupsOf,
  isMaterial,
  type Material,
  parseMaterial,
  type Scale,
  withSum,
} from '../../../domain/analysis/board.ts';
import type { Verdict } from '../../../domain/analysis/variance.ts';
import type { Column } from '../../../output/column.ts';
import { type Plan, variancesOf } from '../analysis/variances.ts';
import { amountColumn, metric, percentColumn, period, unit, versionHeadings } from '../columns.ts';
import { type Analysis, type AnalysisRequest, linesIn, type Metric, versionsOf } from '../read.ts';
import { readAnalyses } from '../several.ts';
import { commented, readComments, requireExplained } from './comments.ts';
import { sheetOf } from './sheet.ts';
import { type BoardKind, writeRowsOfBoard, writeSheets } from './write.ts';

export interface BoardRow {
  metricId: string;
  label?: string;
  /** It is the sum of the metrics of its group. */
  subtotal: boolean;
  periodKey: string;
  actual?: Numeric | null;
  budget?: Numeric | null;
  forecast?: Numeric | null;
  difference?: Numeric | null;
  percent?: Numeric | null;
  verdict?: Verdict;
  note?: string;
  /** It has to be explained. */
  material?: boolean;
  comment?: string;
  unit?: string;
  currency?: string;
  months?: string;
}

export interface BoardOptions {
  versions: readonly Version[];
  /** The plan of variances; undefined: none are shown. */
  against: Plan | undefined;
  partial: boolean;
  material: Material | undefined;
  subtotals: boolean;
}

/** A row for each metric and period of the range, by metric; empty where there are no values. */
export function boardRows(stored: Analysis, options: BoardOptions): BoardRow[] {
  const { analysis, sums } = options.subtotals ? withSubtotals(stored) : { analysis: stored, sums: new Set<string>() };
  const { metrics, type, range } = analysis;
  const lines = linesIn(analysis);
  const indexes = lines.flatMap(({ points }) => points.map(({ index }) => index));
  if (indexes.length === 0) return [];
  const first = range.from?.index ?? indexes.reduce((a, b) => Math.min(a, b));
  const last = range.to?.index ?? indexes.reduce((a, b) => Math.max(a, b));
  const { against, material } = options;
  const compared = new Map(
    against === undefined
      ? []
      : Array.from(variancesOf(analysis, against, options.partial), (row) => [`${row.metricId} ${row.periodKey}`, row]),
  );
  const points = new Map(
    lines.map((line) => [
      `${line.version} ${line.metricId}`,
      new Map(line.points.map((point) => [point.index, point])),
    ]),
  );
  return metrics.flatMap(({ id, label, unit: measured, currency }) =>
    Array.from({ length: Math.max(last - first + 1, 0) }, (_, step): BoardRow => {
      const index = first + step;
      const periodKey = formatPeriod({ type, index });
      const pointOf = (version: Version) => points.get(`${version} ${id}`)?.get(index);
      const values = Object.fromEntries(
        options.versions.flatMap((version) => {
          const point = pointOf(version);
          return point ? [[version, point.value]] : [];
        }),
      );
      const months = pointOf('actual')?.incomplete;
      const variance = compared.get(`${id} ${periodKey}`);
      const subtotal = sums.has(id);
      return {
        ...{ metricId: id, ...(label !== undefined && { label }), subtotal, periodKey, ...values },
        ...(against && {
          difference: variance?.difference ?? null,
          percent: variance?.percent ?? null,
          verdict: variance?.verdict ?? 'unknown',
          note: variance?.note ?? `no actual, no ${against}`,
        }),
        // A sum is explained by what it is made of.
        ...(material && { material: !subtotal && isMaterial(variance?.difference ?? null, variance?.plan, material) }),
        ...(measured !== undefined && { unit: measured }),
        ...(currency !== undefined && { currency }),
        ...(isPartial(months) && { months }),
      };
    }),
  );
}

function withSubtotals(analysis: Analysis): { analysis: Analysis; sums: Set<string> } {
  const metrics: Metric[] = [];
  const sums = new Set<string>();
  let { items } = analysis;
  for (const { name, metrics: own } of groupsOf(analysis.metrics)) {
    metrics.push(...own);
    const [first] = own;
    if (name === undefined || first === undefined || own.length < 2) continue;
    const id = `subtotal (${name})`;
    items = withSum(
      items,
      own.map((metric) => metric.id),
      id,
    );
    sums.add(id);
    metrics.push({ ...first, id, label: `Subtotal (${name})` });
  }
  return { analysis: { ...analysis, items, metrics }, sums };
}

/** The amounts of money of the rows, which have a scale. */
function amountsOf(rows: readonly BoardRow[]): Numeric[] {
  return rows.flatMap(({ currency, actual, budget, forecast }) =>
    currency === undefined ? [] : [actual, budget, forecast].filter(isNumeric),
  );
}

const rare = { hidden: true };
export const headingOf = (version: Version): string => versionHeadings[version];

export function boardColumns({ versions, against, material }: BoardOptions, comments: boolean): Column<BoardRow>[] {
  return [
    metric,
    { key: 'label', heading: 'Label', get: (row) => row.label, ...rare },
    { key: 'subtotal', heading: 'Subtotal', type: 'boolean', get: (row) => row.subtotal, ...rare },
    period,
    ...versions.map((version) => amountColumn<BoardRow>(version, versionHeadings[version], (row) => row[version])),
    ...(against === undefined
      ? []
      : [
          { ...amountColumn<BoardRow>('difference', 'Variance', (row) => row.difference), spare: true },
          percentColumn<BoardRow>('percent', '%', (row) => row.percent),
          { key: 'verdict', heading: 'Verdict', get: (row: BoardRow) => row.verdict },
          { key: 'note', heading: 'Note', get: (row: BoardRow) => row.note },
        ]),
    ...(material === undefined
      ? []
      : [
          {
            ...{ key: 'material', heading: 'Material', type: 'boolean' as const },
            get: (row: BoardRow) => row.material,
          },
        ]),
    ...(comments ? [{ key: 'comment', heading: 'Comment', get: (row: BoardRow) => row.comment }] : []),
    unit,
    { key: 'months', heading: 'Months', get: (row) => row.months, ...rare },
  ];
}

interface BoardRequest extends AnalysisRequest {
  versions?: string | undefined;
  variance?: boolean | undefined;
  scale?: string | undefined;
  round?: number | undefined;
  subtotals?: boolean | undefined;
  material?: string | undefined;
  comments?: string | undefined;
  failOn?: string | undefined;
  oneSheet?: boolean | undefined;
}

/** What is written, from `-o` and the extension of `--out`. `--fields` and `--jq` take rows. */
function kindOf({ settings, runtime }: Context): BoardKind {
  const { output, out, fields, jq } = settings;
  const given = output.value;
  if (fields !== undefined || jq !== undefined) return 'rows';
  if (/\.html?$/i.test(out ?? '') && output.origin !== 'flag') return 'html';
  if (given === 'table' || given === 'md' || given === 'xlsx') return given;
  const toFile = out !== undefined && out !== '-';
  return given === undefined && runtime.terminal.stdoutIsTTY && !toFile ? 'table' : 'rows';
}

/** @throws Failure usage */
function optionsOf(request: BoardRequest): BoardOptions {
  const versions = versionsOf(request.versions, ['actual', 'budget']);
  const material = request.material === undefined ? undefined : parseMaterial(request.material);
  if (request.material !== undefined && !material) {
    throw usage(`--material must be limits such as 10%, 10000 or '10% and 10000', got "${request.material}"`);
  }
  if (!material && request.failOn !== undefined) {
    throw usage('--fail-on unexplained needs to know what has to be explained', "add --material '10% and 10000'");
  }
  if (!material && request.comments !== undefined) {
    throw usage('--comments explains what --material marks', "add --material '10% and 10000'");
  }
  const compares = request.variance === true || material !== undefined;
  const plan = versions.find((version) => version !== 'actual');
  if (compares && (plan === undefined || !versions.includes('actual'))) {
    throw usage('a variance needs actuals and a plan', 'add --versions actual,budget');
  }
  return {
    ...{ versions, material, partial: request.partial === true, subtotals: request.subtotals === true },
    against: compares ? plan : undefined,
  };
}

export async function board(ctx: Context, request: BoardRequest): Promise<void> {
  const options = optionsOf(request);
  const kind = kindOf(ctx);
  if (kind === 'rows') refuseLook(request);
  if (request.oneSheet && kind !== 'xlsx') throw usage('--one-sheet is for workbooks', 'add --out board.xlsx');
  const comments = request.comments === undefined ? [] : await readComments(ctx, request.comments);
  const { from, to, last, ytd, fy, periodType } = request;
  const unsaid = ytd !== true && (from ?? to ?? last ?? fy ?? periodType) === undefined;
  // Bounds that are quarters ask for quarters.
  const named = parsePeriod(from ?? to ?? '')?.type;
  const grain = last === undefined && periodType === undefined && named !== undefined ? { periodType: named } : {};
  const range = unsaid ? { ...request, last: '4q' } : { ...request, ...grain };
  const analyses = await readAnalyses(ctx, range, { versions: options.versions, last: '4' });
  const rows = analyses.parts.map(({ who, value }): CompanyPart<BoardRow[]> => {
    // A total is explained by its companies.
    const isTotal = who !== undefined && who.companyId === undefined;
    const ofCompany = boardRows(value, options);
    return {
      who,
      value: isTotal && options.material ? ofCompany.map((row) => ({ ...row, material: false })) : ofCompany,
    };
  });
  const parts = comments.length > 0 ? commented(ctx, rows, comments, request.comments ?? '') : rows;
  if (kind === 'rows' || parts.every(({ value }) => value.length === 0)) {
    await writeRowsOfBoard(ctx, analyses, parts, options, request.comments !== undefined);
  } else {
    const scale = request.scale ?? 'auto';
    const amounts = parts.flatMap(({ value }) => amountsOf(value));
    const look = { scale: scale === 'auto' ? autoScale(amounts) : (scale as Scale), digits: request.round ?? 1 };
    let left = ctx.settings.limit ?? Number.POSITIVE_INFINITY;
    const sheets = parts.flatMap(({ who, value }) => {
      const sheet = sheetOf(who?.company, value, options, look);
      const lines = sheet.lines.slice(0, left);
      left -= lines.length;
      return lines.length > 0 ? [{ ...sheet, lines }] : [];
    });
    await writeSheets(ctx, kind, sheets, request.oneSheet === true, analyses);
  }
  if (request.failOn !== undefined) requireExplained(parts);
  analyses.verdict();
}

/** Rows keep all digits. */
function refuseLook({ scale, round }: BoardRequest): void {
  const given = scale !== undefined ? '--scale' : round !== undefined ? '--round' : undefined;
  if (given === undefined) return;
  throw usage(
    `${given} is for boards as people read them, and rows keep all digits`,
    'add -o table or -o md, or --out FILE.xlsx',
  );
}
