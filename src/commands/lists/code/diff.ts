/** `lists diff`: two lists, or a list and a file, side by side. */

import type { Context } from '../../../cli/context.ts';
import { amount } from '../../../cli/words.ts';
import { profileNames } from '../../../config/profile.ts';
import { Failure } from '../../../core/errors.ts';
import { compareLists, differencesOf } from '../../../domain/list-code/difference.ts';
import { existingList } from '../../../domain/list-code/existing.ts';
import type { ExistingList } from '../../../domain/list-code/spec.ts';
import { readList } from '../read.ts';
import { readListFile } from './folder.ts';
import { withProfile } from './other-profile.ts';
import { diffColumns, rowOf } from './plan.ts';

/** Prints what turns the first into the second; under `exitCode` it ends with 1 when there is anything. */
export async function diffLists(ctx: Context, from: string, to: string, exitCode: boolean): Promise<void> {
  if (!(await ctx.out.check(diffColumns))) return;
  const companies = ctx.settings.companies;
  const before = await readSide(ctx, from);
  // The second is of the company of the command, whatever the first was of.
  ctx.settings.companies = companies;
  const after = await readSide(ctx, to);
  const { position: _, ...wanted } = after;
  const list = before.slug ?? before.name;
  const rows = differencesOf(compareLists(wanted, before)).map((difference) => rowOf(difference, list));
  await ctx.out.rows(rows, diffColumns, { empty: `${from} and ${to} are equal.` });
  if (exitCode && rows.length > 0) {
    throw new Failure('no', `${amount(rows.length, 'difference', 'differences')} between ${from} and ${to}`, {
      code: 'changes',
    });
  }
}

/** A file, PROFILE:LIST or LIST. */
async function readSide(ctx: Context, side: string): Promise<ExistingList> {
  if (/\.ya?ml$/i.test(side)) {
    const { spec } = await readListFile(ctx, side);
    return { ...spec, attributes: spec.attributes ?? [] };
  }
  const at = side.indexOf(':');
  const [profile, list] = [side.slice(0, at), side.slice(at + 1)];
  // A list's name may contain a colon too: the part before it is a profile only if one has that name.
  if (at > 0 && list !== '' && profileNames(ctx.profiles).includes(profile)) {
    return withProfile(ctx, { profile }, async (other) => existingList(await readList(other, list)));
  }
  try {
    return existingList(await readList(ctx, side));
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'notFound' || at <= 0 || list === '') throw error;
    const names = profileNames(ctx.profiles);
    throw error.with({ hint: `profile "${profile}" not found either; the profiles are ${names.join(', ')}` });
  }
}
