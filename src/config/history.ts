/** The journal of writes: what `comem history` lists and `comem undo` reverts. */
import {
  appendFileSync,
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../core/errors.ts';
import { makeFolder } from '../core/files.ts';
import { isObject, parseJson, stringifyJson } from '../core/json.ts';
import { type Created, isUnanswered, type PartialRecreation, type WriteOutcome, type Written } from '../domain/undo.ts';
import type { Paths } from './store.ts';

interface RunHeader {
  version: 1;
  at: string;
  /** `entries update`. */
  command: string;
  /** The list as it was typed. */
  list?: string | undefined;
  /** The number of the run that an undo reverts. */
  undoes?: number | undefined;
  baseUrl: string;
  company?: string | undefined;
}

export interface RecordedWrite extends Written {
  n: number;
  /** The time of sending, for a creation. */
  sentAt?: string | undefined;
}

/** The result of a response: fields that differ from those sent, and the created resource. */
type Result = Pick<RecordedWrite, 'after' | 'created' | 'elsewhere'>;

/** A write before its response. */
type WriteRecord = Omit<RecordedWrite, keyof Result | 'outcome' | 'undone' | 'halfway'>;

export interface Run extends RunHeader {
  number: number;
  writes: RecordedWrite[];
  /** Ids of deleted resources, and of those that undo created in their place. */
  ids: NewId[];
}

export type NewId = readonly [old: string, created: string];

/** A creation of a run that no answer names. */
export interface UnansweredWrite extends RecordedWrite {
  run: number;
  at: string;
}

/** Creations whose outcome is unknown, the oldest first, and the ids that are known. */
export function creationsOf(runs: readonly Run[]): {
  unanswered: UnansweredWrite[];
  known: Set<string>;
} {
  const unanswered: UnansweredWrite[] = [];
  const known = new Set<string>();
  for (const { number, at, writes, ids } of runs.toReversed()) {
    for (const write of writes) {
      const { created, query, params } = write;
      if (isUnanswered(write) && !write.undone) unanswered.push({ ...write, run: number, at });
      for (const id of [created?.id, query?.entryId, query?.attributeId, write.op === 'deleteList' && params?.listId]) {
        if (typeof id === 'string') known.add(id.toLowerCase());
      }
    }
    for (const pair of ids) for (const id of pair) known.add(id.toLowerCase());
  }
  return { unanswered, known };
}

export type Journal = ReturnType<typeof openJournal>;

/** Opens the file of a new run. @throws the error of the file system */
export function openJournal(paths: Paths, profile: string, header: RunHeader) {
  const folder = folderOf(paths, profile);
  makeFolder(folder, 0o700);
  // Computed before old runs are deleted, so that no number is used twice.
  const next = (numbers(folder).at(-1) ?? 0) + 1;
  prune(folder);
  const handle = create(folder, next);
  let bytes = 0;
  const line = (value: unknown) => {
    const text = `${stringifyJson(value)}\n`;
    bytes += Buffer.byteLength(text);
    writeSync(handle, text);
  };
  line({ run: header });
  let last = 0;
  return {
    write(record: Omit<WriteRecord, 'n'>): number {
      last += 1;
      const full = bytes > maxBytes ? { ...record, before: undefined, why: 'the journal of this run is full' } : record;
      line({ write: { n: last, ...full } });
      return last;
    },
    settle: (n: number, outcome: WriteOutcome, { after, created, elsewhere }: Result = {}) =>
      line({ [outcome]: n, ...(after !== undefined && { after }), ...(created && { made: created }), elsewhere }),
    close: () => closeSync(handle),
  };
}

/** All runs of the profile, the newest first. */
export function readRuns(paths: Paths, profile: string): Run[] {
  const folder = folderOf(paths, profile);
  return numbers(folder)
    .reverse()
    .flatMap((number) => readRun(folder, number) ?? []);
}

/** Records in the journal of an earlier run the resource that a write created. */
export function settleCreation(paths: Paths, profile: string, number: number, n: number, created: Created): void {
  const file = fileOf(folderOf(paths, profile), number);
  appendFileSync(file, `${stringifyJson({ done: n, made: created })}\n`, { mode: 0o600 });
}

export type UndoMarks = ReturnType<typeof markUndo>;

/** Notes which writes of a run are undone, each at once: an undo may be killed too. */
export function markUndo(paths: Paths, profile: string, number: number) {
  const handle = openSync(fileOf(folderOf(paths, profile), number), 'a', 0o600);
  const line = (value: Line) => void writeSync(handle, `${stringifyJson(value)}\n`);
  return {
    undone: (n: number, ids: readonly NewId[] = []) => line({ undone: [n], ...(ids.length > 0 && { ids }) }),
    /** Marks a write as partly re-created, until it is undone or marked again. */
    halfway: (n: number, halfway: PartialRecreation, ids: readonly NewId[] = []) =>
      line({ halfway: { n, ...halfway }, ...(ids.length > 0 && { ids }) }),
    close: () => closeSync(handle),
  };
}

type Line = {
  run?: RunHeader;
  write?: WriteRecord;
  done?: number;
  failed?: number;
  unchanged?: number;
  after?: unknown;
  made?: Created;
  elsewhere?: true;
  undone?: number[];
  halfway?: PartialRecreation & { n: number };
  ids?: readonly NewId[];
};

/** Undefined for a file that has no header: its run was killed before it wrote anything. */
function readRun(folder: string, number: number): Run | undefined {
  const file = fileOf(folder, number);
  let header: RunHeader | undefined;
  const writes = new Map<number, RecordedWrite>();
  const ids: NewId[] = [];
  for (const text of linesOf(file)) {
    const line = lineOf(text);
    if (isHeader(line?.run)) header = line.run;
    if (isWrite(line?.write)) writes.set(line.write.n, line.write);
    for (const outcome of ['done', 'failed', 'unchanged'] as const) {
      const write = writes.get(line?.[outcome] ?? -1);
      if (!write) continue;
      const { after, made: created, elsewhere } = line ?? {};
      Object.assign(write, { outcome, ...(after !== undefined && { after }), ...(created && { created }), elsewhere });
    }
    for (const n of line?.undone ?? []) {
      const write = writes.get(n);
      if (write) write.undone = true;
    }
    ids.push(...(line?.ids ?? []));
    if (line?.halfway) {
      const { n, ...halfway } = line.halfway;
      const write = writes.get(n);
      if (write) write.halfway = halfway;
    }
  }
  return header && { ...header, number, writes: [...writes.values()], ids };
}

function linesOf(file: string): string[] {
  try {
    // Opening a pipe would block forever.
    if (!lstatSync(file).isFile()) throw new Error('it is not a file');
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Failure('usage', `the journal ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Ignores edited lines, like unfinished ones of killed runs. */
function isHeader(run: unknown): run is RunHeader {
  if (!isObject(run)) return false;
  const { at, command, baseUrl, list, company } = run;
  return (
    [at, command, baseUrl].every((text) => typeof text === 'string') &&
    [list, company].every((text) => text === undefined || typeof text === 'string')
  );
}

function isWrite(write: unknown): write is RecordedWrite {
  if (!isObject(write) || typeof write.n !== 'number') return false;
  const { op, method, path, params, query } = write;
  if (typeof method !== 'string' || typeof path !== 'string') return false;
  const inList = op !== undefined && /^\/api\/lists\/(?!templates\/)/.test(path);
  if (inList && !(isObject(params) && typeof params.listId === 'string')) return false;
  return [params, query].every((part) => part === undefined || isObject(part));
}

/** Undefined for a line that a killed run left unfinished. */
function lineOf(text: string): Line | undefined {
  try {
    return text === '' ? undefined : (parseJson(text) as Line);
  } catch {
    return undefined;
  }
}

/** A profile keeps this many runs and bytes; the oldest go first. */
const maxRuns = 200;
const maxBytes = 64 * 1024 * 1024;

/** Names of profiles are safe as names of folders (`namePattern`), but for letter case on some systems. */
function folderOf(paths: Paths, profile: string): string {
  return join(paths.state, 'history', encodeURIComponent(profile));
}

function fileOf(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(6, '0')}.ndjson`);
}

function numbers(folder: string): number[] {
  try {
    // Only plain files were written here, never a folder, pipe or link.
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap(({ name }) => /^(\d{6,})\.ndjson$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

/** Opens a file with the next number, also when another comem takes that at the same time. */
function create(folder: string, next: number): number {
  for (let number = next; ; number += 1) {
    try {
      return openSync(fileOf(folder, number), 'ax', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function prune(folder: string): void {
  const all = numbers(folder);
  const sizes = new Map(all.map((number) => [number, sizeOf(fileOf(folder, number))]));
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  let runs = all.length;
  for (const number of all) {
    if (runs < maxRuns && bytes <= maxBytes) return;
    rmSync(fileOf(folder, number), { force: true });
    bytes -= sizes.get(number) ?? 0;
    runs -= 1;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
