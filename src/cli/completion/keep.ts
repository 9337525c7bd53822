/** Keeps the names of what a command reads, so that completion can offer them. */
import type { Paths } from '../../config/store.ts';
import type { CustomListSummary, CustomListWithAttributes } from '../../contract/lists.ts';
import type { MetricCatalogResponse, MetricGrant } from '../../contract/metrics.ts';
import { type Account, type KeptAttribute, type KeptList, keepNamesOf, type Names, type Offer } from './names.ts';

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
  keepNamesOf(paths, { baseUrl, company: companyId }, (names) => kept(keep, data, names));
}

/** A response that is not what the API describes is for the command to report. */
function kept(keep: Keeper, data: unknown, names: Names): Names {
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
    const found = offer(slug, name);
    if (!found) return [];
    const options = (config?.options ?? []).slice(0, most).flatMap(({ label }) => offer(label) ?? []);
    return [{ ...found, ...(options.length > 0 && { options }) }];
  });
}

function offer(word: string | null | undefined, says?: string | null): Offer | undefined {
  if (typeof word !== 'string' || word === '') return undefined;
  return { word, ...(typeof says === 'string' && says !== '' && says !== word && { says }) };
}
