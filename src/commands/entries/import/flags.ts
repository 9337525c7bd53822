/** The flags of `entries import`. */

import { type FlagValues, flag } from '../../../cli/define.ts';
import { tsvEscapes } from '../../../core/tsv.ts';
import { rowFormats } from '../../../domain/import/file.ts';
import { importModes } from '../../../domain/import/plan.ts';

export const importFlags = {
  key: flag.text('SLUG|title|id', 'unique column that matches rows to entries; default title'),
  mode: flag.text(
    'MODE',
    'upsert (default): create and update; insert: only create; update: only update; sync: upsert, and archive what the file lacks',
    { choices: importModes },
  ),
  prune: flag.boolean('with --mode sync: delete what the file lacks instead of archiving it'),
  map: flag.list(
    'COLUMN=SLUG',
    'which attribute (or title, id, position, archived) a column is; COLUMN= leaves it out; #2 is the second column, where its header is empty or repeated',
  ),
  empty: flag.text('WHAT', 'what an empty cell does to an existing value: clear (default) or keep', {
    choices: ['clear', 'keep'],
  }),
  createAttrs: flag.boolean('add an attribute for each column that the list does not have, typed by its cells'),
  type: flag.list('COLUMN=TYPE', 'with --create-attrs: the type of a column instead of the one its cells suggest'),
  format: flag.text('FORMAT', 'format of FILE; default: by its extension or its first bytes', { choices: rowFormats }),
  encoding: flag.text('NAME', 'encoding of FILE; default UTF-8, or Windows-1252 if it is not'),
  tsvEscapes: flag.text(
    'WHAT',
    'backslashes of a TSV file: as comem writes them, or none; default: as the file shows',
    {
      choices: tsvEscapes,
    },
  ),
  header: flag.text('NAME,…', 'names of the columns of a CSV or TSV file, in place of those on its first line'),
  concurrency: flag.integer('N', 'requests in flight at once; default 4', { minimum: 1, maximum: 64 }),
  planOut: flag.text('FILE', 'write the plan there and send nothing'),
  plan: flag.text('FILE', 'execute this plan of --plan-out; refused when the list has changed since'),
  failed: flag.text('FILE', 'write failed rows there, each with its _reason, to import them again'),
  resume: flag.boolean('continue an import of this file that stopped or had failures'),
};

export type ImportFlags = FlagValues<typeof importFlags>;
