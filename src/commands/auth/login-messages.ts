/** Messages of `auth login`. */

import type { Context } from '../../cli/context.ts';
import { distance, expiryWarning, timeText } from '../../cli/words.ts';
import { sessionExpiry } from '../../client/credentials.ts';
import type { SecretKind, StoredSecret } from '../../config/profile.ts';
import { kindName, profilesPath } from '../../config/profile.ts';
import { secretsPath } from '../../config/secrets.ts';
import { Failure } from '../../core/errors.ts';
import type { Login } from './login-input.ts';

/** Warns once that a secret goes into a file. Under `--quiet` the warning would not be seen, so it is a failure. */
export function fileWarning(ctx: Context): (text: string) => void {
  let hasWarned = false;
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
    ctx.out.note(`Saved the ${kindName(kind)} of profile "${name}" for ${stored.origin}, ${storageText(ctx, stored)}.`);
    if (done.unchecked.includes(kind)) {
      ctx.out.warn(`the ${kindName(kind)} was not checked: give a company with -c UUID to check it`);
    }
  }
  if (company && company !== ctx.settings.companies.value[0]) {
    ctx.out.note(`Default company: ${company} (the one that the key is bound to).`);
  }
  const expiry = session && sessionExpiry(session.value);
  const warning = expiryWarning(expiry, ctx.runtime.now(), name);
  if (warning) ctx.out.warn(warning);
  else if (expiry) ctx.out.note(`The session ends ${distance(expiry, ctx.runtime.now())} (${timeText(expiry)}).`);
  const chosen = ctx.profiles.current ?? name;
  if (done.becameCurrent) ctx.out.note(`Commands without -p now use profile "${name}" (${baseUrl}).`);
  else if (chosen !== name) ctx.out.note(`\`comem profiles use ${name}\` makes it the default profile.`);
}

function storageText(ctx: Context, stored: StoredSecret): string {
  if (stored.storage === 'keyring') return 'in the system keyring';
  if (stored.storage === 'file') return `in ${secretsPath(ctx.folders)}, mode 0600`;
  return `its command is in ${profilesPath(ctx.folders)}, and the key is not saved`;
}
