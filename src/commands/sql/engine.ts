/** The process that runs SQL statements: started, asked, and ended whatever it is doing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Runtime } from '../../cli/context.ts';
import { Failure } from '../../core/errors.ts';
import type { EngineAnswer, EngineRequest } from '../../domain/sql/wire.ts';

/** What keeps the process of the engine small: it holds few objects, and its memory is added to that of this one. */
const nodeFlags = ['--max-semi-space-size=1', '--optimize-for-size', '--v8-pool-size=0', '--no-warnings'];
const small = { MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '1' };

export interface SqlEngine {
  /** One request at a time is asked; `limitMs` bounds the wait for its answer. @throws Failure when the process ends */
  ask(request: EngineRequest, limitMs?: number): Promise<EngineAnswer>;
  /** Ends the process, also during a statement; what waits for an answer fails with the reason. */
  end(reason?: Failure): void;
  readonly ended: boolean;
}

export function startEngine(runtime: Pick<Runtime, 'env' | 'signal' | 'sqlEngine' | 'keepHeapSmall'>): SqlEngine {
  runtime.keepHeapSmall?.();
  const folder = mkdtempSync(join(tmpdir(), 'comem-sql-'));
  const program = runtime.sqlEngine ?? '';
  // Descriptor 3 tells the engine when this process ends. Only what SQLite needs of the environment.
  const { TMPDIR, SQLITE_TMPDIR, PATH, SystemRoot, TEMP } = runtime.env;
  const child = spawn(process.execPath, [...nodeFlags, program, join(folder, 'tables.db')], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: { TMPDIR, SQLITE_TMPDIR, PATH, SystemRoot, TEMP, ...small },
    // Ctrl-C on a terminal is for this process, which decides what it ends.
    detached: true,
  });
  return new EngineProcess(child, folder, runtime.signal);
}

interface Waiting {
  resolve(answer: EngineAnswer): void;
  reject(error: Failure): void;
}

class EngineProcess implements SqlEngine {
  private readonly waiting: Waiting[] = [];
  private failure: Failure | undefined;
  private said = '';
  private readonly onAbort = () => this.end(interrupted());

  constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly signal: AbortSignal,
  ) {
    const { stdin, stdout, stderr } = streamsOf(child);
    createInterface({ input: stdout }).on('line', (line) => {
      this.waiting.shift()?.resolve(JSON.parse(line) as EngineAnswer);
    });
    stderr.on('data', (text) => {
      this.said = (this.said + text).slice(-2_000);
    });
    for (const stream of [stdin, child.stdio[3]]) stream?.on('error', () => {});
    child.on('error', (error) => this.end(lost(error.message)));
    child.on('exit', (code, name) => {
      this.end(lost(this.said.trim() || (name === null ? `exit code ${code}` : name)));
    });
    if (signal.aborted) this.onAbort();
    else signal.addEventListener('abort', this.onAbort, { once: true });
  }

  get ended(): boolean {
    return this.failure !== undefined;
  }

  ask(request: EngineRequest, limitMs?: number): Promise<EngineAnswer> {
    if (this.failure) return Promise.reject(this.failure);
    const timer = limitMs === undefined ? undefined : setTimeout(() => this.end(tooLong(limitMs)), limitMs);
    const answer = new Promise<EngineAnswer>((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
    return answer.finally(() => clearTimeout(timer));
  }

  end(reason: Failure = lost('it was ended')): void {
    if (this.failure) return;
    this.failure = reason;
    this.signal.removeEventListener('abort', this.onAbort);
    this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
    for (const { reject } of this.waiting.splice(0)) reject(reason);
  }
}

function streamsOf({ stdin, stdout, stderr }: ChildProcess): { stdin: Writable; stdout: Readable; stderr: Readable } {
  if (!stdin || !stdout || !stderr) throw new Error('the streams of the SQL engine are missing');
  return { stdin, stdout, stderr };
}

export function interrupted(): Failure {
  return new Failure('interrupted', 'interrupted; the statement was cancelled');
}

function tooLong(limitMs: number): Failure {
  return new Failure('tryLater', `the statement took longer than ${limitMs / 1000} s and was cancelled`, {
    ...{ code: 'timeout', retryable: false },
    hint: 'give it more time with --timeout, or make it read fewer rows',
  });
}

function lost(why: string): Failure {
  return new Failure('bug', `the SQL engine ended unexpectedly: ${why}`);
}
