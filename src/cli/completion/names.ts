/**
 * The names that completion offers: lists, attributes, options, metrics and grants of one address and company. Commands
 * that read them keep them, and a Tab reads this file and nothing else.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { cachedNames } from '../../config/companies.ts';
import type { GlobalFlags } from '../../config/global-flags.ts';
import { companiesOf, findProfile, groupsOf, profileNames, readableProfiles } from '../../config/profile.ts';
import { resolveSettings } from '../../config/settings.ts';
import { type Environment, type Paths, paths } from '../../config/store.ts';
import type { CustomListSummary, CustomListWithAttributes } from '../../contract/lists.ts';
import type { MetricCatalogResponse, MetricGrant } from '../../contract/metrics.ts';
import { writeCache } from '../../core/files.ts';

/** A word to offer, with its description. */
export interface Offer {
  word: string;
  says?: string | undefined;
}

export interface CachedAttribute extends Offer {
  options?: Offer[];
}

interface CachedList extends Offer {
  name?: string;
  attributes?: CachedAttribute[];
}

interface Names {
  /** Lists by id. */
  lists: Record<string, CachedList>;
  metrics: Offer[];
  grants: Offer[];
}

interface Account {
  baseUrl: string;
  company: string;
}

/** A file for each address and company. */
function fileOf({ cache }: Pick<Paths, 'cache'>, { baseUrl, company }: Account): string {
  return join(cache, 'completion', `${encodeURIComponent(`${baseUrl} ${company}`).slice(0, 200)}.json`);
}

/** The cached names of an account; none at first, or if the file cannot be read. */
function cachedNamesOf(paths: Pick<Paths, 'cache'>, account: Account): Names {
  const none: Names = { lists: {}, metrics: [], grants: [] };
  try {
    return { ...none, ...JSON.parse(readFileSync(fileOf(paths, account), 'utf8')) };
  } catch {
    return none;
  }
}

/** The id of the one list with this slug, as an earlier command read it: it may have changed since. */
export function cachedListId(paths: Pick<Paths, 'cache'>, account: Account, slug: string): string | undefined {
  const matches = Object.entries(cachedNamesOf(paths, account).lists).filter(
    ([, { word, name }]) => word === slug || name === slug,
  );
  const [only] = matches;
  return matches.length === 1 && only?.[1].word === slug ? only[0] : undefined;
}

/** Longer lists are not offered in full: a Tab has to be quick. */
const most = 2000;

type Keeper = (data: unknown, names: Names) => Partial<Names>;

const keepers: Readonly<Record<string, Keeper>> = {
  listLists: (data, { lists }) => ({
    lists: Object.fromEntries(
      (data as CustomListSummary[])
        .slice(0, most)
        .map((list): [string, CachedList] => [
          String(list.id),
          { ...listOffer(list), attributes: lists[String(list.id)]?.attributes ?? [] },
        ]),
    ),
  }),
  getList: (data, { lists }) => {
    const list = data as CustomListWithAttributes;
    const attributes = (list.list_attributes ?? []).flatMap(({ slug, name, config }) =>
      offer(slug, name).map((each) => ({
        ...each,
        options: (config?.options ?? []).flatMap(({ label }) => offer(label)),
      })),
    );
    return { lists: { ...lists, [String(list.id)]: { ...listOffer(list), attributes } } };
  },
  getMetricCatalog: (data) => ({
    metrics: (data as MetricCatalogResponse).definitions.flatMap(({ metricId, label }) => offer(metricId, label)),
  }),
  listGrants: (data) => ({
    grants: (data as MetricGrant[])
      .filter(({ status }) => status === 'active')
      .slice(0, most)
      .flatMap(({ id, note, metric_ids: metrics }) => {
        const which = metrics?.length ? metrics.join(' ') : 'all metrics';
        return offer(id, note ? `${note} (${which})` : which);
      }),
  }),
};

/** Keeps the names in the answer to a read of an account, if they changed. */
export function keepNames(
  paths: Pick<Paths, 'cache'>,
  { baseUrl, company }: { [K in keyof Account]: string | undefined },
  { id, query }: { id: string; query: { companyId?: string; search?: unknown } | undefined },
  data: unknown,
): void {
  const keep = keepers[id];
  const companyId = query?.companyId ?? company;
  // A search answers with a part.
  if (!keep || baseUrl === undefined || companyId === undefined || query?.search !== undefined) return;
  const account = { baseUrl, company: companyId };
  const before = cachedNamesOf(paths, account);
  try {
    const names = { ...before, ...keep(data, before) };
    if (!isDeepStrictEqual(names, before)) writeCache(fileOf(paths, account), JSON.stringify(names));
  } catch {
    // The command reports a response that breaks the description of the API.
  }
}

function listOffer({ slug, name, id }: CustomListSummary): CachedList {
  const word = slug ?? name ?? String(id);
  return { word, ...(name !== undefined && name !== word && { says: name, name }) };
}

function offer(word: string | null | undefined, says?: string | null): Offer[] {
  return word ? [{ word, ...(says && says !== word && { says }) }] : [];
}

export type Known = ReturnType<typeof knownTo>;

const pipe = { stdinIsTTY: false, stdoutIsTTY: false, stderrIsTTY: false };

/**
 * Names for completion: profiles, companies, and those of the account that the flags select.
 * @throws what settings throw: the caller offers nothing then
 */
export function knownTo(flags: GlobalFlags, env: Environment) {
  const folders = paths(env);
  const profiles = readableProfiles(folders);
  const settings = resolveSettings(flags, env, profiles, pipe, (baseUrl) => cachedNames(folders, baseUrl));
  const { value: name } = settings.profile;
  const profile = findProfile(profiles, name);
  const { value: baseUrl } = settings.baseUrl;
  const ids = cachedNames(folders, baseUrl);
  const [company = ''] = settings.companies.value;
  const names = () => cachedNamesOf(folders, { baseUrl: baseUrl ?? '', company });
  return {
    profiles: profileNames(profiles).map((word) => ({ word, says: findProfile(profiles, word)?.baseUrl ?? '' })),
    companies: Object.entries(companiesOf(profile, name)).map(([word, id]) => ({ word, says: ids[id]?.name ?? id })),
    groups: Object.entries(groupsOf(profile, name)).map(([word, members]) => ({
      word,
      says: `${members.length} companies`,
    })),
    names,
    /** The attributes of a list by its slug, name or id. */
    attributes(list = ''): CachedAttribute[] {
      const { lists } = names();
      const matched = lists[list] ?? Object.values(lists).find(({ word, name }) => word === list || name === list);
      return matched?.attributes ?? [];
    },
  };
}
