/** What companies are called: by alias, else by the name that the API gives, else by the start of their id. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { getPublishedMetrics } from '../../contract/metric-operations.ts';
import { limiter } from '../../core/concurrency.ts';
import { isSkippable } from '../../core/errors.ts';
import { makeFolder } from '../../core/folders.ts';
import { readInstant } from '../../core/instants.ts';
import { cleanLine } from '../../output/terminal-text.ts';

/** Only what a company published says its name: one small request each, asked again after a week. */
const keptMs = 7 * 86_400_000;
const mostRequests = 4;

interface KeptName {
  /** Null: the API does not tell. */
  name: string | null;
  /** When it was asked for, ISO 8601. */
  at: string;
}

type KeptNames = Record<string, KeptName>;

/** The aliases of the profile by id. */
export function aliasesById({ settings }: Context): Map<string, string> {
  return new Map(Object.entries(settings.aliases).map(([alias, id]) => [id, alias]));
}

/** The names of companies, of which those without an alias are asked for, unless they are known from before. */
export async function companyNames(ctx: Context, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const aliases = aliasesById(ctx);
  const unnamed = ids.filter((id) => !aliases.has(id));
  const names = unnamed.length > 0 ? await apiNames(ctx, unnamed) : new Map<string, string>();
  return new Map(ids.map((id) => [id, aliases.get(id) ?? names.get(id) ?? id.slice(0, 8)]));
}

async function apiNames(ctx: Context, ids: readonly string[]): Promise<Map<string, string>> {
  const file = join(ctx.folders.cache, 'company-names.json');
  const origin = ctx.settings.baseUrl.value ?? '';
  const kept = readKept(file);
  const known = kept[origin] ?? {};
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
  keep(file, { ...kept, [origin]: { ...known, ...Object.fromEntries(asked) } });
  return new Map(asked.flatMap(([id, { name }]) => (name ? [[id, cleanLine(name)]] : [])));
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

function readKept(file: string): Record<string, KeptNames> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** A name that cannot be kept is asked for again. */
function keep(file: string, names: Record<string, KeptNames>): void {
  try {
    makeFolder(join(file, '..'), 0o700);
    writeFileSync(file, JSON.stringify(names), { mode: 0o600 });
  } catch {
    // The cache is a convenience.
  }
}
