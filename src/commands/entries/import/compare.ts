/** Compares the rows of a file with the entries of the list: what each row creates, changes or leaves as it is. */

import type { Context } from '../../../cli/context.ts';
import { blocking } from '../../../cli/runtime.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import { usage } from '../../../core/errors.ts';
import { openRowStore } from '../../../core/row-store.ts';
import { asAttribute } from '../../../domain/import/infer.ts';
import {
  type ImportAction,
  type ImportMode,
  type ImportPlan,
  planImport,
  tooLarge,
} from '../../../domain/import/plan.ts';
import type { ImportIssue } from '../../../domain/import/table.ts';
import type { TypedCells } from './cells.ts';
import type { ImportFlags } from './flags.ts';
import type { MatchedColumns } from './match.ts';
import { allEntries, type List, ListState, type Source } from './read.ts';

export interface Comparison {
  plan: ImportPlan;
  /** Issues of the rows that cannot be imported. */
  issues: ImportIssue[];
  /** Fingerprint of the list. */
  state: string;
}

export async function compareRows(
  ctx: Context,
  list: List,
  { name, table }: Source,
  { columns, key, created }: MatchedColumns,
  typed: TypedCells,
  flags: ImportFlags,
): Promise<Comparison> {
  const mode = (flags.mode ?? 'upsert') as ImportMode;
  if (mode === 'sync' && table.rows.length === 0) {
    throw usage(`${name} has no rows, and a sync with it would remove every entry of the list "${list.name}"`);
  }
  const known = list.list_attributes ?? [];
  const entries: Partial<CustomListEntry>[] = [];
  const state = new ListState(known);
  for await (const entry of allEntries(ctx, list.id)) {
    entries.push(entry);
    state.add(entry);
  }
  const attributes = [...known, ...created.map(asAttribute)];
  const options = { mode, prune: flags.prune ?? false, key, columns, attributes, created };
  return blocking(ctx.runtime, async () => {
    const { plan, issues: conflicts } = planImport(typed.rows, entries, options, await openRowStore<ImportAction>());
    const issues = [...table.issues, ...typed.issues, ...conflicts, ...tooLarge(plan.actions, columns)];
    return { plan, issues, state: state.hash };
  });
}
