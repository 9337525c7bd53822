/** The flags of `entries import`. */

import { type FlagValues, flag } from '../../../cli/define.ts';
import { tsvEscapes } from '../../../core/tsv.ts';
import { rowFormats } from '../../../domain/import/file.ts';
import { importModes } from '../../../domain/import/plan.ts';

export const importFlags = {
  key: flag.text('SLUG|title|id', 'unique column that matches rows to entries; default title'),
  mode: flag.text('MODE', 'what is written; default upsert', { choices: importModes }),
  prune: flag.boolean('with --mode sync: delete entries instead of archiving them'),
  map: flag.list('COLUMN=SLUG|STEP…', 'attribute or field of a column, and steps; COLUMN= omits it'),
  empty: flag.text('WHAT', 'what an empty cell does to a value; default clear', {
    choices: ['clear', 'keep'],
  }),
  createAttrs: flag.boolean('add an attribute for each new column, typed by its cells'),
  type: flag.list('COLUMN=TYPE', 'with --create-attrs: the type of the new attribute'),
  format: flag.text('FORMAT', 'format of FILE; default: by its extension or its first bytes', { choices: rowFormats }),
  sheet: flag.text('NAME', 'sheet of a workbook; default the first'),
  locale: flag.text('LANGUAGE', 'how numbers and dates are written: de, fr, ch, en'),
  decimal: flag.text('MARK', 'decimal separator of numbers: , or a point'),
  thousands: flag.text('MARK', 'separator of thousands in numbers'),
  dateFormat: flag.text('FORMAT', 'how dates are written, such as dd.mm.yyyy'),
  noTrim: flag.boolean('keep blanks around texts'),
  encoding: flag.text('NAME', 'encoding of FILE; default UTF-8, else Windows-1252'),
  tsvEscapes: flag.text('WHAT', 'how backslashes of a TSV file are read; default by content', {
    choices: tsvEscapes,
  }),
  header: flag.text('NAME,…', 'names of the columns of a CSV or TSV file'),
  concurrency: flag.integer('N', 'requests in flight at once; default 4', { minimum: 1, maximum: 64 }),
  planOut: flag.text('FILE', 'write the plan there and send nothing'),
  plan: flag.text('FILE', 'execute this plan, unless the list has changed since'),
  onError: flag.text('WHAT', 'what a row with errors does; default stop', { choices: ['stop', 'skip'] }),
  failed: flag.text('FILE', 'write failed rows there, with a _reason, to import again'),
  resume: flag.boolean('continue an import of this file that stopped or had failures'),
};

export type ImportFlags = FlagValues<typeof importFlags>;
