/** A Markdown table (GitHub's), cells as people read them, nothing cut. */

import { cleanLines } from '../terminal-text.ts';
import { displayCell, isNumberColumn } from '../values.ts';
import type { Result, RowWriter } from './writer.ts';

export function markdownWriter<Row>(result: Result<Row>): RowWriter<Row> {
  const { columns } = result;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return {
    // A Markdown table needs its header, so `--no-header` does not apply.
    open: () =>
      line(columns.map(({ heading, key }) => escapeMarkdown(heading ?? key))) +
      line(columns.map((column) => (isNumberColumn(column) ? '---:' : '---'))),
    rows: (rows) => rows.map((row) => line(columns.map((column) => escapeMarkdown(displayCell(column, row))))).join(''),
  };
}

/** Escapes text that would end a cell, start a tag or an entity, or be read as emphasis, code or a link. */
export function escapeMarkdown(text: string): string {
  return cleanLines(text)
    .replace(/[\\|`*<[]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .trim()
    .replace(/\n/g, '<br>')
    .replace(/\t/g, ' ');
}
