/** What keeps rows from being imported: the whole file is refused, or the rows are left out. */
import { amount } from '../../../cli/words.ts';
import { Failure } from '../../../core/errors.ts';
import { type Rows, Spool } from '../../../core/spool.ts';
import type { ImportAction } from '../../../domain/import/plan.ts';
import { cellText, isUnitCell, isWrongCell } from '../../../domain/import/sheet-cells.ts';
import { type ImportIssue, inFileOrder, placeOf, type Remedy, type SourceTable } from '../../../domain/import/table.ts';

/** A row that is not imported, and the first reason. */
export interface RefusedRow {
  cells: Record<string, unknown>;
  line: number;
  column: string;
  reason: string;
}

export function refuse(issues: readonly ImportIssue[], name: string, table: SourceTable): void {
  if (issues.length === 0) return;
  const details = inFileOrder(issues).map((issue) => {
    const { remedy: _, ...rest } = issue;
    return { ...rest, message: messageOf(issue), path: placeOf(issue, table.place) };
  });
  throw new Failure(
    'usage',
    `${name} cannot be imported: ${amount(issues.length, 'error', 'errors')}; nothing was written`,
    {
      code: 'invalid_file',
      details: { issues: details },
    },
  );
}

/** The rows that have issues; undefined if some issue is not of a row, or no row would be left. */
export function refusedRows(issues: readonly ImportIssue[], table: SourceTable): Spool<RefusedRow> | undefined {
  const first = new Map<number, ImportIssue>();
  for (const issue of inFileOrder(issues)) {
    if (issue.line === undefined) return undefined;
    if (!first.has(issue.line)) first.set(issue.line, issue);
  }
  if (first.size >= table.rows.length) return undefined;
  const refused = new Spool<RefusedRow>();
  let index = 0;
  for (const { line } of table.rows) {
    const issue = first.get(line);
    if (issue)
      refused.push({ cells: recordOf(table, index), line, column: issue.column ?? '', reason: messageOf(issue) });
    first.delete(line);
    index += 1;
  }
  return first.size > 0 ? undefined : refused;
}

/** The actions of rows that are not refused. */
export function withoutRefused(actions: Rows<ImportAction>, refused: Rows<RefusedRow>): Rows<ImportAction> {
  if (refused.length === 0) return actions;
  const lines = new Set<number>();
  for (const { line } of refused) lines.add(line);
  const left = new Spool<ImportAction>();
  for (const action of actions) if (!('line' in action && lines.has(action.line))) left.push(action);
  return left;
}

export function recordOf(table: SourceTable, row: number): Record<string, unknown> {
  const cells = table.rows.at(row)?.cells ?? [];
  return Object.fromEntries(
    table.headers.flatMap((header, index) => (cells[index] === undefined ? [] : [[header, plainCell(cells[index])]])),
  );
}

/** A cell of a sheet as a value that another file can hold. */
function plainCell(cell: unknown): unknown {
  if (isWrongCell(cell)) return '';
  return isUnitCell(cell) ? `${cellText(cell)}${cell.unit === '%' ? '%' : ` ${cell.unit}`}` : cell;
}

function messageOf({ message, remedy, column }: ImportIssue): string {
  return `${message}${remedy === undefined ? '' : howTo(remedy, column ?? 'COLUMN')}`;
}

/** How the flags solve an issue, as the end of its message. */
function howTo(remedy: Remedy, column: string): string {
  switch (remedy) {
    case 'choose':
      return `; choose one with --map '${column}=SLUG'`;
    case 'name':
      return `; name it with --map '${column}=SLUG', leave it out with --map '${column}=', or name all with --header NAME,…`;
    case 'own':
      return `; keep it as an attribute with --map '${column}=SLUG', or leave it out with --map '${column}='`;
    case 'leaveOut':
      return `; leave one out with --map '${column}='`;
    case 'match':
      return `; match it with --map '${column}=SLUG', leave it out with --map '${column}=', or add it with --create-attrs`;
    case 'title':
      return "; name its column with --map 'COLUMN=title'";
  }
}
