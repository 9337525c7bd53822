/** Runs the built program, in this process or as one of its own, with settings and data folders of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { run as runProgram } from '../../src/main.ts';
import { afterFile } from './after-file.ts';
import { run } from './run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program to test; `COMEM_BIN` names another one, such as an installed package. */
export const binary = process.env.COMEM_BIN ?? join(root, 'bin/comem.js');

/** The parts of the build: a start takes longer than most command lines, so a test of hundreds runs them in its process. */
const dist = join(dirname(binary), '../dist');
export const builtSqlEngine = join(dist, 'sql-engine.js');

/** The built program without its start, for `run` (helpers/run.ts). */
export function builtProgram(): typeof runProgram {
  requireBuilt();
  return createRequire(import.meta.url)(join(dist, 'main.js')).run;
}

function requireBuilt(): void {
  if (!existsSync(binary)) throw new Error(`${binary} is not built: run \`npm run build\` first`);
}

export interface CliOptions {
  env?: Record<string, string | undefined>;
  stdin?: string | Buffer | undefined;
  cwd?: string;
  /** The XDG folders; default: fresh ones for each test file. */
  home?: string;
  /** Another one than the built program. */
  program?: string | undefined;
}

export interface CliResult {
  stdout: string;
  stderr: string;
  code: number | null;
  signal: NodeJS.Signals | null;
}

let shared: string | undefined;

/** A folder that is gone after the test file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'comem-test-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One for all runs of a test file that name none. */
function sharedHome(): string {
  if (shared === undefined) {
    shared = temporaryFolder();
    afterFile(() => {
      shared = undefined;
    });
  }
  return shared;
}

/** Starts the binary; the caller waits for it or ends it. */
export function start(argv: readonly string[], options: CliOptions = {}): ChildProcess {
  requireBuilt();
  const home = options.home ?? sharedHome();
  const env: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: join(home, 'state'),
    ...options.env,
  };
  return spawn(process.execPath, [options.program ?? binary, ...argv], { cwd: options.cwd ?? home, env });
}

/** Runs the binary to its end, for what only a process has: its start, its memory, and what it inherits. */
export function runBinary(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return finished(start(argv, options), options.stdin);
}

/** Runs one command line of the built program in this process, which takes a tenth of the time. */
export async function cli(argv: readonly string[], options: Omit<CliOptions, 'program'> = {}): Promise<CliResult> {
  const home = options.home ?? sharedHome();
  const none = { COMEM_BASE_URL: undefined, COMEM_COMPANY_ID: undefined, COMEM_NOW: undefined };
  const { stdout, stderr, code } = await run(argv, {
    program: builtProgram(),
    sqlEngine: builtSqlEngine,
    network: true,
    machineClock: true,
    home,
    cwd: options.cwd ?? home,
    stdin: options.stdin,
    columns: Number(options.env?.COLUMNS ?? 80),
    env: { ...none, PATH: process.env.PATH, ...options.env },
  });
  return { stdout, stderr, code, signal: null };
}

export function finished(child: ChildProcess, stdin: string | Buffer = ''): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    // A command that does not read its stdin may be gone before all of it is written.
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8');
      resolve({ stdout: text(stdout), stderr: text(stderr), code, signal });
    });
  });
}
