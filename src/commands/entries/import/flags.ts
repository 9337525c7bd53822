/** The flags of `entries import`. */

import { type FlagValues, flag, inGroup } from '../../../cli/define.ts';
import { importModes, rowFormats } from '../../../domain/import/table.ts';

export const importFlags = {
  ...inGroup('MATCHING', {
    key: flag.text('SLUG|title|id', 'unique column that matches rows; default title'),
    map: flag.list('COLUMN=SLUG|STEP', 'its attribute; COLUMN= skips it'),
    createAttrs: flag.boolean('add an attribute for each new column'),
    type: flag.list('COLUMN=TYPE', 'type of an attribute that --create-attrs adds'),
    addOptions: flag.boolean('add options that cells name and the list lacks'),
  }),
  ...inGroup('FAILURES', {
    onError: flag.text('WHAT', 'stop first, or skip rows with errors; default stop', {
      choices: ['stop', 'skip'],
    }),
    failed: flag.text('FILE', 'write failed rows there, to fix and import again'),
    resume: flag.boolean('continue an import that stopped or had failures'),
  }),
  ...inGroup('WRITING', {
    mode: flag.text('MODE', 'upsert, insert, update or sync; default upsert', { choices: importModes }),
    prune: flag.boolean('with --mode sync: delete instead of archiving'),
    empty: flag.text('WHAT', 'clear or keep where a cell is empty; default clear', {
      choices: ['clear', 'keep'],
      hidden: true,
    }),
    planOut: flag.text('FILE', 'write the plan there and send nothing'),
    plan: flag.text('FILE', 'execute this plan, unless the list has changed since'),
  }),
  ...inGroup('READING', {
    format: flag.text('FORMAT', 'format of FILE; default by extension or first bytes', { choices: rowFormats }),
    skipRow: flag.list('N', 'leave out the row of this number, such as a total'),
    sheet: flag.text('NAME', 'sheet of a workbook; default the first'),
    locale: flag.text('LANGUAGE', 'language of numbers and dates: de, fr, ch or en'),
    decimal: flag.text('MARK', 'decimal mark of numbers: , or a point', { choices: [',', '.'], hidden: true }),
    dateFormat: flag.text('FORMAT', 'how dates are written, such as dd.mm.yyyy'),
    encoding: flag.text('NAME', 'encoding of FILE; default UTF-8, else Windows-1252', { hidden: true }),
  }),
};

export type ImportFlags = FlagValues<typeof importFlags>;

/** The names of the flags, for messages. */
export const flagNames = {
  addOptions: '--add-options',
  createAttrs: '--create-attrs',
  dateFormat: '--date-format',
  decimal: '--decimal',
  map: '--map',
  sheet: '--sheet',
  skipRow: '--skip-row',
} as const;
