/** A plan as it is kept: by `--plan-out` for a review, and by the journal for `--resume`. */

import type { Context } from '../../../cli/context.ts';
import { usage } from '../../../core/errors.ts';
import { parseJson, stringifyJson } from '../../../core/json.ts';
import type { KeyTarget } from '../../../domain/import/columns.ts';
import type { ImportMode, ImportPlan } from '../../../domain/import/plan.ts';
import type { SourceTable } from '../../../domain/import/table.ts';
import { fileSink } from '../../../output/write/file-sink.ts';
import { fileBytes, hashOf } from './source.ts';
import { allEntries, type List, stateOf } from './state.ts';

export interface StoredPlan extends ImportPlan {
  comem: 'import-plan';
  version: 1;
  list: { id: string; name?: string };
  baseUrl: string | undefined;
  source: { name: string; hash: string; rows: number; json: boolean; place: SourceTable['place'] };
  mode: ImportMode;
  /** By what entries are found again. */
  key: KeyTarget;
  /** Of the list, when the plan was made. */
  state: string;
  headers: readonly string[];
  /** For each action the row of the file that it came from, by header. */
  cells: readonly (Record<string, unknown> | null)[];
}

export async function writePlan(ctx: Context, file: string, plan: StoredPlan): Promise<void> {
  const sink = await fileSink(file, ctx.runtime.cwd, '--plan-out');
  await sink.write(`${stringifyJson(plan, 1)}\n`);
  await sink.end();
}

/** @throws usage for a file that is no plan, or a plan for another list */
export async function readPlan(ctx: Context, file: string, list: List): Promise<{ plan: StoredPlan; hash: string }> {
  const bytes = await fileBytes(ctx, file);
  const plan = asPlan(bytes.toString('utf8'));
  if (plan === undefined) throw usage(`--plan ${file} is not a plan that \`entries import --plan-out\` wrote`);
  if (plan.list.id.toLowerCase() !== list.id.toLowerCase()) {
    throw usage(`--plan ${file} was made for the list "${plan.list.name}" (${plan.list.id}), not for "${list.name}"`);
  }
  const here = ctx.settings.baseUrl.value;
  if (plan.baseUrl !== here) throw usage(`--plan ${file} was made for ${plan.baseUrl}, and this is ${here}`);
  return { plan, hash: hashOf(bytes) };
}

/** @throws usage when anything of the list is not what it was when the plan was made */
export async function requireUnchanged(ctx: Context, file: string, plan: StoredPlan, list: List): Promise<void> {
  const state = stateOf(list.list_attributes ?? [], await allEntries(ctx, list.id));
  if (state === plan.state) return;
  throw usage(
    `--plan ${file}: the list "${list.name}" has changed since the plan was made; nothing was written`,
    'make a new plan with --plan-out and review it; a plan that was stopped half-way goes on with --resume',
  );
}

/** The plan of a JSON text, or undefined. */
export function asPlan(text: string): StoredPlan | undefined {
  try {
    const value = parseJson(text) as Partial<StoredPlan> | null;
    const fits = value?.comem === 'import-plan' && value.version === 1 && Array.isArray(value.actions);
    return fits ? (value as StoredPlan) : undefined;
  } catch {
    return undefined;
  }
}
