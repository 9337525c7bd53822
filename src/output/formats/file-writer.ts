/** What a format of bytes is: rows to a file that nobody reads before it is whole. */

export interface FileWriter<Row> {
  /** Takes rows, and gives the bytes that are ready. */
  rows(rows: readonly Row[]): Uint8Array | undefined;
  /** The rest of the file. */
  close(): Promise<Uint8Array>;
}

export interface FileRules {
  /** One line for a person about what the format cannot hold as it is. */
  warn(text: string): void;
}
