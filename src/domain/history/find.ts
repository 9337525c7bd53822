/** Things of a history by what people call them: id, slug or exact name, also what no longer exists. */
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
import type { History, Resource, ResourceKind, Version, VersionRange } from './versions.ts';

export interface PastList extends CustomListSummary {
  id: string;
  /** With every option that each has or had; those that were deleted come last. */
  list_attributes: CustomListAttribute[];
}

/** The newest version of each thing, whether it still exists or not. */
export async function newestOf(
  history: History,
  kind: ResourceKind,
  of: VersionRange & { owner?: string; id?: string },
): Promise<Version<Resource>[]> {
  const found = new Map<string, Version<Resource>>();
  for await (const version of history.resources(kind, of))
    found.set(`${version.value.owner} ${version.value.id}`, version);
  return [...found.values()];
}

/** The lists of a company. */
export async function listsOf(history: History, company: string): Promise<(CustomListSummary & { id: string })[]> {
  const found = await newestOf(history, 'list', { owner: company });
  return found.map(({ value: { id, body } }) => ({ ...body, id }));
}

/** @throws notFound, usage for a name of several lists */
export async function listOf(history: History, company: string, target: string): Promise<PastList> {
  const lists = isUuid(target)
    ? (await newestOf(history, 'list', { id: target.toLowerCase() })).map(({ value: { id, body } }) => ({
        ...body,
        id,
      }))
    : await listsOf(history, company);
  const found = lists.filter((list: CustomListSummary) =>
    [list.id, list.slug, list.name].includes(isUuid(target) ? target.toLowerCase() : target),
  );
  const [only, second] = found;
  if (second) {
    const candidates = found.map((list: CustomListSummary) => `${list.id} "${list.name}"`).join(', ');
    throw usage(`"${target}" matches ${found.length} lists: ${candidates}`, 'give the id of one of them');
  }
  if (only) return { ...only, list_attributes: await attributesOf(history, only.id) };
  const near = nearest(
    target,
    lists.flatMap(({ slug, name }: CustomListSummary) => [slug ?? [], name ?? []].flat()),
  );
  throw new Failure('notFound', `the mirror has no list "${target}"`, {
    hint: near === undefined ? '`comem mirror status` shows what it has' : `did you mean "${near}"?`,
  });
}

export async function attributesOf(history: History, listId: string): Promise<CustomListAttribute[]> {
  const versions: Version<CustomListAttribute>[] = [];
  for await (const { value, ...seen } of history.resources('attribute', { owner: listId })) {
    const body: CustomListAttribute = value.body;
    versions.push({ ...seen, value: { ...body, id: value.id } });
  }
  return attributesEver(versions);
}

/**
 * The attributes of a list with every option that each has or had, so that an old value has its label; those that were
 * deleted come last.
 * @param versions of all attributes of the list, by id and time
 */
export function attributesEver(versions: Iterable<Version<CustomListAttribute>>): CustomListAttribute[] {
  const newest = new Map<string, Version<CustomListAttribute>>();
  const options = new Map<string, Map<string, Partial<ListSelectOption>>>();
  for (const version of versions) {
    const { slug = '', config } = version.value;
    const known = options.get(slug) ?? new Map();
    options.set(slug, known);
    for (const option of config?.options ?? []) if (option.id !== undefined) known.set(option.id, option);
    const before = newest.get(slug);
    if (!before || version.seenTo === undefined || version.seenFrom > before.seenFrom) newest.set(slug, version);
  }
  const rank = ({ seenTo, value }: Version<CustomListAttribute>) =>
    seenTo === undefined ? Number(value.position ?? 0) : Number.MAX_SAFE_INTEGER;
  return [...newest.values()]
    .sort((a, b) => rank(a) - rank(b))
    .map(({ value }) => {
      const { config } = value;
      if (!config?.options) return value;
      const own = config.options;
      const former = [...(options.get(value.slug ?? '')?.values() ?? [])].filter(
        ({ id }) => !own.some((option) => option.id === id),
      );
      return { ...value, config: { ...config, options: [...own, ...former] } };
    });
}

/** The versions of each entry together, by time. */
export function entryLines(
  history: History,
  listId: string,
  of?: VersionRange & { id?: string },
): AsyncGenerator<Version<CustomListEntry>[]> {
  return linesOf(history.entries(listId, of), ({ id }) => String(id));
}

/** The versions of the entry that has the title, or had it when no other one has it. @throws notFound, usage for several */
export async function entryOf(history: History, listId: string, target: string): Promise<Version<CustomListEntry>[]> {
  if (isUuid(target)) {
    for await (const line of entryLines(history, listId, { id: target.toLowerCase() })) return line;
    throw new Failure('notFound', `the mirror never saw an entry ${target} in this list`);
  }
  const now: Version<CustomListEntry>[][] = [];
  const once: Version<CustomListEntry>[][] = [];
  const others: string[] = [];
  for await (const line of entryLines(history, listId)) {
    const title = line.at(-1)?.value.title;
    if (title === target) now.push(line);
    else if (line.some(({ value }) => value.title === target)) once.push(line);
    else if (typeof title === 'string' && others.length < 1000) others.push(title);
  }
  const found = now.length > 0 ? now : once;
  const [only] = found;
  if (only && found.length === 1) return only;
  if (only) {
    const candidates = found.map((line) => `${line[0]?.value.id} (created ${line[0]?.value.created_at})`).join(', ');
    throw usage(`"${target}" matches ${found.length} entries: ${candidates}`, 'give the id of one of them');
  }
  const near = nearest(target, others);
  throw new Failure('notFound', `no entry of the list had the title "${target}" since the history begins`, {
    hint: near === undefined ? 'give the complete title' : `did you mean "${near}"?`,
  });
}
