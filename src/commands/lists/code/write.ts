/** The writes of lists and of the entries of a copy, and their report. */

import { bulkOf, planned, progressOf } from '../../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../../cli/context.ts';
import { countColumns, type DoneKind, Tally } from '../../../cli/outcomes.ts';
import type { Bulk, Send } from '../../../client/bulk.ts';
import { creation } from '../../../client/creation.ts';
import { createEntry, listEntries } from '../../../contract/entry-operations.ts';
import {
  createAttribute,
  createList,
  deleteAttribute,
  listLists,
  updateAttribute,
  updateList,
} from '../../../contract/list-operations.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
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

/** The progress of the writes of a list. */
export interface Progressed {
  /** Undefined: it could not be created. */
  id: string | undefined;
  /** Ids of attributes that were created, by their index in the file. */
  created: Map<number, string>;
}

const verbs = {
  createList: ['created', 'Creating'],
  updateList: ['updated', 'Updating'],
  createAttribute: ['created', 'Creating'],
  updateAttribute: ['updated', 'Updating'],
  deleteAttribute: ['deleted', 'Deleting'],
} as const satisfies Record<ListWrite['do'], readonly [DoneKind, string]>;

/** Sends the writes in order. Attributes are deleted only if everything before them succeeded. */
export async function writeList(
  { ctx, bulk, tally }: Writing,
  writes: readonly ListWrite[],
  existing: (ExistingList & { id: string }) | undefined,
): Promise<Progressed> {
  const reached: Progressed = { id: existing?.id, created: new Map() };
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

/** The request of a write; a creation gives the id of what it created, also when its answer was lost. */
function requestOf(
  ctx: Context,
  write: ListWrite,
  reached: Progressed,
  existing: ExistingList | undefined,
): Pick<Send<string>, 'send' | 'find'> {
  const call = () => callOf(write, reached.id ?? placeholderId);
  if (write.do !== 'createList' && write.do !== 'createAttribute') {
    return {
      async send() {
        const { op, input } = call();
        await (await ctx.client()).call(op, input);
        return write.name;
      },
    };
  }
  let once: Promise<ReturnType<typeof creation>> | undefined;
  const prepare = async () => {
    const client = await ctx.client();
    const before =
      write.do === 'createList'
        ? (await client.call(listLists)).map(({ id }) => id)
        : [...(existing?.attributes ?? []).map(({ id }) => id), ...reached.created.values()];
    return creation(client, call(), new Set(before.map((id) => String(id).toLowerCase())));
  };
  const keepId = (id: unknown) => {
    if (typeof id !== 'string') return undefined;
    if (write.do === 'createList') reached.id = id;
    else reached.created.set(write.index, id);
    return id;
  };
  return {
    async send() {
      once ??= prepare();
      const { send, find } = await once;
      const id = keepId((await send()).id ?? (await find())?.id);
      if (id !== undefined) return id;
      throw new Failure('rejected', 'the server accepted it, but does not show it');
    },
    async find() {
      return keepId((await (await once)?.find())?.id);
    },
  };
}

/** Adds the copies that are not in the list yet, several in flight, each once whatever becomes of an answer. */
export async function writeEntries(
  { ctx, tally }: Writing,
  listId: string,
  copies: readonly EntryCopy[],
  there: readonly CustomListEntry[],
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
      ...creation(client, { op: createEntry, input }, known),
    };
  });
  const outcomes = await bulkOf(ctx, { patience }).run(steps, (_, { is }) => {
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
