/** The writes of one list's plan, one after the other. */

import { sendOnce } from '../../../cli/ambiguous.ts';
import type { Context, PlannedCall } from '../../../cli/context.ts';
import {
  createAttribute,
  createList,
  deleteAttribute,
  getList,
  listLists,
  updateAttribute,
  updateList,
} from '../../../contract/list-operations.ts';
import type { Input, Operation } from '../../../contract/operation.ts';
import { Failure } from '../../../core/errors.ts';
import type { ListWrite } from '../../../domain/list-code/plan.ts';
import type { ExistingList } from '../../../domain/list-code/spec.ts';
import type { Tally } from './outcome.ts';

/** Stands for a list that is not made yet, in the requests of a dry run. */
export const unmade = '00000000-0000-0000-0000-000000000000';

/** A list as far as its writes have come. */
export interface Progressed {
  /** Undefined: it could not be made. */
  id: string | undefined;
  /** Ids of attributes that were made, by their place in the file. */
  made: Map<number, string>;
}

/** Does what it can: attributes are deleted only when all before them went well. */
export async function writeList(
  ctx: Context,
  writes: readonly ListWrite[],
  existing: (ExistingList & { id: string }) | undefined,
  tally: Tally,
): Promise<Progressed> {
  const reached: Progressed = { id: existing?.id, made: new Map() };
  let broken = false;
  for (const write of writes) {
    if ((reached.id === undefined && write.do !== 'createList') || (broken && write.do === 'deleteAttribute')) {
      tally.counts.not_tried += 1;
      continue;
    }
    ctx.out.progress(`${verbs[write.do]} ${write.name}`);
    const kind = kinds[write.do];
    const what = write.do.endsWith('List') ? `the list "${write.name}"` : `the attribute "${write.name}"`;
    const done = await tally.attempt(what, kind, () => perform(ctx, write, reached, existing));
    broken ||= !done;
  }
  return reached;
}

const kinds = {
  createList: 'created',
  updateList: 'updated',
  createAttribute: 'created',
  updateAttribute: 'updated',
  deleteAttribute: 'deleted',
} as const;

const verbs = {
  createList: 'Creating',
  updateList: 'Updating',
  createAttribute: 'Creating',
  updateAttribute: 'Updating',
  deleteAttribute: 'Deleting',
} as const;

/** The request of a write. */
export function callOf(write: ListWrite, listId: string): PlannedCall {
  const params = { listId };
  switch (write.do) {
    case 'createList':
      return planned(createList, { body: write.body });
    case 'updateList':
      return planned(updateList, { params, body: write.body });
    case 'createAttribute':
      return planned(createAttribute, { params, body: write.body as Input<typeof createAttribute>['body'] });
    case 'updateAttribute':
      return planned(updateAttribute, { params, body: write.body as Input<typeof updateAttribute>['body'] });
    case 'deleteAttribute':
      return planned(deleteAttribute, { params, query: { attributeId: write.id } });
  }
}

export function planned<O extends Operation>(op: O, input: Input<O>): PlannedCall {
  return { op, input } as unknown as PlannedCall;
}

async function perform(
  ctx: Context,
  write: ListWrite,
  reached: Progressed,
  existing: ExistingList | undefined,
): Promise<void> {
  const client = await ctx.client();
  const { op, input } = callOf(write, reached.id ?? unmade);
  if (write.do === 'createList') {
    const before = new Set((await client.call(listLists)).map(({ id }) => id));
    const list = await made(ctx, {
      send: () => client.call(createList, input as Input<typeof createList>),
      look: async () => (await client.call(listLists)).find(({ id, name }) => name === write.name && !before.has(id)),
    });
    reached.id = list;
    return;
  }
  if (write.do === 'createAttribute') {
    const params = { listId: reached.id ?? unmade };
    const known = new Set([...(existing?.attributes ?? []).map(({ id }) => id), ...reached.made.values()]);
    const id = await made(ctx, {
      send: () => client.call(createAttribute, input as Input<typeof createAttribute>),
      look: async () =>
        (await client.call(getList, { params })).list_attributes?.find(
          (one) => one.name === write.body.name && !known.has(one.id),
        ),
    });
    reached.made.set(write.index, id);
    return;
  }
  await client.call(op, input);
}

interface Making {
  send(): Promise<{ id?: string } | undefined>;
  look(): Promise<{ id?: string } | undefined>;
}

/** The id of what was made, whatever became of the answer. */
async function made(ctx: Context, { send, look }: Making): Promise<string> {
  const answer = await sendOnce(ctx, { send: async () => (await send()) ?? {}, look });
  const id = answer.id ?? (await look())?.id;
  if (id !== undefined) return id;
  throw new Failure('rejected', 'the server took it, and does not show it');
}
