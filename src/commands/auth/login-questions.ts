/** `auth login` on a terminal. */

import type { Context } from '../../cli/context.ts';
import { askSecret, askText, problemIn } from '../../cli/prompts.ts';
import { resolveCompany } from '../../config/companies.ts';
import { defaultProfile, demoProfile, findProfile, type SecretKind } from '../../config/profile.ts';
import { Failure, usage } from '../../core/errors.ts';
import { problemOf, readCredential } from './credential-input.ts';
import { checkedBaseUrl, type Login, nameProblem } from './login-answers.ts';
import { tryLogin } from './login-check.ts';

/** Profile, base URL, API key, session cookie, default company; what is known already is offered for Enter. */
export async function askLogin(ctx: Context, noCheck: boolean): Promise<Login> {
  const { runtime, settings } = ctx;
  const chosen = settings.profile.value;
  const name =
    settings.profile.origin === 'flag'
      ? chosen
      : await askText(runtime, {
          message: 'Profile:',
          default: chosen === demoProfile ? defaultProfile : chosen,
          validate: (text) => nameProblem(text) ?? true,
        });
  const problem = nameProblem(name);
  if (problem) throw usage(problem);
  const old = findProfile(ctx.profiles, name);
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
      const given = await secret(kind, label);
      if (!given || noCheck) return { given };
      try {
        return { given, found: await tryLogin(ctx, { name, baseUrl, company, [kind]: given }) };
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'credential') throw error;
        ctx.out.warn(`${error.message}. Try again, or press Esc to leave with nothing saved`);
      }
    }
  };
  // The catalog names the company that the key is bound to: a good answer to the last question.
  const { given: key, found } = await accepted('key', 'API key', undefined);
  const { given: session } = await accepted('session', 'Session cookie', found?.company);
  if (!key && !session) throw usage('neither an API key nor a session cookie was given; nothing was saved');
  const aliases = old?.companies ?? {};
  const before = settings.companies.origin === 'default' ? old?.company : settings.companies.value[0];
  const company = await askText(runtime, {
    message: 'Default company (uuid or alias, Enter for none):',
    default: before ?? found?.company,
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
