/** Published values of several companies, side by side. */

import type { Context } from '../../cli/context.ts';
import type { FlagValues } from '../../cli/define.ts';
import { companyFieldsOf, eachCompany, namesCompany } from '../../cli/each-company.ts';
import { chosenRows, hasRowFlags, openRowQuery, type RowFlags, refuseRawQuery, showChosen } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { everyCompany, resolveCompanies } from '../../config/companies.ts';
import type { PublishedPeriod } from '../../contract/metrics.ts';
import { usage } from '../../core/errors.ts';
import type { Column } from '../../output/column.ts';
import { type CompanyFields, companyColumns, severalCurrencies } from '../metrics/columns.ts';
import { publishedColumns } from './columns.ts';
import { labelsOf, narrowed, nothingPublished, type publishedFlags, readPublished } from './read.ts';

/**
 * The companies that published, and the context of the one that reads: `-c` names the reader, as everywhere, unless it is
 * all that names companies.
 * @throws Failure usage where none is named, notFound for an unknown name
 */
export function publishers(ctx: Context, words: readonly string[]): { reader: Context; companies: readonly string[] } {
  const { value, origin } = ctx.settings.companies;
  if (words.length > 0) {
    if (value.length > 1) throw usage('-c names several companies, and so does COMPANY', 'give one or the other');
    const reader = ctx.apart();
    reader.settings.everyCompany ||= words.some((word) => word.trim() === everyCompany);
    const isGroup = (word: string) => word.trim().startsWith('@');
    const companies = words.flatMap((word) => (isGroup(word) ? groupOf(ctx, word) : [ctx.companyOf(word, 'COMPANY')]));
    return { reader, companies: [...new Set(companies)] };
  }
  if (origin !== 'flag' || value.length === 0) {
    throw usage('COMPANY is missing', 'name the company that published, or several with -c');
  }
  const reader = ctx.apart();
  reader.settings.companies = { ...reader.settings.companies, value: [] };
  return { reader, companies: value };
}

function groupOf({ settings: { aliases, groups, profile } }: Context, word: string): readonly string[] {
  return resolveCompanies(word, { companies: aliases, groups }, 'COMPANY', profile.value);
}

type Row = PublishedPeriod & CompanyFields;

/** Rows of several companies name their company; one that cannot be read is left out, and the exit code says so. */
export async function writePublished(
  ctx: Context,
  companies: readonly string[],
  flags: FlagValues<typeof publishedFlags> & RowFlags,
): Promise<void> {
  const several = companies.length > 1;
  if (several) refuseRaw(ctx, 'it reads several companies');
  else refuseRawQuery(ctx, flags);
  if (several && flags.cursor !== undefined) throw usage('--cursor continues one company', 'name one COMPANY');
  const all = ctx.apart();
  all.settings.companies = { ...all.settings.companies, value: [...companies] };
  all.settings.everyCompany = ctx.settings.everyCompany;
  const [{ parts, verdict }, labels] = await Promise.all([
    eachCompany(all, (id = companies[0] ?? '') => readPublished(several ? all : ctx, id, flags)),
    labelsOf(ctx),
  ]);
  const [first] = parts;
  if (!several && !first?.value) return;
  const isNamed = several || namesCompany(ctx, flags);
  const only = isNamed && !several ? await companyFieldsOf(ctx, companies[0] ?? '') : undefined;
  const rows = parts.flatMap(({ who = only, value }) =>
    (value?.periods ?? []).map((period): Row => ({ ...who, ...period })),
  );
  const currencies = [...new Set(rows.flatMap(({ currency }) => currency ?? []))];
  if (currencies.length > 1) ctx.out.warn(severalCurrencies(currencies));
  const bodies = (chosen: readonly Row[]) =>
    parts.map(({ who, value }) => {
      const periods = several ? chosen.filter(({ companyId }) => companyId === who?.companyId) : chosen;
      return { ...who, ...(value && narrowed(value.body, periods.map(withoutWho))) };
    });
  const query = { rows, columns: [...(isNamed ? companyColumns : []), ...publishedColumns(rows, labels)], flags };
  const empty = !several && first?.value ? nothingPublished(first.value) : 'No published periods.';
  await showPeriods(ctx, query, { bodyOf: (chosen) => (several ? bodies(chosen) : bodies(chosen)[0]), empty });
  verdict();
}

function withoutWho({ company: _, companyId: __, ...period }: Row): PublishedPeriod {
  return period;
}

/** The periods that flags choose; the names of conditions are known when the publications are read. */
async function showPeriods<Period extends Row>(
  ctx: Context,
  { rows, columns, flags }: { rows: readonly Period[]; columns: readonly Column<Period>[]; flags: RowFlags },
  { bodyOf, empty }: { bodyOf(chosen: readonly Period[]): unknown; empty: string },
): Promise<void> {
  const rules = { periodKey: 'period' } as const;
  const question = await openRowQuery(ctx, columns, { flags, command: [], rules });
  const chosen = question.isLocal ? await chosenRows(question, rows) : rows;
  const { limit = chosen.length } = question.isLocal ? ctx.settings : {};
  await showChosen(ctx, { question, flags, pages: [chosen] }, columns, {
    whole: () => bodyOf(chosen.slice(0, limit)),
    id: (row) => row.periodKey,
    name: ({ company, periodKey }) => [company, periodKey].filter(Boolean).join(' '),
    empty: hasRowFlags(flags) ? 'No such periods.' : empty,
  });
}
