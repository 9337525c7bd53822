/** The global settings after precedence: flag, environment, profile, default. */
import { demo } from '../core/demo.ts';
import { usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { everyCompany, type KeptNames, type KnownCompanies, resolveCompanies } from './companies.ts';
import type { GlobalFlags } from './global-flags.ts';
import { defaultProfile, findProfile, type Profile, type ProfilesFile, profileNames } from './profile.ts';
import type { Setting, Settings, Streams } from './setting.ts';
import {
  embeddedFolder,
  isEmbedded,
  isOn,
  mebibytes,
  outputSetting,
  pagerOf,
  parseBaseUrl,
  refuseContradictions,
  scaleOf,
  seconds,
  splitFields,
  wholeNumber,
} from './setting.ts';
import type { Environment } from './store.ts';

export type { Settings } from './setting.ts';

/** @throws usage naming the flag, variable or profile, the value and the rule */
export function resolveSettings(
  flags: GlobalFlags,
  env: Environment,
  profiles: ProfilesFile,
  terminal: Streams,
  namesAt: (baseUrl: string | undefined) => KeptNames = () => ({}),
): Settings {
  const chosen = chooseProfile(flags, env, profiles);
  const found = findProfile(profiles, chosen.value);
  const profile = found ?? {};
  // A profile named by -p outranks the environment, so that `-p demo` can never reach production.
  const scoped = chosen.origin === 'flag' ? {} : env;
  const pick = picker(scoped, env, chosen.value);
  refuseContradictions(flags);
  const baseUrl = map(pick.scoped(flags.baseUrl, '--base-url', 'COMEM_BASE_URL', profile.baseUrl), (text, from) =>
    text === undefined ? undefined : parseBaseUrl(text, from),
  );
  const known = { ...profile, names: () => namesAt(baseUrl.value) };
  return {
    profile: chosen,
    profileExists: found !== undefined || chosen.origin === 'default',
    baseUrl,
    companies: companies(flags.company, pick, known, chosen.value) ?? demoCompany(baseUrl.value, profile, scoped),
    aliases: profile.companies ?? {},
    groups: profile.groups ?? {},
    everyCompany: flags.company?.some((word) => word.trim() === everyCompany) ?? false,
    fiscalYearStart: profile.fiscalYearStart ?? {},
    definitions: profile.calcFile ?? profile.calc,
    asOf: flags.asOf,
    offline: flags.offline ?? false,
    mirror: pick.scoped<string>(flags.mirror, '--mirror', 'COMEM_MIRROR', profile.mirror),
    output: outputSetting(flags, env, profile, terminal, chosen.value),
    fields: flags.fields === undefined ? undefined : splitFields(flags.fields),
    jq: flags.jq,
    out: flags.out,
    header: !flags.noHeader,
    truncate: !flags.noTruncate,
    scale: scaleOf(flags.scale),
    exact: flags.exact ?? false,
    pager: pagerOf(env, profile.pager),
    limit: flags.limit,
    pageSize: flags.pageSize,
    failEmpty: flags.failEmpty ?? false,
    raw: flags.raw ?? false,
    dryRun: flags.dryRun ?? false,
    keepUndo: flags.keepUndo ?? false,
    yes: flags.yes ?? false,
    input: !flags.noInput && !isOn(env.COMEM_NO_INPUT) && !isOn(env.CI) && terminal.stdinIsTTY && terminal.stderrIsTTY,
    timeoutMs: map(pick.any(flags.timeout, '--timeout', 'COMEM_TIMEOUT', profile.timeout), (value, from) =>
      value === undefined ? 30_000 : seconds(value, from) * 1000,
    ),
    maxResponse: map(
      pick.any<number>(flags.maxResponse, '--max-response', 'COMEM_MAX_RESPONSE', undefined),
      (value, from) => mebibytes(value ?? 256, from),
    ),
    retries: map(pick.any(flags.retries, '--retries', 'COMEM_RETRIES', profile.retries), (value, from) =>
      value === undefined ? 3 : wholeNumber(value, from),
    ),
    verbose: flags.verbose ?? isOn(env.COMEM_DEBUG),
    quiet: flags.quiet ?? false,
    excel: flags.excel ?? false,
    readonly: profile.readonly ?? false,
    protected: profile.protected ?? false,
    confirm: flags.confirm,
    allowHttp: flags.allowHttp ?? profile.allowHttp ?? false,
  };
}

function chooseProfile(flags: GlobalFlags, env: Environment, profiles: ProfilesFile): Setting<string> {
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
    /** Base URL, credentials and company: the environment does not count with `-p`. */
    scoped: <T>(flag: T | undefined, flagName: string, variable: string, kept: T | undefined) =>
      from(scoped, flag, flagName, variable, kept),
    any: <T>(flag: T | undefined, flagName: string, variable: string, kept: T | undefined) =>
      from(env, flag, flagName, variable, kept),
  };
}

function map<A, B>(setting: Setting<A>, change: (value: A, from: string) => B): Setting<B> {
  return { ...setting, value: change(setting.value, setting.from) };
}

function companies(
  given: string[] | undefined,
  pick: Pick,
  profile: Profile & KnownCompanies,
  name: string,
): Setting<string[]> | undefined {
  const one = pick.scoped<string[]>(
    given?.length ? given : undefined,
    '--company',
    'COMEM_COMPANY_ID',
    profile.company === undefined ? undefined : [profile.company],
  );
  if (one.value === undefined) return undefined;
  return map(one, (value, from) => [
    ...new Set(
      (typeof value === 'string' ? [value] : (value ?? [])).flatMap((company) =>
        resolveCompanies(company, profile, from, name),
      ),
    ),
  ]);
}

/**
 * On the demo's own database its investor, for whoever acts with the demo's credentials. A folder that is named may hold
 * other companies: there the API says which one is meant.
 */
function demoCompany(baseUrl: string | undefined, profile: Profile, env: Environment): Setting<string[]> {
  const variables = ['COMEM_API_KEY', 'COMEM_API_KEY_FILE', 'COMEM_SESSION_COOKIE', 'COMEM_SESSION_COOKIE_FILE'];
  const own = profile.key ?? profile.session ?? variables.find((variable) => env[variable]);
  const isDemo = baseUrl !== undefined && isEmbedded(baseUrl) && embeddedFolder(baseUrl) === undefined;
  if (!isDemo || own) return { value: [], origin: 'default', from: 'default' };
  return { value: [demo.companyId], origin: 'default', from: 'the demo' };
}

/**
 * The base URL, for whoever is about to send something.
 * @throws usage when the profile that was chosen does not exist, or no address is set
 */
export function requireBaseUrl(settings: Settings, profiles: ProfilesFile): string {
  requireProfile(settings, profiles);
  if (settings.baseUrl.value !== undefined) return settings.baseUrl.value;
  const { value, origin } = settings.profile;
  const why = origin === 'default' ? 'no base URL is set' : `profile "${value}" has no base URL`;
  throw usage(
    `${why}: comem does not know which API to talk to`,
    'run `comem auth login`, set COMEM_BASE_URL, or use the demo with -p demo',
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
    near
      ? `did you mean "${near}"?`
      : `create it with \`comem auth login -p ${value}\`; the profiles are ${names.join(', ')}`,
  );
}
