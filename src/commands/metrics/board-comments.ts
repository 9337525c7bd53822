/** `--comments`: the explanations of variances, and which ones are missing. */

import type { Context } from '../../cli/context.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric } from '../../core/json.ts';
import { formatPeriod, parsePeriod } from '../../core/periods.ts';
import { readYaml } from '../../core/yaml.ts';
import type { BoardRow } from './board-rows.ts';

interface Comment {
  metric: string;
  period: string;
  /** The id, the alias or the name of a company. */
  company?: string;
  text: string;
  line: number;
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
    const fields: Record<string, string> = {};
    for (const [key, entry] of Object.entries(item)) {
      if (!keys.some((known) => known === key)) {
        throw wrong(`unknown key "${key}", the keys are ${keys.join(', ')}`, `${index}.${key}`);
      }
      const text = typeof entry === 'string' ? entry.trim() : typeof entry === 'number' ? String(entry) : '';
      if (text === '') throw wrong(`${key} must be a text`, `${index}.${key}`);
      fields[key] = text;
    }
    const { metric, period, text, company } = fields;
    if (metric === undefined || period === undefined || text === undefined) {
      throw wrong('a comment needs metric, period and text');
    }
    const parsed = parsePeriod(period);
    if (!parsed) throw wrong(`period must be such as 2006-01, 2006-Q1 or 2006, got "${period}"`, `${index}.period`);
    const { line } = place(`${index}`);
    return { metric, period: formatPeriod(parsed), text, ...(company !== undefined && { company }), line };
  });
}

/** The rows of each company with their comments; a comment that has no row is named in a warning. */
export function addComments(
  ctx: Context,
  parts: readonly CompanyPart<BoardRow[]>[],
  comments: readonly Comment[],
  file: string,
): CompanyPart<BoardRow[]>[] {
  const unused = new Set(comments);
  const isSingle = parts.length === 1 && parts[0]?.who === undefined;
  for (const { company, line } of comments) {
    if (!isSingle && company === undefined) {
      throw usage(`${file}, line ${line}: a comment needs company, since there are several`);
    }
  }
  const { aliases } = ctx.settings;
  const idOf = (company: string) => (Object.hasOwn(aliases, company) ? aliases[company] : company);
  const commented = parts.map(({ who, value }) => {
    const names = new Set([who?.company, who ? who.companyId : ctx.company()]);
    const isOfCompany = ({ company }: Comment) =>
      company === undefined || names.has(company) || names.has(idOf(company));
    const rows = value.map((row) => {
      const [first, second] = comments.filter(
        (comment) => comment.metric === row.metricId && comment.period === row.periodKey && isOfCompany(comment),
      );
      if (!first) return row;
      if (second) {
        const says = `${row.metricId} ${row.periodKey} has a comment on line ${first.line} already`;
        throw usage(`${file}, line ${second.line}: ${says}`);
      }
      unused.delete(first);
      return { ...row, comment: first.text };
    });
    return { who, value: rows };
  });
  const [first] = unused;
  if (first) {
    const more = unused.size > 1 ? ` and ${unused.size - 1} more` : '';
    const comment = `${first.metric} ${first.period} on line ${first.line}`;
    ctx.out.warn(`${file}: no row of the board has the metric, period and company of ${comment}${more}`);
  }
  return commented;
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
