/** The process that runs SQL statements: its start, its questions and answers, and its end at a time-out. */
import { type ChildProcess, fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Runtime } from '../../cli/context.ts';
import { Failure, usage } from '../../core/errors.ts';
import type { EngineAnswer, EngineRequest } from '../../domain/sql/wire.ts';

/** Flags that keep the engine's process small: its memory is added to that of this one. */
const nodeFlags = ['--max-semi-space-size=1', '--optimize-for-size', '--v8-pool-size=0', '--no-warnings'];
const small = { MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '1' };

/** The signal by which the engine ends itself: the statement takes more memory or temporary files than it may. */
const overLimit = 'SIGUSR2';

export class SqlEngine {
  private readonly child: ChildProcess;
  private readonly waiting: { resolve(answer: EngineAnswer): void; reject(error: Failure): void }[] = [];
  private failure: Failure | undefined;
  private complaint = '';
  private fail: (reason: Failure) => void = () => {};
  private readonly onAbort = () => this.end(new Failure('interrupted', 'interrupted; the statement was cancelled'));

  /** Fails when the engine ends before it is closed. */
  readonly engineFailure: Promise<never>;

  constructor(private readonly runtime: Pick<Runtime, 'env' | 'signal' | 'sqlEngine' | 'keepHeapSmall'>) {
    runtime.keepHeapSmall?.();
    this.engineFailure = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.engineFailure.catch(() => {});
    const { TMPDIR = tmpdir(), SQLITE_TMPDIR, PATH, SystemRoot, TEMP, TZ } = runtime.env;
    this.child = fork(runtime.sqlEngine ?? '', [], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      execArgv: nodeFlags,
      // Only what SQLite needs of the environment.
      env: { TMPDIR, SQLITE_TMPDIR, PATH, SystemRoot, TEMP, TZ, ...small },
      // Ctrl-C on a terminal is for this process, which decides what it ends.
      detached: true,
    });
    // The engine says that it has started.
    const started = { resolve: () => {}, reject: () => {} };
    this.waiting.push(started);
    this.child.on('message', (answer) => this.waiting.shift()?.resolve(answer as EngineAnswer));
    this.child.stderr?.on('data', (text) => {
      this.complaint = (this.complaint + text).slice(-2_000);
    });
    this.child.on('error', (error) => this.end(engineFailure(error.message)));
    this.child.on('exit', (code, signal) => {
      this.end(
        signal === overLimit
          ? overLimitFailure()
          : engineFailure(this.complaint.trim() || (signal ?? `exit code ${code}`)),
      );
    });
    if (runtime.signal.aborted) this.onAbort();
    else runtime.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  /** One request at a time is answered. @throws Failure when the engine ends */
  ask(request: EngineRequest): Promise<EngineAnswer> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise<EngineAnswer>((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.send(request, (error) => error && this.end(engineFailure(error.message)));
    });
  }

  /** Ends the process, also during a statement; what waits for an answer fails with the reason. */
  end(reason: Failure): void {
    if (this.failure) return;
    this.failure = reason;
    this.runtime.signal.removeEventListener('abort', this.onAbort);
    this.child.kill('SIGKILL');
    for (const { reject } of this.waiting.splice(0)) reject(reason);
    this.fail(reason);
  }

  /** Ends the process when its work is done. */
  close(): void {
    this.end(engineFailure('it was closed'));
  }
}

function overLimitFailure(): Failure {
  return usage(
    'the statement takes more than 200 MiB of memory or 512 MiB of temporary files, and was cancelled',
    'let it read or combine fewer rows',
  );
}

function engineFailure(why: string): Failure {
  return new Failure('bug', `the SQL engine ended unexpectedly: ${why}`);
}
