/** The context of a command. Everything from outside comes in through here, created when it is first used. */
import type { Client } from '../client/client.ts';
import type { Credentials } from '../client/credentials.ts';
import type { ProfilesFile } from '../config/profile.ts';
import type { Settings } from '../config/settings.ts';
import type { Paths } from '../config/store.ts';
import type { Input, Operation } from '../contract/operation.ts';
import type { OutputRuntime } from '../output/output.ts';
import type { Output } from '../output/write/create-output.ts';

/** The terminal and the streams that the process was started with. */
export type Terminal = OutputRuntime['terminal'] & { stdinIsTTY: boolean; color: { stderr: boolean } };

/** The writes that a run has sent, for the messages of later failures. */
export interface WriteLog {
  sent: number;
  done: number;
  /** The first ids of written resources. */
  ids: string[];
  /** The number of confirmed writes that `comem undo` can revert. */
  revertible?: number;
}

/** The process, as seen by everything but `main.ts`. */
export interface Runtime extends OutputRuntime {
  env: Readonly<Record<string, string | undefined>>;
  terminal: Terminal;
  stdin: NodeJS.ReadableStream;
  /** `COMEM_NOW` when it is set, else the clock. */
  now(): Date;
  /** In [0, 1). */
  random(): number;
  /** Aborted at SIGINT, SIGTERM and SIGHUP; its reason's message is the signal's name. */
  signal: AbortSignal;
  /** The file of the program that runs SQL statements. */
  sqlEngine?: string | undefined;
  /** Exits without waiting for stdout to drain. */
  abandonOutput?: (() => void) | undefined;
  /** Called before the first request. */
  beforeRequests?: (() => void) | undefined;
  /** Leaves the exit code to the command, also after a signal: it passes signals on to another program. */
  claimExit?: (() => void) | undefined;
  /** The exit code of the process: that of a signal, else the result. */
  exitCodeOf?: ((result: number) => number) | undefined;
}

export type { Origin, Setting, Settings } from '../config/settings.ts';

/** One write of a plan. */
export interface PlannedCall<O extends Operation = Operation> {
  op: O;
  input: Input<O>;
}

/** An address, its credentials and a company. */
export interface Account {
  baseUrl: string;
  credentials: Credentials;
  company?: string | undefined;
  allowHttp: boolean;
  /** Its name in messages. Default: the profile of the settings. */
  profile?: string;
  /** Default: as set. */
  retries?: number;
  /** Records its writes for undo in the journal of this profile. Default: no journal. */
  journal?: Settings;
}

/** Texts that the program prints about itself, and the program as a whole. */
interface Program {
  /** Runs another command line to its end. @returns its exit code */
  run(argv: readonly string[], runtime: Runtime): Promise<number>;
  /** Help for a noun, a verb or a topic; for no words, of the program. @throws usage for unknown words */
  help(words: readonly string[], isLong?: boolean): Promise<string>;
}

export interface OtherAccount {
  settings(): Settings;
  client(): Promise<Client>;
  /** Default: the output of the command. */
  out?: Output;
}

export interface PastState {
  /** The clock of the command. */
  now: Date;
  /** The time of the state. */
  seenAt: Date;
  /** The companies' own names by id. */
  names(): Promise<ReadonlyMap<string, string>>;
}

export interface Context {
  readonly runtime: Runtime;
  /** The folders of settings, databases, caches and journals. */
  readonly folders: Paths;
  /** All profiles, as they were when the command started. */
  readonly profiles: ProfilesFile;
  readonly program: Program;
  readonly settings: Settings;
  readonly out: Output;
  /** The mirror state that answers instead of the API (`--as-of`). */
  readonly past: PastState | undefined;
  /** Created on first use; closed by the program. */
  client(): Promise<Client>;
  /** Records in the journal the run that this one reverts. */
  noteUndone(run: { number: number; list?: string | undefined }): void;
  /** A client for another account than that of the settings. The caller closes it. */
  clientFor(account: Account): Promise<Client>;
  /**
   * The time by the server's clock, once it has answered; until then this machine's. COMEM_NOW and the demo's clock
   * outrank both.
   */
  now(): Date;
  /** The company of this call, or undefined. Throws usage when `-c` was given twice. */
  company(): string | undefined;
  /** The company; usage failure naming `-c` when there is none. */
  requireCompany(): string;
  /**
   * A copy with its own settings: setting a company there does not change this context.
   * @param other the settings and the client of another account, or another output
   */
  withSettings(other?: OtherAccount): Context;
  /** A copy that acts on these companies; none: the credential's own. */
  forCompanies(ids: readonly string[]): Context;
  /** The companies of the embedded database; undefined for an API with an address. */
  databaseCompanies(): Promise<readonly { id: string; name: string }[] | undefined>;
  /** The name of a company, if it is known without a request. */
  companyName(id: string): string | undefined;
  /** The uuid of a company given as uuid or alias; `from` names the flag or argument in the message. */
  companyOf(text: string, from: string): string;
  /**
   * Everything that must happen before writes are sent: under `--dry-run` prints the requests as one JSON array and
   * ends the command; refuses under `readonly`; names profile, host and company on stderr; asks `question` when it is
   * given (usage failure without a terminal and `--yes`).
   */
  prepare(calls: Iterable<PlannedCall>, question?: string): Promise<void>;
  /** Asks before local data is lost; `--yes` answers. Throws usage without a terminal, `no` when the answer is no. */
  confirm(question: string): Promise<void>;
  /** All of stdin as UTF-8; usage failure when stdin is a terminal. */
  readStdin(): Promise<string>;
  /** Text of `@file`, `-` (stdin) or the argument itself. */
  readArgument(argument: string): Promise<string>;
}
