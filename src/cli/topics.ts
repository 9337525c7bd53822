/** Flags, environment and exit codes as terms with their meaning: help topics and man pages print the same. */
import { globalFlags } from '../config/global-flags.ts';
import { type AnyCommand, type Flag, type Flags, longName } from './define.ts';
import { definitions, wrap } from './parser.ts';

export const exitCodeRows: readonly (readonly [string, string])[] = [
  ['0', 'Success; also when there was nothing to do, or a grant was already revoked.'],
  [
    '1',
    'The answer is no: a check failed, --fail-empty found no rows, a step was refused, or a question was answered no.',
  ],
  ['2', 'Wrong usage, or input that breaks a rule of the API. Nothing was written.'],
  ['3', 'Not found: the API answered 404, or a name matches nothing.'],
  [
    '4',
    'A credential is missing, expired, of the wrong kind, or not allowed: the API answered 401 or 403, or a session got a redirect or a web page.',
  ],
  [
    '5',
    'Try again later: after all retries the API answered 429 or 5xx, the network failed, or the request timed out. The message says when the outcome of a write is unknown.',
  ],
  [
    '6',
    'The API rejected the request (any other 4xx), or the response is not what the API describes: a field is missing, pages do not hold the rows that they announce, it is larger than --max-response, or a write is not proved by it. Look before you repeat a write.',
  ],
  [
    '7',
    'Partly done: some rows of a bulk command failed, and stderr counts them. Or the writes were sent, and the output failed afterwards, such as on a full disk: then the code of the error is failed_after_write, and the message has the ids.',
  ],
  ['70', 'A bug in comem.'],
  ['129', 'The terminal was closed (SIGHUP).'],
  ['130', 'Interrupted (SIGINT).'],
  ['143', 'Terminated (SIGTERM).'],
];

export const environmentRows: readonly (readonly [string, string])[] = [
  ['COMEM_PROFILE', 'The profile, like -p.'],
  ['COMEM_BASE_URL', "The API's address, like --base-url."],
  ['COMEM_COMPANY_ID', 'The company to act on, like -c.'],
  ['COMEM_API_KEY', 'The API key or another bearer token. There is no flag for it, because other users can read argv.'],
  ['COMEM_API_KEY_FILE', 'A file that holds the key.'],
  ['COMEM_SESSION_COOKIE', 'The complete Cookie header of a web session.'],
  ['COMEM_SESSION_COOKIE_FILE', 'A file that holds that header.'],
  ['COMEM_OUTPUT', 'The output format, like -o.'],
  ['COMEM_TIMEOUT', 'Seconds per request, like --timeout.'],
  ['COMEM_MAX_RESPONSE', 'Mebibytes of a response at the most, like --max-response.'],
  ['COMEM_RETRIES', 'Retries, like --retries.'],
  ['COMEM_MIRROR', 'The folder of the mirror of --as-of, --offline and `comem mirror`.'],
  ['COMEM_NO_INPUT, CI', 'Never prompt, like --no-input.'],
  ['COMEM_NOW', 'The time that counts as now, for --last, `today` and expiry.'],
  ['COMEM_DATABASE', 'The PostgreSQL database of `comem server`, like --database, but not visible in argv.'],
  ['COMEM_READ_DATABASE', 'A standby that `comem serve` reads from, like --read-database.'],
  ['COMEM_DEBUG', 'Log requests, like -v, and show where a bug happened.'],
  ['ACCESSIBLE', 'Ask line by line, with numbers, redraw nothing, and put charts in words.'],
  ['NO_COLOR, FORCE_COLOR', 'No color, or color even in a pipe.'],
  ['COLUMNS', 'The width of the terminal.'],
  ['HTTPS_PROXY, HTTP_PROXY, NO_PROXY', 'The proxy to use, and the hosts that need none.'],
  ['XDG_CONFIG_HOME', 'Settings are in its comem/ folder; default ~/.config.'],
  ['XDG_DATA_HOME', 'Databases are in its comem/ folder; default ~/.local/share.'],
  ['XDG_CACHE_HOME', 'Caches are in its comem/ folder and may be deleted; default ~/.cache.'],
  ['XDG_STATE_HOME', 'Journals are in its comem/ folder; default ~/.local/state.'],
];

export const precedence =
  'Flags override the environment, the environment overrides the profile, and the profile overrides the defaults. A profile named by -p also overrides the base URL, credentials and company of the environment, so that -p demo never reaches another API. Without -p, a base URL and a credential in the environment replace the default profile if that is for another address.';

const files = [
  '--out writes a temporary file and renames it when it is complete. Its extension selects the format.',
  'xlsx and parquet need a file. A workbook has real numbers and dates, units as number formats and a frozen header. It holds at most 1,048,575 rows, the limit of a sheet. Parquet has typed columns: numbers are doubles, times are microseconds in UTC. A number with more digits than a double keeps is text in a workbook; in Parquet its column becomes text. A warning says so. csv, tsv, json, ndjson and yaml keep every digit of any number.',
];

const settings =
  'Settings of a profile are taken as flags, too: --timeout, --retries, --max-response, --allow-http, --concurrency and --keep-undo. `comem profiles set NAME timeout=60` keeps one. --page-size is the number of rows of a request, and --raw prints the body of one request as received.';

const conditionRows: readonly (readonly [string, string])[] = [
  ['=  !=  <  <=  >  >=', 'stage = Won, arr > 20M, first-contact < 2025-01. A column is a slug or name.'],
  ['in, between', 'stage in (Won, Lost), arr between 1M and 2M.'],
  ['has, contains, matches', 'tags has AI, title contains "data", title matches "(?i)^a": a regular expression.'],
  ['is empty', 'note is empty, note is not empty. Any other test of an empty value is not met.'],
  ['and, or, not', 'not (stage = Won and arr > 1M).'],
  ['+  -  *  /', 'arr = 12 * mrr. A minus has blanks: first-contact is a name.'],
  ['numbers', '1500, 1_500, 1.5k, 20M, 2.5%.'],
  [
    'dates and periods',
    '2024-01-31, 2024-01, 2024-Q1, 2024, today, now, today - 30d, month - 1. `= 2024-Q1` holds on every day of the quarter.',
  ],
  ['durations', '12h, 30d, 6w, 3m, 1y: updated_at within 30d.'],
  ['text', '"Term sheet"; a word alone needs no quotes where it is an option.'],
  ['functions', 'lower, upper, trim, length, abs, round, empty, starts, ends.'],
];

/** A page of `comem help`. */
interface Topic {
  summary: string;
  title: string;
  rows: readonly (readonly [string, string])[];
  paragraphs: readonly string[];
}

export const topics: Readonly<Record<string, Topic>> = {
  conditions: {
    summary: 'expressions of --where, filters and checks, with dates and periods',
    title: 'Conditions: the expressions of --where, --expect, --agg, --by, --sort and check files.',
    rows: conditionRows,
    paragraphs: ['What does not fit the type of its column is refused. --filter SLUG=VALUE tests one value.'],
  },
  flags: {
    summary: 'flags that every command takes: --output, --fields, --json …',
    title: 'Global flags. They may appear anywhere in the command line.',
    rows: flagRows(globalFlags),
    paragraphs: [precedence, settings, ...files],
  },
  environment: {
    summary: 'environment variables',
    title: 'Environment variables.',
    rows: environmentRows,
    paragraphs: [precedence],
  },
  'exit-codes': { summary: 'what each exit code means', title: 'Exit codes.', rows: exitCodeRows, paragraphs: [] },
};

export function topicText({ title, rows, paragraphs }: Topic, columns: number): string {
  const blocks = [wrap(title, columns), definitions(rows, columns), ...paragraphs.map((text) => wrap(text, columns))];
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}

/** Flags with their meaning, hidden ones left out. */
export function flagRows(flags: Flags): [string, string][] {
  return Object.entries(flags).flatMap(([key, flag]): [string, string][] =>
    flag.hidden ? [] : [[flagLabel(key, flag), flagText(flag)]],
  );
}

/** `-o, --output FORMAT`, padded so that long names start in one column. */
export function flagLabel(key: string, flag: Flag): string {
  const short = flag.short ? `-${flag.short}, ` : '    ';
  return `${short}${longName(key)}${flag.value ? ` ${flag.value}` : ''}`;
}

/** The summary of a flag and its rules. */
export function flagText({ summary, choices, value, minimum, maximum, required, kind, once }: Flag): string {
  const isListed =
    choices?.[0] !== undefined && choices.length > 1 && !summary.includes(choices[0]) && !value?.includes('|');
  const rules = [
    isListed ? `one of ${choices.join(', ')}` : '',
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '',
    required ? 'required' : '',
    kind === 'list' && !once ? 'may be repeated' : '',
  ];
  return [summary, ...rules.filter((rule) => rule !== '')].join('; ');
}

/** The sentence about confirmation: when the command asks, and the flag that answers without a terminal. */
export function confirmation({ confirms }: AnyCommand): string | undefined {
  return confirms && `Asks ${confirms}; without a terminal it needs --yes.`;
}
