/** `metrics board`: from its flags to what is written. */

import type { Context } from '../../cli/context.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { usage } from '../../core/errors.ts';
import { parsePeriod } from '../../core/periods.ts';
import { autoScale, parseMaterial, type Scale } from '../../domain/analysis/board.ts';
import type { Column } from '../../output/column.ts';
import { type Analyses, readAnalyses, withCompanies } from './analyses.ts';
import { addComments, readComments, requireExplained } from './board-comments.ts';
import { amountsOf, type BoardOptions, type BoardRow, boardColumns, boardRows } from './board-rows.ts';
import { type SheetFormat, sheetOf, writeSheets } from './board-sheet.ts';
import { type AnalysisRequest, versionsOf } from './read.ts';

interface BoardRequest extends AnalysisRequest {
  versions?: string | undefined;
  variance?: boolean | undefined;
  scale?: string | undefined;
  round?: number | undefined;
  subtotals?: boolean | undefined;
  material?: string | undefined;
  comments?: string | undefined;
  failOn?: string | undefined;
}

export async function board(ctx: Context, request: BoardRequest): Promise<void> {
  const options = optionsOf(request);
  const kind = kindOf(ctx);
  if (kind === 'rows') refuseScale(request);
  const comments = request.comments === undefined ? [] : await readComments(ctx, request.comments);
  const analyses = await readAnalyses(ctx, withQuarters(request), { versions: options.versions, last: '4' });
  const rows = analyses.parts.map(({ who, value }): CompanyPart<BoardRow[]> => {
    // A total is explained by its companies.
    const isTotal = who !== undefined && who.companyId === undefined;
    return { who, value: boardRows(value, options).map((row) => (isTotal ? withoutMaterial(row) : row)) };
  });
  const parts = comments.length > 0 ? addComments(ctx, rows, comments, request.comments ?? '') : rows;
  if (kind === 'rows' || parts.every(({ value }) => value.length === 0)) {
    const columns = boardColumns(options, { comments: request.comments !== undefined, total: request.total === true });
    await writeRows(ctx, analyses, parts, columns);
  } else {
    const scale = (request.scale ?? 'auto') as Scale | 'auto';
    const amounts = parts.flatMap(({ value }) => amountsOf(value));
    const numbers = { scale: scale === 'auto' ? autoScale(amounts) : scale, digits: request.round };
    let left = ctx.settings.limit ?? Number.POSITIVE_INFINITY;
    const sheets = parts.flatMap(({ who, value }) => {
      const sheet = sheetOf(who?.company, value, options, numbers);
      const lines = sheet.lines.slice(0, left);
      left -= lines.length;
      return lines.length > 0 ? [{ ...sheet, lines }] : [];
    });
    await writeSheets(ctx, kind, sheets, analyses);
  }
  if (request.failOn !== undefined) requireExplained(parts);
  analyses.verdict();
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
    throw usage('a variance needs actuals and a budget or forecast', 'add --versions actual,budget');
  }
  const { partial = false, subtotals = false } = request;
  return { versions, material, partial, subtotals, against: compares ? plan : undefined };
}

/** The format, from `-o` and the extension of `--out`. `--fields` and `--jq` take rows. */
function kindOf({ settings, runtime }: Context): SheetFormat | 'rows' {
  const { output, out, fields, jq } = settings;
  const format = output.value;
  if (fields !== undefined || jq !== undefined) return 'rows';
  if (/\.html?$/i.test(out ?? '') && output.origin !== 'flag') return 'html';
  if (format === 'table' || format === 'md') return format;
  const toFile = out !== undefined && out !== '-';
  return format === undefined && runtime.terminal.stdoutIsTTY && !toFile ? 'table' : 'rows';
}

/** Rows keep all digits. */
function refuseScale({ scale, round }: BoardRequest): void {
  const flag = scale !== undefined ? '--scale' : round !== undefined ? '--round' : undefined;
  if (flag === undefined) return;
  throw usage(
    `${flag} is for boards as people read them, and rows keep all digits`,
    'add -o table or -o md, or --out FILE.html',
  );
}

/** Without a range the newest four quarters; bounds that are quarters ask for quarters. */
function withQuarters(request: BoardRequest): BoardRequest {
  const { from, to, last, ytd, fy, periodType } = request;
  if (ytd !== true && (from ?? to ?? last ?? fy ?? periodType) === undefined) return { ...request, last: '4q' };
  const grain = parsePeriod(from ?? to ?? '')?.type;
  return last === undefined && periodType === undefined && grain !== undefined
    ? { ...request, periodType: grain }
    : request;
}

const withoutMaterial = (row: BoardRow): BoardRow => (row.material === undefined ? row : { ...row, material: false });

async function writeRows(
  ctx: Context,
  analyses: Analyses,
  parts: readonly CompanyPart<BoardRow[]>[],
  columns: readonly Column<BoardRow>[],
): Promise<void> {
  const rows = parts.flatMap(({ who, value }) =>
    value.map(({ currency, without, ...row }) => ({
      ...who,
      ...row,
      ...(analyses.mixed && currency !== undefined && { currency }),
    })),
  );
  await ctx.out.rows(rows, withCompanies(analyses, columns), {
    id: (row) => row.metricId,
    empty: 'No values in the range.',
  });
}
