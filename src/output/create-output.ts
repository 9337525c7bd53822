/** The Output of a command: format, fields, limit, jq and file, chosen once by the settings and applied to whatever it says. */
import { Failure, usage } from '../errors.ts';
import { stringifyJson } from '../json.ts';
import { asciiOnly } from './ascii.ts';
import type { Column } from './column.ts';
import { chosenColumns, fieldHelp, fieldHelpColumns, keepKeys } from './fields.ts';
import type { FileFormat } from './formats/choose.ts';
import { chooseFormat, documentOf, fileWriterFor, isFileFormat, isJsonFormat, writerFor } from './formats/choose.ts';
import type { Result } from './formats/row-writer.ts';
import type { TableRules } from './formats/table.ts';
import { createMessages } from './messages.ts';
import type { Output, RowsOptions, ValueOptions } from './output.ts';
import { handful, pump } from './pump.ts';
import type { Resume } from './resumable.ts';
import type { OutputRuntime, OutputSettings } from './settings.ts';
import { type Sink, streamSink, writeBytes } from './sink.ts';
import { bold } from './style.ts';
import { cleanJson, cleanLines } from './terminal-text.ts';

/** @throws usage when the format cannot be written */
export function createOutput(settings: OutputSettings, runtime: OutputRuntime): Output {
  const { terminal, stdout } = runtime;
  const { fields } = settings;
  const file = settings.out === '-' ? undefined : settings.out;
  // Only when something is written must the name have all its parts: several companies have a file each.
  const placed = (name: string) => settings.nameOut?.(name) ?? name;
  const toScreen = terminal.stdoutIsTTY && file === undefined;
  const jq = settings.jq;
  const format =
    jq === undefined ? chooseFormat(settings.output.value, terminal.stdoutIsTTY, file !== undefined) : 'json';
  const messages = createMessages(runtime.stderr, {
    quiet: settings.quiet,
    isTTY: terminal.stderrIsTTY,
    columns: terminal.columns,
  });
  const missing: string[] = [];
  const tableRules: TableRules = {
    width: toScreen && settings.truncate ? terminal.columns : undefined,
    heading: (text) => bold(text, file === undefined && terminal.color.stdout),
    leftOut: (columns) => missing.push(...columns),
    ascii: asciiOnly(runtime.env ?? {}),
  };

  const openSink = async (clean: (text: string) => string): Promise<Sink> => {
    if (file !== undefined) return (await import('./file-sink.ts')).fileSink(placed(file), runtime.cwd);
    messages.progress(undefined);
    return streamSink(stdout, toScreen ? clean : (text) => text);
  };
  /** Writes to the sink; it is ended when `write` succeeds, and aborted when it fails. */
  const writing = async (clean: (text: string) => string, write: (sink: Sink) => Promise<void>) => {
    const sink = await openSink(clean);
    try {
      await write(sink);
    } catch (error) {
      await sink.abort();
      throw error;
    }
    await sink.end();
  };
  const writeText = (text: string, clean: (text: string) => string) => writing(clean, (sink) => sink.write(text));
  const asIs = (text: string) => text;
  const cleanFor = isJsonFormat(format) && format !== 'yaml' ? cleanJson : format === 'table' ? asIs : cleanLines;

  const writeJq = async (json: string) => {
    const { runJq } = await import('./jq.ts');
    const { text, notes } = await runJq(json, jq ?? '.');
    if (notes !== '') messages.note(notes);
    await writeText(text, cleanLines);
  };
  const shown = <Row>(columns: readonly Column<Row>[]) => {
    const chosen = chosenColumns(columns, fields);
    return fields === undefined && (format === 'table' || format === 'md')
      ? chosen.filter(({ hidden }) => hidden !== true)
      : chosen;
  };
  const resultOf = <Row>(
    columns: readonly Column<Row>[],
    options: { json?(row: Row): unknown; id?(row: Row): string | undefined },
  ): Result<Row> => {
    const json = options.json ?? ((row: Row): unknown => row);
    const kept = shown(columns);
    const keep = fields === undefined ? undefined : keepKeys(kept);
    return {
      columns: kept,
      json: keep ? (row) => keep(json(row)) : json,
      id: options.id ?? idOf,
      header: settings.header,
    };
  };
  const listsFields = () => fields?.length === 1 && fields[0] === 'help';

  async function rows<Row>(
    source: Iterable<Row> | AsyncIterable<Row>,
    columns: readonly Column<Row>[],
    options: RowsOptions<Row> = {},
  ): Promise<void> {
    if (listsFields()) return writeFieldHelp(columns);
    const result = resultOf(columns, options);
    const limit = settings.limit ?? Number.POSITIVE_INFINITY;
    const given =
      options.whole && isJsonFormat(format)
        ? await writeWhole(source, options.whole, limit)
        : jq !== undefined
          ? await writeRowsToJq(source, result, limit)
          : options.resume
            ? await writeOn(source, result, limit, options.resume)
            : await writeRows(source, result, limit);
    if (given > 0) return;
    if (format === 'table') messages.note(options.empty ?? 'No rows.');
    if (settings.failEmpty) throw new Failure('no', 'there are no rows, and --fail-empty was given', { code: 'empty' });
  }

  async function writeRows<Row>(
    source: Iterable<Row> | AsyncIterable<Row>,
    result: Result<Row>,
    limit: number,
  ): Promise<number> {
    if (isFileFormat(format)) return writeFile(format, result, source, limit);
    const writer = await writerFor(format, result, settings, tableRules);
    let given = 0;
    await writing(cleanFor, async (sink) => {
      let before = writer.open?.() ?? '';
      const rows = pump(source, limit, async (some) => {
        const text = await writer.rows(some);
        await sink.write(before + text);
        before = '';
        // The pump gives what there is when its source pauses: that is when a reader wants to see it.
        if (some.length < handful) await sink.flush();
        return !sink.closed;
      });
      given = await rows.catch(async (error) => {
        await sink.write((await writer.broken?.()) ?? '');
        // A file that failed is gone, and so are its rows.
        throw error instanceof Failure && file !== undefined ? error.with({ resume: undefined }) : error;
      });
      await sink.write(before + ((await writer.close?.(given === 0)) ?? ''));
    });
    if (missing.length > 0) messages.note(noRoom(missing));
    return given;
  }

  async function writeOn<Row>(
    source: Iterable<Row> | AsyncIterable<Row>,
    result: Result<Row>,
    limit: number,
    resume: Resume<Row>,
  ): Promise<number> {
    const { writeResumable } = await import('./resumable.ts');
    if (isFileFormat(format)) throw noFile(format);
    const writer = await writerFor(format, result, settings, tableRules);
    const target = { file: file === undefined ? undefined : placed(file), cwd: runtime.cwd, stdout };
    return writeResumable(source, limit, writer, target, resume);
  }

  async function writeFile<Row>(
    kind: FileFormat,
    result: Result<Row>,
    source: Iterable<Row> | AsyncIterable<Row>,
    limit: number,
  ): Promise<number> {
    const sink = await (await import('./file-sink.ts')).fileSink(placed(file ?? ''), runtime.cwd);
    try {
      const writer = await fileWriterFor(kind, result, { warn: messages.warn });
      const given = await unshown(source, limit, async (some) => {
        const ready = writer.rows(some);
        if (ready) await sink.writeBytes(ready);
        return true;
      });
      await sink.writeBytes(await writer.close());
      await sink.end();
      return given;
    } catch (error) {
      await sink.abort();
      throw error;
    }
  }

  async function writeRowsToJq<Row>(
    source: Iterable<Row> | AsyncIterable<Row>,
    result: Result<Row>,
    limit: number,
  ): Promise<number> {
    const parts: string[] = [];
    const given = await unshown(source, limit, async (some) => {
      for (const row of some) parts.push(stringifyJson(result.json(row)));
      return true;
    });
    await writeJq(`[${parts.join(',\n')}]`);
    return given;
  }

  async function writeWhole<Row>(
    source: Iterable<Row> | AsyncIterable<Row>,
    whole: () => unknown,
    limit: number,
  ): Promise<number> {
    if (fields !== undefined) {
      throw usage(
        `--fields picks columns of rows, but the ${jq === undefined ? format : 'JSON'} of this command is one object`,
        'use --jq, or a format of rows such as -o csv',
      );
    }
    const given = await unshown(source, limit, async () => true);
    await writeDocument(whole());
    return given;
  }

  async function value<Row>(row: Row, columns: readonly Column<Row>[], options: ValueOptions<Row> = {}): Promise<void> {
    if (listsFields()) return writeFieldHelp(columns);
    const given = options.json;
    const result = resultOf(columns, { id: options.id, json: given === undefined ? undefined : () => given });
    if (isJsonFormat(format)) return writeDocument(result.json(row));
    if (format === 'table' && options.asRows !== true) {
      const { fieldsTable } = await import('./formats/table.ts');
      return writeText(await fieldsTable(row, result.columns, tableRules), cleanFor);
    }
    await writeRows([row], result, 1);
  }

  async function writeDocument(json: unknown): Promise<void> {
    if (jq !== undefined) return writeJq(stringifyJson(json));
    if (isJsonFormat(format)) await writeText(await documentOf(format, json), cleanFor);
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
    async check(columns) {
      if (columns && listsFields()) {
        await writeFieldHelp(columns);
        return false;
      }
      if (columns) chosenColumns(columns, fields);
      if (jq !== undefined) await (await import('./jq.ts')).checkJq(jq);
      if (file !== undefined) await (await openSink(asIs)).abort();
      return true;
    },
    async scalar(text, json) {
      if (isFileFormat(format)) throw noFile(format);
      if (jq !== undefined) return writeJq(stringifyJson(json));
      if (format === 'yaml') return writeDocument(json);
      await writeText(`${isJsonFormat(format) ? stringifyJson(json) : String(text)}\n`, cleanFor);
    },
    async text(text) {
      if (isFileFormat(format)) throw noFile(format);
      await writeText(text, asIs);
    },
    async bytes(body) {
      if (file !== undefined) {
        const sink = await (await import('./file-sink.ts')).fileSink(placed(file), runtime.cwd);
        await sink.writeBytes(body);
        return sink.end();
      }
      if (toScreen) return writeText(new TextDecoder().decode(body), cleanLines);
      await writeBytes(stdout, body);
    },
    ...messages,
  };
}

function noFile(format: FileFormat): Failure {
  return usage(`-o ${format} is for rows, and this command prints none`, 'another --out extension or -o writes text');
}

/** `pump` for rows that are shown when all of them are there: of a failure nobody can go on with the rest. */
const unshown: typeof pump = (source, limit, take) =>
  pump(source, limit, take).catch((error) => {
    throw error instanceof Failure ? error.with({ resume: undefined }) : error;
  });

function noRoom(columns: readonly string[]): string {
  const named = columns.slice(0, 4).join(', ');
  const more = columns.length > 4 ? ` and ${columns.length - 4} more` : '';
  return `No room for ${named}${more}: --fields picks columns, --no-truncate shows all.`;
}

function idOf(row: unknown): string | undefined {
  const id: unknown = typeof row === 'object' && row !== null ? Reflect.get(row, 'id') : undefined;
  return typeof id === 'string' ? id : undefined;
}
