/** The allowed accesses of a statement: it reads its tables and computes. All others are refused. */

import type { SqliteAction } from '../../core/sqlite.ts';

/** A step of a compiled statement for SQLite's authorizer. */
interface Step {
  action: SqliteAction;
  first: string | null;
  second: string | null;
  database: string | null;
}

/** Functions of SQLite that compute from their arguments. */
const functions: ReadonlySet<string> = new Set(
  [
    '-> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws cos cosh count',
    'cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp first_value floor format',
    'glob group_concat hex if ifnull iif instr json json_array json_array_insert json_array_length json_error_position',
    'json_extract json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote json_remove',
    'json_replace json_set json_type json_valid julianday lag last_value lead length like likelihood likely ln log log10',
    'log2 lower ltrim max median min mod nth_value ntile nullif octet_length percent_rank percentile percentile_cont',
    'percentile_disc pi pow power printf quote radians random randomblob rank replace round row_number rtrim sign sin sinh',
    'soundex sqlite_source_id sqlite_version sqrt strftime string_agg substr substring subtype sum tan tanh time timediff',
    'total trim trunc typeof unhex unicode unistr unistr_quote unixepoch unlikely upper zeroblob',
  ]
    .join(' ')
    .split(' '),
);

/** Tables that are computed from their arguments. */
export const computedTables: ReadonlySet<string> = new Set(['json_each', 'json_tree']);

export const describingTable = 'pragma_table_info';

const reading = 'a statement only reads its tables';

/** Why a step is refused; undefined for an allowed one. @param tables those of the statement's database */
export function stepRefusal(
  { action, first, second, database }: Step,
  tables: { has(name: string): boolean },
): { says: string; hint?: string; code?: string } | undefined {
  switch (action) {
    case 'select':
    case 'recursive':
      return undefined;
    case 'read': {
      const name = first ?? '';
      const isKnown = tables.has(name) || computedTables.has(name) || name === describingTable;
      // A name without a column is that of the statement, perhaps of a `with` clause.
      const isUnknown = !second && !database && !/^(?:sqlite|pragma)_/.test(name);
      if (isUnknown || (isKnown && (!database || database === 'main'))) return undefined;
      return { says: `the statement cannot read the table "${name}"`, code: 'sql_table' };
    }
    case 'function': {
      const name = (second ?? '').toLowerCase();
      return functions.has(name) ? undefined : { says: `the function "${name}" is not allowed: ${reading}` };
    }
    case 'pragma':
      if (first === 'table_info') return undefined;
      return { says: `the pragma "${first}" is not allowed: ${reading}`, hint: `use ${describingTable}('TABLE')` };
    case 'insert':
    case 'update':
    case 'delete':
      return { says: `the statement is not allowed: ${reading}`, code: 'sql_write' };
    case 'attach':
      return { says: `no database can be attached: ${reading}`, hint: 'import the other data as a list' };
    case 'other':
      return {
        says: `the statement is not allowed: ${reading}`,
        hint: 'begin it with select, with, values or explain',
      };
  }
}
