/** A self-contained page: charts as SVG, tables, a style for screens, phones and paper. No script, nothing to load. */

import { displayCell, isNumberColumn, machineCell } from '../cells.ts';
import type { Column } from '../column.ts';
import { cleanLine } from '../terminal-text.ts';

export interface Figure {
  heading: string;
  /** For wide screens and paper, and for phones. */
  wide: string;
  narrow: string;
  /** A sentence below it: gaps, what the scale is. */
  caption?: string;
}

interface PageTable<Row> {
  heading: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}

interface PageParts {
  title: string;
  /** Short facts under the title: range, versions, when it was made. */
  facts: readonly string[];
  sections: readonly string[];
}

const style = `
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.25rem; background: #fff; color: #222;
  font: 16px/1.45 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
.facts { color: #555; margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
figure { margin: 0 0 1rem; break-inside: avoid; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: #555; font-size: .875rem; }
.narrow { display: none; }
.scroll { overflow-x: auto; -webkit-overflow-scrolling: touch; border: 1px solid #ddd; border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; text-align: left; white-space: nowrap; border-bottom: 1px solid #eee; }
thead th { background: #f6f6f6; border-bottom: 1px solid #ccc; }
tbody th { font-weight: 600; position: sticky; left: 0; background: #fff; }
tbody tr:last-child > * { border-bottom: 0; }
.number { text-align: right; }
.rare { display: none; }
.good { color: #0b7a75; } .bad { color: #c0392b; }
@media (max-width: 40rem) {
  body { padding: .9rem; } .wide { display: none; } .narrow { display: block; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; } .wide { display: block; } .narrow { display: none; }
  .scroll { overflow: visible; border: 0; } h2 { break-after: avoid; } tr { break-inside: avoid; }
  thead { display: table-header-group; } th, td { padding: .15rem .35rem; white-space: normal; }
  @page { margin: 14mm; }
}`;

export function pageOf({ title, facts, sections }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>${html(title)}</title>
<style>${style}
</style>
</head>
<body>
<header>
<h1>${html(title)}</h1>
<ul class="facts">${facts.map((fact) => `<li>${html(fact)}</li>`).join('')}</ul>
</header>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`;
}

/** Figures under one heading. */
export function figureSection(heading: string, figures: readonly Figure[]): string {
  if (figures.length === 0) return '';
  const each = figures.map(({ heading: title, wide, narrow, caption }) =>
    [
      `<h3>${html(title)}</h3>`,
      `<figure><div class="wide">${wide}</div><div class="narrow">${narrow}</div>`,
      `${caption ? `<figcaption>${html(caption)}</figcaption>` : ''}</figure>`,
    ].join('\n'),
  );
  return `<section>\n<h2>${html(heading)}</h2>\n${each.join('\n')}\n</section>`;
}

/** A table whose headers carry the columns' keys and whose cells carry the values of the CSV beside what is shown. */
export function tableSection<Row>({ heading, columns, rows }: PageTable<Row>): string {
  const classOf = (column: Column<Row>, row?: Row) => {
    const verdict = row && /(^|[.])verdict$/.test(column.key) ? String(column.get(row)) : '';
    const names = [isNumberColumn(column) ? 'number' : '', column.hidden ? 'rare' : '', verdict].filter(Boolean);
    return names.length > 0 ? ` class="${names.join(' ')}"` : '';
  };
  const head = columns.map((column) => {
    const unit = typeof column.unit === 'string' && column.unit !== '' ? ` (${column.unit})` : '';
    const text = `${column.heading ?? column.key}${unit}`;
    return `<th scope="col" data-key="${html(column.key)}"${classOf(column)}>${html(cleanLine(text))}</th>`;
  });
  const body = rows.map((row) => {
    const cells = columns.map((column, index) => {
      const name = index === 0 ? 'th scope="row"' : 'td';
      const shown = displayCell(typeof column.unit === 'string' ? { ...column, unit: undefined } : column, row);
      const value = machineCell(column.get(row));
      return `<${name} data-value="${html(value)}"${classOf(column, row)}>${html(cleanLine(shown))}</${name.slice(0, 2)}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  const table = `<table><thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody></table>`;
  const id = heading.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `<section>\n<h2>${html(heading)}</h2>\n<div class="scroll" id="${id}" tabindex="0">${table}</div>\n</section>`;
}

function html(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}
