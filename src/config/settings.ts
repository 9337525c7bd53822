/** The global settings after precedence: flag, environment, profile, default (surface, section 1). */
import { formatOfFile } from '../domain/formats.ts';
import { usage } from '../errors.ts';
import { parseBaseUrl } from './base-url.ts';
import { resolveCompany } from './companies.ts';
import type { Environment } from './paths.ts';
import { defaultProfile, findProfile, type Profile, type ProfilesFile } from './profile.ts';
import { delimiter, format, isOn, seconds, wholeNumber } from './setting-values.ts';

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
  output: Setting<string | undefined>;
  fields: string[] | undefined;
  jq: string | undefined;
  out: string | undefined;
  header: boolean;
  truncate: boolean;
  limit: number | undefined;
  pageSize: number | undefined;
  failEmpty: boolean;
  raw: boolean;
  dryRun: boolean;
  yes: boolean;
  /** False under `--no-input`, `COMEM_NO_INPUT`, `CI`, or without a terminal. */
  input: boolean;
  timeoutMs: Setting<number>;
  retries: Setting<number>;
  verbose: boolean;
  quiet: boolean;
  csv: { crlf: boolean; excel: boolean; delimiter: string };
  readonly: boolean;
  protected: boolean;
  confirm: string | undefined;
  allowHttp: boolean;
}

/** The global flags as they were given. */
export interface GivenFlags {
  profile?: string;
  company?: string[];
  baseUrl?: string;
  output?: string;
  json?: boolean;
  csv?: boolean;
  fields?: string;
  jq?: string;
  out?: string;
  noHeader?: boolean;
  noTruncate?: boolean;
  crlf?: boolean;
  excel?: boolean;
  delimiter?: string;
  raw?: boolean;
  limit?: number;
  pageSize?: number;
  failEmpty?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  confirm?: string;
  noInput?: boolean;
  timeout?: number;
  retries?: number;
  allowHttp?: boolean;
  verbose?: boolean;
  quiet?: boolean;
}

/** What of the terminal decides a setting. */
export interface Streams {
  stdinIsTTY: boolean;
  stdoutIsTTY: boolean;
  stderrIsTTY: boolean;
}

/** @throws usage naming the flag, variable or profile, the value and the rule */
export function resolveSettings(
  flags: GivenFlags,
  env: Environment,
  profiles: ProfilesFile,
  terminal: Streams,
): Settings {
  const chosen = chooseProfile(flags, env, profiles);
  const found = findProfile(profiles, chosen.value);
  const profile = found ?? {};
  // A profile named by -p outranks the environment, so that `-p demo` can never reach production.
  const scoped = chosen.origin === 'flag' ? {} : env;
  const pick = picker(scoped, env, chosen.value);
  refuseContradictions(flags);
  return {
    profile: chosen,
    profileExists: found !== undefined || chosen.origin === 'default',
    baseUrl: map(pick.scoped(flags.baseUrl, '--base-url', 'COMEM_BASE_URL', profile.baseUrl), (text, from) =>
      text === undefined ? undefined : parseBaseUrl(text, from),
    ),
    companies: companies(flags.company, pick, profile, chosen.value),
    aliases: profile.companies ?? {},
    output: output(flags, env, profile, terminal, chosen.value),
    fields: flags.fields === undefined ? undefined : splitFields(flags.fields),
    jq: flags.jq,
    out: flags.out,
    header: !flags.noHeader,
    truncate: !flags.noTruncate,
    limit: flags.limit,
    pageSize: flags.pageSize,
    failEmpty: flags.failEmpty ?? false,
    raw: flags.raw ?? false,
    dryRun: flags.dryRun ?? false,
    yes: flags.yes ?? false,
    input: !flags.noInput && !isOn(env.COMEM_NO_INPUT) && !isOn(env.CI) && terminal.stdinIsTTY && terminal.stderrIsTTY,
    timeoutMs: map(pick.any(flags.timeout, '--timeout', 'COMEM_TIMEOUT', profile.timeout), (value, from) =>
      value === undefined ? 30_000 : seconds(value, from) * 1000,
    ),
    retries: map(pick.any(flags.retries, '--retries', 'COMEM_RETRIES', profile.retries), (value, from) =>
      value === undefined ? 3 : wholeNumber(value, from),
    ),
    verbose: flags.verbose ?? isOn(env.COMEM_DEBUG),
    quiet: flags.quiet ?? false,
    csv: { crlf: flags.crlf ?? false, excel: flags.excel ?? false, delimiter: delimiter(flags.delimiter) },
    readonly: profile.readonly ?? false,
    protected: profile.protected ?? false,
    confirm: flags.confirm,
    allowHttp: flags.allowHttp ?? profile.allowHttp ?? false,
  };
}

function chooseProfile(flags: GivenFlags, env: Environment, profiles: ProfilesFile): Setting<string> {
  if (flags.profile !== undefined) return { value: flags.profile, origin: 'flag', from: '--profile' };
  if (env.COMEM_PROFILE) return { value: env.COMEM_PROFILE, origin: 'environment', from: 'COMEM_PROFILE' };
  if (profiles.current) return { value: profiles.current, origin: 'profile', from: '`comem profiles use`' };
  return { value: defaultProfile, origin: 'default', from: 'default' };
}

type Pick = ReturnType<typeof picker>;

function picker(scoped: Environment, env: Environment, name: string) {
  function from<T>(
    source: Environment,
    flag: T | undefined,
    flagName: string,
    variable: string,
    kept: T | undefined,
  ): Setting<T | string | undefined> {
    if (flag !== undefined) return { value: flag, origin: 'flag', from: flagName };
    const set = source[variable];
    if (set) return { value: set, origin: 'environment', from: variable };
    if (kept !== undefined) return { value: kept, origin: 'profile', from: `profile "${name}"` };
    return { value: undefined, origin: 'default', from: 'default' };
  }
  return {
    /** Base URL, credentials and company: the environment does not count beside `-p`. */
    scoped: <T>(flag: T | undefined, flagName: string, variable: string, kept: T | undefined) =>
      from(scoped, flag, flagName, variable, kept),
    any: <T>(flag: T | undefined, flagName: string, variable: string, kept: T | undefined) =>
      from(env, flag, flagName, variable, kept),
  };
}

function map<A, B>(setting: Setting<A>, change: (value: A, from: string) => B): Setting<B> {
  return { ...setting, value: change(setting.value, setting.from) };
}

function companies(given: string[] | undefined, pick: Pick, profile: Profile, name: string): Setting<string[]> {
  const one = pick.scoped<string[]>(
    given?.length ? given : undefined,
    '--company',
    'COMEM_COMPANY_ID',
    profile.company === undefined ? undefined : [profile.company],
  );
  return map(one, (value, from) =>
    (typeof value === 'string' ? [value] : (value ?? [])).map((company) =>
      resolveCompany(company, profile.companies ?? {}, from, name),
    ),
  );
}

/** The flag, the extension of `--out`, the environment, the profile on a terminal; undefined: table or tsv. */
function output(
  flags: GivenFlags,
  env: Environment,
  profile: Profile,
  terminal: Streams,
  name: string,
): Setting<string | undefined> {
  if (flags.output !== undefined) return { value: format(flags.output, '--output'), origin: 'flag', from: '--output' };
  if (flags.json || flags.jq !== undefined) {
    return { value: 'json', origin: 'flag', from: flags.json ? '--json' : '--jq' };
  }
  if (flags.csv) return { value: 'csv', origin: 'flag', from: '--csv' };
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

function refuseContradictions(flags: GivenFlags): void {
  const asked = [flags.output, flags.json ? 'json' : undefined, flags.csv ? 'csv' : undefined].filter(Boolean);
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

function splitFields(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw usage(`--fields must be names separated by commas, but is "${text}"`);
  return names;
}
