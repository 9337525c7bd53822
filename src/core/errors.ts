/** The failures that comem throws on purpose, and the exit code of each kind. */

/** The classes of failure, with the exit code that a script sees. */
export const exitCodes = {
  /** The answer is no: a check failed, no rows where some were required, a step was refused. */
  no: 1,
  /** Wrong usage or local validation; nothing was written. */
  usage: 2,
  /** 404, or a name that matches nothing. */
  notFound: 3,
  /** Credential missing, expired, of the wrong kind, or not allowed. */
  credential: 4,
  /** 429, 5xx, network, time-out, after retries. */
  tryLater: 5,
  /** Any other 4xx, or an answer that is not the API. */
  rejected: 6,
  partial: 7,
  /** Writes were sent, and then this machine failed, such as a full disk under the output. */
  failedAfterWrite: 7,
  bug: 70,
  /** SIGINT, also ^C at a prompt. */
  interrupted: 130,
} as const;

export type FailureKind = keyof typeof exitCodes;

/** The options that continue an interrupted read. */
export interface Resume {
  cursor?: string | undefined;
  offset?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface FailureOptions {
  /** Lines printed after the message, such as the mistakes of a file. */
  lines?: readonly string[] | undefined;
  hint?: string | undefined;
  /** Reads the rest, if all rows before the failure were delivered. */
  resume?: Resume | undefined;
  status?: number | undefined;
  /** The server's `details`, verbatim. */
  details?: unknown;
  /** The request that failed, with no credential in it. */
  request?: { method: string; url: string } | undefined;
  /** Whether the same command may simply be run again. Default: only for `tryLater`. */
  retryable?: boolean | undefined;
  /** An earlier attempt of the request may have been carried out. */
  isRepeated?: boolean | undefined;
  /** A stable word for programs; default: the kind in snake case. */
  code?: string | undefined;
  cause?: unknown;
}

/** A failure that a user can act on. `message` is a sentence without a final period. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly hint: string | undefined;
  readonly lines: readonly string[];
  readonly resume: Resume | undefined;
  readonly status: number | undefined;
  readonly details: unknown;
  readonly request: { method: string; url: string } | undefined;
  readonly retryable: boolean;
  readonly isRepeated: boolean;
  readonly code: string;

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.hint = options.hint;
    this.lines = options.lines ?? [];
    this.resume = options.resume;
    this.status = options.status;
    this.details = options.details;
    this.request = options.request;
    this.retryable = options.retryable ?? kind === 'tryLater';
    this.isRepeated = options.isRepeated ?? false;
    this.code = options.code ?? kind.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
  }

  with(changes: FailureOptions): Failure {
    return new Failure(this.kind, this.message, { ...this, cause: this, ...changes });
  }

  get exitCode(): number {
    return exitCodes[this.kind];
  }
}

export class TransportError extends Error {
  constructor(
    message: string,
    /** Whether the request may have reached the server: false after a failed connection (DNS, refused, proxy). */
    readonly sent: boolean,
    /** `timeout`, `network`, `aborted` (by the caller's own signal), or `tooLarge`: more than a response may have. */
    readonly reason: 'timeout' | 'network' | 'aborted' | 'tooLarge',
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'TransportError';
  }
}

/** Ends a command that is complete, such as a dry run; not a failure. */
export class Finished extends Error {
  /** @param code the exit code, for a command that passes on another program's */
  constructor(readonly code = 0) {
    super('finished');
  }
}

export function usage(message: string, hint?: string): Failure {
  return new Failure('usage', message, { hint });
}

export function noRows(): Failure {
  return new Failure('no', 'there are no rows', { code: 'empty' });
}

/** The failure of several parts when none succeeded, in the words and with the status of the first. */
export function allFailed(
  failures: readonly Failure[],
  says: string,
  { hint, details }: Pick<FailureOptions, 'hint' | 'details'>,
): Failure {
  const [first] = failures;
  const kind = first && failures.every((failure) => failure.kind === first.kind) ? first.kind : 'rejected';
  const { message, status, request } = first ?? {};
  return new Failure(kind, `${says}: ${message}`, { hint, details, status, request });
}

/** Whether other parts of the work may go on. After an answer about another company, no answer can be trusted. */
export function isSkippable(error: unknown): error is Failure {
  return isFailedPart(error) && error.code !== wrongCompany;
}

/** Whether a diagnosis may report the failure and go on: not an interruption or a bug. */
export function isFailedPart(error: unknown): error is Failure {
  return error instanceof Failure && error.kind !== 'interrupted' && error.kind !== 'bug';
}

/** The code of an answer about another company than the one of its request. */
export const wrongCompany = 'wrong_company';

/** The failure of a row that the query excludes: the server, or a proxy, dropped a part of the query. */
export function outsideQuery(says: string): Failure {
  const hint = 'this server does not take the query as the API says: check the base URL';
  return new Failure('rejected', says, { code: 'wrong_answer', hint });
}

export function shorten(text: string, most = 60): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** `a, b and 3 more`. */
export function listSome(texts: readonly string[], most: number): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : '';
  return `${texts.slice(0, most).join(', ')}${more}`;
}

export function kindOfStatus(status: number): FailureKind {
  if (status === 404) return 'notFound';
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) return 'credential';
  if (status === 429 || status >= 500) return 'tryLater';
  return 'rejected';
}

/** Text that is not JSON. `line` and `column` count from 1; `position` is the index in the text. */
export class JsonSyntaxError extends SyntaxError {
  constructor(
    readonly says: string,
    readonly position: number,
    readonly line: number,
    readonly column: number,
  ) {
    super(`${says} at line ${line}, column ${column}`);
    this.name = 'JsonSyntaxError';
  }
}

/** The same rows. A failure names no continuation, because no row is shown before all are read. */
export async function* readWhole<T>(rows: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  try {
    yield* rows;
  } catch (error) {
    throw error instanceof Failure ? error.with({ resume: undefined }) : error;
  }
}

/** The value of a field that a choice depends on. @throws rejected if the server left it out */
export function requireField<T>(value: T | null | undefined, field: string, row: string): T {
  if (value !== undefined && value !== null) return value;
  throw new Failure('rejected', `comem needs ${field} of ${row}, which the server left out`, {
    code: 'missing_field',
    hint: 'leave out what chooses by it, or name the rows by their ids',
  });
}

/** `the entry 0f1e…`, as a message names a row. */
export function rowName(kind: string, id: unknown): string {
  return typeof id === 'string' && id !== '' ? `the ${kind} ${id}` : `a ${kind} without an id`;
}
