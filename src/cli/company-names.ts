/** What companies are called: by alias, else by the name that the API gives, else by the start of their id. */

import { aliasesById, type KeptName, type KeptNames, keptNames, namesFile, readKept } from '../config/companies.ts';
import { getPublishedMetrics } from '../contract/metric-operations.ts';
import { limiter } from '../core/concurrency.ts';
import { isSkippable } from '../core/errors.ts';
import { writeCache } from '../core/files.ts';
import { readInstant } from '../core/periods.ts';
import { cleanLine } from '../output/terminal-text.ts';
import type { Context, PastState } from './context.ts';

/** Only what a company published says its name: one small request each, asked again after a week. */
const keptMs = 7 * 86_400_000;
const mostRequests = 4;

/** The names of companies, of which those without an alias are asked for, unless they are known from before. */
export async function companyNames(ctx: Context, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const aliases = aliasesById(ctx.settings.aliases);
  const unnamed = ids.filter((id) => !aliases.has(id));
  const names = unnamed.length > 0 ? await apiNames(ctx, unnamed) : new Map<string, string>();
  return new Map(ids.map((id) => [id, aliases.get(id) ?? names.get(id) ?? id.slice(0, 8)]));
}

/** What a company calls itself, whatever its alias is. Undefined where the API does not say it. */
export async function ownName(ctx: Context, id: string): Promise<string | undefined> {
  return (await apiNames(ctx, [id])).get(id);
}

/** Asks for the name of every company that the profile knows. True: a name is known that was not before. */
export async function learnNames(ctx: Context): Promise<boolean> {
  const { aliases, groups, companies, baseUrl } = ctx.settings;
  const known = keptNames(ctx.folders, baseUrl.value);
  const all = new Set([...Object.values(aliases), ...Object.values(groups).flat(), ...companies.value]);
  const names = await apiNames(ctx, [...all]);
  return [...names].some(([id, name]) => known[id]?.name !== name);
}

async function apiNames(ctx: Context, ids: readonly string[]): Promise<Map<string, string>> {
  const { baseUrl } = ctx.settings;
  const known = keptNames(ctx.folders, baseUrl.value);
  if (ctx.past) return namesThen(ctx.past, known, ids);
  const now = ctx.runtime.now();
  const isFresh = ({ at }: KeptName) => Math.abs(now.getTime() - (readInstant(at) ?? 0)) < keptMs;
  const slot = limiter(mostRequests);
  const asked = await Promise.all(
    ids.map((id) =>
      slot(async (): Promise<[string, KeptName]> => {
        const before = Object.hasOwn(known, id) ? known[id] : undefined;
        if (before && isFresh(before)) return [id, before];
        return [id, { name: (await publishedName(ctx, id)) ?? null, at: now.toISOString() }];
      }),
    ),
  );
  const learned = asked.filter(([id, name]) => known[id] !== name);
  if (learned.length > 0) keepNames(ctx, Object.fromEntries(learned));
  return new Map(asked.flatMap(([id, { name }]) => (name ? [[id, cleanLine(name)]] : [])));
}

/** As the mirror has them, else as they were kept. */
async function namesThen(past: PastState, known: KeptNames, ids: readonly string[]): Promise<Map<string, string>> {
  const then = await past.names();
  return new Map(
    ids.flatMap((id) => {
      const name = then.get(id) ?? (Object.hasOwn(known, id) ? known[id]?.name : undefined);
      return name ? [[id, cleanLine(name)]] : [];
    }),
  );
}

async function publishedName(ctx: Context, companyId: string): Promise<string | undefined> {
  try {
    const { company } = await (await ctx.client()).call(getPublishedMetrics, {
      params: { companyId },
      query: { limit: 1 },
    });
    return company?.name;
  } catch (error) {
    if (isSkippable(error)) return undefined;
    throw error;
  }
}

/** Adds names to those that are kept. A name that cannot be kept is asked for again. */
function keepNames({ folders, settings }: Context, names: KeptNames): void {
  const baseUrl = settings.baseUrl.value;
  const all = { ...readKept(folders), [baseUrl ?? '']: { ...keptNames(folders, baseUrl), ...names } };
  writeCache(namesFile(folders), JSON.stringify(all));
}
