/** The board as a table, a page, Markdown, a workbook or rows. */

import type { Context } from '../../cli/context.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { timeFact } from '../../cli/show.ts';
import { pageOf, tableSection } from '../../output/chart/page.ts';
import type { Column } from '../../output/column.ts';
import { bandedTable } from '../../output/formats/layout.ts';
import { escapeMarkdown, markdownWriter } from '../../output/formats/markdown.ts';
import { cleanLine } from '../../output/terminal-text.ts';
import { type Analyses, withCompanies } from './analyses.ts';
import { type BoardOptions, type BoardRow, boardColumns } from './board-rows.ts';
import { type BoardCell, type BoardLine, explanation, type Sheet } from './board-sheet.ts';
import type { Analysis } from './read.ts';

export type BoardKind = 'rows' | 'table' | 'md' | 'xlsx' | 'html';

export async function writeRowsOfBoard(
  ctx: Context,
  analyses: Analyses,
  parts: readonly CompanyPart<BoardRow[]>[],
  options: BoardOptions,
  comments: boolean,
): Promise<void> {
  const rows = parts.flatMap(({ who, value }) =>
    value.map(({ currency, ...row }) => ({
      ...{ ...who, ...row },
      ...(analyses.mixed && currency !== undefined && { currency }),
    })),
  );
  await ctx.out.rows(rows, withCompanies(analyses, boardColumns(options, comments)), {
    id: (row) => row.metricId,
    empty: 'No values in the range.',
  });
}

export async function writeSheets(
  ctx: Context,
  kind: Exclude<BoardKind, 'rows'>,
  sheets: readonly Sheet[],
  oneSheet: boolean,
  analyses: Analyses,
): Promise<void> {
  if (kind === 'xlsx') {
    const { boardWorkbook } = await import('./board-workbook.ts');
    return ctx.out.bytes(await boardWorkbook(ctx, sheets, oneSheet));
  }
  if (kind === 'html') return ctx.out.text(await page(ctx, sheets, analyses));
  const { stdoutIsTTY, columns } = ctx.runtime.terminal;
  const fits = stdoutIsTTY && ctx.settings.truncate && (ctx.settings.out ?? '-') === '-';
  const parts = await Promise.all(
    sheets.map((sheet) =>
      kind === 'md' ? markdown(sheet) : screen(fits ? filled(sheet) : sheet, fits ? columns : undefined),
    ),
  );
  await ctx.out.text(parts.join('\n'));
  const left = fits && kind === 'table' ? new Set(sheets.flatMap(emptyHeadings)) : [];
  if ([...left].length > 0) ctx.out.aside(`Empty, and so not shown: ${[...left].join(', ')}.`);
}

/** The headings below which no period and no metric has a value. */
function emptyHeadings({ lines }: Sheet): string[] {
  const cells = lines.flatMap(({ cells }) => cells.flat());
  const used = new Set(cells.flatMap(({ heading, text }) => (text === '' ? [] : [heading])));
  return [...new Set(cells.map(({ heading }) => heading))].filter((heading) => heading !== '' && !used.has(heading));
}

/** A screen has no room for what is empty. */
function filled(sheet: Sheet): Sheet {
  const empty = new Set(emptyHeadings(sheet));
  const withValues = (cells: readonly BoardCell[]) => cells.filter(({ heading }) => !empty.has(heading));
  return { ...sheet, lines: sheet.lines.map((line) => ({ ...line, cells: line.cells.map(withValues) })) };
}

function screen({ company, periods, lines, explained }: Sheet, room: number | undefined): string {
  const table = bandedTable(
    {
      lead: [
        { heading: 'Metric', cells: lines.map(({ label }) => label) },
        { heading: 'Unit', cells: lines.map(({ unit }) => unit) },
      ],
      bands: periods.map(({ heading }, at) => ({
        heading,
        columns: (lines[0]?.cells[at] ?? []).map(({ heading, kind }, column) => ({
          heading,
          align: kind === 'verdict' ? 'left' : 'right',
          cells: lines.map(({ cells }) => cells[at]?.[column]?.text ?? ''),
        })),
      })),
    },
    room,
  );
  const notes = explained.map(({ metric, period, percent, text }) =>
    cleanLine(
      `${text === undefined ? '!' : '*'} ${[metric, period, percent].filter((word) => word !== '').join(' ')}: ${explanation(text)}`,
    ),
  );
  const head = company === undefined ? '' : `${cleanLine(company)}\n`;
  return `${head}${table}${notes.length > 0 ? `\n${notes.join('\n')}\n` : ''}`;
}

/** Metric and unit. */
const leads = 2;

/** A column for each cell of the bands. */
function columnsOf({ periods, lines: [first] }: Sheet): Column<BoardLine>[] {
  return [
    { key: 'label', heading: 'Metric', get: (line) => line.label },
    { key: 'unit', heading: 'Unit', get: (line) => line.unit },
    ...periods.flatMap(({ key, heading }, at) =>
      (first?.cells[at] ?? []).map((cell, column): Column<BoardLine> => {
        const of = (line: BoardLine): BoardCell | undefined => line.cells[at]?.[column];
        return {
          key: `${key}.${cell.key}`,
          heading: `${heading} ${cell.heading || 'verdict'}`,
          ...(cell.kind !== 'verdict' && { type: 'number' as const }),
          get: (line) => of(line)?.value,
          shown: (line) => of(line)?.text ?? '',
        };
      }),
    ),
  ];
}

type Explained = Sheet['explained'][number];

const explainedColumns: readonly Column<Explained>[] = [
  { key: 'metric', heading: 'Metric', get: (row) => row.metric, shown: (row) => row.label },
  { key: 'period', heading: 'Period', get: (row) => row.period },
  { key: 'percent', heading: 'Variance', get: (row) => row.percent },
  { key: 'text', heading: 'Explanation', get: (row) => explanation(row.text) },
];

async function markdown(sheet: Sheet): Promise<string> {
  const table = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]) => {
    const writer = markdownWriter({ columns, json: (row) => row, id: () => undefined, header: true });
    return `${writer.open?.() ?? ''}${writer.rows(rows)}`;
  };
  const head = sheet.company === undefined ? '' : `## ${escapeMarkdown(sheet.company)}\n\n`;
  const explained = sheet.explained.length > 0 ? `\n${table(explainedColumns, sheet.explained)}` : '';
  return `${head}${table(columnsOf(sheet), sheet.lines)}${explained}`;
}

async function page(ctx: Context, sheets: readonly Sheet[], analyses: Analyses): Promise<string> {
  const sections = sheets.flatMap((sheet) => {
    const of = sheet.company === undefined ? 'Explanations' : `${sheet.company}: explanations`;
    const [first] = sheet.lines;
    return [
      tableSection({
        ...{ heading: sheet.company ?? 'Board', columns: shortHeaded(sheet), rows: sheet.lines },
        bands: sheet.periods.map(({ heading }, at) => ({ heading, count: first?.cells[at]?.length ?? 0 })),
        isSum: (line) => line.subtotal,
      }),
      ...(sheet.explained.length > 0
        ? [tableSection({ heading: of, columns: explainedColumns, rows: sheet.explained })]
        : []),
    ];
  });
  const keys = sheets.flatMap(({ periods }) => periods.map(({ key }) => key)).sort();
  const facts = [`${keys[0]} to ${keys.at(-1)}`, timeFact(ctx)];
  const { companyTitle } = await import('../../cli/picture.ts');
  const company = await companyTitle(ctx, analyses, 'ask');
  const [only] = analyses.parts;
  const figures =
    analyses.parts.length === 1 && only
      ? (await import('./chart-page.ts')).keyFigures(only.value, planOf(only.value))
      : [];
  return pageOf({ title: company === undefined ? 'Board' : `${company}: board`, facts, keyFigures: figures, sections });
}

function planOf({ items }: Analysis): 'budget' | 'forecast' | undefined {
  return (['budget', 'forecast'] as const).find((version) => [...items].some((item) => item.version === version));
}

/** Columns under the headings of their periods. */
function shortHeaded(sheet: Sheet): Column<BoardLine>[] {
  const shorts = sheet.periods.flatMap((_, at) => (sheet.lines[0]?.cells[at] ?? []).map(({ heading }) => heading));
  return columnsOf(sheet).map((column, at) => (at < leads ? column : { ...column, heading: shorts[at - leads] ?? '' }));
}
