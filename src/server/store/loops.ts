import type { Selectable } from './kysely.ts';
import type { Db, LoopTable } from './schema.ts';

export function loopOf(db: Db, entryId: string): Promise<Selectable<LoopTable> | undefined> {
  return db.selectFrom('entry_loops').selectAll().where('entry_id', '=', entryId).executeTakeFirst();
}

/** Queues a step unless one was queued after `doneBefore`; of several callers at once one gets true. */
export async function queueStep(db: Db, entryId: string, queuedAt: string, doneBefore: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('entry_loops')
    .values({ entry_id: entryId, queued_at: queuedAt, steps: 1 })
    .onConflict((c) =>
      c
        .column('entry_id')
        .doUpdateSet((eb) => ({ queued_at: queuedAt, steps: eb('entry_loops.steps', '+', 1) }))
        .where('entry_loops.queued_at', '<=', doneBefore),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
