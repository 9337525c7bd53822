/** What reading commands ask of their rows: `--where`, `--changed-since`, `--sort`, `--one` (docs/query.md). */

import type { Pages } from '../core/sorted-rows.ts';
import type { Checked } from '../domain/expression/check.ts';
import type { Node, Source } from '../domain/expression/parser.ts';
import type { Scope } from '../domain/expression/typed.ts';
import { type Flags, type FlagValues, flag, inGroup } from './define.ts';

/** The flags that choose rows. */
export const whereFlag = inGroup('ROWS', {
  where: flag.list('EXPR', 'only rows for which this holds'),
});

export const changedFlag = inGroup('ROWS', {
  changedSince: flag.text('WHEN', 'changed since a date, a duration, or the last run'),
});

export const oneFlag = inGroup('ROWS', { one: flag.boolean('exactly one row, printed as an object') });

export const sortFlag = inGroup('ROWS', {
  sort: flag.list('KEY[:desc],…', 'sort by these columns; KEY:desc sorts downwards'),
});

/** For rows that do not say when they changed. */
export const shortAskFlags = { ...whereFlag, ...sortFlag, ...oneFlag };
export const askFlags = { ...whereFlag, ...changedFlag, ...sortFlag, ...oneFlag };

export type AskFlags = Partial<FlagValues<typeof askFlags>>;

export interface Asking<Row> {
  scope: Scope<Row>;
  flags: AskFlags;
  /** Conditions of other flags. */
  conditions?: readonly { node: Node; source: Source }[];
  /** What makes two runs the same command, for `--changed-since last`: words, arguments and flags that choose. */
  command: readonly unknown[];
}

export interface Question<Row> {
  /** Whether rows are tested, put in order or skipped here: then the API's own limit and offset say nothing. */
  isLocal: boolean;
  /** The conditions, all of which must hold. */
  conditions: readonly Checked<Row>[];
  /** The columns that the conditions and the order name. */
  columns: ReadonlySet<string>;
  /** The rows that meet the conditions, as they come. */
  select(pages: Pages<Row>): AsyncIterable<readonly Row[]>;
  /** The same in their order. */
  choose(pages: Pages<Row>, part?: { offset?: number | undefined; limit?: number | undefined }): AsyncIterable<Row>;
  /** How many rows were left out because a value is empty, and the columns. */
  empty(): { count: number; columns: string[] };
  /** All that was chosen is written. */
  finished(): void;
}

const manuals = {
  sort: '--sort puts options in the order of their list, text as people sort it (numbers within text by value), and what is empty last. KEY is a column or an expression. With --limit N the memory is that of N rows; without, rows beyond the memory go to a temporary file.',
  changedSince:
    '--changed-since takes a date (2024-01-31), a duration (12h, 7d), a time such as "month - 1", or last: what changed since the previous complete run of this same command with this profile. A run that is interrupted or cut by --limit does not count. Deleted rows cannot be seen.',
  one: '--one: no row is exit 3; several are exit 2, and the message names them.',
};

/** What a manual says of those of these flags that a command has, a paragraph each. */
export function askManual(flags: Flags): string[] {
  const names = Object.keys(manuals) as (keyof typeof manuals)[];
  return names.filter((name) => flags[name] === askFlags[name]).map((name) => manuals[name]);
}

export function asks({ where, changedSince, sort, one }: AskFlags): boolean {
  return where !== undefined || changedSince !== undefined || sort !== undefined || one === true;
}
