/** The rows of `auth status` and their columns. */
import type { Context } from '../../cli/context.ts';
import { distance, expiryWarning, timeText } from '../../cli/words.ts';
import type { Client } from '../../client/client.ts';
import { keyExpiry, sessionExpiry } from '../../client/credentials.ts';
import { secretKinds } from '../../config/accounts.ts';
import { firstAlias } from '../../config/companies.ts';
import { type ResolvedCredential, resolveCredentials } from '../../config/credentials.ts';
import { findProfile, kindName, profilesPath, type SecretKind } from '../../config/profile.ts';
import { originOf, type Setting } from '../../config/settings.ts';
import { listLists } from '../../contract/list-operations.ts';
import { getMetricCatalog } from '../../contract/metric-operations.ts';
import { Failure } from '../../core/errors.ts';
import type { Column } from '../../output/column.ts';

/** One line of `auth status`. */
interface AuthRow {
  /** `profile`, `base URL`, `API key`, … */
  setting: string;
  /** Secrets by their last four characters. */
  value: string | number | boolean | null;
  /** flag, environment, profile or default. */
  origin: string;
  /** The flag, variable, file or profile. */
  from: string;
  /** The end of a session, whether a credential was accepted, or why it is not sent. */
  note: string | null;
}

/** @param nameOf what people call a company: a terminal shows it before the id */
export const statusColumns = (nameOf: (id: string) => string | undefined): readonly Column<AuthRow>[] => [
  { key: 'setting', heading: 'Setting', type: 'id', rank: 1, get: (row) => row.setting },
  {
    key: 'value',
    heading: 'Value',
    wraps: true,
    get: (row) => row.value,
    onScreen({ setting, value }) {
      const name = setting === 'company' && typeof value === 'string' ? nameOf(value) : undefined;
      return name === undefined ? undefined : `${name} (${String(value).slice(0, 8)}…)`;
    },
  },
  { key: 'origin', heading: 'Origin', get: (row) => row.origin, hidden: true },
  { key: 'from', heading: 'From', wraps: true, get: (row) => row.from },
  { key: 'note', heading: 'Note', wraps: true, get: (row) => row.note },
];

interface AuthStatus {
  rows: AuthRow[];
  /** The first credential that `--check` found to fail. */
  failed: Failure | undefined;
}

/** Offline unless `check`; a key command runs only with `check`. */
export async function authStatus(ctx: Context, check: boolean): Promise<AuthStatus> {
  const { settings, folders, profiles } = ctx;
  const rows: AuthRow[] = [
    row('profile', settings.profile, settings.profileExists ? null : 'does not exist'),
    row('base URL', settings.baseUrl, settings.baseUrl.value === undefined ? 'not set' : null),
    row('company', { ...settings.companies, value: settings.companies.value[0] }, aliasOf(ctx)),
  ];
  const credentials = resolveCredentials(settings, { env: ctx.runtime.env, paths: folders, profiles });
  let failed: Failure | undefined;
  for (const kind of secretKinds) {
    const credential = credentials[kind];
    const line: AuthRow = {
      setting: kindName(kind),
      value: null,
      origin: 'default',
      from: 'default',
      note: 'not set',
    };
    rows.push(line);
    if (!credential) continue;
    Object.assign(line, { origin: credential.source, from: sourceOf(credential), note: null });
    try {
      await describe(ctx, kind, credential, check, line);
      if (check) line.note = [await tryOut(ctx, kind), line.note].filter(Boolean).join('; ');
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      line.note = error.message;
      if (check) failed ??= error;
    }
  }
  if (check && !credentials.key && !credentials.session) {
    const hint = `set one with \`comem auth login -p ${settings.profile.value}\`, or set COMEM_API_KEY`;
    failed = new Failure('credential', 'no API key and no session to check', { hint });
  }
  const profile = findProfile(profiles, settings.profile.value) ?? {};
  const profileRow = (setting: string, value: boolean, isKept: boolean) =>
    row(setting, {
      value,
      origin: isKept ? 'profile' : 'default',
      from: isKept ? `profile "${settings.profile.value}"` : 'default',
    });
  rows.push(
    row('output', settings.output, settings.output.value === undefined ? 'table on a terminal, else tsv' : null),
    row('timeout', { ...settings.timeoutMs, value: settings.timeoutMs.value / 1000 }, 'seconds'),
    row('retries', settings.retries),
    profileRow('readonly', settings.readonly, profile.readonly !== undefined),
    profileRow('protected', settings.protected, profile.protected !== undefined),
    row('settings file', { value: profilesPath(folders), ...folderOrigin(ctx) }),
  );
  return { rows, failed };
}

function row(setting: string, value: Setting<string | number | boolean | undefined>, note: string | null = null) {
  return { setting, value: value.value ?? null, origin: value.origin, from: value.from, note };
}

function folderOrigin({ runtime }: Context): Omit<Setting<string>, 'value'> {
  return runtime.env.XDG_CONFIG_HOME
    ? { origin: 'environment', from: 'XDG_CONFIG_HOME' }
    : { origin: 'default', from: 'default' };
}

function aliasOf({ settings }: Context): string | null {
  const [company] = settings.companies.value;
  if (company === undefined) return 'not set';
  const alias = firstAlias(settings.aliases, company);
  return alias === undefined ? null : `alias ${alias}`;
}

function sourceOf({ from, storage }: ResolvedCredential): string {
  return storage === 'environment' || storage === 'demo' ? from : `${from} (${storage})`;
}

/** Fills in the masked value and what its expiry or its origin says. */
async function describe(
  ctx: Context,
  kind: SecretKind,
  credential: ResolvedCredential,
  check: boolean,
  line: AuthRow,
): Promise<void> {
  const { settings, runtime } = ctx;
  const baseUrl = settings.baseUrl.value;
  if (credential.storage === 'command' && !check) line.note = 'printed by a command when it is used';
  else {
    const secret = await credential.secret();
    line.value = credential.storage === 'demo' ? 'built in' : mask(secret);
    const expiry = kind === 'session' ? sessionExpiry(secret) : keyExpiry(secret);
    const now = runtime.now();
    if (expiry) line.note = `${expiry > now ? 'ends' : 'ended'} ${distance(expiry, now)} (${timeText(expiry)})`;
    const warning = kind === 'session' ? expiryWarning(expiry, now, settings.profile.value) : undefined;
    if (warning && !check) ctx.out.warn(warning);
  }
  if (credential.origin !== undefined && baseUrl !== undefined && credential.origin !== originOf(baseUrl)) {
    line.note = `saved for ${credential.origin}: not sent to ${originOf(baseUrl)}`;
  }
}

async function tryOut(ctx: Context, kind: SecretKind): Promise<string> {
  const answer = await checkCredential(await ctx.client(), kind, ctx.settings.companies.value[0]);
  return answer === 'unchecked' ? 'not checked: needs a company (-c)' : 'accepted';
}

/** The last four characters of a long secret, none of a short one. */
const mask = (secret: string): string => (secret.length >= 12 ? `…${secret.slice(-4)}` : '…');

/** Calls one endpoint. @returns the company of the answer; `unchecked` for a session without a company */
export async function checkCredential(client: Client, kind: SecretKind, company: string | undefined) {
  if (kind === 'key') {
    const catalog = await client.call(getMetricCatalog, {});
    return { company: catalog.companyId };
  }
  if (company === undefined) return 'unchecked';
  await client.call(listLists, { query: { companyId: company } });
  return { company };
}
