/** The global settings after precedence: flag, environment, profile, default. */

import { resolve } from 'node:path';
import { embeddedFolder, isEmbedded, isPostgres, parseBaseUrl } from '../core/addresses.ts';
import { demo } from '../core/demo.ts';
import { usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { formatOfFile, formats, isFormat } from '../core/output-formats.ts';
import { profilesText } from './accounts.ts';
import { type CachedNames, everyCompany, type KnownCompanies, resolveCompanies } from './companies.ts';
import type { GlobalFlags } from './global-flags.ts';
import { defaultProfile, findProfile, type Profile, type ProfilesFile, profileNames } from './profile.ts';
import type { Environment } from './store.ts';

/** @throws usage naming the flag, variable or profile, the value and the rule */
export function resolveSettings(
  flags: GlobalFlags,
  env: Environment,
  profiles: ProfilesFile,
  terminal: Streams,
  namesAt: (baseUrl: string | undefined) => CachedNames = () => ({}),
) {
  const chosen = chooseProfile(flags, env, profiles);
  const stored = findProfile(profiles, chosen.value);
  const profile = stored ?? {};
  // A profile named by -p outranks the environment, so that `-p demo` can never reach production.
  const scoped = chosen.origin === 'flag' ? {} : env;
  const pickScoped = picker(scoped, chosen.value);
  const pick = picker(env, chosen.value);
  refuseContradictions(flags);
  const baseUrl = map(pickScoped(flags.baseUrl, '--base-url', 'COMEM_BASE_URL', profile.baseUrl), (text, from) =>
    text === undefined ? undefined : parseBaseUrl(text, from),
  );
  const known = { ...profile, names: () => namesAt(baseUrl.value) };
  return {
    profile: chosen,
    /** False for the name of a profile that does not exist. */
    profileExists: stored !== undefined || chosen.origin === 'default',
    baseUrl,
    /** Companies as uuids, aliases and names resolved. */
    companies: companies(flags.company, pickScoped, known, chosen.value) ?? demoCompany(baseUrl.value, profile, scoped),
    aliases: profile.companies ?? {},
    /** The groups of companies that the profile keeps, as uuids by name. */
    groups: profile.groups ?? {},
    /** `@all`: every company that is known, readable or not. */
    everyCompany: flags.company?.some((word) => word.trim() === everyCompany) ?? false,
    fiscalYearStart: profile.fiscalYearStart ?? {},
    /** A file of computed metrics, or definitions by name. */
    definitions: profile.calcFile ?? profile.calc,
    asOf: flags.asOf,
    offline: flags.offline ?? false,
    mirror: pickScoped<string>(flags.mirror, '--mirror', 'COMEM_MIRROR', profile.mirror),
    output: outputSetting(flags, env, profile, terminal, chosen.value),
    fields: flags.fields === undefined ? undefined : splitFields(flags.fields),
    jq: flags.jq,
    out: flags.out,
    header: !flags.noHeader,
    truncate: !flags.noTruncate,
    scale: flags.exact ? 'exact' : (scales.find((scale) => scale === flags.scale) ?? 'auto'),
    /** The command that shows long output on a terminal, or `off`. */
    pager: pagerOf(env, profile.pager),
    limit: flags.limit,
    pageSize: flags.pageSize,
    failEmpty: flags.failEmpty ?? false,
    raw: flags.raw ?? false,
    dryRun: flags.dryRun ?? false,
    keepUndo: flags.keepUndo ?? profile.keepUndo ?? false,
    yes: flags.yes ?? false,
    /** Whether questions can be asked. */
    input: !flags.noInput && !isOn(env.COMEM_NO_INPUT) && !isOn(env.CI) && terminal.stdinIsTTY && terminal.stderrIsTTY,
    timeoutMs: map(
      pick<number | string>(flags.timeout, '--timeout', 'COMEM_TIMEOUT', profile.timeout),
      (value, from) => (value === undefined ? 30_000 : seconds(value, from) * 1000),
    ),
    maxResponse: map(
      pick<number>(flags.maxResponse, '--max-response', 'COMEM_MAX_RESPONSE', profile.maxResponse),
      (value, from) => wholeMebibytes(value ?? 50, from) * 1024 * 1024,
    ),
    retries: map(pick(flags.retries, '--retries', 'COMEM_RETRIES', profile.retries), (value, from) =>
      value === undefined ? 3 : wholeNumber(value, from),
    ),
    /** Writes in flight at once. A database in this process commits them together. */
    concurrency: flags.concurrency ?? profile.concurrency ?? (isEmbedded(baseUrl.value ?? '') ? 32 : 4),
    verbose: flags.verbose ?? isOn(env.COMEM_DEBUG),
    quiet: flags.quiet ?? false,
    excel: excelMark(flags),
    readonly: profile.readonly ?? false,
    protected: profile.protected ?? false,
    confirm: flags.confirm,
    allowHttp: flags.allowHttp ?? profile.allowHttp ?? false,
  };
}

function chooseProfile(flags: GlobalFlags, env: Environment, profiles: ProfilesFile): Setting<string> {
  if (flags.profile !== undefined) return { value: flags.profile, origin: 'flag', from: '--profile' };
  if (env.COMEM_PROFILE) return { value: env.COMEM_PROFILE, origin: 'environment', from: 'COMEM_PROFILE' };
  if (profiles.current && !isElsewhere(env, findProfile(profiles, profiles.current)))
    return { value: profiles.current, origin: 'profile', from: '`comem profiles use`' };
  return { value: defaultProfile, origin: 'default', from: 'default' };
}

const credentialVariables = [
  'COMEM_API_KEY',
  'COMEM_API_KEY_FILE',
  'COMEM_SESSION_COOKIE',
  'COMEM_SESSION_COOKIE_FILE',
];

/** Whether the environment has an address and a credential, and the profile is for another address. */
function isElsewhere(env: Environment, profile: Profile | undefined): boolean {
  if (!env.COMEM_BASE_URL || !profile?.baseUrl || !credentialVariables.some((variable) => env[variable])) return false;
  return originOf(parseBaseUrl(env.COMEM_BASE_URL, 'COMEM_BASE_URL')) !== originOf(profile.baseUrl);
}

type Pick = ReturnType<typeof picker>;

/** Chooses the source of a value: flag, environment, profile, default. */
function picker(env: Environment, name: string) {
  return <T>(
    flag: T | undefined,
    flagName: string,
    variable: string,
    stored: T | undefined,
  ): Setting<T | string | undefined> => {
    if (flag !== undefined) return { value: flag, origin: 'flag', from: flagName };
    const set = env[variable];
    if (set) return { value: set, origin: 'environment', from: variable };
    if (stored !== undefined) return { value: stored, origin: 'profile', from: `profile "${name}"` };
    return { value: undefined, origin: 'default', from: 'default' };
  };
}

function map<A, B>(setting: Setting<A>, change: (value: A, from: string) => B): Setting<B> {
  return { ...setting, value: change(setting.value, setting.from) };
}

function companies(
  words: string[] | undefined,
  pick: Pick,
  profile: Profile & KnownCompanies,
  name: string,
): Setting<string[]> | undefined {
  const named = pick<string[]>(
    words?.length ? words : undefined,
    '--company',
    'COMEM_COMPANY_ID',
    profile.company === undefined ? undefined : [profile.company],
  );
  if (named.value === undefined) return undefined;
  return map(named, (value, from) => [
    ...new Set(
      (typeof value === 'string' ? [value] : (value ?? [])).flatMap((company) =>
        resolveCompanies(company, profile, from, name),
      ),
    ),
  ]);
}

/**
 * The investor, on the demo's own database and with its credentials. A named folder may hold other companies, and the
 * API decides there.
 */
function demoCompany(baseUrl: string | undefined, profile: Profile, env: Environment): Setting<string[]> {
  const credential = profile.key ?? profile.session ?? credentialVariables.find((variable) => env[variable]);
  const isDemo = baseUrl !== undefined && isEmbedded(baseUrl) && embeddedFolder(baseUrl) === undefined;
  if (!isDemo || credential) return { value: [], origin: 'default', from: 'default' };
  return { value: [demo.companyId], origin: 'default', from: 'the demo' };
}

/**
 * The base URL for a request.
 * @throws usage when the profile that was chosen does not exist, or no address is set
 */
export function requireBaseUrl(settings: Settings, profiles: ProfilesFile): string {
  requireProfile(settings, profiles);
  if (settings.baseUrl.value !== undefined) return settings.baseUrl.value;
  const { value, origin } = settings.profile;
  const why = origin === 'default' ? 'no base URL is set' : `profile "${value}" has no base URL`;
  throw usage(
    `${why}: comem does not know which API to talk to`,
    'run `comem init`, set COMEM_BASE_URL, or use the demo with -p demo',
  );
}

/** @throws usage naming the nearest profile when the chosen one does not exist */
export function requireProfile(settings: Settings, profiles: ProfilesFile): void {
  if (settings.profileExists) return;
  const { value, from } = settings.profile;
  const names = profileNames(profiles);
  const near = nearest(value, names);
  throw usage(
    `unknown profile "${value}" (${from})`,
    near ? `did you mean "${near}"?` : `create it with \`comem auth login -p ${value}\`; ${profilesText(names)}`,
  );
}

/** The origin of a value, for `auth status`. */
export type Origin = 'flag' | 'environment' | 'profile' | 'default';

export interface Setting<T> {
  value: T;
  origin: Origin;
  /** `--company`, `COMEM_COMPANY_ID`, `profile "prod"`. */
  from: string;
}

/** `companies`, `everyCompany` and a few more may become known while a command runs. */
export type Settings = ReturnType<typeof resolveSettings>;

/** The streams of the terminal that decide a setting. */
export interface Streams {
  stdinIsTTY: boolean;
  stdoutIsTTY: boolean;
  stderrIsTTY: boolean;
}

export function format(text: string, from: string): string {
  if (isFormat(text)) return text;
  throw usage(`${from}: unknown output format "${text}"`, `the formats are ${formats.join(', ')}`);
}

const secondsIn: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, min: 60 };

/** Seconds, more than none and at most a day; `3s`, `500ms` and `2m` are lengths of time. */
export function seconds(value: number | string, from: string): number {
  const [, count = value, unit = 's'] = /^\s*([\d.]+)\s*(ms|s|m|min)\s*$/.exec(String(value)) ?? [];
  const number = decimal(count) * (secondsIn[unit] ?? 1);
  if (number > 0 && number <= 86_400) return number;
  throw usage(`${from} must be a number of seconds above 0 and at most 86400, such as 30 or 2m, got "${value}"`);
}

/** A reader of whole numbers within bounds; `noun` is what they count. */
function boundedInteger(minimum: number, maximum: number, noun = '') {
  return (value: number | string, from: string): number => {
    const number = decimal(value);
    if (Number.isInteger(number) && number >= minimum && number <= maximum) return number;
    throw usage(`${from} must be a whole number ${noun}from ${minimum} to ${maximum}, got "${value}"`);
  };
}

/** Mebibytes of a response. A longer text is more than a string of this program can hold. */
export const wholeMebibytes = boundedInteger(1, 500, 'of mebibytes ');
export const wholeNumber = boundedInteger(0, 100);
export const requestCount = boundedInteger(1, 64);

function decimal(value: number | string): number {
  if (typeof value === 'number') return value;
  return /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : Number.NaN;
}

/** Whether an environment variable that is a switch is on; `CI=false` is off. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase());
}

export function booleanValue(text: string, from: string): boolean {
  const word = text.trim().toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(word)) return true;
  if (['false', 'no', 'off', '0'].includes(word)) return false;
  throw usage(`${from} must be true or false, got "${text}"`);
}

/** The flag, the extension of `--out`, the environment, the profile on a terminal; undefined: table or tsv. */
function outputSetting(
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
  if (flags.excel || flags.excelFor !== undefined) return { value: 'csv', origin: 'flag', from: '--excel' };
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
function refuseContradictions(flags: GlobalFlags): void {
  const formats = [flags.output, flags.json ? 'json' : undefined].filter(Boolean);
  if (new Set(formats).size > 1) {
    throw usage(`only one output format can be written, but ${formats.join(' and ')} were asked for`);
  }
  if (flags.jq !== undefined && formats[0] !== undefined && formats[0] !== 'json') {
    throw usage(`--jq prints JSON and cannot be used with -o ${formats[0]}`);
  }
  if (!flags.raw) return;
  const beside = flags.fields !== undefined ? '--fields' : flags.jq !== undefined ? '--jq' : formats[0] && '-o';
  if (beside) throw usage(`--raw prints the body as it was received and cannot be used with ${beside}`);
}

/** The names of `--fields`. */
function splitFields(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw usage(`--fields must be names separated by commas, got "${text}"`);
  return names;
}

/** `embedded:DIR` with its folder absolute, as profiles keep it. */
export function fromFolder(baseUrl: string, cwd: string): string {
  const folder = isEmbedded(baseUrl) ? embeddedFolder(baseUrl) : undefined;
  return folder === undefined ? baseUrl : `embedded:${resolve(cwd, folder)}`;
}

/** The origin of an address: scheme, host and port, or the embedded address itself. */
export function originOf(baseUrl: string): string {
  return isEmbedded(baseUrl) ? baseUrl : new URL(baseUrl).origin;
}

/** The decimal mark of a CSV file for Excel; false for any other. @throws usage for an unknown language */
function excelMark({ excel, excelFor }: GlobalFlags): '.' | ',' | false {
  if (excelFor === undefined) return excel ? '.' : false;
  if (!/^[a-z]{2,3}(?:-\w+)*$/i.test(excelFor) || Intl.NumberFormat.supportedLocalesOf(excelFor).length === 0) {
    throw usage(`--excel takes a language, got "${excelFor}"`, 'write --excel=de');
  }
  return new Intl.NumberFormat(excelFor).format(0.5).includes(',') ? ',' : '.';
}

/** The parser has refused other words. */
const scales = ['auto', 'k', 'M', 'none', 'exact'] as const;

/** `COMEM_PAGER`, else that of the profile, else `PAGER`, else less. CI systems have no pager. */
function pagerOf(env: Environment, stored: string | undefined): string {
  const command = (env.COMEM_PAGER ?? stored ?? 'on').trim();
  if (command === '' || isOn(env.CI) || /^(?:0|off|false|no|cat)$/i.test(command)) return 'off';
  if (!/^(?:1|on|true|yes)$/i.test(command)) return command;
  const general = (env.PAGER ?? 'less').trim();
  return general === '' || general === 'cat' ? 'off' : general;
}

/** The folder of a mirror, absolute. @throws usage for the address of a database, which could hold one before */
export function mirrorFolder(text: string, from: string, cwd: string): string {
  if (!isPostgres(text)) return resolve(cwd, text);
  throw usage(`${from} must be a folder, not a database`, 'begin a new mirror with `comem mirror sync DIR`');
}
