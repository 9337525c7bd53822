/** Entries of another list as JSON: their options by labels, which this list may know, instead of ids that it cannot. */
import type { Context } from '../../../cli/context.ts';
import { getList } from '../../../contract/list-operations.ts';
import { isId } from '../../../contract/validate.ts';
import { Failure } from '../../../core/errors.ts';
import { mapRows } from '../../../core/spool.ts';
import { type Attribute, optionLabel } from '../../../domain/entries/options.ts';
import type { SourceTable } from '../../../domain/import/table.ts';

export async function withLabels(ctx: Context, listId: string, table: SourceTable): Promise<SourceTable> {
  const at = table.json ? table.headers.indexOf('list_id') : -1;
  if (at < 0) return table;
  const ids = new Set<unknown>();
  for (const { cells } of table.rows) ids.add(cells[at]);
  const others = new Map<unknown, readonly Attribute[]>();
  for (const id of ids) {
    if (typeof id !== 'string' || !isId(id) || id.toLowerCase() === listId.toLowerCase()) continue;
    others.set(id, await attributesOf(ctx, id));
  }
  if (others.size === 0) return table;
  const rows = mapRows(table.rows, ({ line, cells }) => {
    const attributes = others.get(cells[at]);
    if (attributes === undefined) return { line, cells };
    return {
      line,
      cells: cells.map((cell, index) => {
        const attribute = attributes.find(({ slug }) => table.headers[index] === `values.${slug}`);
        return attribute?.config?.options ? labelsOf(attribute, cell) : cell;
      }),
    };
  });
  return { ...table, rows };
}

function labelsOf(attribute: Attribute, cell: unknown): unknown {
  if (Array.isArray(cell)) return cell.map((item: unknown) => labelsOf(attribute, item));
  return typeof cell === 'string' ? optionLabel(attribute, cell) : cell;
}

/** None, and a warning, where that list is of another API. */
async function attributesOf(ctx: Context, listId: string): Promise<readonly Attribute[]> {
  try {
    return (await (await ctx.client()).call(getList, { params: { listId } })).list_attributes ?? [];
  } catch (error) {
    if (!(error instanceof Failure) || (error.kind !== 'notFound' && error.kind !== 'credential')) throw error;
    ctx.out.warn(
      `the rows are of the list ${listId}, which cannot be read here: options go by their ids; an export as CSV has their labels`,
    );
    return [];
  }
}
