/** Chooses the format of a result and loads only the module that writes it. */
import { usage } from '../../core/errors.ts';
import { type Format, formats, isFormat } from '../../core/output-formats.ts';
import type { OutputSettings } from '../output.ts';
import type { FileRules, FileWriter, Result, RowWriter, TableRules } from './writer.ts';

/** Formats that carry the API's own objects; the others carry columns. */
type JsonFormat = 'json' | 'ndjson' | 'yaml';

/** Formats of bytes, which are written to files. */
export type FileFormat = 'xlsx' | 'parquet';
type TextFormat = Exclude<Format, FileFormat>;

/** @throws usage for a format that this result cannot take */
export function chooseFormat(asked: string | undefined, stdoutIsTTY: boolean, toFile: boolean): Format {
  if (asked === undefined) return stdoutIsTTY && !toFile ? 'table' : 'tsv';
  if (!isFormat(asked)) throw usage(`unknown output format "${asked}"`, `the formats are ${formats.join(', ')}`);
  if (isFileFormat(asked) && !toFile) {
    throw usage(`-o ${asked} is a file, and stdout is for text`, `name the file: --out data.${asked}`);
  }
  return asked;
}

export function isJsonFormat(format: Format): format is JsonFormat {
  return format === 'json' || format === 'ndjson' || format === 'yaml';
}

export function isFileFormat(format: Format): format is FileFormat {
  return format === 'xlsx' || format === 'parquet';
}

export async function fileWriterFor<Row>(
  format: FileFormat,
  result: Result<Row>,
  rules: FileRules,
): Promise<FileWriter<Row>> {
  if (format === 'xlsx') return (await import('./xlsx.ts')).xlsxWriter(result, rules);
  return (await import('./parquet.ts')).parquetWriter(result, rules);
}

export async function writerFor<Row>(
  format: TextFormat,
  result: Result<Row>,
  settings: OutputSettings,
  table: TableRules,
): Promise<RowWriter<Row>> {
  switch (format) {
    case 'table':
      return (await import('./table.ts')).tableWriter(result, table);
    case 'tsv':
      return (await import('./text.ts')).tsvWriter(result);
    case 'csv':
      return (await import('./text.ts')).csvWriter(result, settings.excel);
    case 'json':
      return (await import('./text.ts')).jsonWriter(result);
    case 'ndjson':
      return (await import('./text.ts')).ndjsonWriter(result);
    case 'yaml':
      return (await import('./text.ts')).yamlWriter(result);
    case 'md':
      return (await import('./text.ts')).markdownWriter(result, table);
    case 'spark':
      return (await import('./spark.ts')).sparkWriter(result, table.look.ascii);
    case 'id':
      return (await import('./text.ts')).idWriter(result);
  }
}

/** One JSON value as a document. */
export async function documentOf(format: JsonFormat, value: unknown): Promise<string> {
  if (format === 'yaml') return (await import('../../core/yaml.ts')).writeYaml(value);
  const { stringifyJson } = await import('../../core/json.ts');
  return `${stringifyJson(value, format === 'json' ? 2 : 0)}\n`;
}
