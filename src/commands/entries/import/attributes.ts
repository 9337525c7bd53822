/** The attributes that an import adds, each once, whatever became of the answers. */

import { sendOnce } from '../../../cli/ambiguous.ts';
import type { Context } from '../../../cli/context.ts';
import { createAttribute, getList } from '../../../contract/list-operations.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import type { NewAttribute } from '../../../domain/import/infer.ts';
import { matchCreated, type Realised } from '../../../domain/import/realise.ts';

/** Adds those that the list does not have, in their order, and gives what the server made of each. */
export async function addAttributes(ctx: Context, listId: string, wanted: readonly NewAttribute[]): Promise<Realised> {
  if (wanted.length === 0) return new Map();
  const client = await ctx.client();
  const read = async (): Promise<readonly Attribute[]> =>
    (await client.call(getList, { params: { listId } })).list_attributes ?? [];
  const named = (attributes: readonly Attribute[], name: string) => attributes.find((one) => one.name === name);
  // Some are there already when an import goes on.
  const before = await read();
  for (const { slug: _, ...body } of wanted) {
    if (named(before, body.name)) continue;
    ctx.out.progress(`Adding the attribute "${body.name}"`);
    await sendOnce<Attribute>(ctx, {
      send: async () => (await client.call(createAttribute, { params: { listId }, body })) ?? {},
      look: async () => named(await read(), body.name),
    });
  }
  ctx.out.progress(undefined);
  return matchCreated(wanted, await read());
}
