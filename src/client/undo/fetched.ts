/** What a command has fetched so far of what it may write to: the pre-images of its writes. */
import type { Operation } from '../../contract/operation.ts';
import type { Thing } from '../../domain/undo/undo.ts';

/** The input of an operation, without its own types. */
export interface Given {
  params?: Thing;
  query?: Thing;
  body?: unknown;
}

export interface Fetched {
  /** Records an answer. */
  take(op: Operation, input: Given, data: unknown): void;
  /** Every entry of the list was fetched. */
  takeAll(listId: string): void;
  isComplete(listId: string): boolean;
  /** A list that was fetched with its attributes. */
  list(listId: string): Thing | undefined;
  /** A list as any answer showed it, perhaps without attributes. */
  summary(listId: string): Thing | undefined;
  entry(listId: string, id: string): Thing | undefined;
  entries(listId: string): Thing[];
  grant(id: string): Thing | undefined;
}

export function createFetched(): Fetched {
  const lists = new Map<string, Thing>();
  const entries = new Map<string, Map<string, Thing>>();
  const grants = new Map<string, Thing>();
  const complete = new Set<string>();

  const keep = (into: Map<string, Thing>, data: unknown) => {
    for (const thing of Array.isArray(data) ? data : [data]) {
      const id = idOf(thing);
      if (id !== undefined) into.set(id, { ...into.get(id), ...(thing as Thing) });
    }
  };
  const entriesIn = (listId: string) => {
    const found = entries.get(listId) ?? new Map<string, Thing>();
    entries.set(listId, found);
    return found;
  };
  const attributesOf = (listId: string): Thing[] => {
    const found = lists.get(listId)?.list_attributes;
    return Array.isArray(found) ? found : [];
  };
  const setAttributes = (listId: string, list_attributes: Thing[]) => {
    const list = lists.get(listId);
    if (list?.list_attributes !== undefined) lists.set(listId, { ...list, list_attributes });
  };

  return {
    take(op, input, data) {
      const listId = lower(input.params?.listId);
      const query = input.query ?? {};
      switch (op.id) {
        case 'listLists':
        case 'createList':
        case 'getList':
        case 'updateList':
          return keep(lists, data);
        case 'createAttribute':
          return setAttributes(listId, [...attributesOf(listId), ...(idOf(data) ? [data as Thing] : [])]);
        case 'updateAttribute':
          return setAttributes(
            listId,
            attributesOf(listId).map((one) => (idOf(one) === idOf(data) ? { ...one, ...(data as Thing) } : one)),
          );
        case 'deleteAttribute':
          return setAttributes(
            listId,
            attributesOf(listId).filter((one) => idOf(one) !== lower(query.attributeId)),
          );
        case 'listEntries':
          // A saved view may show less of an entry than there is.
          if (query.viewId === undefined) keep(entriesIn(listId), data);
          return;
        case 'createEntry':
        case 'updateEntry':
          return keep(entriesIn(listId), data);
        case 'deleteEntry':
          entriesIn(listId).delete(lower(query.entryId));
          return;
        case 'listGrants':
        case 'revokeGrant':
          return keep(grants, data);
      }
    },
    takeAll: (listId) => void complete.add(listId.toLowerCase()),
    isComplete: (listId) => complete.has(listId.toLowerCase()),
    list(listId) {
      const found = lists.get(listId.toLowerCase());
      return found?.list_attributes === undefined ? undefined : found;
    },
    summary: (listId) => lists.get(listId.toLowerCase()),
    entry: (listId, id) => entries.get(listId.toLowerCase())?.get(id.toLowerCase()),
    entries: (listId) => [...(entries.get(listId.toLowerCase())?.values() ?? [])],
    grant: (id) => grants.get(id.toLowerCase()),
  };
}

function idOf(thing: unknown): string | undefined {
  const id: unknown = typeof thing === 'object' && thing !== null ? Reflect.get(thing, 'id') : undefined;
  return typeof id === 'string' ? id.toLowerCase() : undefined;
}

function lower(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}
