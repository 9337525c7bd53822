/** The input of `auth login`, from a terminal or from flags and stdin, and its checks. */
import type { Context } from '../../cli/context.ts';
import { askSecret, askText, problemIn } from '../../cli/prompts.ts';
import { refusePlainHttp } from '../../client/connect.ts';
import { cleanCookie, cleanKey, credentialKind, isHeaderSafe } from '../../client/credentials.ts';
import { checkName, type NewSecret } from '../../config/accounts.ts';
import { resolveCompany } from '../../config/companies.ts';
import { defaultProfile, demoProfile, findProfile, type SecretKind } from '../../config/profile.ts';
import { secretFromCommand } from '../../config/secrets.ts';
import { fromFolder } from '../../config/settings.ts';
import { isEmbedded, parseBaseUrl } from '../../core/addresses.ts';
import { Failure, usage } from '../../core/errors.ts';
import { readCurl } from './curl.ts';
import { checkCredential } from './read.ts';

interface LoginFlags {
  stdin?: string;
  keyCommand?: string;
  noCheck?: boolean;
}

/** Asks on a terminal; takes flags and stdin when one of them names a credential. */
export async function readLogin(ctx: Context, flags: LoginFlags): Promise<Login> {
  if (flags.stdin === 'key' && flags.keyCommand !== undefined) {
    throw usage('--stdin key and --key-command both set the API key', 'give one of them');
  }
  if (flags.stdin !== undefined || flags.keyCommand !== undefined) return loginFromFlags(ctx, flags);
  if (ctx.settings.input) {
    return askLogin(ctx, flags.noCheck ?? false);
  }
  throw usage(
    'no terminal to ask on, and no credential was given',
    'give --stdin key, --stdin session, --stdin curl or --key-command; `comem profiles set` needs none',
  );
}

async function loginFromFlags(ctx: Context, flags: LoginFlags): Promise<Login> {
  const { settings } = ctx;
  const name = settings.profile.value;
  const problem = nameProblem(name);
  if (problem) throw usage(problem, 'select the profile with -p NAME');
  const key: NewSecret | undefined =
    flags.keyCommand !== undefined
      ? { command: flags.keyCommand }
      : flags.stdin === 'key'
        ? { value: readCredential('key', await ctx.readStdin()) }
        : undefined;
  const curl = flags.stdin === 'curl' ? readCurl((await ctx.readStdin()).trim()) : undefined;
  const cookie = curl?.cookie ?? (flags.stdin === 'session' ? await ctx.readStdin() : undefined);
  const session = cookie === undefined ? undefined : { value: readCredential('session', cookie) };
  const baseUrl = settings.baseUrl.value ?? curl?.origin;
  if (baseUrl === undefined) {
    throw usage(`profile "${name}" has no base URL yet`, 'give --base-url URL, or COMEM_BASE_URL without -p');
  }
  if (settings.baseUrl.value === undefined) ctx.out.note(`The base URL is taken from the curl line: ${baseUrl}`);
  const company = settings.companies.origin === 'default' ? undefined : settings.companies.value[0];
  return { name, baseUrl: checkedBaseUrl(ctx, baseUrl), company, key, session };
}

/** Profile, base URL, API key, session cookie, default company; what is known already is offered for Enter. */
async function askLogin(ctx: Context, noCheck: boolean): Promise<Login> {
  const { runtime, settings } = ctx;
  const chosen = settings.profile.value;
  // A profile with a database of its own needs no login.
  const isLocal = isEmbedded(findProfile(ctx.profiles, chosen)?.baseUrl ?? '');
  const proposed = isLocal ? defaultProfile : chosen;
  const name =
    settings.profile.origin === 'flag'
      ? chosen
      : await askText(runtime, {
          message: `Profile (Enter for ${proposed}):`,
          default: proposed,
          validate: (text) => nameProblem(text) ?? true,
        });
  const problem = nameProblem(name);
  if (problem) throw usage(problem);
  const old = findProfile(ctx.profiles, name);
  ctx.out.note(old ? `Profile "${name}" exists: Enter keeps what it has.` : `"${name}" is a new profile.`);
  const known = settings.baseUrl.origin === 'profile' ? old?.baseUrl : settings.baseUrl.value;
  const baseUrl =
    settings.baseUrl.origin === 'flag' && known !== undefined
      ? checkedBaseUrl(ctx, known)
      : checkedBaseUrl(
          ctx,
          await askText(runtime, {
            message: (known ?? old?.baseUrl) ? 'Base URL (Enter keeps it):' : 'Base URL:',
            default: known ?? old?.baseUrl,
            validate: (text) => problemIn(() => checkedBaseUrl(ctx, text)) ?? true,
          }),
        );
  const secret = async (kind: SecretKind, label: string) => {
    const enter = old?.[kind] ? 'Enter keeps the old one' : 'Enter for none';
    const validate = (text: string) => (text === '' ? true : (problemOf(kind, text) ?? true));
    const text = await askSecret(runtime, { message: `${label} (${enter}):`, validate });
    return text === '' ? undefined : { value: readCredential(kind, text) };
  };
  /** Asked again until it is accepted, left out, or the person leaves. */
  const accepted = async (kind: SecretKind, label: string, company: string | undefined) => {
    for (;;) {
      const text = await secret(kind, label);
      if (!text || noCheck) return { secret: text };
      try {
        return { secret: text, answer: await tryLogin(ctx, { name, baseUrl, company, [kind]: text }) };
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'credential') throw error;
        ctx.out.warn(`${error.message}. Try again, or press Esc to leave with nothing saved`);
      }
    }
  };
  // The catalog names the company that the key is bound to: a good answer to the last question.
  const { secret: key, answer } = await accepted('key', 'API key', undefined);
  const { secret: session } = await accepted('session', 'Session cookie', answer?.company);
  if (!key && !session) throw usage('neither an API key nor a session cookie was given; nothing was saved');
  const aliases = old?.companies ?? {};
  const before = settings.companies.origin === 'default' ? old?.company : settings.companies.value[0];
  const company = await askText(runtime, {
    message: `Default company (uuid or alias, Enter ${(before ?? answer?.company) ? 'keeps it' : 'for none'}):`,
    default: before ?? answer?.company,
    validate: (text) =>
      text === '' ? true : (problemIn(() => resolveCompany(text, aliases, 'the company', name)) ?? true),
  });
  return {
    name,
    baseUrl,
    company: company === '' ? undefined : resolveCompany(company, aliases, 'the company', name),
    key,
    session,
  };
}

export interface Login {
  name: string;
  baseUrl: string;
  company: string | undefined;
  key?: NewSecret | undefined;
  session?: { value: string } | undefined;
}

/** Why credentials cannot be saved under this name; undefined when they can. */
function nameProblem(name: string): string | undefined {
  if (name === demoProfile) return `the profile "${demoProfile}" is built in and has its own credentials`;
  return problemIn(() => checkName(name));
}

/** The base URL as it is saved: valid, and with an absolute folder. */
function checkedBaseUrl(ctx: Context, text: string): string {
  const baseUrl = fromFolder(parseBaseUrl(text, 'the base URL'), ctx.runtime.cwd);
  if (!isEmbedded(baseUrl) && !ctx.settings.allowHttp) refusePlainHttp(baseUrl);
  return baseUrl;
}

/** The problem of a pasted credential, as a sentence. */
function problemOf(kind: SecretKind, text: string): string | undefined {
  const looksLike = credentialKind(text);
  if (text.trim() === '') return kind === 'key' ? 'the API key is empty' : 'the session cookie is empty';
  if (kind === 'key') {
    if (looksLike === 'session') return 'this looks like a session cookie (name=value), not an API key';
    return looksLike === 'key' && isHeaderSafe(cleanKey(text)) ? undefined : 'an API key is one word without spaces';
  }
  if (looksLike === 'key') return 'this looks like an API key, not a Cookie header (name=value; name=value)';
  if (/^curl\s/i.test(text.trim())) return 'this is a curl line: pipe it to --stdin curl';
  if (looksLike === 'session' && isHeaderSafe(cleanCookie(text))) return undefined;
  return 'a session cookie is one line of name=value pairs joined with "; "';
}

/** Only the credential, without `Bearer` or `Cookie:` before it. @throws usage with the flag for the other kind */
function readCredential(kind: SecretKind, text: string): string {
  const problem = problemOf(kind, text);
  if (problem === undefined) return kind === 'key' ? cleanKey(text) : cleanCookie(text);
  const swapped = credentialKind(text) === (kind === 'key' ? 'session' : 'key') && text.trim() !== '';
  const other = kind === 'key' ? '--stdin session' : '--stdin key';
  throw usage(problem, swapped ? `use ${other} if it is one` : undefined);
}

/**
 * Calls one cheap endpoint of each kind that was given.
 * @returns the company of the login, or else the one that the key is bound to; and which kinds could not be checked
 * @throws the API's refusal, saying that nothing was saved
 */
export async function tryLogin(
  ctx: Context,
  login: Login,
): Promise<{ company: string | undefined; unchecked: SecretKind[] }> {
  const { env, signal } = ctx.runtime;
  const { key, session, baseUrl } = login;
  const unchecked: SecretKind[] = [];
  let company = login.company;
  for (const kind of ['key', 'session'] as const) {
    const source = kind === 'key' ? key : session;
    if (!source) continue;
    const secret =
      'value' in source
        ? source.value
        : async () => readCredential('key', await secretFromCommand(source.command, env, signal));
    const credentials = { [kind]: { secret } };
    const client = await ctx.clientFor({ baseUrl, credentials, company, allowHttp: ctx.settings.allowHttp });
    try {
      const answer = await checkCredential(client, kind, company);
      if (answer === 'unchecked') unchecked.push(kind);
      else company ??= answer.company;
    } catch (error) {
      throw error instanceof Failure ? notSaved(error) : error;
    } finally {
      await client.close();
    }
  }
  return { company, unchecked };
}

function notSaved(failure: Failure): Failure {
  const { kind, message, status, details, request, retryable, code } = failure;
  const hint = 'nothing was saved; use --no-check to save a credential without calling the API';
  return new Failure(kind, message, { status, details, request, retryable, code, hint, cause: failure });
}
