import { selectedRows } from '../../cli/asking.ts';
import type { Context } from '../../cli/context.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { shortAskFlags } from '../../cli/query.ts';
import { amount } from '../../cli/words.ts';
import { readCsv } from '../../core/csv.ts';
import { Failure, JsonSyntaxError, usage } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { percent } from '../../domain/analysis/growth.ts';
import { identity, NotASeries, type Reading, readings, restatements } from '../../domain/analysis/saved.ts';
import { companyColumns, type RestatementRow, restatementColumns } from './columns.ts';
import { partialFlag } from './flags.ts';
import { askAnalysis, showAnalysis } from './several.ts';

export default defineCommand({
  path: 'metrics diff',
  summary: 'Compare two saved exports of a series',
  description: [
    'Lists the values that were changed, added or removed between two exports that `comem metrics series` wrote as csv, tsv, json, ndjson or yaml. The exports may have different formats and shapes. Numbers are compared by value: 1.10 and 1.1 are equal.',
    'An empty cell of a table may be a null or a missing value, except in long rows. If one file is such a table, nulls are ignored in both. A value of a period that was complete in one of them only is compared with --partial.',
  ].join('\n\n'),
  operations: [],
  args: [
    { name: 'A', summary: 'the earlier export; - is stdin', names: 'file' },
    { name: 'B', summary: 'the later export; - is stdin', names: 'file' },
  ],
  flags: { ...shortAskFlags, exitCode: flag.boolean('exit 1 when the exports differ'), partial: partialFlag },
  examples: [
    { run: 'comem metrics diff march.csv april.csv --exit-code', says: 'what was restated in April' },
    { run: 'comem metrics diff march.csv april.csv -o csv', says: 'every restated value as CSV' },
    { run: 'comem metrics diff march.csv april.csv --jq ".[].metricId"', says: 'which metrics were restated' },
  ],
  stdout: 'rows',
  withoutIds: true,
  async run(ctx, { args, flags }) {
    const [nameColumn] = companyColumns;
    const withCompany = nameColumn ? [nameColumn, ...restatementColumns] : restatementColumns;
    const question = await askAnalysis(ctx, flags, withCompany);
    const [before, after] = [await readSaved(ctx, args.A), await readSaved(ctx, args.B)];
    const { rows: all, skipped } = savedDifferences(before, after, flags.partial === true);
    const companies = new Set([...before.readings, ...after.readings].map(({ companyId }) => companyId));
    const named = all.map(({ companyId, company = companyId && ctx.companyName(companyId), ...row }) => ({
      ...(companyId && { company: company ?? companyId, companyId }),
      ...row,
    }));
    const rows = await selectedRows(question, named);
    const columns = companies.size > 1 ? withCompany : restatementColumns;
    if (skipped > 0) {
      const says = `${amount(skipped, 'value', 'values')} of periods that were not complete in both exports`;
      ctx.out.note(`Not compared: ${says}. --partial compares them too.`);
    }
    await showAnalysis(ctx, { question, flags, pages: [rows], empty: 'No differences.' }, columns);
    if (!flags.exitCode || rows.length === 0) return;
    throw new Failure('no', `the exports differ in ${amount(rows.length, 'value', 'values')}`, { code: 'different' });
  },
});

interface Saved {
  readings: Reading[];
  /** False where null and absent look alike. */
  tellsNull: boolean;
}

/** @param file a path, or `-` for stdin. @throws usage naming the file and what is wrong with it */
async function readSaved(ctx: Context, file: string): Promise<Saved> {
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
function savedDifferences(before: Saved, after: Saved, partial: boolean): { rows: RestatementRow[]; skipped: number } {
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
