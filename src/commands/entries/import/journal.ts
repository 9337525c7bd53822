/**
 * The journal of an import: its plan, then a line for each step, so that `--resume` can continue after
 * a kill at any moment. A create is recorded before it is sent: one that was sent and not answered is looked up before
 * it is sent again. A lock keeps the same import from running twice at a time.
 */
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { filePieces, writePieces } from '../../../cli/input-files.ts';
import { blocking } from '../../../cli/runtime.ts';
import { whileRunning } from '../../../config/store.ts';
import { decode } from '../../../core/decode.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { makeFolder } from '../../../core/files.ts';
import { linesOf } from '../../../core/tsv.ts';
import { importPlanText, planFrom, type StoredPlan } from './plan.ts';

export interface Journal {
  sent(action: number): void;
  done(action: number): void;
  /** Closes the file, and removes it if the import is finished. */
  close(isFinished: boolean): void;
}

/** The plan and the progress of an earlier run. */
export interface UnfinishedImport {
  plan: StoredPlan;
  /** Actions that are done. */
  done: Set<number>;
  /** Creates that were sent, with any outcome. */
  sent: Set<number>;
}

/** Most journals of unfinished imports to keep. */
const maxJournals = 50;

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
  return whileRunning(file, work, (pid) =>
    usage(
      `this import is still running, as process ${pid}`,
      `wait for it or end it; if that process is another program, delete ${file} and import again`,
    ),
  );
}

/** Begins the journal of an import and replaces an earlier one. */
export async function beginJournal(ctx: Context, identity: string, plan: StoredPlan): Promise<Journal> {
  const file = fileOf(ctx, identity);
  const folder = folderOf(ctx);
  try {
    makeFolder(folder, 0o700);
    forgetOldest(folder);
    // The rename comes last, so that a journal always contains its whole plan.
    const fresh = `${file}.new`;
    await blocking(ctx.runtime, () => writePieces(fresh, importPlanText(plan)));
    renameSync(fresh, file);
  } catch (error) {
    throw cannotWrite(file, error);
  }
  return continueJournal(ctx, identity);
}

/** Appends to a journal that exists. */
export function continueJournal(ctx: Context, identity: string): Journal {
  const file = fileOf(ctx, identity);
  let fd = -1;
  const write = (text: string) => {
    try {
      if (fd < 0) fd = openSync(file, 'a', 0o600);
      writeSync(fd, text);
    } catch (error) {
      throw cannotWrite(file, error);
    }
  };
  // A kill may have truncated the last line.
  write('\n');
  return {
    // The semicolon marks a complete line.
    sent: (action) => write(`s ${action};\n`),
    done: (action) => write(`d ${action};\n`),
    close(isFinished) {
      closeSync(fd);
      if (isFinished) rmSync(file, { force: true });
    },
  };
}

export function hasJournal(ctx: Context, identity: string): boolean {
  return existsSync(fileOf(ctx, identity));
}

/** The journal of an unfinished import. */
export async function findJournal(ctx: Context, identity: string): Promise<UnfinishedImport | undefined> {
  const file = fileOf(ctx, identity);
  if (!existsSync(file)) return undefined;
  const pieces = filePieces(file, `the journal ${file}`);
  try {
    return await blocking(ctx.runtime, () => readJournal(pieces.open(), file));
  } finally {
    pieces.close();
  }
}

/** Undefined where the plan is not complete. */
async function readJournal(pieces: Iterable<Uint8Array>, name: string): Promise<UnfinishedImport | undefined> {
  const lines = linesOf(decode(pieces, name, 'utf-8'), name, '\n');
  const plan = await planFrom(lines);
  if (plan === undefined) return undefined;
  const steps = { d: new Set<number>(), s: new Set<number>() };
  for (const { text } of lines) {
    const [, step, action] = /^([ds]) (\d+);$/.exec(text) ?? [];
    if (step !== undefined) steps[step as 'd' | 's'].add(Number(action));
  }
  return { plan, done: steps.d, sent: steps.s };
}

function forgetOldest(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => join(folder, name))
    .map((file) => ({ file, at: statSync(file).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { file } of files.slice(maxJournals - 1)) rmSync(file, { force: true });
}

function cannotWrite(file: string, error: unknown): Failure {
  return new Failure('usage', `cannot write the journal ${file}: ${error instanceof Error ? error.message : error}`, {
    hint: 'the journal is kept under XDG_STATE_HOME, by default ~/.local/state',
    cause: error,
  });
}
