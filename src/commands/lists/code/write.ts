/** The writes of lists and of the entries of a copy, and their report. */

import { bulkOf, planned, progressOf } from '../../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../../cli/context.ts';
import { countColumns, type DoneKind, Tally } from '../../../cli/outcomes.ts';
import type { Bulk, Send } from '../../../client/bulk.ts';
import { creation as creationOf } from '../../../client/creation.ts';
import { createEntry, listEntries } from '../../../contract/entry-operations.ts';
import {
  createAttribute,
  createList,
  deleteAttribute,
  getList,
  listLists,
  updateAttribute,
  updateList,
} from '../../../contract/list-operations.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import type { Input, Operation } from '../../../contract/operation.ts';
import { Failure } from '../../../core/errors.ts';
import { type EntryCopy, keyOf, missing } from '../../../domain/list-code/copy.ts';
import type { ListWrite } from '../../../domain/list-code/plan.ts';
import type { ExistingList } from '../../../domain/list-code/spec.ts';

export const countedColumns = countColumns([
  'created',
  'updated',
  'unchanged',
  'skipped',
  'deleted',
  'failed',
  'not_tried',
]);

/** The id of a list that does not exist yet, in the requests of a dry run. */
export const placeholderId = '00000000-0000-0000-0000-000000000000';

/** This many failures in a row of a server that does not answer end the writing. */
const patience = 5;

/** The writes of one command: what stops one list stops all after it. */
export interface Writing {
  ctx: Context;
  bulk: Bulk;
  tally: Tally;
}

export function startWriting(ctx: Context): Writing {
  return { ctx, bulk: bulkOf(ctx, { concurrency: 1, patience }), tally: new Tally() };
}

/** A list as far as its writes have come. */
export interface Progressed {
  /** Undefined: it could not be created. */
  id: string | undefined;
  /** Ids of attributes that were created, by their place in the file. */
  made: Map<number, string>;
}

const verbs = {
  createList: ['created', 'Creating'],
  updateList: ['updated', 'Updating'],
  createAttribute: ['created', 'Creating'],
  updateAttribute: ['updated', 'Updating'],
  deleteAttribute: ['deleted', 'Deleting'],
} as const satisfies Record<ListWrite['do'], readonly [DoneKind, string]>;

/** One after the other. Attributes are deleted only when everything before them succeeded. */
export async function writeList(
  { ctx, bulk, tally }: Writing,
  writes: readonly ListWrite[],
  existing: (ExistingList & { id: string }) | undefined,
): Promise<Progressed> {
  const reached: Progressed = { id: existing?.id, made: new Map() };
  let broken = false;
  const steps = writes.map((write): Send<string> => {
    const { send, ...rest } = requestOf(ctx, write, reached, existing);
    return {
      ...rest,
      alone: true,
      ready: () =>
        (reached.id !== undefined || write.do === 'createList') && !(broken && write.do === 'deleteAttribute'),
      send() {
        ctx.out.progress(`${verbs[write.do][1]} ${write.name}`);
        return send();
      },
    };
  });
  const outcomes = await bulk.run(steps, (_, { is }) => {
    broken ||= is === 'failed';
  }).ended;
  for (const [index, write] of writes.entries()) {
    const name = write.do.endsWith('List') ? `the list "${write.name}"` : `the attribute "${write.name}"`;
    tally.add(verbs[write.do][0], outcomes[index] ?? { is: 'notTried' }, () => ({ name, details: { target: name } }));
  }
  return reached;
}

/** The request of a write. */
export function callOf(write: ListWrite, listId: string): PlannedCall {
  const params = { listId };
  switch (write.do) {
    case 'createList':
      return planned(createList, { body: write.body });
    case 'updateList':
      return planned(updateList, { params, body: write.body });
    case 'createAttribute':
      return planned(createAttribute, { params, body: write.body });
    case 'updateAttribute':
      return planned(updateAttribute, { params, body: write.body });
    case 'deleteAttribute':
      return planned(deleteAttribute, { params, query: { attributeId: write.id } });
  }
}

type Request = Pick<Send<string>, 'send' | 'find'>;
type Created = { id?: string } | undefined;

function requestOf(ctx: Context, write: ListWrite, reached: Progressed, existing: ExistingList | undefined): Request {
  const call = async <O extends Operation>(op: O, input?: Input<O>) => (await ctx.client()).call(op, input);
  if (write.do === 'createList') {
    let before: ReadonlySet<string | undefined> | undefined;
    return creation({
      async create() {
        before ??= new Set((await call(listLists)).map(({ id }) => id));
        return call(createList, { body: write.body });
      },
      search: async () => (await call(listLists)).find(({ id, name }) => name === write.name && !before?.has(id)),
      answered: async (list) => (await ctx.client()).answered?.(createList, { body: write.body }, list),
      keep: (id) => {
        reached.id = id;
      },
    });
  }
  if (write.do === 'createAttribute') {
    const params = () => ({ listId: reached.id ?? placeholderId });
    return creation({
      create: () => call(createAttribute, { params: params(), body: write.body }),
      async search() {
        const known = new Set([...(existing?.attributes ?? []).map(({ id }) => id), ...reached.made.values()]);
        const { list_attributes = [] } = await call(getList, { params: params() });
        return list_attributes.find(({ id, name }) => name === write.body.name && !known.has(id));
      },
      answered: async (attribute) =>
        (await ctx.client()).answered?.(createAttribute, { params: params(), body: write.body }, attribute),
      keep: (id) => reached.made.set(write.index, id),
    });
  }
  return {
    async send() {
      const { op, input } = callOf(write, reached.id ?? placeholderId);
      await call(op, input);
      return write.name;
    },
  };
}

interface Creation {
  create(): Promise<Created>;
  search(): Promise<Created>;
  /** Called when what was created was found. */
  answered(created: Created): Promise<void>;
  keep(id: string): void;
}

/** Gives the id of what was created, also when the answer was lost or does not contain it. */
function creation({ create, search, answered, keep }: Creation): Request {
  const keepId = (id: string | undefined) => {
    if (id !== undefined) keep(id);
    return id;
  };
  return {
    async send() {
      const id = keepId((await create())?.id ?? (await search())?.id);
      if (id !== undefined) return id;
      throw new Failure('rejected', 'the server accepted it, but does not show it');
    },
    async find() {
      const created = await search();
      if (created) await answered(created);
      return keepId(created?.id);
    },
  };
}

/** Adds the copies that are not in the list yet, several in flight, each once whatever becomes of an answer. */
export async function writeEntries(
  { ctx, tally }: Writing,
  listId: string,
  copies: readonly EntryCopy[],
  { there, concurrency }: { there: readonly CustomListEntry[]; concurrency: number },
): Promise<void> {
  const todo = missing(copies, there);
  tally.counts.unchanged += copies.length - todo.length;
  const known = new Set(there.map(({ id }) => String(id).toLowerCase()));
  const client = await ctx.client();
  const tick = progressOf(ctx, 'Copying entries', todo.length);
  const steps = todo.map((body): Send<unknown> => {
    const input = { params: { listId }, body };
    // Equal entries in flight could not be told apart when an answer is lost.
    return {
      chain: keyOf(body),
      ...creationOf(client, { op: createEntry, input }, known),
    };
  });
  const outcomes = await bulkOf(ctx, { concurrency, patience }).run(steps, (_, { is }) => {
    tick(is === 'failed');
  }).ended;
  ctx.out.progress(undefined);
  for (const [index, outcome] of outcomes.entries()) {
    const name = `"${todo[index]?.title}"`;
    tally.add('created', outcome, () => ({ name, details: { target: name } }));
  }
}

/** Every entry of the list, archived ones too. */
export async function entriesOf(ctx: Context, listId: string): Promise<CustomListEntry[]> {
  const client = await ctx.client();
  const entries: CustomListEntry[] = [];
  for await (const page of client.pages(listEntries, { params: { listId }, query: { archived: true } })) {
    entries.push(...page);
    ctx.out.progress(`Reading entries: ${entries.length}`);
  }
  ctx.out.progress(undefined);
  return entries;
}
