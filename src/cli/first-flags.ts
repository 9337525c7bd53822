/** Where flags lead that a command does not have: the one to type instead. Loaded only for a wrong flag. */
import { type Failure, usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { type Flags, longName } from './define.ts';
import { type Command, pathOf, unknownIn } from './parser.ts';

/** What people of other programs type, by what it is here, most likely first. `--sort KEY:desc`: the flag, and how. */
export const foreignFlags: Readonly<Record<string, readonly string[]>> = {
  'columns cols column select properties props attributes': ['fields'],
  'format out-format output-format as to-format': ['output FORMAT'],
  'since after start start-date begin from-date newer-than': ['from', 'since', 'changed-since'],
  'until till before end end-date to-date older-than': ['to', 'created-before'],
  'top head first count rows lines max-rows max-results max-items take n': ['limit', 'last'],
  'tail latest recent periods': ['last', 'sort KEY:desc --limit'],
  'order order-by orderby sort-by sortby sorted': ['sort'],
  'desc descending reverse reversed r': ['sort KEY:desc'],
  'asc ascending': ['sort'],
  'group-by groupby group': ['by'],
  'aggregate aggregates aggregation function sum avg mean': ['agg'],
  'query find match contains grep text q': ['search', 'where', 'jq'],
  'condition cond if when having filter expr expression': ['where'],
  'file filename output-file out-file save save-to write write-to export': ['out'],
  'force assume-yes confirm no-confirm no-prompt no-input non-interactive accept y f': ['yes'],
  'dry dryrun simulate noop what-if preview check-only': ['dry-run'],
  'silent no-progress s': ['quiet'],
  'debug trace log': ['verbose'],
  'url api-url base endpoint server address': ['base-url'],
  'org organization organisation tenant workspace company-id account-id': ['company'],
  'account env environment context config user': ['profile'],
  'at asof as-at date day on snapshot on-date': ['as-of'],
  'no-headers no-header-row without-header skip-header headerless': ['no-header'],
  'wide full no-trunc no-wrap': ['no-truncate'],
  'convert convert-to into base-currency': ['in'],
  'fx fx-rates exchange-rates': ['rates'],
  'metric metric-id metric-ids m ids': ['metrics'],
  'frequency grain granularity interval cadence period-types': ['period-type'],
  'version scenario scenarios actual budget forecast': ['versions'],
  'deleted with-archived include-archived show-archived': ['archived'],
  'parallel jobs workers j': ['concurrency'],
  'colour no-colour': ['color'],
  'message comment reason': ['note'],
  'expiry expires-at expiration valid-until': ['expires'],
  'to-company investor for receiver share-with': ['recipient', 'recipient-company'],
};

/** `sets`: the flags that could have been meant, besides the parser's own; `meant`: a better hint. */
export function unknownFlag(parser: Command, sets: readonly Flags[], meant?: string): Failure {
  const [flag = ''] = (unknownIn(parser) ?? '').split('=', 1);
  const known = [
    ...parser.options.flatMap(({ long }) => long ?? []),
    '--help',
    ...sets.flatMap((set) => Object.keys(set).map(longName)),
  ];
  const near = meantBy(flag, known) ?? nearest(flag, known);
  const path = pathOf(parser);
  const hint = meant ?? (near ? `did you mean ${near}?` : `run \`${path} --help\` to see the flags`);
  return usage(`unknown flag ${flag} for \`${path}\``, hint);
}

/** A word of other programs is surer than one that looks alike. */
function meantBy(flag: string, known: readonly string[]): string | undefined {
  const word = flag.replace(/^-+/, '').replaceAll('_', '-').toLowerCase();
  if (known.includes(`--${word}`)) return `--${word}`;
  for (const [words, flags] of Object.entries(foreignFlags)) {
    if (!words.split(' ').includes(word)) continue;
    const found = flags.find((each) => known.includes(`--${each.split(' ')[0]}`));
    if (found !== undefined) return `--${found}`;
  }
  return undefined;
}
