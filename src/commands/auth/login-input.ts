/** The input of `auth login`, from a terminal or from flags and stdin. */

import type { Context } from '../../cli/context.ts';
import type { NewSecret } from '../../config/accounts.ts';
import { usage } from '../../core/errors.ts';
import { readCredential } from './credential-input.ts';
import { readCurl } from './curl.ts';
import { checkedBaseUrl, type Login, nameProblem } from './login-answers.ts';

interface LoginFlags {
  apiKeyStdin?: boolean;
  sessionStdin?: boolean;
  sessionFromCurl?: boolean;
  keyCommand?: string;
  noCheck?: boolean;
}

/** Asks on a terminal; takes flags and stdin when one of them names a credential. */
export async function readLogin(ctx: Context, flags: LoginFlags): Promise<Login> {
  const fromStdin = (['apiKeyStdin', 'sessionStdin', 'sessionFromCurl'] as const).filter((name) => flags[name]);
  if (fromStdin.length > 1) {
    throw usage(
      'stdin holds one credential: give --api-key-stdin, --session-stdin or --session-from-curl, and log in again for the other',
    );
  }
  if (flags.apiKeyStdin && flags.keyCommand !== undefined) {
    throw usage('--api-key-stdin and --key-command both set the API key; give one of them');
  }
  if (fromStdin.length > 0 || flags.keyCommand !== undefined) return loginFromFlags(ctx, flags);
  if (ctx.settings.input) {
    const { askLogin } = await import('./login-questions.ts');
    return askLogin(ctx, flags.noCheck ?? false);
  }
  throw usage(
    'no terminal to ask on, and no credential was given',
    'give --api-key-stdin, --session-stdin, --session-from-curl or --key-command; `comem profiles set` needs none',
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
      : flags.apiKeyStdin
        ? { value: readCredential('key', await ctx.readStdin()) }
        : undefined;
  const curl = flags.sessionFromCurl ? readCurl((await ctx.readStdin()).trim()) : undefined;
  const cookie = curl?.cookie ?? (flags.sessionStdin ? await ctx.readStdin() : undefined);
  const session = cookie === undefined ? undefined : { value: readCredential('session', cookie) };
  const given = settings.baseUrl.value ?? curl?.origin;
  if (given === undefined) {
    throw usage(`profile "${name}" has no base URL yet`, 'give --base-url URL, or COMEM_BASE_URL without -p');
  }
  if (settings.baseUrl.value === undefined) ctx.out.note(`The base URL is taken from the curl line: ${given}`);
  const company = settings.companies.origin === 'default' ? undefined : settings.companies.value[0];
  return { name, baseUrl: checkedBaseUrl(ctx, given), company, key, session };
}
