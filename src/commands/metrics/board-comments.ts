/** `--comments`: the explanations of variances, and which ones are missing. */

import type { Context } from '../../cli/context.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric } from '../../core/json.ts';
import type { Place } from '../../core/located.ts';
import { formatPeriod, parsePeriod } from '../../core/periods.ts';
import { readYaml } from '../../core/yaml.ts';
import type { BoardRow } from './board-rows.ts';

interface Comment {
  metric: string;
  period: string;
  /** The id, the alias or the name of a company. */
  company?: string;
  text: string;
  place: Place;
}

const keys = ['metric', 'period', 'company', 'text'] as const;
const example = "such as `- {metric: burn, period: 2025-Q4, text: 'Two hires came early'}`";

/** @throws Failure usage naming the file and the line */
export async function readComments(ctx: Context, file: string): Promise<Comment[]> {
  const name = file === '-' ? 'stdin' : file;
  const { value, place } = await readYaml(await ctx.readArgument(file === '-' ? '-' : `@${file}`), name);
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw usage(`${name} must be a list of comments`, example);
  return value.map((item: unknown, index) => {
    const wrong = (says: string, path = `${index}`) => usage(`${name}, line ${place(path).line}: ${says}`, example);
    if (typeof item !== 'object' || item === null || Array.isArray(item)) throw wrong('a comment must be a mapping');
    const found: Record<string, string> = {};
    for (const [key, given] of Object.entries(item)) {
      if (!keys.some((known) => known === key)) {
        throw wrong(`unknown key "${key}", the keys are ${keys.join(', ')}`, `${index}.${key}`);
      }
      const text = typeof given === 'string' ? given.trim() : typeof given === 'number' ? String(given) : '';
      if (text === '') throw wrong(`${key} must be a text`, `${index}.${key}`);
      found[key] = text;
    }
    const { metric, period, text, company } = found;
    if (metric === undefined || period === undefined || text === undefined) {
      throw wrong('a comment needs metric, period and text');
    }
    const read = parsePeriod(period);
    if (!read) throw wrong(`period must be such as 2006-01, 2006-Q1 or 2006, got "${period}"`, `${index}.period`);
    const own = company === undefined ? {} : { company };
    return { metric, period: formatPeriod(read), text, ...own, place: place(`${index}`) };
  });
}

/** The rows of each company with their comments; a comment that has no row is named in a warning. */
export function commented(
  ctx: Context,
  parts: readonly CompanyPart<BoardRow[]>[],
  comments: readonly Comment[],
  file: string,
): CompanyPart<BoardRow[]>[] {
  const left = new Set(comments);
  const single = parts.length === 1 && parts[0]?.who === undefined;
  for (const { company, place } of comments) {
    if (!single && company === undefined) {
      throw usage(`${file}, line ${place.line}: a comment needs company, since there are several`);
    }
  }
  const idOf = (company: string) => {
    const { aliases } = ctx.settings;
    return Object.hasOwn(aliases, company) ? aliases[company] : company;
  };
  const found = parts.map(({ who, value }) => {
    const names = new Set([who?.company, who ? who.companyId : ctx.company()]);
    const rows = value.map((row) => {
      const own = comments.filter(
        ({ metric, period, company }) =>
          metric === row.metricId &&
          period === row.periodKey &&
          (company === undefined || names.has(company) || names.has(idOf(company))),
      );
      for (const one of own) left.delete(one);
      const [first, second] = own;
      if (first && second) {
        throw usage(
          `${file}, line ${second.place.line}: ${row.metricId} ${row.periodKey} has a comment on line ${first.place.line} already`,
        );
      }
      return first ? { ...row, comment: first.text } : row;
    });
    return { who, value: rows };
  });
  if (left.size > 0) {
    const [first] = left;
    const said = `${first?.metric} ${first?.period} on line ${first?.place.line}`;
    const more = left.size > 1 ? ` and ${left.size - 1} more` : '';
    ctx.out.warn(`${file}: no row of the board has the metric, period and company of ${said}${more}`);
  }
  return found;
}

/** @throws Failure `no` where a variance that has to be explained is not, and where nothing was compared */
export function requireExplained(parts: readonly CompanyPart<readonly BoardRow[]>[]): void {
  const rows = parts.flatMap(({ who, value }) => value.map((row) => ({ who, row })));
  if (!rows.some(({ row }) => isNumeric(row.difference))) {
    throw new Failure('no', 'nothing could be compared, so --fail-on has no answer', { code: 'nothing_compared' });
  }
  const open = rows.filter(({ row }) => row.material === true && row.comment === undefined);
  if (open.length === 0) return;
  const named = open
    .slice(0, 3)
    .map(({ who, row }) => [who?.company, row.metricId, row.periodKey].filter(Boolean).join(' '));
  const more = open.length > named.length ? ` and ${open.length - named.length} more` : '';
  const count = open.length === 1 ? '1 variance is' : `${open.length} variances are`;
  throw new Failure('no', `${count} not explained: ${named.join(', ')}${more}`, {
    code: 'unexplained',
    hint: 'add them to the file of --comments',
  });
}
