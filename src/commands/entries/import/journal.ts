/**
 * What an import has done so far, kept while it runs so that `--resume` can continue after a kill at any moment.
 *
 * One file for each import: its plan on the first line, then a line for each step. A create is recorded before it is
 * sent: one that was sent and not answered is looked up before it is sent again. A lock keeps a second run of the same
 * import from writing all rows again.
 */
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { filePieces, writePieces } from '../../../cli/pieces.ts';
import { blocking } from '../../../cli/runtime.ts';
import { hasEnded, whileRunning } from '../../../config/running.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { makeFolder } from '../../../core/folders.ts';
import { PlanReader, planText, type StoredPlan } from './stored-plan.ts';

export interface Journal {
  sent(action: number): void;
  done(action: number): void;
  failed(action: number): void;
  /** Ends the writing; the file is removed when nothing is left to do. */
  close(finished: boolean): void;
}

export interface Found {
  plan: StoredPlan;
  /** Actions that are done. */
  done: Set<number>;
  /** Creates that were sent, with any outcome. */
  sent: Set<number>;
  /** The process that wrote it last. */
  pid: number | undefined;
}

/** Journals of unfinished imports that are kept. */
const mostKept = 50;

function folderOf({ folders }: Context): string {
  return join(folders.state, 'imports');
}

function fileOf(ctx: Context, identity: string): string {
  return join(folderOf(ctx), `${identity.slice(0, 32)}.ndjson`);
}

/**
 * Runs `work` while this process holds the lock of the import.
 * @throws usage when another process runs it; one that was killed holds no lock
 */
export async function whileLocked<T>(ctx: Context, identity: string, work: () => Promise<T>): Promise<T> {
  const file = join(folderOf(ctx), `${identity.slice(0, 32)}.pid`);
  return whileRunning(file, work, {
    stillRunning: (holder) => stillRunning(holder, file),
    unwritable: (error) => cannotKeep(file, error),
  });
}

/** Begins the journal of an import and replaces an earlier one. */
export async function beginJournal(ctx: Context, identity: string, plan: StoredPlan): Promise<Journal> {
  const file = fileOf(ctx, identity);
  const folder = folderOf(ctx);
  try {
    makeFolder(folder, 0o700);
    forgetOldest(folder);
    // Renamed when the plan is in it: a file of this name always has its plan.
    const fresh = `${file}.new`;
    await blocking(ctx.runtime, () => writePieces(fresh, journalStart(plan)));
    renameSync(fresh, file);
    return writer(file, openSync(file, 'a', 0o600));
  } catch (error) {
    throw cannotKeep(file, error);
  }
}

function* journalStart(plan: StoredPlan): Generator<string> {
  yield* planText(plan);
  yield `\n${line('p', process.pid)}`;
}

/** Appends to a journal that was found. */
export function continueJournal(ctx: Context, identity: string): Journal {
  const file = fileOf(ctx, identity);
  try {
    const fd = openSync(file, 'a');
    // A kill may have truncated the last line.
    writeSync(fd, `\n${line('p', process.pid)}`);
    return writer(file, fd);
  } catch (error) {
    throw cannotKeep(file, error);
  }
}

export function hasJournal(ctx: Context, identity: string): boolean {
  return existsSync(fileOf(ctx, identity));
}

/** The journal of an unfinished import. @throws usage when it is still being written */
export async function findJournal(ctx: Context, identity: string): Promise<Found | undefined> {
  const file = fileOf(ctx, identity);
  if (!existsSync(file)) return undefined;
  const pieces = filePieces(file, `the journal ${file}`);
  const found = await blocking(ctx.runtime, () => readJournal(pieces.open()));
  pieces.close();
  if (found?.pid !== undefined && found.pid !== process.pid && !(await hasEnded(found.pid))) {
    throw stillRunning(found.pid, file);
  }
  return found;
}

/** Undefined where the plan is not complete. */
function readJournal(pieces: Iterable<Uint8Array>): Found | undefined {
  const utf8 = new TextDecoder();
  const reader = new PlanReader();
  let plan: StoredPlan | undefined;
  let steps = '';
  const found = { done: new Set<number>(), sent: new Set<number>(), pid: undefined as number | undefined };
  for (const bytes of pieces) {
    const text = utf8.decode(bytes, { stream: true });
    const end = plan ? 0 : text.indexOf('\n');
    if (end < 0) {
      reader.write(text);
      continue;
    }
    if (!plan) {
      reader.write(text.slice(0, end));
      plan = reader.plan();
      if (!plan) return undefined;
    }
    const lines = (steps + text.slice(end)).split('\n');
    steps = lines.pop() ?? '';
    for (const step of lines) note(step, found);
  }
  note(steps, found);
  return plan && { plan, ...found };
}

function note(step: string, found: Omit<Found, 'plan'>): void {
  const [, word, number] = /^([psdf]) (\d+);$/.exec(step) ?? [];
  const action = Number(number);
  if (word === 'p') found.pid = action;
  else if (word === 's') found.sent.add(action);
  else if (word === 'd') found.done.add(action);
}

function writer(file: string, fd: number): Journal {
  const note = (word: string, action: number) => {
    try {
      writeSync(fd, line(word, action));
    } catch (error) {
      throw cannotKeep(file, error);
    }
  };
  return {
    sent: (action) => note('s', action),
    done: (action) => note('d', action),
    failed: (action) => note('f', action),
    close(finished) {
      closeSync(fd);
      if (finished) rmSync(file, { force: true });
    },
  };
}

/** The semicolon says that the number is complete. */
function line(word: string, number: number): string {
  return `${word} ${number};\n`;
}

function forgetOldest(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => join(folder, name))
    .map((file) => ({ file, at: statSync(file).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { file } of files.slice(mostKept - 1)) rmSync(file, { force: true });
}

/** A process that was just killed takes a moment to end. */
function stillRunning(pid: number, file: string): Failure {
  return usage(
    `this import is still running, as process ${pid}`,
    `wait for it or end it; if that process is another program, delete ${file} and import again`,
  );
}

function cannotKeep(file: string, error: unknown): Failure {
  return new Failure('usage', `cannot write the journal ${file}: ${error instanceof Error ? error.message : error}`, {
    hint: 'the journal is kept under XDG_STATE_HOME, by default ~/.local/state',
    cause: error,
  });
}
