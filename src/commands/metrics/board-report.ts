/** What `metrics board` is asked for, and its answer. */

import type { Context } from '../../cli/context.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { usage } from '../../core/errors.ts';
import { parsePeriod } from '../../core/periods.ts';
import { autoScale, parseMaterial, type Scale } from '../../domain/analysis/board.ts';
import { readAnalyses } from './analyses.ts';
import { commented, readComments, requireExplained } from './board-comments.ts';
import { amountsOf, type BoardOptions, type BoardRow, boardRows } from './board-rows.ts';
import { sheetOf } from './board-sheet.ts';
import { type BoardKind, writeRowsOfBoard, writeSheets } from './board-write.ts';
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
