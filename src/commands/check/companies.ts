/** Which companies the sections of a check file are of. */

import type { Context } from '../../cli/context.ts';
import { learnNames } from '../../cli/each-company.ts';
import { aliasesById, companiesNamed, keptNames, resolveCompanies, unknownCompany } from '../../config/companies.ts';
import { isUuid } from '../../contract/validate.ts';
import { Failure, usage } from '../../core/errors.ts';
import { type CheckSection, ofCompanies } from '../../domain/checks/check-file.ts';

interface Options {
  /** The API may be asked for names. */
  ask: boolean;
}

/**
 * The sections, those of a group once for each of its companies.
 * @throws usage for a label that is taken for a company; notFound for a company that is not known
 */
export async function settleSections(
  ctx: Context,
  file: string,
  sections: readonly CheckSection[],
  { ask }: Options,
): Promise<CheckSection[]> {
  const settled = withGroups(ctx, sections);
  for (const { subject, label, company } of settled) {
    const meant = subject === 'list' || company !== undefined ? undefined : companyCalled(ctx, label);
    if (meant === undefined) continue;
    throw usage(
      `${file}: "${subject}: ${label}" is only a label, and ${meant} is a company that the section does not name`,
      `add "company: ${meant.startsWith('@') ? `'${meant}'` : meant}" to the section, or choose another label`,
    );
  }
  for (const company of new Set(settled.flatMap(({ company }) => company ?? []))) await known(ctx, company, ask);
  return settled;
}

/** A section of a group is one of each of its companies, by what people call them. */
function withGroups(ctx: Context, sections: readonly CheckSection[]): CheckSection[] {
  const { aliases, groups, profile } = ctx.settings;
  const known = {
    companies: { ...aliases },
    groups: Object.fromEntries(Object.entries(groups).map(([name, ids]) => [name, [...ids]])),
  };
  return sections.flatMap((section) => {
    if (!section.company?.startsWith('@')) return [section];
    const ids = resolveCompanies(section.company, known, 'company', profile.value);
    const aliasOf = aliasesById(aliases);
    return ofCompanies(
      section,
      ids.map((id) => aliasOf.get(id) ?? id),
    );
  });
}

/** The company that a word is taken for, as `company:` spells it: an id, alias or group, or a name that the API gave. */
function companyCalled({ settings, folders }: Context, word: string): string | undefined {
  const text = word.trim();
  if (isUuid(text)) return text;
  const groups = ['all', ...Object.keys(settings.groups)].map((name) => `@${name}`);
  const known = [...Object.keys(settings.aliases), ...groups];
  const folded = text.toLowerCase();
  const meant = known.includes(text) ? text : known.find((name) => name.toLowerCase() === folded);
  if (meant !== undefined || text === '') return meant;
  return companiesNamed(text, keptNames(folders, settings.baseUrl.value)).length > 0 ? text : undefined;
}

/** Refuses a word that names no company. What is not known yet may be a name of the API. */
async function known(ctx: Context, company: string, ask: boolean): Promise<void> {
  try {
    ctx.companyOf(company, 'company');
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== unknownCompany) throw error;
    if (!ask) return;
    if (!(await learnNames(ctx))) throw error;
    ctx.companyOf(company, 'company');
  }
}
