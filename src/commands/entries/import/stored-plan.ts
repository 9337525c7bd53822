/** A plan as it is kept: by `--plan-out` for a review, and by the journal for `--resume`. */

import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { filePieces } from '../../../cli/pieces.ts';
import { isPlan, type PlanFile, planIn, soundPlan } from '../../../cli/plan-file.ts';
import { usage } from '../../../core/errors.ts';
import { JsonSyntaxError, parseJson, stringifyJson } from '../../../core/json.ts';
import { JsonElements } from '../../../core/json-stream.ts';
import { type Rows, Spool } from '../../../core/spool.ts';
import type { KeyTarget } from '../../../domain/import/columns.ts';
import type { ImportAction, ImportMode, ImportPlan } from '../../../domain/import/plan.ts';
import type { SourceTable } from '../../../domain/import/table.ts';
import { allEntries, hashOf, type List, ListState } from './source.ts';

export interface StoredPlan extends ImportPlan, PlanFile {
  comem: 'import-plan';
  list: { id: string; name?: string | undefined };
  source: { name: string; hash: string; rows: number; json: boolean; place: SourceTable['place'] };
  mode: ImportMode;
  /** The field by which entries are found again. */
  key: KeyTarget;
  /** Of the list, when the plan was made. */
  state: string;
  headers: readonly string[];
  /** For each action the row of the file that it came from, by header. */
  cells: Rows<Record<string, unknown> | null>;
}

/** @throws usage for a file that is not a plan, or is a plan for another list */
export function readPlan(ctx: Context, file: string, list: List): { plan: StoredPlan; hash: string } {
  const pieces = filePieces(resolve(ctx.runtime.cwd, file), `--plan ${file}`);
  try {
    const reader = new PlanReader();
    const utf8 = new TextDecoder();
    for (const bytes of pieces.open()) reader.write(utf8.decode(bytes, { stream: true }));
    const plan = soundPlan(ctx, file, reader.plan(), 'entries import');
    if (plan.list.id.toLowerCase() !== list.id.toLowerCase()) {
      throw usage(`--plan ${file} was made for the list "${plan.list.name}" (${plan.list.id}), not for "${list.name}"`);
    }
    return { plan, hash: hashOf(pieces.open()) };
  } finally {
    pieces.close();
  }
}

/** @throws usage when anything of the list differs from when the plan was made */
export async function requireUnchanged(ctx: Context, file: string, plan: StoredPlan, list: List): Promise<void> {
  const state = new ListState(list.list_attributes ?? []);
  for await (const entry of allEntries(ctx, list.id)) state.add(entry);
  if (state.hash === plan.state) return;
  throw usage(
    `--plan ${file}: the list "${list.name}" has changed since the plan was made; nothing was written`,
    'make a new plan with --plan-out and review it; use --resume to continue a plan that was interrupted',
  );
}

/** The JSON of a plan piece by piece, an action a line where it is indented. */
export function* planText({ actions, cells, ...head }: StoredPlan, indent = 0): Generator<string> {
  const text = stringifyJson(head, indent);
  const [line, inner] = indent > 0 ? ['\n ', '\n  '] : ['', ''];
  yield text.replace(/\n?\}$/, '');
  for (const [name, rows] of Object.entries({ actions, cells })) {
    let before = `,${line}"${name}":${indent > 0 ? ' ' : ''}[`;
    for (const row of rows) {
      yield `${before}${inner}${stringifyJson(row)}`;
      before = ',';
    }
    yield before === ',' ? `${line}]` : `${before}]`;
  }
  yield indent > 0 ? '\n}\n' : '}';
}

/** A plan from its JSON, as it comes. */
export class PlanReader {
  private readonly lists = {
    actions: new Spool<ImportAction>(),
    cells: new Spool<Record<string, unknown> | null>(),
  };
  private isSound = true;
  private readonly elements = new JsonElements((text, key) => {
    try {
      if (key === 'actions') this.lists.actions.push(parseJson(text) as ImportAction);
      else this.lists.cells.push(parseJson(text) as Record<string, unknown> | null);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.isSound = false;
    }
  }, Object.keys(this.lists));

  write(text: string): void {
    this.elements.write(text);
  }

  /** The plan that the text was, or undefined. */
  plan(): StoredPlan | undefined {
    const plan = this.isSound ? planIn(this.elements.left(), asPlan) : undefined;
    return plan && { ...plan, ...this.lists };
  }
}

function asPlan(value: unknown): StoredPlan | undefined {
  return isPlan<StoredPlan>(value, 'import-plan', ({ actions }) => Array.isArray(actions)) ? value : undefined;
}
