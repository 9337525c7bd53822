/** Lists and entries of a history by id, slug, name or title, also deleted ones. */
import type {
  CustomListAttribute,
  CustomListEntry,
  CustomListSummary,
  ListSelectOption,
} from '../../contract/lists.ts';
import { isUuid } from '../../contract/validate.ts';
import { Failure, usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { linesOf } from './steps.ts';
import type { History, Resource, ResourceKind, Revision, VersionRange } from './versions.ts';

export interface PastList extends CustomListSummary {
  id: string;
  /** Attributes with every option that they have or had; deleted ones come last. */
  list_attributes: CustomListAttribute[];
}

/** The newest version of each resource, also of deleted ones. */
export async function newestOf(
  history: History,
  kind: ResourceKind,
  of: VersionRange & { owner?: string; id?: string },
): Promise<Revision<Resource>[]> {
  const newest = new Map<string, Revision<Resource>>();
  for await (const version of history.resources(kind, of))
    newest.set(`${version.value.owner} ${version.value.id}`, version);
  return [...newest.values()];
}

/** The lists of a company, or the one of an id. */
export async function listsOf(
  history: History,
  selection: { owner: string } | { id: string },
): Promise<(CustomListSummary & { id: string })[]> {
  const newest = await newestOf(history, 'list', selection);
  return newest.map(({ value: { id, body } }) => ({ ...body, id }));
}

/** @throws notFound, usage for a name of several lists */
export async function listOf(history: History, company: string, target: string): Promise<PastList> {
  const id = isUuid(target) ? target.toLowerCase() : undefined;
  const lists = await listsOf(history, id === undefined ? { owner: company } : { id });
  const matches = id === undefined ? lists.filter(({ slug, name }) => [slug, name].includes(target)) : lists;
  const [match, second] = matches;
  if (second) {
    const candidates = matches.map((list) => `${list.id} "${list.name}"`).join(', ');
    throw usage(`"${target}" matches ${matches.length} lists: ${candidates}`, 'give the id of one of them');
  }
  if (match) return { ...match, list_attributes: await attributesOf(history, match.id) };
  const near = nearest(
    target,
    lists.flatMap(({ slug = [], name = [] }) => [slug, name].flat()),
  );
  throw new Failure('notFound', `the mirror has no list "${target}"`, {
    code: 'no_mirrored_list',
    hint: near && `did you mean "${near}"?`,
  });
}

export async function attributesOf(history: History, listId: string): Promise<CustomListAttribute[]> {
  const versions: Revision<CustomListAttribute>[] = [];
  for await (const version of history.resources('attribute', { owner: listId })) {
    const { id, body } = version.value;
    versions.push({ ...version, value: { ...(body as CustomListAttribute), id } });
  }
  return attributesEver(versions);
}

/** The attributes with every option that each has or had; those that were deleted come last. */
export function attributesEver(versions: Iterable<Revision<CustomListAttribute>>): CustomListAttribute[] {
  const newest = new Map<string, Revision<CustomListAttribute>>();
  const options = new Map<string, Map<string, Partial<ListSelectOption>>>();
  for (const version of versions) {
    const { slug = '', config } = version.value;
    const known = options.get(slug) ?? new Map();
    options.set(slug, known);
    for (const option of config?.options ?? []) if (option.id !== undefined) known.set(option.id, option);
    const before = newest.get(slug);
    if (!before || version.seenTo === undefined || version.seenFrom > before.seenFrom) newest.set(slug, version);
  }
  const rank = ({ seenTo, value }: Revision<CustomListAttribute>) =>
    seenTo === undefined ? Number(value.position ?? 0) : Number.MAX_SAFE_INTEGER;
  return [...newest.values()]
    .sort((a, b) => rank(a) - rank(b))
    .map(({ value }) => {
      const { config } = value;
      if (!config?.options) return value;
      const current = config.options;
      const former = [...(options.get(value.slug ?? '')?.values() ?? [])].filter(
        ({ id }) => !current.some((option) => option.id === id),
      );
      return { ...value, config: { ...config, options: [...current, ...former] } };
    });
}

export function entryLines(
  history: History,
  listId: string,
  of?: VersionRange & { id?: string },
): AsyncGenerator<Revision<CustomListEntry>[]> {
  return linesOf(history.entries(listId, of), ({ id }) => String(id));
}

/** The versions of the entry with the title, else of the one that had it before. @throws notFound, usage for several */
export async function entryOf(history: History, listId: string, target: string): Promise<Revision<CustomListEntry>[]> {
  if (isUuid(target)) {
    for await (const line of entryLines(history, listId, { id: target.toLowerCase() })) return line;
    throw new Failure('notFound', `the mirror has never read an entry ${target} in this list`);
  }
  const current: Revision<CustomListEntry>[][] = [];
  const former: Revision<CustomListEntry>[][] = [];
  const titles: string[] = [];
  for await (const line of entryLines(history, listId)) {
    const title = line.at(-1)?.value.title;
    if (title === target) current.push(line);
    else if (line.some(({ value }) => value.title === target)) former.push(line);
    else if (typeof title === 'string' && titles.length < 1000) titles.push(title);
  }
  const matches = current.length > 0 ? current : former;
  const [match] = matches;
  if (match && matches.length === 1) return match;
  if (match) {
    const candidates = matches.map((line) => `${line[0]?.value.id} (created ${line[0]?.value.created_at})`).join(', ');
    throw usage(`"${target}" matches ${matches.length} entries: ${candidates}`, 'give the id of one of them');
  }
  const near = nearest(target, titles);
  throw new Failure('notFound', `no entry of the list had the title "${target}" since the history begins`, {
    hint: near === undefined ? 'give the complete title' : `did you mean "${near}"?`,
  });
}
