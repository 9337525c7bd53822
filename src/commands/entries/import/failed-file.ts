/** `--failed FILE`: the rows that were not written, as they stood in the file, each with its reason. */

import type { Context } from '../../../cli/context.ts';
import { isNumeric, plainDecimal, stringifyJson } from '../../../core/json.ts';
import { reasonColumn } from '../../../domain/import/columns.ts';
import { formatOfName } from '../../../domain/import/file.ts';
import { csvWriter } from '../../../output/formats/csv.ts';
import { tsvWriter } from '../../../output/formats/tsv.ts';
import { fileSink } from '../../../output/write/file-sink.ts';
import type { Outcomes } from './execute.ts';
import type { StoredPlan } from './stored-plan.ts';

type Row = Record<string, unknown>;

/** Writes the file where rows are left, also those that were not tried. Gives its name when there are any. */
export async function writeFailed(
  ctx: Context,
  file: string | undefined,
  plan: StoredPlan,
  { done, failed }: Outcomes,
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const rows = plan.actions.flatMap((_, index): Row[] => {
    const cells = plan.cells[index];
    if (done.has(index) || !cells) return [];
    return [{ ...cells, [reasonColumn]: failed.get(index)?.message ?? 'not tried' }];
  });
  if (rows.length === 0) return undefined;
  const sink = await fileSink(file, ctx.runtime.cwd, '--failed');
  await sink.write(textOf(file, rows, [...plan.headers.filter((header) => header !== reasonColumn), reasonColumn]));
  await sink.end();
  return file;
}

function textOf(file: string, rows: readonly Row[], headers: readonly string[]): string {
  const format = formatOfName(file) ?? 'csv';
  if (format === 'ndjson') return rows.map((row) => `${stringifyJson(nested(row))}\n`).join('');
  if (format === 'json') return `[${rows.map((row) => stringifyJson(nested(row))).join(',\n')}]\n`;
  const columns = headers.map((key) => ({ key, get: (row: Row) => cellText(row[key]) }));
  const result = { columns, header: true, json: (row: Row) => row, id: () => undefined };
  const writer =
    format === 'tsv' ? tsvWriter(result) : csvWriter(result, { crlf: false, excel: false, delimiter: ',' });
  return (writer.open?.() ?? '') + writer.rows(rows);
}

/** `values.SLUG` as the API nests it. */
function nested(row: Row): Row {
  const values = Object.entries(row).flatMap(([key, value]) =>
    key.startsWith('values.') ? [[key.slice(7), value]] : [],
  );
  if (values.length === 0) return row;
  const rest = Object.entries(row).filter(([key]) => !key.startsWith('values.'));
  return { ...Object.fromEntries(rest), values: Object.fromEntries(values) };
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (isNumeric(value)) return plainDecimal(value);
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join('; ')
    : stringifyJson(value);
}
