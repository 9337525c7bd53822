/** Saved exports of a series, and how two of them differ. */

import type { Context } from '../../cli/context.ts';
import { readCsv } from '../../core/csv.ts';
import { JsonSyntaxError, usage } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { percent } from '../../domain/analysis/growth.ts';
import { identity, NotASeries, type Reading, readings, restatements } from '../../domain/analysis/saved.ts';
import type { RestatementRow } from './columns.ts';

interface Saved {
  readings: Reading[];
  /** False where null and absent look alike. */
  tellsNull: boolean;
}

/** @param file a path, or `-` for stdin. @throws usage naming the file and what is wrong with it */
export async function readSaved(ctx: Context, file: string): Promise<Saved> {
  if (/\.(?:xlsx|parquet)$/i.test(file)) throw binary(file);
  const text = await ctx.readArgument(file === '-' ? '-' : `@${file}`);
  const name = file === '-' ? 'stdin' : file;
  try {
    return readings(await parse(text, name));
  } catch (error) {
    if (error instanceof NotASeries) {
      throw usage(
        `${name}: ${error.message}`,
        'it must be what `comem metrics series` writes as csv, tsv, json, ndjson or yaml',
      );
    }
    if (error instanceof JsonSyntaxError) throw usage(`${name} is not valid JSON: ${error.message}`);
    throw error;
  }
}

/**
 * What differs; nulls are ignored if one of the two cannot tell them from missing values.
 * @param partial values of as many months are not required
 * @returns the differences, and how many values were not compared, since one of the periods was not complete
 */
export function savedDifferences(
  before: Saved,
  after: Saved,
  partial: boolean,
): { rows: RestatementRow[]; skipped: number } {
  const nulls = before.tellsNull && after.tellsNull;
  const months = new Map(before.readings.map((reading) => [identity(reading), reading.months]));
  const unlike = new Set(
    after.readings.flatMap((reading) => {
      const key = identity(reading);
      return !partial && months.has(key) && months.get(key) !== reading.months ? [key] : [];
    }),
  );
  const known = (saved: Saved) =>
    saved.readings.filter((reading) => (nulls || reading.value !== null) && !unlike.has(identity(reading)));
  const rows = restatements(known(before), known(after)).map(({ ratio, ...rest }) => ({
    ...rest,
    percent: percent(ratio),
  }));
  return { rows, skipped: unlike.size };
}

function binary(name: string) {
  return usage(`${name} is a workbook or a Parquet file`, 'as csv or json to compare it');
}

async function parse(text: string, name: string): Promise<unknown> {
  const start = text.trimStart();
  if (start === '') throw usage(`${name} is empty`);
  if (start.startsWith('[')) return parseJson(text);
  if (start.startsWith('{')) {
    // NDJSON has one object on each line; a response of the API is one object over one or many lines.
    const lines = start.split('\n').filter((line) => line.trim() !== '');
    const each = lines.every((line) => line.trimStart().startsWith('{') && line.trimEnd().endsWith('}'));
    return each && (lines.length > 1 || !/"items"\s*:/.test(start))
      ? lines.map((line) => parseJson(line))
      : parseJson(text);
  }
  if (start.startsWith('PK') || start.startsWith('PAR1')) throw binary(name);
  if (start.startsWith('- ')) return (await (await import('../../core/yaml.ts')).readYaml(text, name)).value;
  const [header, ...rows] = await readCsv(text, { name });
  return { header: header?.cells ?? [], rows: rows.map(({ cells }) => cells) };
}
