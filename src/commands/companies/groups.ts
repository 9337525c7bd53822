/** Groups of companies, as `-c @GROUP` names them. */

import type { Context } from '../../cli/context.ts';
import { aliasesById, everyCompany, resolveCompanies } from '../../config/companies.ts';
import { namePattern, nameRule } from '../../config/profile.ts';
import { usage } from '../../core/errors.ts';
import type { Column } from '../../output/column.ts';

export interface GroupRow {
  group: string;
  companies: readonly string[];
  /** As aliases, where they have one. */
  names: string;
}

export const groupColumns: readonly Column<GroupRow>[] = [
  { key: 'group', heading: 'Group', get: (row) => row.group },
  { key: 'names', heading: 'Companies', get: (row) => row.names },
  { key: 'companies', heading: 'IDs', type: 'json', get: (row) => row.companies, hidden: true },
];

export function groupRow({ settings }: Context, group: string, companies: readonly string[]): GroupRow {
  const aliases = aliasesById(settings.aliases);
  return { group, companies, names: companies.map((id) => aliases.get(id) ?? id).join(', ') };
}

/** The name of a group, with or without its `@`. @throws usage */
export function groupName(text: string): string {
  const name = text.startsWith('@') ? text.slice(1) : text;
  if (!namePattern.test(name)) throw usage(`the name of a group must be ${nameRule}, got "${text}"`);
  if (`@${name}` === everyCompany)
    throw usage(`${everyCompany} is every company that the profile knows`, 'choose another name');
  return name;
}

/** The uuids of companies given as uuid, alias or `@GROUP`. */
export function companiesIn({ settings }: Context, words: readonly string[]): string[] {
  const { aliases, groups, profile } = settings;
  const known = {
    companies: { ...aliases },
    groups: Object.fromEntries(Object.entries(groups).map(([name, ids]) => [name, [...ids]])),
  };
  return [...new Set(words.flatMap((word) => resolveCompanies(word, known, 'COMPANY', profile.value)))];
}
