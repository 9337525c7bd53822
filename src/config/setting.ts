/** Single settings: what they are resolved from, and what each may be. */
import { resolve } from 'node:path';
import { urlOf } from '../core/addresses.ts';
import { usage } from '../core/errors.ts';
import { formatOfFile, formats, isFormat } from '../core/output-formats.ts';
import type { GlobalFlags } from './global-flags.ts';
import type { Profile } from './profile.ts';
import type { Environment } from './store.ts';

/** Where a value came from, for `auth status`. */
export type Origin = 'flag' | 'environment' | 'profile' | 'default';

export interface Setting<T> {
  value: T;
  origin: Origin;
  /** `--company`, `COMEM_COMPANY_ID`, `profile "prod"`. */
  from: string;
}

export interface Settings {
  profile: Setting<string>;
  /** False when the profile's name was chosen but nothing is kept under it. */
  profileExists: boolean;
  /** Undefined: none is set anywhere. */
  baseUrl: Setting<string | undefined>;
  /** Companies as uuids, aliases resolved; more than one only for `metrics series`. */
  companies: Setting<string[]>;
  /** The companies that the profile keeps by alias, for targets that name one. */
  aliases: Readonly<Record<string, string>>;
  /** The groups of companies that the profile keeps, as uuids by name. */
  groups: Readonly<Record<string, readonly string[]>>;
  /** Every company that is known was asked for, readable or not. */
  everyCompany: boolean;
  /** By company, the month in which its fiscal years begin. */
  fiscalYearStart: Readonly<Record<string, number>>;
  /** Definitions of computed metrics, by name. */
  /** A file of computed metrics, or definitions by name. */
  definitions: string | Readonly<Record<string, string>> | undefined;
  /** The time whose state answers instead of the API's. */
  asOf: string | undefined;
  /** The newest state of the mirror answers. */
  offline: boolean;
  /** A folder, absolute where the profile keeps it, or a `postgres://` address. */
  mirror: Setting<string | undefined>;
  output: Setting<string | undefined>;
  fields: string[] | undefined;
  jq: string | undefined;
  out: string | undefined;
  header: boolean;
  truncate: boolean;
  /** Of amounts in tables of a terminal. */
  scale: 'auto' | 'k' | 'M' | 'none';
  exact: boolean;
  /** The command that shows long output on a terminal. */
  pager: string | undefined;
  limit: number | undefined;
  pageSize: number | undefined;
  failEmpty: boolean;
  raw: boolean;
  dryRun: boolean;
  /** Read what a write replaces where it was not read anyway. */
  keepUndo: boolean;
  yes: boolean;
  /** False under `--no-input`, `COMEM_NO_INPUT`, `CI`, or without a terminal. */
  input: boolean;
  timeoutMs: Setting<number>;
  /** Bytes of a response at the most. */
  maxResponse: Setting<number>;
  retries: Setting<number>;
  verbose: boolean;
  quiet: boolean;
  excel: boolean;
  readonly: boolean;
  protected: boolean;
  confirm: string | undefined;
  allowHttp: boolean;
}

/** What of the terminal decides a setting. */
export interface Streams {
  stdinIsTTY: boolean;
  stdoutIsTTY: boolean;
  stderrIsTTY: boolean;
}

/** One of the formats of `-o`. */
export function format(text: string, from: string): string {
  if (isFormat(text)) return text;
  throw usage(`${from}: unknown output format "${text}"`, `the formats are ${formats.join(', ')}`);
}

/** Seconds, more than none and at most a day. */
export function seconds(value: number | string, from: string): number {
  const number = decimal(value);
  if (number > 0 && number <= 86_400) return number;
  throw usage(`${from} must be a number of seconds above 0 and at most 86400, got "${value}"`);
}

/** Mebibytes, as bytes. A longer text is more than a string of this program can hold. */
export function mebibytes(value: number | string, from: string): number {
  const number = decimal(value);
  if (Number.isInteger(number) && number >= 1 && number <= 500) return number * 1024 * 1024;
  throw usage(`${from} must be a whole number of mebibytes from 1 to 500, got "${value}"`);
}

/** A count from 0 to 100. */
export function wholeNumber(value: number | string, from: string): number {
  const number = decimal(value);
  if (Number.isInteger(number) && number >= 0 && number <= 100) return number;
  throw usage(`${from} must be a whole number from 0 to 100, got "${value}"`);
}

function decimal(value: number | string): number {
  if (typeof value === 'number') return value;
  return /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : Number.NaN;
}

/** Whether an environment variable that is a switch is on; `CI=false` is off. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase());
}

export function booleanValue(text: string, from: string): boolean {
  const word = text.trim().toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(word)) return true;
  if (['false', 'no', 'off', '0'].includes(word)) return false;
  throw usage(`${from} must be true or false, got "${text}"`);
}

/** The flag, the extension of `--out`, the environment, the profile on a terminal; undefined: table or tsv. */
export function outputSetting(
  flags: GlobalFlags,
  env: Environment,
  profile: Profile,
  terminal: Streams,
  name: string,
): Setting<string | undefined> {
  if (flags.output !== undefined) return { value: format(flags.output, '--output'), origin: 'flag', from: '--output' };
  if (flags.json || flags.jq !== undefined) {
    return { value: 'json', origin: 'flag', from: flags.json ? '--json' : '--jq' };
  }
  const extension = flags.out === undefined ? undefined : formatOfFile(flags.out);
  if (extension) return { value: extension, origin: 'flag', from: '--out' };
  if (env.COMEM_OUTPUT) {
    return { value: format(env.COMEM_OUTPUT, 'COMEM_OUTPUT'), origin: 'environment', from: 'COMEM_OUTPUT' };
  }
  if (profile.output && terminal.stdoutIsTTY && flags.out === undefined) {
    const from = `profile "${name}"`;
    return { value: format(profile.output, from), origin: 'profile', from };
  }
  return { value: undefined, origin: 'default', from: 'default' };
}

/** @throws usage when flags of the output exclude each other */
export function refuseContradictions(flags: GlobalFlags): void {
  const asked = [flags.output, flags.json ? 'json' : undefined].filter(Boolean);
  if (new Set(asked).size > 1) {
    throw usage(`only one output format can be written, but ${asked.join(' and ')} were asked for`);
  }
  if (flags.jq !== undefined && asked[0] !== undefined && asked[0] !== 'json') {
    throw usage(`--jq prints JSON and cannot go with -o ${asked[0]}`);
  }
  if (!flags.raw) return;
  const beside = flags.fields !== undefined ? '--fields' : flags.jq !== undefined ? '--jq' : asked[0] && '-o';
  if (beside) throw usage(`--raw prints the body as it was received and cannot go with ${beside}`);
}

/** The names of `--fields`. */
export function splitFields(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw usage(`--fields must be names separated by commas, got "${text}"`);
  return names;
}

const scheme = 'embedded:';

export function isEmbedded(baseUrl: string): boolean {
  return baseUrl.startsWith(scheme);
}

/** The folder after `embedded:`; undefined for the demo's own. */
export function embeddedFolder(baseUrl: string): string | undefined {
  return baseUrl.slice(scheme.length) || undefined;
}

/**
 * The base URL without a slash at its end. `from` names the flag, variable or profile in the message.
 * @throws usage when it is not an http, https or `embedded:` address, or carries a password, query or fragment
 */
export function parseBaseUrl(text: string, from: string): string {
  const given = text.trim();
  if (isEmbedded(given)) return given;
  if (!/^https?:\/\//i.test(given)) {
    const hint = /^[\w.-]+(:\d+)?(\/|$)/.test(given) ? `write it as https://${given}` : undefined;
    throw usage(`${from} must start with https://, http:// or embedded:, got "${text}"`, hint);
  }
  const url = urlOf(given);
  if (!url) throw usage(`${from} is not a valid address: "${text}"`);
  if (url.username || url.password) {
    throw usage(
      `${from} must not contain a user name or password`,
      'save credentials with `comem auth login`, or set COMEM_API_KEY',
    );
  }
  if (url.search || url.hash) throw usage(`${from} must not have a query or fragment, got "${text}"`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `embedded:DIR` with its folder absolute, as profiles keep it. */
export function fromFolder(baseUrl: string, cwd: string): string {
  const folder = isEmbedded(baseUrl) ? embeddedFolder(baseUrl) : undefined;
  return folder === undefined ? baseUrl : `embedded:${resolve(cwd, folder)}`;
}

/** What a stored credential is bound to: scheme, host and port, or the embedded address itself. */
export function originOf(baseUrl: string): string {
  return isEmbedded(baseUrl) ? baseUrl : new URL(baseUrl).origin;
}

const scales = ['auto', 'k', 'M', 'none'] as const;

/** The parser has refused other words. */
export function scaleOf(word: string | undefined): Settings['scale'] {
  return scales.find((scale) => scale === word) ?? 'auto';
}

/** `COMEM_PAGER`, else what the profile says: a command, or `on` for that of `PAGER`; `off` and nothing mean none. */
export function pagerOf(env: Environment, kept: string | undefined): string | undefined {
  const said = (env.COMEM_PAGER ?? kept ?? '').trim();
  if (said === '' || /^(?:0|off|false|no|cat)$/i.test(said)) return undefined;
  return /^(?:1|on|true|yes)$/i.test(said) ? env.PAGER?.trim() || 'less -FRX' : said;
}
