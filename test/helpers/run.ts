/** Runs a command line in this process, as a user would, against an embedded API. */
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { Runtime } from '../../src/cli/context.ts';
import { demo } from '../../src/core/demo.ts';
import type { Headers, Transport } from '../../src/core/wire.ts';
import { run as runProgram } from '../../src/main.ts';
import { type Embedded, openEmbedded } from '../../src/server/embedded.ts';
import { afterFile } from './after-file.ts';
import { demoDatabase } from './database.ts';
import { brokenHints } from './hints.ts';

export interface RecordedRequest {
  method: string;
  /** Without query. */
  path: string;
  query: Record<string, string>;
  headers: Headers;
  /** Parsed; undefined when there was none. */
  body: unknown;
}

export interface RunOptions {
  /** stdin, stdout and stderr are a terminal. Default: pipes. */
  tty?: boolean;
  columns?: number;
  /** FORCE_COLOR=1: stdout has color, also in a pipe. */
  color?: boolean;
  /** Besides the address and company of the demo; undefined takes a variable away. */
  env?: Record<string, string | undefined>;
  stdin?: string | Buffer | undefined;
  /** On a terminal: what is typed when its question is on the screen, in this order. */
  answers?: readonly (readonly [question: string, typed: string])[];
  cwd?: string;
  /** What answers. Default: an embedded API with the demo data one for each test file. */
  transport?: Transport | Embedded;
  /** Let the base URL of flags, environment and profiles decide instead. */
  network?: boolean;
  /** `COMEM_NOW`; default: the date of the demo. */
  now?: string;
  /** Without `COMEM_NOW`, the time is that of the machine. */
  machineClock?: boolean;
  /** The XDG folders; default: fresh ones for each test file. */
  home?: string;
  signal?: AbortSignal;
  /** Keeps the lines that a terminal shows while something is waited for. */
  waits?: boolean;
  /** The program that runs SQL statements (helpers/sql-engine.ts). */
  sqlEngine?: string;
  /** Instead of the sources: the built program (helpers/cli.ts). */
  program?: typeof runProgram;
}

export interface RunResult {
  stdout: string;
  stderr: string;
  code: number;
  /** What was sent, in order. */
  requests: RecordedRequest[];
}

let shared: string | undefined;
let demoApi: Promise<Embedded> | undefined;

/** An embedded API of its own, with the demo data; closed after the test file. */
export async function freshApi(): Promise<Embedded> {
  const api = await openEmbedded(await demoDatabase());
  afterFile(() => api.close());
  return api;
}

export async function run(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { tty = false, columns = 80, stdin, signal = new AbortController().signal } = options;
  // As the program does: each request in flight adds a listener.
  setMaxListeners(0, signal);
  const stdout = new Collector();
  const typed = new PassThrough();
  const left = [...(options.answers ?? [])];
  let from = 0;
  const stderr = new Collector((text) => {
    const [next] = left;
    const at = next ? text.indexOf(next[0], from) : -1;
    if (!next || at < 0) return;
    from = at + next[0].length;
    left.shift();
    setImmediate(() => typed.write(next[1]));
  });
  const requests: RecordedRequest[] = [];
  const env = environment(options);
  const runtime: Runtime = {
    env,
    cwd: options.cwd ?? env.XDG_DATA_HOME ?? tmpdir(),
    terminal: {
      stdinIsTTY: tty && stdin === undefined,
      stdoutIsTTY: tty,
      stderrIsTTY: tty,
      columns,
      color: { stdout: options.color ?? false, stderr: false },
    },
    stdin: options.answers ? typed : Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)]),
    stdout,
    stderr,
    now: () => new Date(env.COMEM_NOW ?? (options.machineClock ? Date.now() : demo.now)),
    random: () => 0.5,
    signal,
    sqlEngine: options.sqlEngine,
  };
  const transport = await transportOf(options);
  const connection = transport && { send: recorded(transport, requests), close: async () => {} };
  const code = await (options.program ?? runProgram)(argv, runtime, { connection });
  const said = stderr.text();
  const broken = await brokenHints(argv, said, runtime.cwd);
  if (broken.length > 0) throw new Error(`comem ${argv.join(' ')}: ${broken.join('; ')}`);
  return { stdout: stdout.text(), stderr: options.waits ? said : withoutWaits(said), code, requests };
}

/** What a slow machine shows while something is waited for, and removes. */
const clear = '\r\u001b[K';

function withoutWaits(text: string): string {
  return text
    .split(clear)
    .filter((part) => !/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] (Reading|Writing) [^\n]*$/u.test(part))
    .join('');
}

async function transportOf({ transport, network }: RunOptions): Promise<Transport | undefined> {
  if (network) return undefined;
  if (transport) return typeof transport === 'function' ? transport : transport.transport;
  if (!demoApi) {
    demoApi = freshApi();
    afterFile(() => {
      demoApi = undefined;
    });
  }
  return (await demoApi).transport;
}

function environment(options: RunOptions): Record<string, string | undefined> {
  const home = options.home ?? ownHome();
  return {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: join(home, 'state'),
    COMEM_BASE_URL: 'embedded:',
    COMEM_COMPANY_ID: demo.companyId,
    COMEM_NOW: options.now ?? demo.now,
    ...options.env,
  };
}

function ownHome(): string {
  if (shared) return shared;
  const folder = mkdtempSync(join(tmpdir(), 'comem-test-'));
  shared = folder;
  afterFile(() => {
    rmSync(folder, { recursive: true, force: true });
    shared = undefined;
  });
  return folder;
}

/** The transport, with every request noted first. */
export function recorded(transport: Transport, requests: RecordedRequest[]): Transport {
  return (request) => {
    const { pathname, searchParams } = new URL(request.url);
    requests.push({
      method: request.method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: request.headers,
      body: request.body === undefined ? undefined : JSON.parse(request.body),
    });
    return transport(request);
  };
}

class Collector extends Writable {
  private readonly chunks: Buffer[] = [];

  constructor(private readonly onText?: (all: string) => void) {
    super();
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(Buffer.from(chunk));
    this.onText?.(this.text());
    done();
  }

  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}
