/** Lists, attributes, entries and grants as an undo finds them, and as its steps will leave them. */

import type { Context } from '../../cli/context.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import { getList, listLists } from '../../contract/list-operations.ts';
import { listGrants } from '../../contract/metric-operations.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { Failure } from '../../core/errors.ts';
import type { Thing } from '../../domain/undo.ts';

export type State = ReturnType<typeof createState>;

/** Lists and entries as they are, and as they will be after the steps planned so far. */
export function createState(ctx: Context) {
  const lists = new Map<string, Promise<Thing | undefined>>();
  const entries = new Map<string, Promise<Map<string, Thing>>>();
  const readList = async (listId: string): Promise<Thing | undefined> => {
    try {
      return await (await ctx.client()).call(getList, { params: { listId } });
    } catch (error) {
      if (error instanceof Failure && error.kind === 'notFound') return undefined;
      throw error;
    }
  };
  let grants: Promise<Map<string, MetricGrant>> | undefined;
  let summaries: Promise<Thing[]> | undefined;
  const readGrants = async () => {
    const all = await (await ctx.client()).call(listGrants);
    return new Map(all.map((grant) => [String(grant.id).toLowerCase(), grant]));
  };
  const readEntries = async (listId: string): Promise<Map<string, Thing>> => {
    const entries = new Map<string, Thing>();
    if (!(await list(listId))) return entries;
    const client = await ctx.client();
    for await (const page of client.pages(listEntries, { params: { listId }, query: { archived: true } })) {
      for (const entry of page) if (entry.id !== undefined) entries.set(entry.id.toLowerCase(), entry);
    }
    return entries;
  };
  const list = (listId: string) => {
    const reading = lists.get(listId) ?? readList(listId);
    lists.set(listId, reading);
    return reading;
  };
  const entriesOf = (listId: string) => {
    const reading = entries.get(listId) ?? readEntries(listId);
    entries.set(listId, reading);
    return reading;
  };
  return {
    list,
    async attribute(listId: string, id: string) {
      const all = (await list(listId))?.list_attributes;
      return (Array.isArray(all) ? (all as Thing[]) : []).find(
        (one) => String(one.id).toLowerCase() === id.toLowerCase(),
      );
    },
    async grant(id: string) {
      grants ??= readGrants();
      return (await grants).get(id.toLowerCase());
    },
    async grants(): Promise<Thing[]> {
      grants ??= readGrants();
      return [...(await grants).values()];
    },
    /** As they are, without what is planned. */
    async lists(): Promise<Thing[]> {
      summaries ??= ctx.client().then((client) => client.call(listLists));
      return summaries;
    },
    entries: async (listId: string) => [...(await entriesOf(listId)).values()],
    entry: async (listId: string, id: string) => (await entriesOf(listId)).get(id.toLowerCase()),
    /** Undefined: it will be deleted. */
    setEntry(listId: string, id: string, thing: Thing | undefined) {
      const before = entriesOf(listId);
      const changed = async () => {
        const all = await before;
        if (thing) all.set(id.toLowerCase(), thing);
        else all.delete(id.toLowerCase());
        return all;
      };
      entries.set(listId, changed());
    },
    setAttribute(listId: string, id: string, thing: Thing | undefined) {
      const before = list(listId);
      const changed = async () => {
        const current = await before;
        const all = Array.isArray(current?.list_attributes) ? (current.list_attributes as Thing[]) : [];
        const isIt = (one: Thing) => String(one.id).toLowerCase() === id.toLowerCase();
        return current && { ...current, list_attributes: all.flatMap((one) => (isIt(one) ? (thing ?? []) : one)) };
      };
      lists.set(listId, changed());
    },
    /** With its entries when it is re-created; undefined: it will be deleted. */
    setList(listId: string, thing: Thing | undefined, all?: readonly Thing[]) {
      lists.set(listId, Promise.resolve(thing));
      if (all) entries.set(listId, Promise.resolve(new Map(all.map((one) => [String(one.id).toLowerCase(), one]))));
    },
  };
}
