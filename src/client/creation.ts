/** A creation that is sent once, whatever becomes of its answer: what it may have created is looked for. */
import { listEntries } from '../contract/entry-operations.ts';
import { getList, listLists } from '../contract/list-operations.ts';
import type { Input, Operation } from '../contract/operation.ts';
import { type Thing, thingOf } from '../domain/undo/undo.ts';
import type { Send } from './bulk.ts';
import type { Client } from './client.ts';
import { isSameContent } from './created.ts';

/** Whether what it creates can be found again by its content. */
export function isFindable({ id }: Operation): boolean {
  return id === 'createEntry' || id === 'createAttribute' || id === 'createList';
}

/** A longer title would not fit into the address of a request. */
const longestSearch = 200;

/**
 * Two creations of the same content must not be in flight together: they could not be told apart.
 * @param known ids, in lower case, of what this creation did not create; what it creates is added
 */
export function creation(
  client: Client,
  { op, input }: { op: Operation; input: Input<Operation> },
  known: Set<string>,
): Required<Pick<Send<Thing>, 'send' | 'find'>> {
  const created = (thing: Thing) => {
    known.add(String(thing.id).toLowerCase());
    return thing;
  };
  return {
    send: async () => created(thingOf(await client.call(op, input))),
    async find() {
      for await (const thing of thingsLike(client, op, input)) {
        if (known.has(String(thing.id).toLowerCase()) || !isSameContent({ op: op.id, body: input.body }, thing))
          continue;
        client.answered?.(op, input, thing);
        return created(thing);
      }
      return undefined;
    },
  };
}

/** Where the API shows what such a request creates. */
async function* thingsLike(client: Client, op: Operation, { params, body }: Input<Operation>): AsyncGenerator<Thing> {
  const listId = String(thingOf(params).listId);
  if (op.id === 'createList') yield* await client.call(listLists);
  else if (op.id === 'createAttribute') {
    yield* (await client.call(getList, { params: { listId } })).list_attributes ?? [];
  } else {
    const title = String(thingOf(body).title ?? '').trim();
    const search = title === '' || title.length > longestSearch ? {} : { search: title };
    const pages = client.pages(listEntries, {
      params: { listId },
      query: { archived: true, ...search },
    });
    for await (const page of pages) yield* page;
  }
}
