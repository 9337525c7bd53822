/** The list as an import finds it: its entries, and a fingerprint of all that a plan was made from. */
import { createHash } from 'node:crypto';
import type { Context } from '../../../cli/context.ts';
import { listEntries } from '../../../contract/entry-operations.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import { stringifyJson } from '../../../core/json.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import type { readList } from '../../lists/read.ts';

export type List = Awaited<ReturnType<typeof readList>>;

/** What the plan was made for: any change of attributes or entries gives another text. */
export function stateOf(attributes: readonly Attribute[], entries: readonly Partial<CustomListEntry>[]): string {
  const hash = createHash('sha256');
  for (const { slug, name, attribute_type, config, is_required } of attributes) {
    hash.update(stringifyJson([slug, name, attribute_type, config, is_required]));
  }
  const byId = [...entries].sort((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1));
  for (const { id, title, values, position, archived, linked_entity_type, linked_entity_id } of byId) {
    const sorted = Object.entries(values ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    hash.update(stringifyJson([id, title, sorted, position, archived, linked_entity_type, linked_entity_id]));
  }
  return hash.digest('hex');
}

/** Every entry of the list, archived ones too. */
export async function allEntries(ctx: Context, listId: string): Promise<Partial<CustomListEntry>[]> {
  const client = await ctx.client();
  const entries: Partial<CustomListEntry>[] = [];
  for await (const page of client.pages(listEntries, { params: { listId }, query: { archived: true } })) {
    for (const entry of page) entries.push(entry);
    ctx.out.progress(`Reading the list: ${entries.length} entries`);
  }
  ctx.out.progress(undefined);
  return entries;
}
