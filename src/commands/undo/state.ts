/** The resources that an undo reverts: each list is read once, and the steps planned so far change what was read. */

import { planned } from '../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../cli/context.ts';
import { deleteEntry, listEntries } from '../../contract/entry-operations.ts';
import { deleteAttribute, deleteList, getList, listLists } from '../../contract/list-operations.ts';
import { listGrants, revokeGrant } from '../../contract/metric-operations.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { Failure } from '../../core/errors.ts';
import { isEnded } from '../../domain/grants.ts';
import { type JsonObject, lower, objectsIn } from '../../domain/undo.ts';

export type State = ReturnType<typeof createState>;

/** The resources of one kind, as undo finds, changes and removes them. */
export interface Target {
  /** Those of the API, without planned changes of lists. */
  all(): Promise<readonly JsonObject[]>;
  find(id: string): Promise<JsonObject | undefined>;
  /** Undefined: it will be deleted. */
  set(id: string, resource: JsonObject | undefined): Promise<void>;
  removal(id: string): PlannedCall;
}

const byId = <T extends { id?: unknown }>(resources: readonly T[]) =>
  new Map(resources.map((resource) => [lower(resource.id), resource]));

function change(resources: Map<string, JsonObject>, id: string, resource: JsonObject | undefined): void {
  if (resource) resources.set(lower(id), resource);
  else resources.delete(lower(id));
}

/** Every entry of the list, archived ones too. */
export async function entriesOf(ctx: Context, listId: string): Promise<JsonObject[]> {
  const client = await ctx.client();
  const entries: JsonObject[] = [];
  const pages = client.pages(listEntries, { params: { listId }, query: { archived: true } });
  for await (const page of pages) entries.push(...page.filter(({ id }) => id !== undefined));
  return entries;
}

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
  const entriesById = (listId: string) =>
    once(entries, listId, async () => byId((await list(listId)) ? await entriesOf(ctx, listId) : []));
  const attributes = async (listId: string) => objectsIn((await list(listId))?.list_attributes);
  const grantsById = () => {
    grants ??= ctx.client().then(async (client) => byId(await client.call(listGrants)));
    return grants;
  };
  /** @param all the entries of a list that is created again, or none of one that will be deleted */
  const setList = (listId: string, after: JsonObject | undefined, all?: readonly JsonObject[]) => {
    lists.set(listId, Promise.resolve(after));
    if (all) entries.set(listId, Promise.resolve(byId(all)));
  };
  const targetOf = (kind: string | undefined, listId: string): Target => {
    const params = { listId };
    switch (kind) {
      case 'entry':
        return {
          all: async () => [...(await entriesById(listId)).values()],
          find: async (id) => (await entriesById(listId)).get(lower(id)),
          set: async (id, entry) => change(await entriesById(listId), id, entry),
          removal: (entryId) => planned(deleteEntry, { params, query: { entryId } }),
        };
      case 'attribute':
        return {
          all: () => attributes(listId),
          find: async (id) => byId(await attributes(listId)).get(lower(id)),
          async set(id, attribute) {
            const [current, all] = [await list(listId), byId(await attributes(listId))];
            change(all, id, attribute);
            if (current) current.list_attributes = [...all.values()];
          },
          removal: (attributeId) => planned(deleteAttribute, { params, query: { attributeId } }),
        };
      case 'grant':
        return {
          all: async () => [...(await grantsById()).values()],
          async find(id) {
            const grant = (await grantsById()).get(lower(id));
            return grant && !isEnded(grant) ? grant : undefined;
          },
          set: async () => {},
          removal: (id) => planned(revokeGrant, { params: { id } }),
        };
      default:
        return {
          all() {
            summaries ??= ctx.client().then((client) => client.call(listLists));
            return summaries;
          },
          find: list,
          set: async (id, after) => setList(id, after, after ? undefined : []),
          removal: (id) => planned(deleteList, { params: { listId: id } }),
        };
    }
  };
  return { list, attributes, setList, targetOf };
}
