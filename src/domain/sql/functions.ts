/**
 * The functions that a statement may call: those of SQLite that compute from their arguments. The engine has others that
 * read and write files, load libraries or run statements.
 */
export const functions: ReadonlySet<string> = new Set(
  [
    '-> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char charindex coalesce concat concat_ws cos cosh',
    'count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank difference exp',
    'first_value floor format glob group_concat hex ifnull iif instr json json_array json_array_length json_error_position',
    'json_extract json_group_array json_group_object json_insert json_object json_patch json_quote json_remove',
    'json_replace json_set json_type json_valid julianday lag last_value lead length leftstr like likelihood likely ln log',
    'log10 log2 lower lower_quartile ltrim max median min mod mode nth_value ntile nullif octet_length padc padl padr',
    'percent_rank pi pow power printf proper quote radians random rank regexp regexpi replace replicate reverse rightstr',
    'round row_number rtrim sign sin sinh soundex sqlite_version sqrt square stdev strfilter strftime string_agg substr',
    'substring sum tan tanh time timediff total trim trunc typeof unhex unicode unixepoch unlikely upper upper_quartile',
    'uuid variance zeroblob randomblob sqlite_source_id subtype',
  ]
    .join(' ')
    .split(' '),
);

/** Functions and tables of the engine that reach beyond the statement: files, libraries, settings, pages of the database. */
export const refusedNames: ReadonlySet<string> = new Set(
  [
    'readfile writefile edit fsdir load_extension fts3_tokenizer sha3_query sqlite_log sqlite_crypt carray sqlite_dbpage',
    'sqlite3mc_config sqlite3mc_config_table sqlite3mc_codec_data dbstat sqlite_stmt eval define fileio_read fileio_write',
  ]
    .join(' ')
    .split(' '),
);
