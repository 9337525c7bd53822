/** Whether a table is an export of entries that comem wrote, by its columns and ids. */
import { isUuid } from '../../contract/validate.ts';
import type { Rows } from '../../core/spool.ts';

const fixed = ['id', 'title', 'position', 'archived', 'created_at', 'updated_at'];

/** `whole`: with every fixed column; `part`: some columns, with the ids; undefined: another program's table. */
export function ownExport(
  headers: readonly string[],
  rows: Rows<{ cells: readonly unknown[] }>,
): 'whole' | 'part' | undefined {
  const id = headers.indexOf('id');
  if (id < 0 || rows.length === 0) return undefined;
  for (const { cells } of rows) {
    const cell = cells[id];
    if (typeof cell !== 'string' || !isUuid(cell)) return undefined;
  }
  return fixed.every((name) => headers.includes(name)) ? 'whole' : 'part';
}
