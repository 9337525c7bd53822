/** A self-contained page: charts as SVG, tables, a style for screens, phones and paper. No script, nothing to load. */

import { difference, magnitude, quotient } from '../../core/decimal.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { changeOf, verdictOf } from '../../domain/analysis/difference.ts';
import { isShare } from '../../domain/series/units.ts';
import { type Column, machineCell } from '../column.ts';
import { byRank, screenColumns } from '../screen-column.ts';
import { formatChange, formatNumber, isNumberColumn, type NumberStyle, shownDifference, unitLabel } from '../values.ts';
import { gapCount, headOf, type Panel, rowsOf } from './panel.ts';
import { type ChartType, darkStyle, escapeXml, svgOf } from './svg.ts';

interface Figure {
  heading: string;
  /** For wide screens and paper, and for phones. */
  wide: string;
  narrow: string;
  /** A sentence below it: gaps, what the scale is. */
  caption?: string;
}

/** A number that a reader looks for first. */
export interface KeyFigure {
  label: string;
  value: string;
  unit?: string | undefined;
  /** Its comparison: `▼ -3.7% vs budget`. */
  change?: string | undefined;
  verdict?: 'good' | 'bad' | undefined;
}

interface FigureValue {
  label: string;
  value: Numeric;
  unit: string | undefined;
  style: NumberStyle;
}

interface Baseline {
  value: Numeric | null | undefined;
  /** `vs budget` */
  words: string;
  measure: string | undefined;
  /** The catalog's: `up` and `down` make the change good or bad. */
  direction?: string | null | undefined;
}

/** A key figure with the digits that tables and pictures of the page have, and its change against another value. */
export function keyFigure({ label, value, unit, style }: FigureValue, baseline?: Baseline): KeyFigure {
  const word = unit === '%' ? '' : unitLabel(unit, style);
  const figure = {
    label,
    value: `${formatNumber(value, style)}${unit === '%' ? '%' : ''}`,
    ...(word !== '' && { unit: word }),
  };
  if (!baseline || !isNumeric(baseline.value)) return figure;
  const { value: before, measure, words, direction } = baseline;
  const gap = difference(value, before);
  const change = changeOf({ difference: gap, ratio: quotient(gap, magnitude(before)) }, measure);
  if (change === null) return figure;
  const decimals = isShare(measure) ? 2 : 1;
  const number =
    measure === 'percent'
      ? formatNumber(shownDifference({ after: value, before }, style), style)
      : formatNumber(change, { power: 0, decimals });
  const verdict = verdictOf(gap, direction);
  return {
    ...figure,
    change: `${formatChange(number, true)}${isShare(measure) ? ' pp' : '%'} ${words}`,
    ...((verdict === 'good' || verdict === 'bad') && { verdict }),
  };
}

interface PageTable<Row> {
  heading: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The styles of numbers by group or key of their column, where other parts of the page show them too. */
  styles?: ReadonlyMap<string, NumberStyle> | undefined;
  /** The names of metrics. */
  nameOf?(id: string): string | undefined;
}

interface PageParts {
  title: string;
  /** Short facts under the title: range, versions, when it was made. */
  facts: readonly string[];
  keyFigures?: readonly KeyFigure[];
  sections: readonly string[];
  /** Sentences about how the values came about. */
  notes?: readonly string[];
}

const style = `
:root { color-scheme: light dark; --paper: #fff; --ink: #222; --dim: #5c6066; --line: #e2e4e8; --head: #f4f5f7; --good: #0b7a75; --bad: #c0392b; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #16181d; --ink: #e8e8e8; --dim: #a8adb5; --line: #343841; --head: #1f2229; --good: #3fc1ae; --bad: #ff8a7a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 66rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 16px/1.45 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Roboto, Arial, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; break-after: avoid; break-inside: avoid; }
.note, .notes { color: var(--dim); font-size: .875rem; margin: 0 0 .75rem; }
.notes { padding-left: 1.1rem; overflow-wrap: anywhere; }
h3 { font-size: .95rem; margin: 0; break-after: avoid; overflow-wrap: anywhere; }
.facts { color: var(--dim); margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
.keys { display: grid; grid-template-columns: repeat(4, 1fr); gap: .75rem; margin: 1.25rem 0 0; padding: 0; }
.keys div { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .8rem; break-inside: avoid; }
.keys.few { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
.keys dt { color: var(--dim); font-size: .8rem; } .keys dd { margin: 0; font-size: .8rem; color: var(--dim); }
.keys dd.value { overflow-wrap: anywhere; font-size: 1.4rem; line-height: 1.3; font-weight: 600; color: var(--ink); font-variant-numeric: tabular-nums; }
.keys dd.value small { font-size: .8rem; font-weight: 400; color: var(--dim); }
.keys dd.good { color: var(--good); } .keys dd.bad { color: var(--bad); }
.grid { display: grid; gap: 1.25rem 1rem; grid-template-columns: 1fr; }
.grid > * { min-width: 0; }
figure { margin: 0; break-inside: avoid; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--dim); font-size: .8rem; }
.narrow { display: none; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; text-align: left; white-space: nowrap; border-bottom: 1px solid var(--line); }
thead th { background: var(--head); }
body.broad { max-width: 92rem; } section.broad table { font-size: .8rem; } section.broad th, section.broad td { padding: .3rem .4rem; }
tbody th { font-weight: 600; position: sticky; left: 0; background: var(--paper); }
tbody tr:last-child > * { border-bottom: 0; }
.number { text-align: right; } .wraps { white-space: normal; min-width: 10rem; overflow-wrap: anywhere; }
.rare { display: none; }
.good { color: var(--good); } .bad { color: var(--bad); }
@media (min-width: 40.01rem), print { .grid { grid-template-columns: repeat(6, 1fr); } .of1 { grid-column: span 6; } .of2 { grid-column: span 3; } .of3 { grid-column: span 2; } }
@media screen and (max-width: 40rem) {
  body { padding: .9rem; } .wide { display: none; } .narrow { display: block; }
  .keys, .keys.few { grid-template-columns: repeat(2, 1fr); gap: .5rem; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .keys { gap: 2mm; }
  .scroll { overflow: visible; border: 0; } .together { break-inside: avoid; } tr { break-inside: avoid; }
  thead { display: table-header-group; } table { font-size: 8pt; }
  th, td { padding: .12rem .3rem; white-space: normal; } td.number, th[scope=row] { white-space: nowrap; }
  tbody th { position: static; }
  @page { size: A4; margin: 14mm; } @page broad { size: A4 landscape; margin: 12mm; }
  body.broad { page: broad; } section.broad table { font-size: 7pt; } section.broad th, section.broad td { padding: .1rem .22rem; }
  td.good, td.bad, td.even { white-space: nowrap; }
}
${darkStyle}`;

export function pageOf({ title, facts, keyFigures = [], sections, notes = [] }: PageParts): string {
  const items = notes.map((note) => `<li>${escapeXml(note)}</li>`).join('');
  const noteSection = items === '' ? [] : [`<section>\n<h2>Notes</h2>\n<ul class="notes">${items}</ul>\n</section>`];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>${escapeXml(title)}</title>
<style>${style}
</style>
</head>
<body${sections.some((section) => section.startsWith(broadSection)) ? ' class="broad"' : ''}>
<header>
<h1>${escapeXml(title)}</h1>
<ul class="facts">${facts.map((fact) => `<li>${escapeXml(fact)}</li>`).join('')}</ul>
${strip(keyFigures)}</header>
<main>
${[...sections, ...noteSection].join('\n')}
</main>
</body>
</html>
`;
}

/** Up to this many key figures are in one row; more are in rows of four. */
const maxPerRow = 5;

function strip(figures: readonly KeyFigure[]): string {
  if (figures.length === 0) return '';
  const each = figures.map(({ label, value, unit, change, verdict }) => {
    const changeHtml = change === undefined ? '' : `<dd class="${verdict ?? ''}">${escapeXml(change)}</dd>`;
    return `<div><dt>${escapeXml(label)}</dt><dd class="value">${escapeXml(value)}${unit === undefined ? '' : ` <small>${escapeXml(unit)}</small>`}</dd>${changeHtml}</div>`;
  });
  return `<dl class="keys${figures.length <= maxPerRow ? ' few' : ''}">${each.join('')}</dl>\n`;
}

/** Figures under one heading, beside each other where there are several. */
export function figureSection(heading: string, figures: readonly Figure[], note?: string): string {
  if (figures.length === 0) return '';
  const across = acrossOf(figures.length);
  const each = figures.map(({ heading: title, wide, narrow, caption }, at) =>
    [
      `<figure class="of${across[at]}"><h3>${escapeXml(title)}</h3><div class="wide">${wide}</div><div class="narrow">${narrow}</div>`,
      `${caption ? `<figcaption>${escapeXml(caption)}</figcaption>` : ''}</figure>`,
    ].join('\n'),
  );
  const grid = `<div class="grid">\n${each.join('\n')}\n</div>`;
  const noteHtml = note === undefined ? '' : `<p class="note">${escapeXml(note)}</p>\n`;
  const together = figures.length <= maxPictures ? ' class="together"' : '';
  return `<section${together}>\n<h2>${escapeXml(heading)}</h2>\n${noteHtml}${grid}\n</section>`;
}

/** For each picture, how many its row has. */
function acrossOf(pictures: number): number[] {
  return rowsOf(pictures).flatMap((count) => Array.from({ length: count }, () => count));
}

/** The most pictures on one printed page, with their heading. */
const maxPictures = 9;

/** A table with more columns is printed across. */
const maxPortraitColumns = 9;
/** The most rows of a table that stays on one page. */
const maxUnbrokenRows = 20;
const broadSection = '<section class="broad">';

const pageLook = { isScreen: true, now: new Date(0), scale: 'auto', ascii: false, header: true } as const;

/** A table whose headers carry the columns' keys and whose cells carry the values of the CSV beside what is shown. */
export function tableSection<Row>({
  heading,
  rows,
  styles,
  nameOf = () => undefined,
  ...table
}: PageTable<Row>): string {
  const ordered = byRank(table.columns);
  const isEmpty = (column: Column<Row>) => rows.every((row) => machineCell(column.get(row)) === '');
  const empty = rows.length === 0 ? [] : ordered.slice(1).filter(isEmpty);
  const columns = ordered.filter((column) => !empty.includes(column));
  // Only missing numbers are worth a note.
  const left = empty.filter(isNumberColumn).map(({ heading = '', key }) => heading || key);
  const emptyNote =
    left.length === 0 ? '' : `<p class="note">Not shown, because empty: ${escapeXml(left.join(', '))}.</p>\n`;
  const classOf = (column: Column<Row>, row?: Row) => {
    const color = row && column.tones?.[String(column.get(row))];
    const names = [
      ...(isNumberColumn(column) ? ['number'] : []),
      ...(column.hidden === true || column.hidden === 'screen' ? ['rare'] : []),
      ...(column.wraps ? ['wraps'] : []),
      ...(color === 'green' ? ['good'] : color === 'red' ? ['bad'] : []),
    ];
    return names.length > 0 ? ` class="${names.join(' ')}"` : '';
  };
  const screen = screenColumns(columns, rows, { ...pageLook, nameOf }, { styles });
  const head = screen.map(({ column, heading }) => {
    return `<th scope="col" data-key="${escapeXml(column.key)}"${classOf(column)}>${escapeXml(heading)}</th>`;
  });
  const body = rows.map((row) => {
    const cells = screen.map(({ column, text }, index) => {
      const name = index === 0 ? 'th scope="row"' : 'td';
      const value = machineCell(column.get(row));
      return `<${name} data-value="${escapeXml(value)}"${classOf(column, row)}>${escapeXml(text(row))}</${name.slice(0, 2)}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  const id = heading.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const visibleCount = columns.filter(({ hidden }) => hidden !== true).length;
  const start = visibleCount > maxPortraitColumns ? broadSection : '<section>';
  const scroll = `<div class="scroll${rows.length <= maxUnbrokenRows ? ' together' : ''}" id="${id}" tabindex="0">`;
  return `${start}\n<h2>${escapeXml(heading)}</h2>\n${emptyNote}${scroll}<table><thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody></table></div>\n</section>`;
}

/** Panels as figures of a page: each picture in two sizes, with what must be said below it. */

const narrow = 360;
/** The size of a picture, by the number of pictures in a row. */
const wide = [
  { width: 960, height: 330 },
  { width: 470, height: 260 },
  { width: 320, height: 230 },
];

/** A figure for each panel, with its gaps and notes in the caption. */
export function panelFigures(panels: readonly Panel[], type: ChartType): Figure[] {
  const across = acrossOf(panels.length);
  return panels.map((panel, at) => {
    const size = wide[(across[at] ?? 1) - 1] ?? { width: 960, height: 330 };
    const { notes = [], ...picture } = panel;
    const gaps = panel.series.flatMap((series) => {
      const count = gapCount(series);
      return count === 0 ? [] : [`${series.label}: ${count === 1 ? '1 gap' : `${count} gaps`}`];
    });
    return {
      heading: headOf(panel),
      wide: svgOf([picture], { type, ...size, titles: false }),
      narrow: svgOf([picture], { type, width: narrow, height: 240, titles: false }),
      caption: [...gaps, ...notes].join('; '),
    };
  });
}
