/** A board as people read it, metrics as rows and a band of columns for each period: as a table, Markdown or a page. */

import type { Context } from '../../cli/context.ts';
import { timeFact } from '../../cli/show.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { markedPeriod } from '../../core/periods.ts';
import { digitsOf, fixed, type Scale, scaled } from '../../domain/analysis/board.ts';
import { pageOf, tableSection } from '../../output/chart/page.ts';
import type { Column } from '../../output/column.ts';
import { bandedTable } from '../../output/formats/layout.ts';
import { escapeMarkdown, markdownWriter } from '../../output/formats/markdown.ts';
import { cleanLine } from '../../output/terminal-text.ts';
import { groupDigits } from '../../output/values.ts';
import type { Analyses } from './analyses.ts';
import type { BoardOptions, BoardRow } from './board-rows.ts';
import { isPercent, versionHeadings } from './columns.ts';
import type { Analysis } from './read.ts';

/** The format of a row's numbers. */
interface NumberFormat {
  scale: Scale;
  digits: number;
}

/** A number of a cell with everything that shows it. */
interface BoardCell extends NumberFormat {
  kind: 'amount' | 'percent' | 'verdict';
  key: string;
  heading: string;
  value: Numeric | string | null | undefined;
  text: string;
  verdict: string | undefined;
}

interface BoardLine {
  company?: string;
  metricId: string;
  label: string;
  unit: string;
  subtotal: boolean;
  /** Cells by period, in order. */
  cells: BoardCell[][];
}

interface Explanation {
  metric: string;
  label: string;
  period: string;
  percent: string;
  text: string;
  /** `!`: it is missing; `*`: it is given; `-`: a note on a total. */
  mark: '!' | '*' | '-';
}

interface Sheet {
  company: string | undefined;
  periods: { key: string; heading: string }[];
  lines: BoardLine[];
  /** Explanations, present and missing. */
  explained: Explanation[];
}

export function sheetOf(
  company: string | undefined,
  rows: readonly BoardRow[],
  options: BoardOptions,
  { scale, digits }: { scale: Scale; digits: number | undefined },
): Sheet {
  const keys = [...new Set(rows.map(({ periodKey }) => periodKey))].sort();
  const periods = keys.map((key) => {
    // The least complete of its metrics marks the period.
    const [months] = rows.flatMap((row) => (row.periodKey === key ? (row.months ?? []) : [])).sort();
    return { key, heading: markedPeriod(key, months) };
  });
  const lines = [...new Set(rows.map(({ metricId }) => metricId))].map((id): BoardLine => {
    const ofMetric = rows.filter(({ metricId }) => metricId === id);
    const [first] = ofMetric;
    const amountScale = first?.currency === undefined ? 'none' : scale;
    const values = ofMetric.flatMap(({ actual, budget, forecast, difference }) =>
      [actual, budget, forecast, difference].filter(isNumeric),
    );
    const amounts = { scale: amountScale, digits: digitsOf(values, amountScale, digits) };
    return {
      ...(company !== undefined && { company }),
      metricId: id,
      label: first?.label ?? id,
      unit: [first?.unit ?? '', amountScale === 'none' ? '' : amountScale].filter((word) => word !== '').join(' '),
      subtotal: first?.subtotal ?? false,
      cells: keys.map((key) => {
        const row = ofMetric.find(({ periodKey }) => periodKey === key);
        return cellsOf(row, options, { amounts, percents: { scale: 'none', digits: digits ?? 1 } });
      }),
    };
  });
  const explanation = (row: BoardRow, text: string, mark: Explanation['mark']): Explanation => ({
    metric: row.metricId,
    label: row.label ?? row.metricId,
    period: row.periodKey,
    percent: percentText(row, digits ?? 1),
    text,
    mark,
  });
  const explained = rows.flatMap((row) => [
    ...(row.material || row.comment !== undefined
      ? [explanation(row, row.comment ?? 'not explained', row.comment === undefined ? '!' : '*')]
      : []),
    ...(row.without === undefined ? [] : [explanation(row, row.without, '-')]),
  ]);
  return { company, periods, lines, explained };
}

function cellsOf(
  row: BoardRow | undefined,
  { versions, against }: BoardOptions,
  { amounts, percents }: { amounts: NumberFormat; percents: NumberFormat },
): BoardCell[] {
  const verdict = row?.verdict;
  const amount = (key: string, heading: string, value: Numeric | null | undefined): BoardCell => ({
    kind: 'amount',
    key,
    heading,
    value,
    text: numberText(value, amounts),
    ...amounts,
    verdict,
  });
  const cells = versions.map((version) => amount(version, versionHeadings[version], row?.[version]));
  if (against === undefined) return cells;
  const word = verdict === undefined || verdict === 'unknown' ? '' : verdict;
  // `!`: has to be explained; `*`: is explained.
  const mark = row?.comment !== undefined ? '*' : row?.material ? '!' : '';
  return [
    ...cells,
    amount('difference', 'Variance', row?.difference),
    {
      kind: 'percent',
      key: 'percent',
      heading: '%',
      value: row?.percent,
      text: row ? percentText(row, percents.digits) : '',
      ...percents,
      verdict,
    },
    {
      kind: 'verdict',
      key: 'verdict',
      heading: '',
      value: word,
      text: [word, mark].filter(Boolean).join(' '),
      ...amounts,
      verdict,
    },
  ];
}

/** The change of a percentage is in points, with one digit more. */
function percentText({ percent, unit }: BoardRow, digits: number): string {
  if (!isNumeric(percent)) return '';
  return isPercent(unit) ? `${groupDigits(fixed(percent, digits + 1))} pp` : `${groupDigits(fixed(percent, digits))}%`;
}

function numberText(value: unknown, { scale, digits }: NumberFormat): string {
  return isNumeric(value) ? groupDigits(fixed(scaled(value, scale), digits)) : '';
}

export type SheetFormat = 'table' | 'md' | 'html';

export async function writeSheets(
  ctx: Context,
  kind: SheetFormat,
  sheets: readonly Sheet[],
  analyses: Analyses,
): Promise<void> {
  if (kind === 'html') return ctx.out.text(await page(ctx, sheets, analyses));
  if (kind === 'md') return ctx.out.text(sheets.map(markdown).join('\n'));
  const { stdoutIsTTY, columns } = ctx.runtime.terminal;
  const fits = stdoutIsTTY && ctx.settings.truncate && (ctx.settings.out ?? '-') === '-';
  await ctx.out.text(sheets.map((sheet) => (fits ? screen(filled(sheet), columns) : screen(sheet))).join('\n'));
  const empty = fits ? new Set(sheets.flatMap(emptyHeadings)) : new Set();
  if (empty.size > 0) ctx.out.aside(`Empty, and so not shown: ${[...empty].join(', ')}.`);
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

function screen({ company, periods, lines, explained }: Sheet, room?: number): string {
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
  const notes = explained.map(({ metric, period, percent, text, mark }) =>
    cleanLine(`${mark} ${[metric, period, percent].filter((word) => word !== '').join(' ')}: ${text}`),
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
        const cellOf = (line: BoardLine): BoardCell | undefined => line.cells[at]?.[column];
        return {
          key: `${key}.${cell.key}`,
          heading: `${heading} ${cell.heading || 'verdict'}`,
          ...(cell.kind !== 'verdict' && { type: 'number' as const }),
          get: (line) => cellOf(line)?.value,
          shown: (line) => cellOf(line)?.text ?? '',
        };
      }),
    ),
  ];
}

const explainedColumns: readonly Column<Explanation>[] = [
  { key: 'metric', heading: 'Metric', get: (row) => row.metric, shown: (row) => row.label },
  { key: 'period', heading: 'Period', get: (row) => row.period },
  { key: 'percent', heading: 'Variance', get: (row) => row.percent },
  { key: 'text', heading: 'Explanation', get: (row) => row.text },
];

function markdown(sheet: Sheet): string {
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
    const explanations = sheet.company === undefined ? 'Explanations' : `${sheet.company}: explanations`;
    const [first] = sheet.lines;
    return [
      tableSection({
        heading: sheet.company ?? 'Board',
        columns: shortHeaded(sheet),
        rows: sheet.lines,
        bands: sheet.periods.map(({ heading }, at) => ({ heading, count: first?.cells[at]?.length ?? 0 })),
        isSum: (line) => line.subtotal,
      }),
      ...(sheet.explained.length > 0
        ? [tableSection({ heading: explanations, columns: explainedColumns, rows: sheet.explained })]
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
