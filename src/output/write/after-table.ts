/** What is said after a result: what a table does not show, what people do next, what a file contains. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RowsOptions } from '../output.ts';
import { groupDigits } from '../values.ts';
import type { Target } from './target.ts';

type Said<Row> = Pick<RowsOptions<Row>, 'counts' | 'total' | 'next'>;

/** After the rows of a table. */
export function sayAfterTable<Row>(
  { left, messages, toScreen, settings }: Target,
  rows: number,
  says: Said<Row>,
): void {
  if (left.columns.length > 0) {
    messages.aside(`No room for ${some(left.columns)}: --fields picks columns, --no-truncate shows all.`);
  }
  if (!toScreen) return;
  if (left.empty.length > 0) messages.aside(`Empty, and so not shown: ${some(left.empty)}.`);
  const total = settings.limit === undefined ? undefined : says.total?.();
  // There may be more, and nobody counted them.
  const part =
    total === undefined
      ? rows > 0 && rows === settings.limit
        ? 'first '
        : ''
      : total > rows
        ? `${counted(rows)} of `
        : '';
  const count = says.counts && `${part}${nounOf(says.counts, total ?? rows)}`;
  const next = says.next && (settings.typed?.(says.next) ?? says.next);
  const parts = [count, next, left.ids ? '-o id for ids' : undefined].filter((part) => part !== undefined);
  if (parts.length > 0) messages.aside(parts.join(' · '));
}

function nounOf([one, many]: readonly [string, string], count: number): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

function some(names: readonly string[]): string {
  const more = names.length > 4 ? ` and ${names.length - 4} more` : '';
  return names.slice(0, 4).join(', ') + more;
}

const counted = (count: number) => groupDigits(String(count));

/** On a terminal: a file that was written, and how much is in it. */
export function sayWritten({ messages, runtime, fileName, toFile }: Target, rows?: number): void {
  const name = toFile ? fileName() : undefined;
  if (name === undefined || !runtime.terminal.stderrIsTTY) return;
  const found = statSync(resolve(runtime.cwd, name), { throwIfNoEntry: false });
  if (!found?.isFile()) return;
  const what = rows === undefined ? '' : `${counted(rows)} ${rows === 1 ? 'row' : 'rows'} to `;
  messages.note(`Wrote ${what}${name} (${sizeOf(found.size)})`);
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [unit, size] = bytes < 1e6 ? ['kB', bytes / 1e3] : bytes < 1e9 ? ['MB', bytes / 1e6] : ['GB', bytes / 1e9];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
