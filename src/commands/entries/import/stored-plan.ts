/** The stored form of a plan: of `--plan-out` for reviews, and of the journal for `--resume`. */

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { filePieces } from '../../../cli/input-files.ts';
import { isPlan, type PlanFile, planIn, soundPlan } from '../../../cli/plan-file.ts';
import { usage } from '../../../core/errors.ts';
import { parseJson, stringifyJson } from '../../../core/json.ts';
import { JsonItems } from '../../../core/json-scanner.ts';
import { type GrowingRows, openRowStore, type Rows } from '../../../core/row-store.ts';
import type { KeyTarget } from '../../../domain/import/columns.ts';
import type { ImportAction, ImportMode, ImportPlan } from '../../../domain/import/plan.ts';
import type { SourceTable } from '../../../domain/import/table.ts';
import { allEntries, hashOf, type List, ListState } from './read.ts';

/** A row with errors, and the first of them. */
export interface RefusedRow {
  cells: Record<string, unknown>;
  line: number;
  column: string;
  reason: string;
}

export interface StoredPlan extends ImportPlan, PlanFile {
  comem: 'import-plan';
  list: { id: string; name?: string | undefined };
  source: {
    name: string;
    hash: string;
    rows: number;
    json: boolean;
    place: SourceTable['lineUnit'];
    decimal?: string | undefined;
  };
  mode: ImportMode;
  /** The field that identifies entries. */
  key: KeyTarget;
  /** Fingerprint of the list when the plan was made. */
  state: string;
  headers: readonly string[];
  /** The file's row of each action, by header. */
  cells: Rows<Record<string, unknown> | null>;
  /** Rows with errors, which are left out. */
  refused?: Rows<RefusedRow>;
}

/** @throws usage for a file that is not a plan, or is a plan for another list */
export async function readPlan(ctx: Context, file: string, list: List): Promise<{ plan: StoredPlan; hash: string }> {
  const pieces = filePieces(resolve(ctx.runtime.cwd, file), `--plan ${file}`);
  try {
    const reader = await openPlanReader();
    for (const bytes of pieces.open()) reader.write(bytes);
    const plan = soundPlan(ctx, file, reader.plan(), 'entries import');
    if (plan.list.id.toLowerCase() !== list.id.toLowerCase()) {
      throw usage(`--plan ${file} was made for the list "${plan.list.name}" (${plan.list.id}), not for "${list.name}"`);
    }
    return { plan, hash: hashOf(pieces.open()) };
  } finally {
    pieces.close();
  }
}

/** The plan. @throws usage when anything of the list differs from when the plan was made */
export async function requireUnchanged(ctx: Context, file: string, plan: StoredPlan, list: List): Promise<StoredPlan> {
  const state = new ListState(list.list_attributes ?? []);
  for await (const entry of allEntries(ctx, list.id)) state.add(entry);
  if (state.hash === plan.state) return plan;
  throw usage(
    `--plan ${file}: the list "${list.name}" has changed since the plan was made; nothing was written`,
    'make a new plan with --plan-out and review it; use --resume to continue a plan that was interrupted',
  );
}

/** The JSON of a plan piece by piece, an action a line where it is indented. Its digest tells plans that were changed. */
export function* planText({ actions, cells, refused = [], ...head }: StoredPlan, indent = 0): Generator<string> {
  const digest = createHash('sha256');
  const [line, inner, blank] = indent > 0 ? ['\n ', '\n  ', ' '] : ['', '', ''];
  yield stringifyJson(head, indent).replace(/\n?\}$/, '');
  for (const [name, rows] of Object.entries({ actions, cells, ...(refused.length > 0 && { refused }) })) {
    let before = `,${line}"${name}":${blank}[`;
    for (const row of rows) {
      const text = stringifyJson(row);
      digest.update(text);
      yield `${before}${inner}${text}`;
      before = ',';
    }
    yield before === ',' ? `${line}]` : `${before}]`;
  }
  yield `,${line}"digest":${blank}"${digest.update(stringifyJson(head)).digest('hex')}"`;
  yield indent > 0 ? '\n}\n' : '}';
}

interface PlanReader {
  write(bytes: Uint8Array): void;
  /** The plan, unless the text was none. */
  plan(): StoredPlan | undefined;
}

/** Reads a plan from its JSON as it comes. */
export async function openPlanReader(): Promise<PlanReader> {
  const lists = {
    actions: await openRowStore<ImportAction>(),
    cells: await openRowStore<Record<string, unknown> | null>(),
    refused: await openRowStore<RefusedRow>(),
  };
  const digest = createHash('sha256');
  let isSound = true;
  const items = new JsonItems(Object.keys(lists), (text, name) => {
    try {
      const value = parseJson(text);
      digest.update(stringifyJson(value));
      (lists[name as keyof typeof lists] as GrowingRows<unknown>).push(value);
    } catch {
      isSound = false;
    }
  });
  return {
    write: (bytes) => items.write(bytes),
    plan() {
      const plan = isSound ? planIn(items.left(), asPlan) : undefined;
      if (!plan) return undefined;
      const { digest: written, actions: _, cells: __, refused: ___, ...head } = plan;
      if (digest.update(stringifyJson(head)).digest('hex') !== written) return undefined;
      const { refused, ...others } = lists;
      return { ...head, ...others, ...(refused.length > 0 && { refused }) };
    },
  };
}

/** The plan that a JSON value is, or undefined. */
function asPlan(value: unknown): (StoredPlan & { digest?: unknown }) | undefined {
  return isPlan<StoredPlan>(value, 'import-plan', () => true) ? value : undefined;
}
