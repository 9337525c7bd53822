/** The checks of `doctor`: this machine, the profile and its credentials, the way to the API. */

import { arch, platform } from 'node:os';
import { versions } from 'node:process';
import { version } from '../../package.json';
import type { Context } from '../cli/context.ts';
import { defineCommand } from '../cli/define.ts';
import { distance } from '../cli/words.ts';
import { keyExpiry, sessionExpiry } from '../client/credentials.ts';
import { secretKinds } from '../config/accounts.ts';
import { type ResolvedCredentials, resolveCredentials } from '../config/credentials.ts';
import { kindName, loadProfiles, profilesPath, type SecretKind } from '../config/profile.ts';
import { privacyOf, secretsPath, tryKeyring } from '../config/secrets.ts';
import { requireProfile } from '../config/settings.ts';
import { getMetricCatalog } from '../contract/metric-operations.ts';
import { isEmbedded } from '../core/addresses.ts';
import { Failure, isFailedPart } from '../core/errors.ts';
import type { Headers } from '../core/wire.ts';
import type { Column } from '../output/column.ts';
import { checkCredential } from './auth/status-rows.ts';

export default defineCommand({
  path: 'doctor',
  summary: 'Find problems: settings, credentials, network, database',
  description: [
    'Prints a row per check: what was found and what to do. Works without settings and without a network. Sends one',
    'request without a credential and one with each credential that is set. Writes nothing to the API.',
    'Status: ok; note: worth knowing; wrong; skipped: fix the earlier problem first. Exits 1 when something is wrong.',
  ].join('\n'),
  operations: ['getMetricCatalog', 'listLists'],
  examples: {
    'comem -p demo doctor': 'check what the demo needs',
    'comem doctor': 'check the current profile',
    'comem doctor --jq \'.[] | select(.status == "wrong")\'': 'only the problems, as JSON',
  },
  isLiveOnly: true,
  ignoresBadSettings: true,
  async run(ctx) {
    const machine = await examineMachine(ctx);
    const unread = machine.some(({ check, status }) => check === settingsFile && status === 'wrong');
    const findings = [...machine, ...(await examineAccount(ctx, unread))];
    await ctx.out.rows(findings, doctorColumns, { id: (row) => row.check });
    const wrong = findings.filter(({ status }) => status === 'wrong');
    if (wrong.length === 0) return;
    const names = wrong.map(({ check }) => check).join(', ');
    const advice = wrong.flatMap((row) => (row.advice === null ? [] : [`${row.check}: ${row.advice}`]));
    const says = `${wrong.length} of ${findings.length} checks found a problem: ${names}`;
    throw new Failure('no', says, { hint: advice.join('; ') || undefined });
  },
});

/** One line of `doctor`. */
export interface Finding {
  /** `Node`, `settings file`, `API key`, … */
  check: string;
  /** `note`: not wrong, but worth knowing; `skipped`: an earlier problem has to be fixed first. */
  status: 'ok' | 'note' | 'wrong' | 'skipped';
  found: string;
  advice: string | null;
}

const doctorColumns: readonly Column<Finding>[] = [
  { key: 'check', heading: 'Check', whole: true, get: (row) => row.check },
  {
    key: 'status',
    heading: 'Status',
    tones: { ok: 'green', note: 'yellow', wrong: 'red', skipped: 'yellow' },
    get: (row) => row.status,
  },
  { key: 'found', heading: 'Found', wraps: true, get: (row) => row.found },
  { key: 'advice', heading: 'What to do', wraps: true, get: (row) => row.advice },
];

const ok = (check: string, found: string): Finding => ({ check, status: 'ok', found, advice: null });

function note(check: string, found: string, advice: string | null = null): Finding {
  return { check, status: 'note', found, advice };
}

function wrong(check: string, found: string, advice: string | null): Finding {
  return { check, status: 'wrong', found, advice };
}

const skipped = (check: string, found: string): Finding => ({ check, status: 'skipped', found, advice: null });

/** A failure becomes a finding; only an interruption and a bug end the command. */
async function attempt(check: string, work: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await work();
  } catch (error) {
    if (!isFailedPart(error)) throw error;
    // Other commands lead here.
    const address = 'check the address, and HTTPS_PROXY where a proxy is needed';
    return wrong(check, error.message, error.code === 'network' ? address : (error.hint ?? null));
  }
}

/** Other checks depend on this one. */
const settingsFile = 'settings file';

/** In the order in which they are shown. */
async function examineMachine(ctx: Context): Promise<Finding[]> {
  const { folders } = ctx;
  return [
    ok('comem', version),
    ok('Node', `${versions.node} on ${platform()} ${arch()}`),
    ...proxies(ctx),
    isPrivate('settings folder', folders.config, '700'),
    await attempt(settingsFile, () => {
      loadProfiles(folders);
      return isPrivate(settingsFile, profilesPath(folders), '600');
    }),
    isPrivate('secrets file', secretsPath(folders), '600'),
    await keyring(),
    await database(),
  ];
}

/** Proxy variables are easily forgotten. Passwords in them are not shown. */
function proxies({ runtime: { env } }: Context): Finding[] {
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].filter((name) => env[name]);
  if (names.length === 0) return [];
  const says = names.map((name) => `${name}=${env[name]?.replace(/\/\/[^/@]*@/, '//[redacted]@')}`);
  const except = env.no_proxy || env.NO_PROXY;
  return [note('proxy', `${says.join(', ')}${except ? `, but not for ${except}` : ''}`)];
}

function isPrivate(check: string, path: string, mode: string): Finding {
  const privacy = privacyOf(path);
  if (privacy.mode === undefined) return ok(check, `${path} does not exist yet`);
  const says = `${path}, mode 0${privacy.mode.toString(8).padStart(3, '0')}`;
  return privacy.open ? wrong(check, `${says}: other users can access it`, `chmod ${mode} '${path}'`) : ok(check, says);
}

async function keyring(): Promise<Finding> {
  const why = await tryKeyring((found) => {
    found.get('doctor');
  });
  if (why === undefined) return ok('keyring', 'works');
  return note('keyring', `does not work: ${why}`, 'secrets are saved in a file of mode 0600; or use --key-command');
}

async function database(): Promise<Finding> {
  const { checkEngine } = await import('../client/embedded.ts');
  const broken = await checkEngine();
  if (broken === undefined) return ok('embedded database', 'SQLite works');
  return wrong('embedded database', `SQLite does not load: ${broken}`, 'install comem again on this machine');
}

/** Sends a request without a credential and one with each that is set. @param unread the settings file is broken */
async function examineAccount(ctx: Context, unread: boolean): Promise<Finding[]> {
  const { settings, profiles, folders, runtime } = ctx;
  const profile = await attempt('profile', () => {
    const { value, origin, from } = settings.profile;
    if (unread) return skipped('profile', `${value}; the settings file cannot be read`);
    requireProfile(settings, profiles);
    return ok('profile', origin === 'default' ? value : `${value} (${from})`);
  });
  const baseUrl = settings.baseUrl.value;
  if (profile.status === 'wrong' || baseUrl === undefined) {
    const unset = note('base URL', 'none is set', 'set one with `comem auth login`, or use `-p demo`');
    const later = ['base URL', 'clock', ...secretKinds.map(kindName)].slice(baseUrl === undefined ? 1 : 0);
    return [profile, ...(baseUrl === undefined ? [unset] : []), ...later.map((check) => skipped(check, 'no base URL'))];
  }
  const { answered, findings } = await reach(ctx, baseUrl);
  const held = resolveCredentials(settings, { env: runtime.env, paths: folders, profiles, signal: runtime.signal });
  const credentials: Finding[] = [];
  for (const kind of secretKinds) credentials.push(await examine(ctx, kind, held, answered));
  return [profile, ...findings, company(ctx), ...credentials];
}

function company({ settings }: Context): Finding {
  const [id] = settings.companies.value;
  if (id !== undefined) return ok('company', `${id} (${settings.companies.from})`);
  return note('company', 'none is set', 'lists need one: -c COMPANY, or `comem profiles set NAME company=ID`');
}

async function examine(ctx: Context, kind: SecretKind, held: ResolvedCredentials, answered: boolean): Promise<Finding> {
  const check = kindName(kind);
  const { profile, baseUrl, companies } = ctx.settings;
  const login = `comem auth login -p ${profile.value}`;
  const credential = held[kind];
  if (!credential) {
    const neither = !held.key && !held.session;
    const needs = kind === 'key' ? 'metrics, grants and new lists need one' : 'lists, entries and preferences need one';
    const advice = `\`${login} --stdin ${kind}\`: ${needs}`;
    return neither ? wrong(check, 'neither a key nor a session is set', advice) : note(check, 'not set', advice);
  }
  return attempt(check, async () => {
    const secret = await credential.secret();
    const expiry = kind === 'session' ? sessionExpiry(secret) : keyExpiry(secret);
    const now = ctx.runtime.now();
    const ends = expiry ? `; ${expiry > now ? 'ends' : 'ended'} ${distance(expiry, now)}` : '';
    const from = `from ${credential.from}${ends}`;
    if (expiry && expiry <= now && !isEmbedded(baseUrl.value ?? '')) {
      return wrong(check, from, `replace it with \`${login} --stdin curl\``);
    }
    if (!answered) return skipped(check, `${from}; not tried: the API does not answer`);
    const answer = await checkCredential(await ctx.client(), kind, companies.value[0]);
    if (answer === 'unchecked') return skipped(check, `${from}; not tried: needs a company`);
    return ok(check, `accepted; ${from}`);
  });
}

/** A larger difference of the clocks makes expiry and periods wrong. */
const maxSkewMs = 60_000;

/** One request without a credential. Any JSON response of the API is fine; usually it is 401. */
async function reach(ctx: Context, baseUrl: string): Promise<{ answered: boolean; findings: Finding[] }> {
  const { settings, runtime } = ctx;
  const { allowHttp } = settings;
  let clock = skipped('clock', 'the API does not answer');
  let answered = false;
  const address = await attempt('base URL', async () => {
    const client = await ctx.clientFor({ baseUrl, credentials: {}, allowHttp, retries: 0 });
    try {
      const { method, path } = getMetricCatalog;
      const before = runtime.now().getTime();
      const { status, headers, data } = await client.request({ method, path, credential: 'none' });
      clock = compare(headers, (before + runtime.now().getTime()) / 2, ctx, baseUrl);
      const says = `${baseUrl} answers ${status}`;
      if (status >= 300 && status < 400) {
        const to = headers.location?.replace(/[?#].*$/s, '') ?? 'nowhere';
        return wrong(
          'base URL',
          `${says} and redirects to ${to}`,
          'set the base URL to the address that does not redirect',
        );
      }
      if (typeof data !== 'object' || data === null) {
        return wrong('base URL', `${says} with a body that is not the API's JSON`, 'check the address and the proxy');
      }
      if (status === 404) return wrong('base URL', `${says}: no API found there`, 'check the path of the address');
      if (status === 429 || status >= 500)
        return wrong('base URL', `${says}: the server has a problem`, 'try again later');
      answered = true;
      return ok('base URL', `${baseUrl} answers (${settings.baseUrl.from})`);
    } finally {
      await client.close();
    }
  });
  const network = 'check the address, the network and the proxy variables';
  const advised = address.status === 'wrong' ? { ...address, advice: address.advice ?? network } : address;
  return { answered, findings: [advised, clock] };
}

function compare(headers: Headers, middle: number, { runtime: { env } }: Context, baseUrl: string): Finding {
  if (isEmbedded(baseUrl)) return ok('clock', 'the embedded API uses the same clock');
  if (env.COMEM_NOW) return skipped('clock', `COMEM_NOW replaces it: ${env.COMEM_NOW}`);
  const server = Date.parse(headers.date ?? '');
  if (Number.isNaN(server)) return skipped('clock', 'the server sends no date');
  // The header has whole seconds.
  const seconds = Math.round((middle - server - 500) / 1000);
  const size = Math.abs(seconds);
  const apart =
    size < 120 ? `${size} s` : size < 7200 ? `${Math.round(size / 60)} min` : `${Math.round(size / 3600)} h`;
  const says = size <= 1 ? 'agrees with the server' : `${apart} ${seconds < 0 ? 'behind' : 'ahead of'} the server`;
  return size * 1000 <= maxSkewMs ? ok('clock', says) : wrong('clock', says, 'set the clock of this machine');
}
