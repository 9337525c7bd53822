/** The flags that every command takes, declared once: the parser, help, man pages, completion and settings read this table. */
import { formats } from '../core/output-formats.ts';

export interface GlobalFlag {
  kind: 'boolean' | 'text' | 'integer' | 'number' | 'list';
  /** The placeholder in help: `TEXT`, `N`, `SLUG=VALUE`. */
  value?: string | undefined;
  summary: string;
  short?: string | undefined;
  choices?: readonly string[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  /** A second value replaces the first, which an alias may set. Of other flags it is refused. */
  isReplaceable?: boolean | undefined;
  /** Accepted, and listed nowhere: what a profile sets, and older spellings. */
  hidden?: boolean | undefined;
}

export const globalFlags = {
  profile: { kind: 'text', value: 'NAME', summary: 'profile to use; `demo` always exists', short: 'p' },
  company: { kind: 'list', value: 'ID|ALIAS', summary: 'company to act on', short: 'c' },
  baseUrl: { kind: 'text', value: 'URL', summary: "the API's address, or `embedded:DIR`" },
  output: {
    kind: 'text',
    value: 'FORMAT',
    summary: 'output format',
    short: 'o',
    choices: formats,
    isReplaceable: true,
  },
  json: { kind: 'boolean', summary: 'the same as -o json' },
  fields: { kind: 'text', value: 'A,B', summary: 'show these columns in this order; `help` lists them' },
  jq: { kind: 'text', value: 'EXPR', summary: 'run a jq program over the complete JSON result' },
  out: { kind: 'text', value: 'FILE', summary: 'write to a file instead of stdout', short: 'O' },
  noHeader: { kind: 'boolean', summary: 'omit the header line' },
  scale: {
    kind: 'text',
    value: 'SCALE',
    summary: 'scale of numbers in tables; exact: all digits',
    choices: ['auto', 'k', 'M', 'none', 'exact'],
    isReplaceable: true,
  },
  exact: { kind: 'boolean', summary: 'the same as --scale exact', hidden: true },
  noTruncate: { kind: 'boolean', summary: 'show full text in tables' },
  excel: { kind: 'boolean', summary: 'CSV for Excel; --excel=de with ; and decimal commas' },
  /** What `--excel=de` is read as: commander takes `--excel LIST` for a value of an optional one. */
  excelFor: { kind: 'text', value: 'LANGUAGE', summary: 'the language of --excel', hidden: true, isReplaceable: true },
  raw: { kind: 'boolean', summary: 'send one request, print its body exactly as received', hidden: true },
  limit: { kind: 'integer', value: 'N', summary: 'at most N rows in total', minimum: 0, isReplaceable: true },
  pageSize: {
    kind: 'integer',
    value: 'N',
    summary: 'rows for each request',
    minimum: 1,
    hidden: true,
    isReplaceable: true,
  },
  failEmpty: { kind: 'boolean', summary: 'exit 1 when the result has no rows' },
  asOf: { kind: 'text', value: 'WHEN', summary: 'answer as it was then, from the mirror' },
  offline: { kind: 'boolean', summary: 'answer from the newest state of the mirror' },
  mirror: { kind: 'text', value: 'DIR', summary: 'the folder of the mirror' },
  dryRun: { kind: 'boolean', summary: 'show what would be written, send nothing' },
  yes: { kind: 'boolean', summary: 'skip confirmation', short: 'y' },
  keepUndo: { kind: 'boolean', summary: 'read what a write replaces, so that `comem undo` works', hidden: true },
  confirm: { kind: 'text', value: 'NAME', summary: "the company's name, to write to a protected profile" },
  noInput: { kind: 'boolean', summary: 'never prompt' },
  timeout: { kind: 'text', value: 'S', summary: 'seconds for each request', hidden: true, isReplaceable: true },
  maxResponse: {
    kind: 'integer',
    value: 'MIB',
    summary: 'mebibytes of a response at the most',
    minimum: 1,
    hidden: true,
    isReplaceable: true,
  },
  retries: {
    kind: 'integer',
    value: 'N',
    summary: 'retries after temporary failures',
    minimum: 0,
    hidden: true,
    isReplaceable: true,
  },
  allowHttp: { kind: 'boolean', summary: 'send credentials over plain http', hidden: true },
  concurrency: {
    kind: 'integer',
    value: 'N',
    summary: 'requests in flight at once when many are written',
    minimum: 1,
    maximum: 64,
    hidden: true,
    isReplaceable: true,
  },
  verbose: { kind: 'boolean', summary: 'log requests and responses on stderr', short: 'v' },
  quiet: { kind: 'boolean', summary: 'no notes, warnings or progress' },
  color: {
    kind: 'text',
    value: 'WHEN',
    summary: 'use color',
    choices: ['auto', 'always', 'never'],
    isReplaceable: true,
  },
  noColor: { kind: 'boolean', summary: 'the same as --color never', hidden: true },
} as const satisfies Record<string, GlobalFlag>;

interface ValueOf {
  boolean: boolean;
  text: string;
  integer: number;
  number: number;
  list: string[];
}

/** The global flags as they were given. */
export type GlobalFlags = {
  [K in keyof typeof globalFlags]?: ValueOf[(typeof globalFlags)[K]['kind']] | undefined;
};
