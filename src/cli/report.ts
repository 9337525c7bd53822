/** The text of a failure on stderr. */
import { parseArgs } from 'node:util';
import { Failure, shorten } from '../core/errors.ts';
import { foldLines, jsonLine, messageLine, paint } from '../output/terminal-text.ts';
import type { Runtime, WriteLog } from './context.ts';

/** The code of a failure whose `details.issues` list the problems of a user's file. */
const invalidFile = 'invalid_file';

interface ReportOptions {
  /** One JSON line instead of text. */
  json: boolean;
  /** stderr is a terminal: lines are broken between words. */
  terminal: boolean;
  /** Its width. */
  columns?: number | undefined;
  /** Paints the message red and hints dim. */
  color?: boolean;
  /** Shows the stack of a bug. */
  debug: boolean;
  /** The profile of `-p`. Commands in a hint get it if their noun is one of `nouns`. */
  profile?: string | undefined;
  nouns?: readonly string[];
  /** By code, of failures whose thrower knows neither commands nor flags. */
  hints?: Readonly<Record<string, string>>;
  /** That of the process; default: that of the failure. */
  exitCode?: number;
}

/** Every error that is not a Failure is a bug of comem. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure('bug', `this is a bug in comem: ${message}`, {
    hint: 'please report it with the command line; COMEM_DEBUG=1 shows where it happened',
    cause: error,
  });
}

/**
 * The failure of a run that has sent writes. Exit code 2 says that nothing was written, so what fails on this machine
 * afterwards is of another kind and says what was done.
 */
export function afterWrites(failure: Failure, { sent, done, ids }: WriteLog): Failure {
  const isLocal = failure.kind === 'usage' || failure.code === 'jq_failed';
  if (sent === 0 || !isLocal) return failure;
  const which = ids.length === 0 ? '' : ` (${ids.join(', ')}${done > ids.length ? ', …' : ''})`;
  const says = `${sent === 1 && done === 1 ? 'the write was' : `${done} of ${sent} writes were`} done before${which}`;
  return new Failure('failedAfterWrite', `${failure.message}; ${says}`, {
    hint: 'look at what was written before you repeat the command',
    details: { reason: failure.code, sent, done, ids },
    cause: failure,
  });
}

/** A message repeats what was typed, which may be a file. */
const maxLineLength = 4000;

/** The text for stderr, with a final line break. */
export function report(failure: Failure, options: ReportOptions): string {
  const stack = options.debug ? stackOf(failure) : '';
  const hint = hintOf(failure, options);
  if (options.json) return `${jsonLine(JSON.stringify(errorObject(failure, hint, options.exitCode)))}\n${stack}`;
  const fitted = (text: string) => {
    const line = messageLine(shorten(text, maxLineLength));
    return `${options.terminal && options.columns !== undefined ? foldLines(line, options.columns) : line}\n`;
  };
  const tinted = (text: string, on: number, off: number) =>
    options.color ? paint(fitted(text), on, off) : fitted(text);
  return [
    tinted(`comem: ${failure.message}`, 31, 39),
    ...failure.lines.map((line) => fitted(`  ${line}`)),
    // Not folded: a mark below the excerpt shows a column of it.
    ...excerptOf(failure).map((line) => `${messageLine(`  ${line}`)}\n`),
    ...(hint === undefined ? [] : [tinted(`  hint: ${hint}`, 2, 22)]),
    ...detailLines(failure).map((line) => fitted(`  ${line}`)),
    stack,
  ].join('');
}

/** Every key is present, so that a program need not test for it; null means nothing to say. */
function errorObject(failure: Failure, hint: string | undefined, exitCode = failure.exitCode) {
  const { code, message, status = null, details = null, request = null, retryable } = failure;
  return { error: { code, message, status, details, request, hint: hint ?? null, retryable, exitCode } };
}

function hintOf(
  { hint, resume, code }: Failure,
  { profile, nouns = [], hints = {} }: ReportOptions,
): string | undefined {
  const flags = resumeFlags(resume);
  const onward = flags && `all rows before it are complete: continue with ${flags}`;
  const rewritten = (hint ?? hints[code])?.replace(/`comem((?: -c \S+)* ([a-z]+)\b[^`]*)/g, (command, words, noun) =>
    profile === undefined || !nouns.includes(noun) || /\s(?:-p|--profile)\b/.test(words)
      ? command
      : `\`comem -p ${profile}${words}`,
  );
  return [rewritten, onward].filter(Boolean).join('; ') || undefined;
}

/** The flags that continue an interrupted read: `--cursor abc`. */
export function resumeFlags(resume: Failure['resume']): string {
  const options = Object.entries(resume ?? {}).filter(([, value]) => value !== undefined);
  return options.map(([name, value]) => `--${name} ${value}`).join(' ');
}

/** The server's own words on each wrong field (`details.issues` where it gives them), else its details as JSON. */
function detailLines({ details, status, code }: Failure): string[] {
  if (details === undefined || details === null || (status === undefined && code !== invalidFile)) return [];
  const issues = (details as { issues?: unknown }).issues;
  // The rows of a report, which is printed.
  if (Array.isArray(details)) return [];
  if (Array.isArray(issues) && issues.every(isIssue)) {
    return issues.map(({ path, message }) => `${path === '' ? 'input' : path}: ${message}`);
  }
  return [`details: ${JSON.stringify(details)}`];
}

/** The line of the user's text that is wrong, with a mark below the place. */
function excerptOf({ details }: Failure): unknown[] {
  const lines: unknown = (details as { excerpt?: unknown } | null | undefined)?.excerpt;
  return Array.isArray(lines) ? lines : [];
}

function isIssue(value: unknown): value is { path: string; message: string } {
  const issue = value as { path?: unknown; message?: unknown } | null;
  return typeof issue?.path === 'string' && typeof issue.message === 'string';
}

function stackOf(failure: Failure): string {
  const { message, stack = message } = failure.cause instanceof Error ? failure.cause : failure;
  const lines = stack.replace(message, () => messageLine(message)).split('\n');
  return lines.map((line) => `${messageLine(line)}\n`).join('');
}

/** Flags in argv that say how errors are printed, before anything is parsed. */
export function reportFlags(argv: readonly string[], env: Runtime['env'] = {}) {
  const { values } = parseArgs({
    args: [...argv],
    strict: false,
    options: {
      output: { type: 'string', short: 'o' },
      profile: { type: 'string', short: 'p' },
      jq: { type: 'string' },
      json: { type: 'boolean' },
      color: { type: 'string' },
      'no-color': { type: 'boolean' },
    },
  });
  const textOf = (value: unknown) => (typeof value === 'string' ? value.replace(/^=/, '') : undefined);
  const { output, jq, json, profile, color } = values;
  return {
    format: json || jq !== undefined ? 'json' : (textOf(output) ?? env.COMEM_OUTPUT),
    profile: textOf(profile),
    color: values['no-color'] ? 'never' : textOf(color),
  };
}

export function isJson(format: string | undefined): boolean {
  return format === 'json' || format === 'ndjson';
}
