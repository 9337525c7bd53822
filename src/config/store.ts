/**
 * comem's JSON files: read as plain JSON, because loading conf and its validator takes about 100 ms, and
 * written through conf, which checks their schema. The only importer of conf.
 */

import { chmodSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from 'conf';
import type { JsonSchema } from '../contract/schema.ts';
import { Failure, JsonSyntaxError, usage } from '../core/errors.ts';
import { makeFolder, nameBeside } from '../core/files.ts';
import { parseJson } from '../core/json.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folders of comem: settings, databases, caches and journals. */
export interface Paths {
  config: string;
  data: string;
  cache: string;
  state: string;
}

/**
 * XDG folders on every system, as `git` and `gh` have them; on Windows the roaming folder for settings and the local
 * one for the rest. A relative XDG variable is ignored, as its specification asks. `system` is for tests.
 */
export function paths(env: Environment, system: { platform: string; home: string } = machine(env)): Paths {
  const folder = (variable: string, windows: string | undefined, ...rest: string[]) => {
    const xdg = env[variable];
    if (xdg && isAbsolute(xdg)) return join(xdg, 'comem');
    if (system.platform === 'win32' && windows) return join(windows, 'comem', variable.slice(4, -5).toLowerCase());
    return join(system.home, ...rest, 'comem');
  };
  return {
    config: folder('XDG_CONFIG_HOME', env.APPDATA, '.config'),
    data: folder('XDG_DATA_HOME', env.LOCALAPPDATA, '.local', 'share'),
    cache: folder('XDG_CACHE_HOME', env.LOCALAPPDATA, '.cache'),
    state: folder('XDG_STATE_HOME', env.LOCALAPPDATA, '.local', 'state'),
  };
}

function machine(env: Environment): { platform: string; home: string } {
  return { platform: platform(), home: env.HOME || env.USERPROFILE || homedir() };
}

/** A file of settings. */
export interface StoredFile {
  /** The file name without `.json`. */
  name: string;
  schema: JsonSchema;
  /** The content of a new file. */
  empty: object;
}

/**
 * Reads `folder/name.json`, lets `change` make the next value of it, and replaces the file atomically (mode 0600,
 * folder 0700) while no other comem writes one. What `change` throws leaves the file as it was.
 */
export async function updateStore<V extends object, T>(
  folder: string,
  file: StoredFile,
  change: (content: unknown) => Promise<{ value: V; result: T }>,
): Promise<T> {
  try {
    makeFolder(folder, 0o700);
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  const { default: Conf } = await import('conf');
  return withLock(join(folder, `${file.name}.lock`), async () => {
    const { value, result } = await change(readJson(join(folder, `${file.name}.json`)));
    const { properties, required = [] } = file.schema;
    try {
      const conf = new Conf<Record<string, unknown>>({
        cwd: folder,
        configName: file.name,
        configFileMode: 0o600,
        defaults: Object.fromEntries(Object.entries(file.empty)),
        ...(properties && { schema: properties as NonNullable<Options<Record<string, unknown>>['schema']> }),
        rootSchema: { required: [...required] },
        serialize: (store) => `${JSON.stringify(store, undefined, 2)}\n`,
      });
      conf.store = Object.fromEntries(Object.entries(value));
    } catch (error) {
      throw cannotWrite(join(folder, `${file.name}.json`), error);
    }
    return result;
  }).catch((error: unknown) => {
    if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) throw error;
    throw cannotWrite(folder, error);
  });
}

function cannotWrite(path: string, error: unknown): Failure {
  return new Failure('usage', `${path} cannot be written: ${(error as Error).message}`, {
    hint: 'make the folder of XDG_CONFIG_HOME writable, by default ~/.config',
    cause: error,
  });
}

/** A parsed JSON file; undefined when there is none. */
export function readJson(file: string): unknown {
  let text: string;
  try {
    // Reading a pipe would block.
    if (!(statSync(file).isFile() || statSync(file).isCharacterDevice())) throw new Error('it is not a regular file');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Failure('usage', `the settings file ${file} cannot be read: ${code ?? message}`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('usage', `the settings file ${file} is not valid JSON${positionIn(text)}`, {
      hint: 'fix it, or move it away and run `comem auth login` again',
      code: 'settings_file',
      cause: error,
    });
  }
}

/** The position of the first syntax error. The engine's own message quotes the text, which may be a credential. */
function positionIn(text: string): string {
  try {
    parseJson(text);
    return '';
  } catch (error) {
    return error instanceof JsonSyntaxError ? ` (line ${error.line}, column ${error.column})` : '';
  }
}

/** A lock without the number of a process is abandoned after this long. */
const abandonedMs = 4000;

interface LockOptions {
  /** How long to wait for the process that holds it. */
  waitMs: number;
  held(pid: number): Failure;
}

const settingsLock = (file: string): LockOptions => ({
  waitMs: 20_000,
  held: (pid) =>
    new Failure('tryLater', `another comem process (${pid}) holds the lock ${file}`, {
      hint: 'if none is running, delete that file',
    }),
});

/**
 * Runs work while `file` names this process. The lock of a process that has ended is taken over.
 * @throws `held` when another process keeps it for too long; the error of the file system
 */
export async function withLock<T>(
  file: string,
  work: () => T | Promise<T>,
  { waitMs, held }: LockOptions = settingsLock(file),
): Promise<T> {
  const mine = String(process.pid);
  const start = performance.now();
  while (!create(file, mine)) {
    const holder = read(file);
    const waited = performance.now() - start;
    const pid = Number(holder);
    const isAbandoned = pid > 0 ? !isAlive(pid) : waited > abandonedMs;
    if (holder !== undefined && isAbandoned) removeAbandoned(file, holder);
    else if (waited > waitMs) throw held(pid);
    else await sleep(10 + Math.floor((waited * 7) % 20));
  }
  try {
    return await work();
  } finally {
    if (read(file) === mine) rmSync(file, { force: true });
  }
}

/** Runs long work that one process does at a time. @throws `held` when another process does it, usage for a folder */
export async function whileRunning<T>(
  file: string,
  work: () => Promise<T>,
  held: (pid: number) => Failure,
): Promise<T> {
  let isRunning = false;
  try {
    makeFolder(dirname(file), 0o700);
    const running = () => {
      isRunning = true;
      return work();
    };
    // A process that is ending gets a moment.
    return await withLock(file, running, { waitMs: 2000, held });
  } catch (error) {
    if (isRunning || !(error instanceof Error) || !('errno' in error)) throw error;
    throw usage(`cannot write ${file}: ${error.message}`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    // A zombie has ended although its parent has not waited for it (proc(5), state Z).
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

function create(file: string, word: string): boolean {
  try {
    writeFileSync(file, word, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Windows reports EPERM while a file of that name is being deleted.
    if (code === 'EEXIST' || (code === 'EPERM' && platform() === 'win32')) return false;
    // An empty lock, as on a full disk, would keep others waiting.
    if (code === 'ENOSPC' || code === 'EFBIG' || code === 'EDQUOT') rmSync(file, { force: true });
    throw error;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Removes an abandoned lock. Restores it if another waiter was faster and the lock is already a new one. */
function removeAbandoned(file: string, holder: string): void {
  const aside = nameBeside(file);
  try {
    renameSync(file, aside);
    if (read(aside) !== holder) linkSync(aside, file);
  } catch {
    // Another process removed it or took the lock: the loop looks again.
  }
  rmSync(aside, { force: true });
}
