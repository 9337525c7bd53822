/** Checks a login before anything is saved. */

import type { Context } from '../../cli/context.ts';
import type { SecretKind } from '../../config/profile.ts';
import { secretFromCommand } from '../../config/secrets.ts';
import { Failure } from '../../core/errors.ts';
import { readCredential } from './credential-input.ts';
import type { Login } from './login-answers.ts';
import { checkCredential } from './read.ts';

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
    const given = kind === 'key' ? key : session;
    if (!given) continue;
    const secret =
      'value' in given
        ? given.value
        : async () => readCredential('key', await secretFromCommand(given.command, env, signal));
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
