/** How the flags say that cells are read, and the refusal of a file with wrong ones. */
import type { Context } from '../../../cli/context.ts';
import { amount } from '../../../cli/words.ts';
import { Failure, usage } from '../../../core/errors.ts';
import type { ReadingOptions } from '../../../domain/import/cells.ts';
import { dateFormat } from '../../../domain/import/dates.ts';
import { type DecimalMark, decimalMarkOf, localeOf } from '../../../domain/import/numbers.ts';
import { emptyMapping } from '../../../domain/import/steps.ts';
import { exportKind, type ImportIssue, inFileOrder, placeOf, type SourceTable } from '../../../domain/import/table.ts';
import { flagNames, type ImportFlags } from './flags.ts';

/** The reading options of the flags. @throws usage for flags that contradict each other or the file */
export function readingOptions(ctx: Context, table: SourceTable, flags: ImportFlags): ReadingOptions {
  const { locale: name, dateFormat: dates } = flags;
  const textFlags = { '--locale': name, '--decimal': flags.decimal, '--date-format': dates };
  const [flag] = Object.entries(textFlags).find(([, value]) => value !== undefined) ?? [];
  if (table.json && flag !== undefined) {
    throw usage(`${flag} is for the texts of CSV, TSV and XLSX; JSON and YAML have numbers and dates of their own`);
  }
  const locale = name === undefined ? undefined : localeOf(name);
  if (name !== undefined && locale === undefined) {
    throw usage(`--locale ${name} is not a known language`, 'write it as de or fr-CH');
  }
  const format = dates === undefined ? undefined : dateFormat(dates);
  if (dates !== undefined && format === undefined) {
    throw usage(`--date-format ${dates} is not a format of dates`, 'write it as dd.mm.yyyy, mm/dd/yyyy or d mmm yy');
  }
  const isExport = !table.json && exportKind(table.headers, table.rows) !== undefined;
  const mark = flags.decimal as DecimalMark | undefined;
  const empty = flags.empty === 'keep' ? 'keep' : 'clear';
  return {
    decimal: mark ?? (locale === undefined ? undefined : decimalMarkOf(locale)),
    formats: table.formats,
    locale,
    dateFormat: format,
    empty,
    now: ctx.now(),
    flags: flagNames,
    isExport,
  };
}

/** The most issues that are collected: a message for each of 300,000 takes minutes and half a gigabyte. */
const maxListed = 1000;

/** The hint for columns that the list lacks, or for wrong cells, unless a flag leaves out their rows. */
export function cellHint(
  issues: readonly ImportIssue[],
  { onError, mode }: ImportFlags,
  unknownColumns = 0,
): string | undefined {
  if (unknownColumns > 0) {
    return `${flagNames.createAttrs} adds ${unknownColumns === 1 ? 'the column' : `the ${unknownColumns} columns`} that the list lacks`;
  }
  if (onError === 'skip' || issues.every(({ line }) => line === undefined)) return undefined;
  const texts = new Set(issues.flatMap(({ placeholder }) => placeholder ?? []));
  const empty = texts.size > 0 ? `--map ${emptyMapping(texts)} makes these cells empty` : '';
  const skip = mode === 'sync' ? '' : '--on-error skip --failed bad.csv leaves out the rows with errors';
  return [empty, skip].filter((hint) => hint !== '').join('; ') || undefined;
}

/** @throws usage with the first issues, unless there is none */
export function refuse(issues: readonly ImportIssue[], name: string, table: SourceTable, hint?: string): void {
  if (issues.length === 0) return;
  const details = inFileOrder(issues)
    .slice(0, maxListed)
    .map(({ placeholder: _, ...issue }) => ({ ...issue, path: placeOf(issue, table.lineUnit) }));
  const listed = issues.length > maxListed ? `, of which the first ${maxListed} are listed` : '';
  throw new Failure(
    'usage',
    `${name} cannot be imported: ${amount(issues.length, 'error', 'errors')}${listed}; nothing was written`,
    { code: 'invalid_file', details: { issues: details }, hint },
  );
}
