/**
 * The names that completion offers: lists, attributes, options, metrics and grants of one address and company. Commands
 * that read them keep them, and a Tab reads this file and nothing else.
 */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keptNames } from '../../config/companies.ts';
import type { GlobalFlags } from '../../config/global-flags.ts';
import { companiesOf, findProfile, groupsOf, profileNames, readableProfiles } from '../../config/profile.ts';
import { resolveSettings } from '../../config/settings.ts';
import { type Environment, type Paths, paths } from '../../config/store.ts';
import type { CustomListSummary, CustomListWithAttributes } from '../../contract/lists.ts';
import type { MetricCatalogResponse, MetricGrant } from '../../contract/metrics.ts';
import { writeCache } from '../../core/files.ts';

/** A name, and what it means. */
export interface Offer {
  word: string;
  says?: string | undefined;
}

export interface KeptAttribute extends Offer {
  options?: Offer[];
}

interface KeptList extends Offer {
  name?: string;
  attributes?: KeptAttribute[];
}

interface Names {
  /** Lists by id. */
  lists: Record<string, KeptList>;
  metrics: Offer[];
  grants: Offer[];
}

interface Account {
  baseUrl: string;
  company: string;
}

const folderOf = ({ cache }: Pick<Paths, 'cache'>): string => join(cache, 'completion');

/** A file for each address and company. */
function fileOf(paths: Pick<Paths, 'cache'>, { baseUrl, company }: Account): string {
  return join(folderOf(paths), `${encodeURIComponent(`${baseUrl} ${company}`).slice(0, 200)}.json`);
}

/** The cached names of an account; none at first. */
function keptNamesOf(paths: Pick<Paths, 'cache'>, account: Account): Names {
  return namesIn(keptText(fileOf(paths, account)));
}

/** Replaces what is kept, unless it is the same. */
function keepNamesOf(paths: Pick<Paths, 'cache'>, account: Account, change: (names: Names) => Names): void {
  const file = fileOf(paths, account);
  const before = keptText(file);
  const text = JSON.stringify(change(namesIn(before)));
  if (text !== before) writeCache(file, text);
}

function keptText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(text: string): Names {
  const none: Names = { lists: {}, metrics: [], grants: [] };
  try {
    return { ...none, ...JSON.parse(text) };
  } catch {
    return none;
  }
}

/** The id of the one list with this slug, as an earlier command read it: it may have changed since. */
export function cachedListId(paths: Pick<Paths, 'cache'>, account: Account, slug: string): string | undefined {
  const matches = Object.entries(keptNamesOf(paths, account).lists).filter(
    ([, { word, name }]) => word === slug || name === slug,
  );
  const [only] = matches;
  return matches.length === 1 && only?.[1].word === slug ? only[0] : undefined;
}

/** Forgets every account. */
export function forgetNames(paths: Pick<Paths, 'cache'>): void {
  rmSync(folderOf(paths), { recursive: true, force: true });
}

/** Keeps the names of what a command reads, so that completion can offer them. */

/** Lists of attributes and grants longer than this are not offered in full: a Tab has to be quick. */
const most = 2000;

type Keeper = (data: unknown, names: Names) => Names;

const keepers: Readonly<Record<string, Keeper>> = {
  listLists: (data, names) => ({
    ...names,
    lists: Object.fromEntries(
      (data as CustomListSummary[]).slice(0, most).flatMap((list): [string, KeptList][] => {
        if (typeof list.id !== 'string') return [];
        const attributes = names.lists[list.id]?.attributes;
        return [[list.id, { ...listOffer(list), ...(attributes && { attributes }) }]];
      }),
    ),
  }),
  getList: (data, names) => {
    const list = data as CustomListWithAttributes;
    if (typeof list.id !== 'string') return names;
    return { ...names, lists: { ...names.lists, [list.id]: { ...listOffer(list), attributes: attributesOf(list) } } };
  },
  getMetricCatalog: (data, names) => ({
    ...names,
    metrics: (data as MetricCatalogResponse).definitions
      .slice(0, most)
      .flatMap(({ metricId, label }) => offer(metricId, label) ?? []),
  }),
  listGrants: (data, names) => ({
    ...names,
    grants: (data as MetricGrant[])
      .filter(({ status }) => status === 'active')
      .slice(0, most)
      .flatMap(({ id, note, metric_ids: metrics }) => {
        const which =
          metrics === null || metrics === undefined || metrics.length === 0 ? 'all metrics' : metrics.join(' ');
        return offer(id, note ? `${note} (${which})` : which) ?? [];
      }),
  }),
};

/** Keeps the names in the answer to a read of an account. */
export function keepNames(
  paths: Pick<Paths, 'cache'>,
  { baseUrl, company }: { [K in keyof Account]: string | undefined },
  { id, query }: { id: string; query: { companyId?: string; search?: unknown } | undefined },
  data: unknown,
): void {
  const keep = Object.hasOwn(keepers, id) ? keepers[id] : undefined;
  const companyId = query?.companyId ?? company;
  // A search answers with a part.
  if (keep === undefined || baseUrl === undefined || companyId === undefined || query?.search !== undefined) return;
  keepNamesOf(paths, { baseUrl, company: companyId }, (names) => updatedNames(keep, data, names));
}

/** A response that is not what the API describes is for the command to report. */
function updatedNames(keep: Keeper, data: unknown, names: Names): Names {
  try {
    return keep(data, names);
  } catch {
    return names;
  }
}

function listOffer({ slug, name, id }: CustomListSummary): KeptList {
  const word = slug ?? name ?? String(id);
  return { word, ...(name !== undefined && name !== word && { says: name, name }) };
}

function attributesOf({ list_attributes: attributes = [] }: CustomListWithAttributes): KeptAttribute[] {
  return attributes.slice(0, most).flatMap(({ slug, name, config }) => {
    const offered = offer(slug, name);
    if (!offered) return [];
    const options = (config?.options ?? []).slice(0, most).flatMap(({ label }) => offer(label) ?? []);
    return [{ ...offered, ...(options.length > 0 && { options }) }];
  });
}

function offer(word: string | null | undefined, says?: string | null): Offer | undefined {
  if (typeof word !== 'string' || word === '') return undefined;
  return { word, ...(typeof says === 'string' && says !== '' && says !== word && { says }) };
}

/** Names for completion: profiles, companies, and those of the account that the flags select. */

export interface Known {
  profiles: Offer[];
  companies: Offer[];
  groups: Offer[];
  /** Read only when it is asked for. */
  names(): Names;
}

const pipe = { stdinIsTTY: false, stdoutIsTTY: false, stderrIsTTY: false };
const noNames: Names = { lists: {}, metrics: [], grants: [] };

/** @throws what settings throw: the caller offers nothing then */
export function knownTo(flags: GlobalFlags, env: Environment): Known {
  const folders = paths(env);
  const profiles = readableProfiles(folders);
  const settings = resolveSettings(flags, env, profiles, pipe, (baseUrl) => keptNames(folders, baseUrl));
  const { value: name } = settings.profile;
  const profile = findProfile(profiles, name);
  const { value: baseUrl } = settings.baseUrl;
  const ids = keptNames(folders, baseUrl);
  return {
    profiles: profileNames(profiles).map((word) => ({ word, says: findProfile(profiles, word)?.baseUrl ?? '' })),
    companies: Object.entries(companiesOf(profile, name)).map(([word, id]) => ({ word, says: ids[id]?.name ?? id })),
    groups: Object.entries(groupsOf(profile, name)).map(([word, members]) => ({
      word,
      says: `${members.length} companies`,
    })),
    names() {
      const [company] = settings.companies.value;
      return baseUrl === undefined || company === undefined ? noNames : keptNamesOf(folders, { baseUrl, company });
    },
  };
}
