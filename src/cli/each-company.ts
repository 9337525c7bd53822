/** Reads several companies in one command, without those that cannot be read; and the names of companies. */

import {
  aliasesById,
  type CachedName,
  type CachedNames,
  cachedName,
  cachedNames,
  namesFile,
  readCachedNames,
} from '../config/companies.ts';
import { getMetricCatalog, getPublishedMetrics } from '../contract/metric-operations.ts';
import { limiter } from '../core/concurrency.ts';
import { allFailed, Failure, isSkippable } from '../core/errors.ts';
import { writeCache } from '../core/files.ts';
import { propertyOf } from '../core/json.ts';
import { readInstant } from '../core/periods.ts';
import { cleanLine } from '../output/terminal-text.ts';
import type { Context, PastState } from './context.ts';
import { resumeFlags } from './report.ts';
import type { RowFlags } from './row-query.ts';

/** The result of reading one of several companies. */
export interface CompanyPart<T> {
  /** Undefined: the one company of the settings, which flags do not name. */
  who: { company: string; companyId?: string } | undefined;
  value: T;
}

export interface Several<T> {
  /** In the order in which the companies were named, without those that could not be read. */
  parts: CompanyPart<T>[];
  /** To be called when the rows of the others are written. @throws Failure naming the companies that failed */
  verdict(): void;
}

const maxCompanies = 8;

/**
 * Reads each company. A failed one is left out with a warning, a forbidden one of `@all` with a note. A single company is
 * named where flags name it.
 */
export async function eachCompany<T>(
  ctx: Context,
  flags: RowFlags,
  read: (companyId: string | undefined) => Promise<T>,
): Promise<Several<T>> {
  const companies = ctx.settings.companies.value;
  if (companies.length < 2) {
    const value = await read(undefined);
    return { parts: [{ who: namesCompany(ctx, flags) ? await companyOfRows(ctx) : undefined, value }], verdict() {} };
  }
  const failures = companyFailures(ctx, companies);
  const refused = new Set<string>();
  const slot = limiter(maxCompanies);
  const names = companyNames(ctx, companies);
  const results = await Promise.all(
    companies.map((companyId) =>
      slot(async () => {
        try {
          return [{ companyId, value: await read(companyId) }];
        } catch (error) {
          if (ctx.settings.everyCompany && isForbidden(error)) refused.add(companyId);
          else {
            // Its name is in the message.
            await names;
            failures.add(companyId, error);
          }
          return [];
        }
      }),
    ),
  );
  const named = await names;
  const nameOf = (companyId: string) => named.get(companyId) ?? companyId;
  // Answers come in any order; messages have that of the companies.
  const left = companies.filter((companyId) => refused.has(companyId)).map(nameOf);
  if (left.length > 0) ctx.out.note(`Left out, since the credential may not read them: ${left.join(', ')}.`);
  const parts = results
    .flat()
    .map(({ companyId, value }) => ({ who: { company: nameOf(companyId), companyId }, value }));
  const verdict = failures.verdict();
  if (verdict && parts.length === 0) throw verdict;
  return {
    parts,
    verdict() {
      if (verdict) throw verdict;
    },
  };
}

function isForbidden(error: unknown): boolean {
  return error instanceof Failure && (error.status === 403 || error.status === 404);
}

export type CompanyFailures = ReturnType<typeof companyFailures>;

export function companyFailures(ctx: Context, companies: readonly string[]) {
  const failed = new Map<string, Failure>();
  let someRows = false;
  const nameOf = (companyId: string) => ctx.companyName(companyId) ?? companyId;
  return {
    /** Warns that a company could not be read, or not to its end. @throws what must not be skipped */
    add(companyId: string, error: unknown, rows: 'some' | 'none' = 'none'): void {
      if (!isSkippable(error) || error.kind === 'usage') throw error;
      failed.set(companyId, error);
      someRows ||= rows === 'some';
      const says = rows === 'some' ? 'was not read to its end' : 'could not be read';
      const flags = resumeFlags(error.resume);
      const texts = [error.message, error.hint, flags && `continue with ${flags}`].filter(Boolean);
      ctx.out.warn(`company ${nameOf(companyId)} ${says}: ${texts.join('; ')}`);
    },
    has: (companyId: string) => failed.has(companyId),
    /** The failure to throw once the rows of the other companies are written. */
    verdict(): Failure | undefined {
      // Answers come in any order.
      const inOrder = companies.flatMap((companyId) => {
        const failure = failed.get(companyId);
        return failure ? [[companyId, failure] as const] : [];
      });
      const first = inOrder[0]?.[1];
      if (first === undefined) return undefined;
      const [all, bad] = [companies.length, failed.size];
      const details = inOrder.map(([companyId, { code, message, status }]) => ({
        companyId,
        code,
        message,
        status,
      }));
      if (bad < all || someRows) {
        const names = inOrder.map(([companyId]) => nameOf(companyId)).join(', ');
        const says = `${all - bad} of ${all} companies were read, ${bad} failed: ${names}`;
        return new Failure('partial', says, { details });
      }
      const says = `none of ${all} companies could be read`;
      return allFailed(
        inOrder.map(([, failure]) => failure),
        says,
        { hint: first.hint, details },
      );
    },
  };
}

/** A name is read again after a week. */
const freshMs = 7 * 86_400_000;
const maxRequests = 4;

/** The names of companies: the alias, else a name from the cache, else one small request. */
export async function companyNames(ctx: Context, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const aliases = aliasesById(ctx.settings.aliases);
  const unnamed = ids.filter((id) => !aliases.has(id));
  const names = unnamed.length > 0 ? await apiNames(ctx, unnamed) : new Map<string, string>();
  return new Map(ids.map((id) => [id, aliases.get(id) ?? names.get(id) ?? id.slice(0, 8)]));
}

/** The fields of a row that name the one company of the settings, or of the credential. */
export async function companyOfRows(ctx: Context): Promise<{ company: string; companyId: string }> {
  const companyId = ctx.company() ?? (await (await ctx.client()).call(getMetricCatalog)).companyId;
  return { company: (await companyNames(ctx, [companyId])).get(companyId) ?? companyId, companyId };
}

/** Whether flags name the company column, which rows of one company lack otherwise. */
export function namesCompany({ settings }: Context, { where = [], sort = [] }: RowFlags): boolean {
  return [...(settings.fields ?? []), ...where, ...sort].some((text) => /\bcompany(?:_?id)?\b/i.test(text));
}

/** The name of a company, not its alias; undefined if the API does not give it. */
export async function officialName(ctx: Context, id: string): Promise<string | undefined> {
  return (await apiNames(ctx, [id])).get(id);
}

/** Asks for the name of every company that the profile knows. @returns whether a name is new */
export async function learnNames(ctx: Context): Promise<boolean> {
  const { aliases, groups, companies, baseUrl } = ctx.settings;
  const known = cachedNames(ctx.folders, baseUrl.value);
  const stored = (await ctx.databaseCompanies())?.map(({ id }) => id) ?? [];
  const all = new Set([...stored, ...Object.values(aliases), ...Object.values(groups).flat(), ...companies.value]);
  const names = await apiNames(ctx, [...all]);
  return [...names].some(([id, name]) => known[id]?.name !== name);
}

async function apiNames(ctx: Context, ids: readonly string[]): Promise<Map<string, string>> {
  const { baseUrl } = ctx.settings;
  const known = cachedNames(ctx.folders, baseUrl.value);
  if (ctx.past) return namesThen(ctx.past, known, ids);
  const now = ctx.runtime.now();
  const isFresh = ({ at }: CachedName) => Math.abs(now.getTime() - (readInstant(at) ?? 0)) < freshMs;
  const stored = new Map((await ctx.databaseCompanies())?.map(({ id, name }) => [id, name]));
  const slot = limiter(maxRequests);
  const answers = await Promise.all(
    ids.map((id) =>
      slot(async (): Promise<[string, CachedName]> => {
        const before = propertyOf(known, id);
        const name = stored.get(id);
        if (before && (name === undefined ? isFresh(before) : before.name === name)) return [id, before];
        return [id, { name: name ?? (await publishedName(ctx, id)) ?? null, at: now.toISOString() }];
      }),
    ),
  );
  const news = answers.filter(([id, name]) => known[id] !== name);
  if (news.length > 0) keepNames(ctx, Object.fromEntries(news));
  return new Map(answers.flatMap(([id, { name }]) => (name ? [[id, cleanLine(name)]] : [])));
}

/** The names in the mirror, else those in the cache. */
async function namesThen(past: PastState, known: CachedNames, ids: readonly string[]): Promise<Map<string, string>> {
  const then = await past.names();
  return new Map(
    ids.flatMap((id) => {
      const name = then.get(id) ?? cachedName(id, known);
      return name ? [[id, cleanLine(name)]] : [];
    }),
  );
}

async function publishedName(ctx: Context, companyId: string): Promise<string | undefined> {
  try {
    // The API names a company in its publications only. A company has no grant for its own, so the profile's company asks.
    const { company } = await (await ctx.forCompanies([]).client()).call(getPublishedMetrics, {
      params: { companyId },
      query: { limit: 1 },
    });
    return company?.name;
  } catch (error) {
    if (isSkippable(error)) return undefined;
    throw error;
  }
}

/** Adds names to the cache. A failure to write it costs a request next time. */
function keepNames({ folders, settings }: Context, names: CachedNames): void {
  const baseUrl = settings.baseUrl.value;
  const all = { ...readCachedNames(folders), [baseUrl ?? '']: { ...cachedNames(folders, baseUrl), ...names } };
  writeCache(namesFile(folders), JSON.stringify(all));
}
