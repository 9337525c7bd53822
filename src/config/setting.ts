/** What settings are, and what they are resolved from. */

/** Where a value came from, for `auth status`. */
export type Origin = 'flag' | 'environment' | 'profile' | 'default';

export interface Setting<T> {
  value: T;
  origin: Origin;
  /** `--company`, `COMEM_COMPANY_ID`, `profile "prod"`. */
  from: string;
}

export interface Settings {
  profile: Setting<string>;
  /** False when the profile's name was chosen but nothing is kept under it. */
  profileExists: boolean;
  /** Undefined: none is set anywhere. */
  baseUrl: Setting<string | undefined>;
  /** Companies as uuids, aliases resolved; more than one only for `metrics series`. */
  companies: Setting<string[]>;
  /** The companies that the profile keeps by alias, for targets that name one. */
  aliases: Readonly<Record<string, string>>;
  output: Setting<string | undefined>;
  fields: string[] | undefined;
  jq: string | undefined;
  out: string | undefined;
  header: boolean;
  truncate: boolean;
  limit: number | undefined;
  pageSize: number | undefined;
  failEmpty: boolean;
  raw: boolean;
  dryRun: boolean;
  /** Read what a write replaces where it was not read anyway. */
  keepUndo: boolean;
  yes: boolean;
  /** False under `--no-input`, `COMEM_NO_INPUT`, `CI`, or without a terminal. */
  input: boolean;
  timeoutMs: Setting<number>;
  retries: Setting<number>;
  verbose: boolean;
  quiet: boolean;
  csv: { crlf: boolean; excel: boolean; delimiter: string };
  readonly: boolean;
  protected: boolean;
  confirm: string | undefined;
  allowHttp: boolean;
}

/** The global flags as they were given. */
export interface GivenFlags {
  profile?: string;
  company?: string[];
  baseUrl?: string;
  output?: string;
  json?: boolean;
  csv?: boolean;
  fields?: string;
  jq?: string;
  out?: string;
  noHeader?: boolean;
  noTruncate?: boolean;
  crlf?: boolean;
  excel?: boolean;
  delimiter?: string;
  raw?: boolean;
  limit?: number;
  pageSize?: number;
  failEmpty?: boolean;
  dryRun?: boolean;
  keepUndo?: boolean;
  yes?: boolean;
  confirm?: string;
  noInput?: boolean;
  timeout?: number;
  retries?: number;
  allowHttp?: boolean;
  verbose?: boolean;
  quiet?: boolean;
}

/** What of the terminal decides a setting. */
export interface Streams {
  stdinIsTTY: boolean;
  stdoutIsTTY: boolean;
  stderrIsTTY: boolean;
}
