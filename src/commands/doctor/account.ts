/** What `doctor` checks of the account: profile, address, whether an API answers, clocks, credentials. */

import type { Context } from '../../cli/context.ts';
import { distance } from '../../cli/words.ts';
import { keyExpiry, sessionExpiry } from '../../client/credentials.ts';
import { secretKinds } from '../../config/accounts.ts';
import { type FoundCredentials, resolveCredentials } from '../../config/credentials.ts';
import type { SecretKind } from '../../config/profile.ts';
import { kindName } from '../../config/profile.ts';
import { loginFlag } from '../../config/secrets.ts';
import { isEmbedded, requireProfile } from '../../config/settings.ts';
import { checkCredential } from '../auth/read.ts';
import type { Finding } from './columns.ts';
import { attempt, note, ok, skipped, wrong } from './findings.ts';
import { reach } from './reach.ts';

/**
 * In the order of output. `unread`: the settings file is broken, so profiles are unknown. Sends one request without a
 * credential, and one with each that is set.
 */
export async function examineAccount(ctx: Context, unread: boolean): Promise<Finding[]> {
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

async function examine(ctx: Context, kind: SecretKind, held: FoundCredentials, answered: boolean): Promise<Finding> {
  const check = kindName(kind);
  const { profile, baseUrl, companies } = ctx.settings;
  const login = `comem auth login -p ${profile.value}`;
  const credential = held[kind];
  if (!credential) {
    const neither = !held.key && !held.session;
    const needs = kind === 'key' ? 'metrics, grants and new lists need one' : 'lists, entries and preferences need one';
    const advice = `\`${login} ${loginFlag(kind)}\`: ${needs}`;
    return neither ? wrong(check, 'neither a key nor a session is set', advice) : note(check, 'not set', advice);
  }
  return attempt(check, async () => {
    const secret = await credential.secret();
    const expiry = kind === 'session' ? sessionExpiry(secret) : keyExpiry(secret);
    const now = ctx.runtime.now();
    const ends = expiry ? `; ${expiry > now ? 'ends' : 'ended'} ${distance(expiry, now)}` : '';
    const from = `from ${credential.from}${ends}`;
    if (expiry && expiry <= now && !isEmbedded(baseUrl.value ?? '')) {
      return wrong(check, from, `replace it with \`${login} --session-from-curl\``);
    }
    if (!answered) return skipped(check, `${from}; not tried: the API does not answer`);
    const answer = await checkCredential(await ctx.client(), kind, companies.value[0]);
    if (answer === 'unchecked') return skipped(check, `${from}; not tried: needs a company`);
    return ok(check, `accepted; ${from}`);
  });
}
