/** The counts of entries by block of positions (`entry_blocks`), and how an offset is found by them. */
import { fixed } from './fixed.ts';
import { sql } from './kysely.ts';
import type { Db } from './schema.ts';

/** Positions of one block: about as many rows are read for a page anywhere in a list. */
export const blockSize = 1024;

export interface Placed {
  list_id: string;
  archived: boolean;
  position: number;
}

/** Division as both engines do it, towards zero: block 0 is twice as wide, and the order stays. */
function blockOf(position: number): number {
  // Plus 0, because there is a -0.
  return Math.trunc(position / blockSize) + 0;
}

/** The lowest position of a block. */
function lowestOf(block: number): number {
  return block > 0 ? block * blockSize : (block - 1) * blockSize + 1;
}

/** Adds entries to the counts (`by` 1) or removes them (-1). The writer has blocked other writers of the list. */
export async function countIn(db: Db, entries: readonly Placed[], by: 1 | -1): Promise<void> {
  const counts = new Map<string, { list_id: string; archived: number; block: number; entries: number }>();
  for (const { list_id, archived, position } of entries) {
    const block = blockOf(position);
    const key = `${list_id} ${archived} ${block}`;
    const count = counts.get(key) ?? { list_id, archived: Number(archived), block, entries: 0 };
    count.entries += by;
    counts.set(key, count);
  }
  for (const count of counts.values()) await addToBlock(db, count);
}

const addToBlock = fixed((db, value: { list_id: string; archived: number; block: number; entries: number }) =>
  db
    .insertInto('entry_blocks')
    .values({ list_id: value.list_id, archived: value.archived, block: value.block, entries: value.entries })
    .onConflict((c) =>
      c
        .columns(['list_id', 'archived', 'block'])
        .doUpdateSet((eb) => ({ entries: eb('entry_blocks.entries', '+', value.entries) })),
    ),
);

/** Where to start for an offset: the lowest position of the block that it falls into, and what is left of it there. */
export async function seek(
  db: Db,
  listId: string,
  archived: readonly number[],
  offset: number,
): Promise<{ from: number; offset: number } | undefined> {
  const [only, ...others] = archived;
  // For one state the rows need no grouping, which takes a third of the work.
  const { rows } = await (others.length === 0
    ? sql<{ block: number; n: number }>`
        select block, entries as n from entry_blocks where list_id = ${listId} and archived = ${only} order by block`
    : sql<{ block: number; n: number }>`
        select block, sum(entries) as n from entry_blocks
        where list_id = ${listId} and archived in (${sql.join(archived)}) group by block order by block`
  ).execute(db);
  let left = offset;
  for (const { block, n } of rows) {
    if (left < Number(n)) return { from: lowestOf(Number(block)), offset: left };
    left -= Number(n);
  }
  return undefined;
}

/** All entries of the list. */
export async function countAll(db: Db, listId: string, archived: readonly number[]): Promise<number> {
  const { rows } = await sql<{ n: number | null }>`
    select sum(entries) as n from entry_blocks
    where list_id = ${listId} and archived in (${sql.join(archived)})`.execute(db);
  return Number(rows[0]?.n ?? 0);
}
