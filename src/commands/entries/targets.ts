import type { Context } from '../../cli/context.ts';
import { resolveEntry, type Target } from '../lists/read.ts';

/** The entries that several ENTRY stand for, all before the first write, each once. */
export async function resolveEntries(ctx: Context, listId: string, targets: readonly string[]): Promise<Target[]> {
  const found = new Map<string, Target>();
  for (const target of targets) {
    const entry = await resolveEntry(ctx, listId, target);
    const id = entry.id.toLowerCase();
    if (!found.has(id)) found.set(id, entry);
  }
  return [...found.values()];
}
