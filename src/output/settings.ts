/** What the output needs to know of the command line and the process. */

export interface OutputSettings {
  /** The format asked for; undefined: a table on a terminal, TSV elsewhere. */
  output: { value: string | undefined };
  fields: readonly string[] | undefined;
  jq: string | undefined;
  /** A file, or `-` for stdout. */
  out: string | undefined;
  /** Fills the places of the file's name. @throws usage for one that cannot be filled */
  nameOut?(pattern: string): string;
  header: boolean;
  truncate: boolean;
  limit: number | undefined;
  failEmpty: boolean;
  quiet: boolean;
  csv: { crlf: boolean; excel: boolean; delimiter: string };
}

export interface OutputRuntime {
  cwd: string;
  env?: Readonly<Record<string, string | undefined>>;
  terminal: {
    stdoutIsTTY: boolean;
    stderrIsTTY: boolean;
    columns: number;
    color: { stdout: boolean };
  };
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
}
