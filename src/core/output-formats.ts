/** The formats of `-o`, and the file extensions that stand for them. */
export const formats = [
  'table',
  'tsv',
  'json',
  'ndjson',
  'csv',
  'yaml',
  'md',
  'xlsx',
  'parquet',
  'id',
  'spark',
] as const;
export type Format = (typeof formats)[number];

const extensions: Readonly<Record<string, Format>> = {
  csv: 'csv',
  json: 'json',
  jsonl: 'ndjson',
  markdown: 'md',
  md: 'md',
  ndjson: 'ndjson',
  parquet: 'parquet',
  tsv: 'tsv',
  xlsx: 'xlsx',
  yaml: 'yaml',
  yml: 'yaml',
};

export const fileExtensions = Object.keys(extensions);

export function isFormat(text: string): text is Format {
  return (formats as readonly string[]).includes(text);
}

/** The format that a file's extension names, in either case; undefined when it names none. */
export function formatOfFile(file: string): Format | undefined {
  const extension = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
}
