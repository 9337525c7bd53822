/** The entries of a copy: several on their way at once, each once, whatever becomes of an answer. */

import { sendOnce } from '../../../cli/ambiguous.ts';
import type { Context } from '../../../cli/context.ts';
import { createEntry, listEntries } from '../../../contract/entry-operations.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import { limiter } from '../../../core/concurrency.ts';
import { type EntryCopy, keyOf, missing } from '../../../domain/list-code/copy.ts';
import type { Tally } from './outcome.ts';

/** Every entry of the list, archived ones too. */
export async function entriesOf(ctx: Context, listId: string, search?: string): Promise<CustomListEntry[]> {
  const client = await ctx.client();
  const query = { archived: true, ...(search === undefined ? {} : { search }) };
  const found: CustomListEntry[] = [];
  for await (const page of client.pages(listEntries, { params: { listId }, query })) {
    found.push(...page);
    if (search === undefined) ctx.out.progress(`Reading entries: ${found.length}`);
  }
  ctx.out.progress(undefined);
  return found;
}

/** Adds the copies that are not in the list yet. */
export async function copyEntries(
  ctx: Context,
  listId: string,
  copies: readonly EntryCopy[],
  { there, concurrency, tally }: { there: readonly CustomListEntry[]; concurrency: number; tally: Tally },
): Promise<void> {
  const todo = missing(copies, there);
  tally.counts.unchanged += copies.length - todo.length;
  const known = new Map<string, number>();
  for (const entry of there) known.set(keyOf(entry), (known.get(keyOf(entry)) ?? 0) + 1);
  const lane = limiter(concurrency);
  const client = await ctx.client();
  let finished = 0;
  const create = async (copy: EntryCopy, key: string) => {
    await tally.attempt(`"${copy.title}"`, 'created', async () => {
      await sendOnce<unknown>(ctx, {
        send: async () => (await client.call(createEntry, { params: { listId }, body: copy })) ?? {},
        look: async () => {
          const same = (await entriesOf(ctx, listId, copy.title)).filter((entry) => keyOf(entry) === key);
          return same[known.get(key) ?? 0];
        },
      });
      known.set(key, (known.get(key) ?? 0) + 1);
    });
    finished += 1;
    ctx.out.progress(`Copying entries: ${finished} of ${todo.length}`);
  };
  // Equal entries go one after the other: which of them was made could not be told otherwise.
  const last = new Map<string, Promise<void>>();
  await Promise.all(
    todo.map((copy) => {
      const key = keyOf(copy);
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(() => lane(() => create(copy, key)));
      last.set(key, mine);
      return mine;
    }),
  );
  ctx.out.progress(undefined);
}
