/** The target and format of a command's output, chosen once by the settings. */

import { usage } from '../../core/errors.ts';
import { maxCellWidth } from '../../core/limits.ts';
import type { Column } from '../column.ts';
import { chosenColumns, keepKeys } from '../column.ts';
import { chooseFormat, isFileFormat, isJsonFormat } from '../formats/choose.ts';
import type { Result } from '../formats/writer.ts';
import type { OutputRuntime, OutputSettings, Sink } from '../output.ts';
import { asciiOnly, cleanJson, cleanLines, createMessages, isAccessible } from '../terminal-text.ts';

type Clean = (text: string) => string;

export type Target = ReturnType<typeof createTarget>;

interface ResultOptions<Row> {
  json?: ((row: Row) => unknown) | undefined;
  id?: ((row: Row) => string | undefined) | undefined;
  reports?: boolean | undefined;
  headings?: boolean | undefined;
}

export const asIs: Clean = (text) => text;

/** @throws usage when the format cannot be written */
export function createTarget(settings: OutputSettings, runtime: OutputRuntime) {
  const { terminal } = runtime;
  const { fields, jq } = settings;
  const { env = {} } = runtime;
  const file = settings.out === '-' ? undefined : settings.out;
  const toFile = file !== undefined;
  const toScreen = terminal.stdoutIsTTY && !toFile;
  const format = jq === undefined ? chooseFormat(settings.output.value, terminal.stdoutIsTTY, toFile) : 'json';
  // These formats hold a group of rows, or create many objects for each row.
  if (isFileFormat(format) || format === 'yaml') runtime.keepHeapSmall?.();
  const messages = createMessages(runtime, {
    quiet: settings.quiet,
    isTTY: terminal.stderrIsTTY,
    columns: terminal.columns,
    color: terminal.color.stderr === true,
    ascii: asciiOnly(env),
    still: env.TERM === 'dumb' || isAccessible(env),
  });
  const names = new Map<string, string>();
  const lookedUp = new Map<string, string | undefined>();
  /** Names that the settings know come from a file, and a table asks for those of each cell. */
  const nameOf = (id: string) => {
    if (!lookedUp.has(id)) lookedUp.set(id, settings.nameOf?.(id));
    return names.get(id) ?? lookedUp.get(id);
  };

  let closePager = async () => {};
  /** Loaded only for files. */
  const openFile = async () => (await import('./sinks.ts')).fileSink(file ?? '', runtime.cwd);
  const openSink = async (clean: Clean, isTable = false): Promise<Sink> => {
    if (toFile) return openFile();
    const { streamSink } = await import('./sinks.ts');
    const direct = streamSink(runtime.stdout, toScreen ? clean : asIs, messages.clear);
    const { pager: command = 'off' } = settings;
    const isPlain = env.TERM === 'dumb' || isAccessible(env);
    if (command === 'off' || !toScreen || terminal.rows === undefined || isPlain) return direct;
    const { longTextSink } = await import('./pager.ts');
    const table = isTable ? { header: settings.header } : undefined;
    const onStart = (ended: Promise<void>, close: () => Promise<void>) => {
      runtime.paging?.(ended);
      closePager = close;
    };
    return longTextSink({ command, rows: terminal.rows - 1, table, env: { ...env }, messages, clean, direct, onStart });
  };
  /** Writes to the sink; it is ended when `write` succeeds, and aborted when it fails. */
  const writing = async (clean: Clean, write: (sink: Sink) => Promise<void>, isTable?: boolean) => {
    const sink = await openSink(clean, isTable);
    try {
      await write(sink);
    } catch (error) {
      await sink.abort();
      throw error;
    }
    await sink.end();
  };
  const writeText = (text: string, clean: Clean) => writing(clean, (sink) => sink.write(text));
  const visibleColumns = <Row>(columns: readonly Column<Row>[]) => {
    const chosen = chosenColumns(columns, fields);
    if (fields !== undefined) return chosen;
    if (format !== 'table' && format !== 'md') return chosen.filter(({ hidden }) => hidden !== 'offTable');
    const elsewhere = toScreen && format === 'table' ? 'screen' : 'offScreen';
    return chosen.filter(({ hidden }) => hidden !== true && hidden !== elsewhere);
  };

  return {
    settings,
    runtime,
    format,
    file,
    toFile,
    toScreen,
    messages,
    table: {
      width: toScreen && settings.truncate ? terminal.columns : undefined,
      maxCellWidth: settings.truncate ? maxCellWidth : Number.POSITIVE_INFINITY,
      color: !toFile && terminal.color.stdout,
      look: {
        isScreen: toScreen,
        // The clock of --as-of is known after the output is opened.
        get now() {
          return runtime.now?.() ?? new Date();
        },
        scale: settings.scale ?? 'auto',
        ascii: asciiOnly(env),
        header: settings.header,
        nameOf,
      },
      left: { columns: [], ids: false, empty: [], repeated: [] },
    },
    names,
    remarks: [] as string[],
    clean: isJsonFormat(format) && format !== 'yaml' ? cleanJson : format === 'table' ? asIs : cleanLines,
    openSink,
    openFile,
    closePager: () => closePager(),
    writing,
    writeText,
    /** One JSON text through jq. */
    async writeJq(json: string) {
      const { runJq } = await import('../jq.ts');
      const { text, notes } = await runJq(json, jq ?? '.', runtime.blocking);
      for (const note of notes.split('\n')) if (note !== '') messages.note(note);
      await writeText(text, cleanLines);
    },
    /** The columns to show, and rows with nothing but these. */
    resultOf<Row>(columns: readonly Column<Row>[], options: ResultOptions<Row>): Result<Row> {
      const json = options.json ?? ((row: Row): unknown => row);
      const visible = visibleColumns(columns);
      const keep = fields === undefined ? undefined : keepKeys(visible);
      return {
        columns: visible,
        json: keep ? (row) => keep(json(row), row) : json,
        id: options.id ?? idOf,
        header: settings.header,
        chosen: fields !== undefined,
        reports: options.reports,
        headings: options.headings,
      };
    },
  };
}

function idOf(row: unknown): string | undefined {
  const id: unknown = typeof row === 'object' && row !== null ? Reflect.get(row, 'id') : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Writes bytes as they are. */
export function writeBytes(stream: NodeJS.WritableStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: NodeJS.ErrnoException | null) => {
      if (!error || error.code === 'EPIPE') resolve();
      else reject(usage(`cannot write to stdout: ${error.message}`, 'the output is incomplete'));
    };
    stream.once('error', done);
    stream.write(bytes, done);
  });
}
