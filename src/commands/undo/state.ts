/** Lists, attributes, entries and grants as they are, and as the steps of an undo will leave them. */
import type { Context } from '../../cli/context.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import { getList, listLists } from '../../contract/list-operations.ts';
import { listGrants } from '../../contract/metric-operations.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { Failure } from '../../core/errors.ts';
import type { JsonObject } from '../../domain/undo.ts';

export type State = ReturnType<typeof createState>;

const byId = <T extends { id?: unknown }>(resources: readonly T[]) =>
  new Map(resources.map((resource) => [String(resource.id).toLowerCase(), resource]));

/** Each list and its entries are read once; the steps planned so far change what was read. */
export function createState(ctx: Context) {
  const lists = new Map<string, Promise<JsonObject | undefined>>();
  const entries = new Map<string, Promise<Map<string, JsonObject>>>();
  let grants: Promise<Map<string, MetricGrant>> | undefined;
  let summaries: Promise<JsonObject[]> | undefined;
  const once = <T>(known: Map<string, Promise<T>>, listId: string, read: () => Promise<T>): Promise<T> => {
    const reading = known.get(listId) ?? read();
    known.set(listId, reading);
    return reading;
  };
  const list = (listId: string) =>
    once(lists, listId, async (): Promise<JsonObject | undefined> => {
      try {
        return { ...(await (await ctx.client()).call(getList, { params: { listId } })) };
      } catch (error) {
        if (error instanceof Failure && error.kind === 'notFound') return undefined;
        throw error;
      }
    });
  const entriesOf = (listId: string) =>
    once(entries, listId, async () => {
      const all: JsonObject[] = [];
      if (!(await list(listId))) return byId(all);
      const client = await ctx.client();
      const pages = client.pages(listEntries, { params: { listId }, query: { archived: true } });
      for await (const page of pages) all.push(...page.filter(({ id }) => id !== undefined));
      return byId(all);
    });
  const attributesOf = async (listId: string): Promise<JsonObject[]> => {
    const all = (await list(listId))?.list_attributes;
    return Array.isArray(all) ? all : [];
  };
  const grantsById = () => {
    grants ??= ctx.client().then(async (client) => byId(await client.call(listGrants)));
    return grants;
  };
  return {
    list,
    attributes: attributesOf,
    attribute: async (listId: string, id: string) => byId(await attributesOf(listId)).get(id.toLowerCase()),
    grant: async (id: string) => (await grantsById()).get(id.toLowerCase()),
    grants: async (): Promise<JsonObject[]> => [...(await grantsById()).values()],
    /** As they are, without what is planned. */
    lists(): Promise<JsonObject[]> {
      summaries ??= ctx.client().then((client) => client.call(listLists));
      return summaries;
    },
    entries: async (listId: string) => [...(await entriesOf(listId)).values()],
    entry: async (listId: string, id: string) => (await entriesOf(listId)).get(id.toLowerCase()),
    /** Undefined: it will be deleted. */
    async setEntry(listId: string, id: string, entry: JsonObject | undefined) {
      const all = await entriesOf(listId);
      if (entry) all.set(id.toLowerCase(), entry);
      else all.delete(id.toLowerCase());
    },
    async setAttribute(listId: string, id: string, attribute: JsonObject | undefined) {
      const [current, all] = [await list(listId), byId(await attributesOf(listId))];
      if (attribute) all.set(id.toLowerCase(), attribute);
      else all.delete(id.toLowerCase());
      if (current) current.list_attributes = [...all.values()];
    },
    /** With its entries when it is re-created; undefined: it will be deleted. */
    async setList(listId: string, after: JsonObject | undefined, all?: readonly JsonObject[]) {
      lists.set(listId, Promise.resolve(after));
      if (all) entries.set(listId, Promise.resolve(byId(all)));
    },
  };
}
