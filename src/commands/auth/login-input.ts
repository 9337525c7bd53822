/** The input of `auth login`, from a terminal, flags, stdin or a copied curl command; its checks and messages. */
import type { Context } from '../../cli/context.ts';
import { askSecret, askText, problemIn } from '../../cli/prompts.ts';
import { distance, expiryWarning, timeText } from '../../cli/words.ts';
import { refusePlainHttp } from '../../client/connect.ts';
import { cleanCookie, cleanKey, credentialKind, isHeaderSafe, sessionExpiry } from '../../client/credentials.ts';
import { checkName, type NewSecret } from '../../config/accounts.ts';
import { firstAlias, resolveCompany } from '../../config/companies.ts';
import {
  defaultProfile,
  demoProfile,
  findProfile,
  kindName,
  profilesPath,
  type SecretKind,
  type StoredSecret,
} from '../../config/profile.ts';
import { secretFromCommand, secretsPath } from '../../config/secrets.ts';
import { fromFolder } from '../../config/settings.ts';
import { isEmbedded, parseBaseUrl, urlOf } from '../../core/addresses.ts';
import { Failure, usage } from '../../core/errors.ts';
import { checkCredential } from './status-rows.ts';

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
    'give a credential to `comem auth login` with --stdin key|session|curl or --key-command',
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

/** Asks for profile, base URL, API key, session cookie and default company; Enter takes the current value. */
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
          message: 'Profile:',
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
            message: 'Base URL:',
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
  // The catalog names the company that the key is bound to, which becomes the default of the last question.
  const { secret: key, answer } = await accepted('key', 'API key', undefined);
  const { secret: session } = await accepted('session', 'Session cookie', answer?.company);
  if (!key && !session) throw usage('neither an API key nor a session cookie was given; nothing was saved');
  const aliases = old?.companies ?? {};
  // The company in use is that of another profile, unless a flag or the environment names it.
  const isNamed = settings.companies.origin === 'flag' || settings.companies.origin === 'environment';
  const proposedCompany = (isNamed ? settings.companies.value[0] : old?.company) ?? answer?.company;
  const company = await askText(runtime, {
    message: proposedCompany ? 'Default company:' : 'Default company (uuid or alias, Enter for none):',
    default: firstAlias(aliases, proposedCompany) ?? proposedCompany,
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

interface Login {
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

/** The base URL to save: valid, and with an absolute folder. */
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

/** The first cell of the row that `server keys create` prints, or the text itself. */
function withoutHeader(text: string): string {
  const [header = '', row = ''] = text.split(/\r?\n/).map((line) => line.split('\t')[0]);
  return header === 'secret' ? row : text;
}

/** The credential without `Bearer` or `Cookie:` before it. @throws usage with the flag for the other kind */
function readCredential(kind: SecretKind, input: string): string {
  const text = withoutHeader(input);
  const problem = problemOf(kind, text);
  if (problem === undefined) return kind === 'key' ? cleanKey(text) : cleanCookie(text);
  const swapped = credentialKind(text) === (kind === 'key' ? 'session' : 'key') && text.trim() !== '';
  const other = kind === 'key' ? '--stdin session' : '--stdin key';
  throw usage(problem, swapped ? `use ${other} if it is one` : undefined);
}

/** Calls one endpoint for each credential. @returns the company that the key is bound to @throws the API's refusal */
export async function tryLogin(ctx: Context, login: Login) {
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
    const account = { baseUrl, credentials, company, profile: login.name, allowHttp: ctx.settings.allowHttp };
    const client = await ctx.clientFor(account);
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
  const hint = 'nothing was saved; `comem auth login --no-check` saves a credential without calling the API';
  return new Failure(kind, message, { status, details, request, retryable, code, hint, cause: failure });
}

/** Warns of the first secret that goes into a file. Under `--quiet` the warning would not be seen, so it is a failure. */
export function fileWarning(ctx: Context): (text: string) => void {
  const profiles = Object.values(ctx.profiles.profiles);
  let hasWarned = profiles.some(({ key, session }) => [key, session].some((secret) => secret?.storage === 'file'));
  return (text) => {
    if (ctx.settings.quiet) {
      throw new Failure('credential', 'the keyring of this system does not work', {
        hint: 'save the secret in a file with --storage file',
        code: 'keyring',
      });
    }
    if (!hasWarned) ctx.out.warn(text);
    hasWarned = true;
  };
}

export function noteSaved(
  ctx: Context,
  login: Login,
  done: { saved: Partial<Record<SecretKind, StoredSecret>>; becameCurrent: boolean; unchecked: SecretKind[] },
): void {
  const { name, baseUrl, company, session } = login;
  for (const kind of ['key', 'session'] as const) {
    const stored = done.saved[kind];
    if (!stored) continue;
    const secret = stored.storage === 'command' ? `command that prints the ${kindName(kind)}` : kindName(kind);
    ctx.out.note(`Saved the ${secret} of profile "${name}" for ${stored.origin}, ${storageText(ctx, stored)}.`);
    if (done.unchecked.includes(kind)) {
      ctx.out.warn(`the ${kindName(kind)} was not checked: give a company with -c UUID to check it`);
    }
  }
  if (company && company !== ctx.settings.companies.value[0]) {
    ctx.out.note(`Default company: ${company}.`);
  }
  const expiry = session && sessionExpiry(session.value);
  const warning = expiryWarning(expiry, ctx.runtime.now(), name);
  if (warning) ctx.out.warn(warning);
  else if (expiry) ctx.out.note(`The session ends ${distance(expiry, ctx.runtime.now())} (${timeText(expiry)}).`);
  if (done.becameCurrent) ctx.out.note(`Commands without -p now use profile "${name}" (${baseUrl}).`);
  // Who writes -p knows that it selects the profile.
  else if (ctx.settings.profile.origin !== 'flag' && (ctx.profiles.current ?? name) !== name)
    ctx.out.note(`\`comem profiles use ${name}\` makes it the default profile.`);
}

function storageText(ctx: Context, stored: StoredSecret): string {
  if (stored.storage === 'keyring') return 'in the system keyring';
  if (stored.storage === 'file') return `in ${secretsPath(ctx.folders)}, mode 0600`;
  return `in ${profilesPath(ctx.folders)}`;
}

/** The Cookie header of a curl command, and where it is for. @throws usage for another text, or without a cookie */
export function readCurl(text: string) {
  const [command = '', ...words] = wordsOf(isCmd(text) ? withoutCarets(text) : text);
  if (!/^curl(\.exe)?$/i.test(command)) {
    throw usage(
      'this is not a "Copy as cURL" line: it does not start with curl',
      'in the browser open developer tools, Network, a request to /api/, Copy, Copy as cURL',
    );
  }
  const cookies = words.flatMap((word, at) => {
    if (word === '-H' || word === '--header')
      return /^cookie\s*:\s*(.+)$/is.exec(words[at + 1]?.trim() ?? '')?.[1] ?? [];
    // curl takes a word without `=` for the name of a cookie file.
    return (word === '-b' || word === '--cookie') && words[at + 1]?.includes('=') ? (words[at + 1]?.trim() ?? []) : [];
  });
  // A browser writes the address first.
  const address = words.find((word) => /^https?:\/\//i.test(word));
  const cookie = cookies.join('; ').replace(/;\s*(?=;|$)/g, '');
  if (cookie === '') {
    throw usage(
      'the curl line has no cookie (neither -b nor a cookie header)',
      'copy a request to /api/ while you are signed in; some browsers omit cookies by default',
    );
  }
  return { cookie, origin: address === undefined ? undefined : urlOf(address)?.origin };
}

/** cmd escapes with carets: before quotes, and at the end of each line. */
const isCmd = (text: string): boolean => /\^["\r\n]/.test(text) && !/(^|\s)\$?'/.test(text);

/** Undoes the carets of cmd. The quotes that remain split words as double quotes do in bash. */
function withoutCarets(text: string): string {
  return text.replace(/\^(\r?\n|[\s\S]|$)/g, (_, next: string) => (next.endsWith('\n') ? '' : next));
}

const bashToken =
  /\\\r?\n|\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|(\s+)|([^\s'"\\$]+|[$'"\\])/g;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, ansi, single, double, escaped, space, bare] of text.matchAll(bashToken)) {
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const quoted = ansi === undefined ? double?.replace(/\\(\r?\n|[$`"\\])/g, (_, c) => c.trim()) : unescapeAnsi(ansi);
    const plain = quoted ?? single ?? escaped ?? bare;
    if (plain !== undefined) word = (word ?? '') + plain;
  }
  return word === undefined ? words : [...words, word];
}

/** bash's `$'…'`, as browsers write it: code points and single characters. */
function unescapeAnsi(text: string): string {
  return text.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|([\s\S]))/gi, (_, hex, unicode, char: string) => {
    const code = hex ?? unicode;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return { n: '\n', t: '\t', r: '\r' }[char] ?? char;
  });
}
