/** The Output of a command: format, fields, limit, jq and file, applied to whatever it says, and what is said after it. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { listSome, noRows, usage } from '../../core/errors.ts';
import { parseJson, stringifyJson } from '../../core/json.ts';
import type { Column } from '../column.ts';
import { chosenColumns, fieldHelp, fieldHelpColumns } from '../column.ts';
import { documentOf, isFileFormat, isJsonFormat } from '../formats/choose.ts';
import type { OutputRuntime, OutputSettings, RowsOptions, ValueOptions } from '../output.ts';
import { cleanLines } from '../terminal-text.ts';
import { groupDigits } from '../values.ts';
import type { Source } from './rows.ts';
import { asIs, createTarget, type Target, writeBytes } from './target.ts';

/** Everything that a command prints. It applies formats, `--fields`, `--limit`, `--jq`, `--out` and `--fail-empty`. */
export type Output = ReturnType<typeof createOutput>;

/** @throws usage when the format cannot be written */
export function createOutput(settings: OutputSettings, runtime: OutputRuntime) {
  const target = createTarget(settings, runtime);
  const { format, messages } = target;
  const { fields, jq } = settings;
  const writers = () => import('./rows.ts');
  const listsFields = () => fields?.length === 1 && fields[0] === 'help';

  /**
   * A collection. In json, ndjson and yaml the rows themselves; elsewhere their columns. Stops reading after
   * `--limit` rows; throws the `no` failure after writing when there were none under `--fail-empty`.
   */
  async function rows<Row>(
    source: Source<Row>,
    columns: readonly Column<Row>[],
    options: RowsOptions<Row> = {},
  ): Promise<void> {
    if (listsFields()) return writeFieldHelp(columns);
    const result = target.resultOf(columns, options);
    const limit = (options.isCut ? undefined : settings.limit) ?? Number.POSITIVE_INFINITY;
    const count =
      options.whole && isJsonFormat(format)
        ? await writeComplete(source, options.whole, limit)
        : jq !== undefined
          ? await (await writers()).writeRowsToJq(target, source, result, limit)
          : await (await writers()).writeRows(target, source, result, limit);
    if (format === 'table' && count > 0) sayAfterTable(target, count, options);
    if (target.toFile) sayWritten(target, count);
    if (count > 0) return;
    if (format === 'table' || (target.toFile && options.empty)) messages.note(options.empty ?? 'No rows.');
    if (settings.failEmpty) throw noRows();
  }

  async function writeComplete<Row>(source: Source<Row>, whole: () => unknown, limit: number): Promise<number> {
    if (fields !== undefined) {
      throw usage(
        `--fields picks columns of rows, but the ${jq === undefined ? format : 'JSON'} of this command is one object`,
        'use --jq, or a format of rows such as -o csv',
      );
    }
    const count = await (await writers()).pumpTogether(source, limit, { columns: [] }, async () => true);
    await writeDocument(whole());
    return count;
  }

  /** One object: the object itself in json and yaml; a key-value table on a terminal; one row elsewhere. */
  async function value<Row>(row: Row, columns: readonly Column<Row>[], options: ValueOptions<Row> = {}): Promise<void> {
    if (listsFields()) return writeFieldHelp(columns);
    const json = options.json;
    const result = target.resultOf(columns, {
      id: options.id,
      json: json === undefined ? undefined : () => json,
    });
    if (isJsonFormat(format)) return writeDocument(result.json(row)).then(written);
    if (format === 'table' && options.asRows !== true) {
      const { fieldsTable } = await import('../formats/table.ts');
      await target.writeText(await fieldsTable(row, result, target.table), target.clean);
    } else await (await writers()).writeRows(target, [row], result, 1);
    if (format === 'table') sayAfterTable(target, 1, { next: options.next });
    await written();
  }

  async function writeDocument(json: unknown): Promise<void> {
    if (jq !== undefined) return target.writeJq(stringifyJson(json));
    if (isJsonFormat(format)) await target.writeText(await documentOf(format, json), target.clean);
  }

  async function written(): Promise<void> {
    if (target.toFile) sayWritten(target);
  }

  async function writeFieldHelp<Row>(columns: readonly Column<Row>[]): Promise<void> {
    await createOutput({ ...settings, fields: undefined, limit: undefined }, runtime).rows(
      fieldHelp(columns),
      fieldHelpColumns,
      { id: (row) => row.field },
    );
  }

  return {
    rows,
    value,
    /** Names of companies, users or metrics by id, for tables of a terminal. */
    named(names: Iterable<readonly [id: string, name: string]>): void {
      for (const [id, name] of names) target.names.set(id, name);
    },
    /** A sentence about how the values came about, such as their exchange rates. A workbook has them on a second sheet. */
    remark(text: string): void {
      target.remarks.push(text);
    },
    /** The remarks, for pages. */
    remarks: target.remarks as readonly string[],
    /**
     * Refuses what could only fail after a write was sent: `--fields` that name no columns, a jq program that does not
     * compile, an `--out` that cannot be written. For `--fields help` it lists the columns and gives false: then the
     * command is done and writes nothing.
     */
    async check<Row>(columns?: readonly Column<Row>[]): Promise<boolean> {
      if (columns && listsFields()) {
        await writeFieldHelp(columns);
        return false;
      }
      if (columns) chosenColumns(columns, fields);
      if (jq !== undefined) await (await import('../jq.ts')).checkJq(jq, runtime.blocking);
      if (target.toFile) await (await target.openSink(asIs)).abort();
      return true;
    },
    /** One bare value (`entries count`): itself on a line, and `json` in json, ndjson and yaml. */
    async scalar(text: string | number | { toString(): string }, json: unknown): Promise<void> {
      if (isFileFormat(format)) throw (await writers()).noFile(format);
      if (jq !== undefined) return target.writeJq(stringifyJson(json));
      if (format === 'yaml') return writeDocument(json);
      await target.writeText(`${isJsonFormat(format) ? stringifyJson(json) : String(text)}\n`, target.clean);
    },
    /** Text that is itself the data (completion script, OpenAPI document, help asked for). Honours `--out`. */
    async text(text: string | AsyncIterable<string>): Promise<void> {
      if (jq !== undefined) return target.writeJq(await jsonOf(text));
      if (isFileFormat(format)) throw (await writers()).noFile(format);
      if (typeof text === 'string') await target.writeText(text, asIs);
      else
        await target.writing(asIs, async (sink) => {
          for await (const piece of text) await sink.write(piece);
        });
      await written();
    },
    /** A body exactly as it was received (`--raw`). */
    async bytes(body: Uint8Array): Promise<void> {
      if (target.toFile) {
        const sink = await target.openFile();
        await sink.writeBytes(body);
        await sink.end();
        return written();
      }
      if (target.toScreen) return target.writeText(new TextDecoder().decode(body), cleanLines);
      await writeBytes(runtime.stdout, body);
    },
    /** Waits until the pager has ended, also after a failure. */
    close: target.closePager,
    ...messages,
  };
}

/** The whole text, which must be JSON. @throws usage */
async function jsonOf(text: string | AsyncIterable<string>): Promise<string> {
  let whole = '';
  for await (const piece of typeof text === 'string' ? [text] : text) whole += piece;
  try {
    parseJson(whole);
    return whole;
  } catch {
    throw usage('--jq reads JSON, and this command prints other text', 'omit --jq');
  }
}

type Said<Row> = Pick<RowsOptions<Row>, 'counts' | 'total' | 'next'>;

/** After the rows of a table. */
function sayAfterTable<Row>({ table, messages, toScreen, settings }: Target, rows: number, says: Said<Row>): void {
  const { left } = table;
  if (left.columns.length > 0) {
    messages.aside(`No room for ${listSome(left.columns, 4)}: --fields picks columns, --no-truncate shows all.`);
  }
  if (!toScreen) return;
  if (left.repeated.length > 0) messages.aside(`The same in all rows: ${left.repeated.join('; ')}.`);
  if (left.empty.length > 0) messages.aside(`Not shown, because empty: ${listSome(left.empty, 4)}.`);
  const total = settings.limit === undefined ? undefined : says.total?.();
  // There may be more, and nobody counted them.
  if (rows === 0 && !total) return;
  const part =
    total === undefined
      ? rows > 0 && rows === settings.limit
        ? 'first '
        : ''
      : total > rows
        ? `${formatCount(rows)} of `
        : '';
  const count = says.counts && `${part}${nounOf(says.counts, total ?? rows)}`;
  const next = says.next && (settings.typed?.(says.next) ?? says.next);
  const parts = [count, next, left.ids ? '-o id for ids' : undefined].filter((part) => part !== undefined);
  if (parts.length > 0) messages.aside(parts.join(' · '));
}

function nounOf([one, many]: readonly [string, string], count: number): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

const formatCount = (count: number) => groupDigits(String(count));

/** On a terminal: a file that was written, and how much is in it. */
function sayWritten({ messages, runtime, file: name }: Target, rows?: number): void {
  if (name === undefined || !runtime.terminal.stderrIsTTY) return;
  const stats = statSync(resolve(runtime.cwd, name), { throwIfNoEntry: false });
  if (!stats?.isFile()) return;
  const amount = rows === undefined ? '' : `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'} to `;
  messages.note(`Wrote ${amount}${name} (${sizeOf(stats.size)})`);
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [unit, size] = bytes < 1e6 ? ['kB', bytes / 1e3] : bytes < 1e9 ? ['MB', bytes / 1e6] : ['GB', bytes / 1e9];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
