/** A company that is the target of a command, beside the company that it acts as (`-c`). */
import { resolveCompany } from '../config/profile.ts';
import type { Context } from './context.ts';

/** The uuid of a company given as uuid or alias; `from` names the flag or argument in the message. */
export function companyOf(ctx: Context, text: string, from: string): string {
  return resolveCompany(text, ctx.settings.aliases, from, ctx.settings.profile.value);
}
