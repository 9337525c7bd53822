/** Groups of companies, as `-c @GROUP` names them. */

import type { Context } from '../../cli/context.ts';
import { editProfile } from '../../config/accounts.ts';
import { aliasesById, cachedName, cachedNames, everyCompany } from '../../config/companies.ts';
import { namePattern, nameRule, type Profile } from '../../config/profile.ts';
import { requireProfile } from '../../config/settings.ts';
import { Failure, usage } from '../../core/errors.ts';
import type { Column } from '../../output/column.ts';

export interface GroupRow {
  group: string;
  companies: readonly string[];
  /** The alias of each company, else its id. */
  names: string;
}

export const groupColumns: readonly Column<GroupRow>[] = [
  { key: 'group', heading: 'Group', get: (row) => row.group },
  { key: 'names', heading: 'Companies', hasIds: true, get: (row) => row.names },
  { key: 'companies', heading: 'IDs', type: 'json', get: (row) => row.companies, hidden: true },
];

export function groupRow({ settings }: Context, group: string, companies: readonly string[]): GroupRow {
  const aliases = aliasesById(settings.aliases);
  return { group, companies, names: companies.map((id) => aliases.get(id) ?? id).join(', ') };
}

/** The names of companies that are known without a request: those of an embedded database, or of earlier answers. */
export async function namesOf(ctx: Context): Promise<ReadonlyMap<string, string>> {
  const { baseUrl, aliases } = ctx.settings;
  const cached = cachedNames(ctx.folders, baseUrl.value);
  const names = Object.values(aliases).map((id): [string, string | undefined] => [id, cachedName(id, cached)]);
  const stored = await ctx.databaseCompanies().catch((error: unknown) => {
    if (error instanceof Failure) return undefined;
    throw error;
  });
  return new Map(
    stored?.map(({ id, name }) => [id, name]) ?? names.flatMap(([id, name]) => (name ? [[id, name]] : [])),
  );
}

/** Changes the profile in use. @throws usage where it does not exist */
export function editCurrent(ctx: Context, edit: (profile: Profile, name: string) => void): Promise<Profile> {
  const { value: name } = ctx.settings.profile;
  requireProfile(ctx.settings, ctx.profiles);
  return editProfile(ctx.folders, name, (profile) => edit(profile, name));
}

/** The name of a group, with or without its `@`. @throws usage */
export function groupName(text: string): string {
  const name = text.startsWith('@') ? text.slice(1) : text;
  if (!namePattern.test(name)) throw usage(`the name of a group must be ${nameRule}, got "${text}"`);
  if (`@${name}` === everyCompany)
    throw usage(`${everyCompany} is every company that the profile knows`, 'choose another name');
  return name;
}
