/** The answers of `auth login`, and the checks of single ones, the same for flags and questions. */

import type { Context } from '../../cli/context.ts';
import { problemIn } from '../../cli/prompts.ts';
import { checkBaseUrl } from '../../client/connect.ts';
import { checkName, type NewSecret } from '../../config/accounts.ts';
import { demoProfile } from '../../config/profile.ts';
import { fromFolder, isEmbedded, parseBaseUrl } from '../../config/settings.ts';

export interface Login {
  name: string;
  baseUrl: string;
  company: string | undefined;
  key?: NewSecret | undefined;
  session?: { value: string } | undefined;
}

/** Why credentials cannot be saved under this name; undefined when they can. */
export function nameProblem(name: string): string | undefined {
  if (name === demoProfile) return `the profile "${demoProfile}" is built in and has its own credentials`;
  return problemIn(() => checkName(name));
}

/** The base URL as it is saved: valid, and with an absolute folder. */
export function checkedBaseUrl(ctx: Context, text: string): string {
  const baseUrl = fromFolder(parseBaseUrl(text, 'the base URL'), ctx.runtime.cwd);
  if (!isEmbedded(baseUrl)) checkBaseUrl(baseUrl, ctx.settings.allowHttp);
  return baseUrl;
}
