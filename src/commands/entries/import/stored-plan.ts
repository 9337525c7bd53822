/** A plan as it is kept: by `--plan-out` for a review, and by the journal for `--resume`. */

import type { Context } from '../../../cli/context.ts';
import { isPlan, type PlanFile, readPlanFile } from '../../../cli/plan-file.ts';
import { attributeTypes } from '../../../contract/lists.ts';
import {
  any,
  anyObject,
  array,
  boolean,
  integer,
  type JsonSchema,
  nullable,
  number,
  object,
  oneOf,
  record,
  string,
  uuid,
} from '../../../contract/schema.ts';
import { issues } from '../../../contract/validate.ts';
import { usage } from '../../../core/errors.ts';
import type { KeyTarget } from '../../../domain/import/columns.ts';
import type { ImportMode, ImportPlan } from '../../../domain/import/plan.ts';
import type { SourceTable } from '../../../domain/import/table.ts';
import { allEntries, hashOf, type List, stateOf } from './source.ts';

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
  cells: readonly (Record<string, unknown> | null)[];
}

/** @throws usage for a file that is not a plan, or is a plan for another list */
export async function readPlan(ctx: Context, file: string, list: List): Promise<{ plan: StoredPlan; hash: string }> {
  const { plan, bytes } = await readPlanFile(ctx, file, asPlan, 'entries import');
  if (plan.list.id.toLowerCase() !== list.id.toLowerCase()) {
    throw usage(`--plan ${file} was made for the list "${plan.list.name}" (${plan.list.id}), not for "${list.name}"`);
  }
  return { plan, hash: hashOf(bytes) };
}

/** @throws usage when anything of the list differs from when the plan was made */
export async function requireUnchanged(ctx: Context, file: string, plan: StoredPlan, list: List): Promise<void> {
  const state = stateOf(list.list_attributes ?? [], await allEntries(ctx, list.id));
  if (state === plan.state) return;
  throw usage(
    `--plan ${file}: the list "${list.name}" has changed since the plan was made; nothing was written`,
    'make a new plan with --plan-out and review it; use --resume to continue a plan that was interrupted',
  );
}

/** The plan that a JSON value is, or undefined. */
export function asPlan(value: unknown): StoredPlan | undefined {
  const isSound = (fields: Record<string, unknown>) => issues(planShape, fields).length === 0;
  return isPlan<StoredPlan>(value, 'import-plan', isSound) ? value : undefined;
}

const fieldsShape = object({ title: string(), values: record(any()), position: number(), archived: boolean() });
const rowShape = { row: integer(), line: integer(), key: string(), title: string() };

/** One of the forms of an action, with all that it needs. */
function actionShape(doing: readonly [string, ...string[]], more: Record<string, JsonSchema>): JsonSchema {
  const properties = { do: oneOf(doing), title: string(), ...more };
  return object(properties, { required: Object.keys(properties) as (keyof typeof properties)[] });
}

/** A plan may have been edited: what is executed is checked before it is read. */
const planShape = object(
  {
    list: object({ id: string({ format: 'uuid' }), name: string() }, { required: ['id'] }),
    source: object(
      { name: string(), hash: string(), rows: integer(), json: boolean(), place: string() },
      { required: ['name', 'rows', 'place'] },
    ),
    mode: string(),
    key: object({ field: string(), slug: string() }, { required: ['field'] }),
    state: string(),
    headers: array(string()),
    cells: array(nullable(anyObject())),
    attributes: array(
      object(
        { name: string(), slug: string(), attribute_type: oneOf(attributeTypes), config: anyObject() },
        { required: ['name', 'slug', 'attribute_type'] },
      ),
    ),
    actions: array({
      type: 'object',
      anyOf: [
        actionShape(['create'], { ...rowShape, body: fieldsShape }),
        actionShape(['update'], {
          ...rowShape,
          id: uuid(),
          body: fieldsShape,
          before: object({ values: record(any()) }),
        }),
        actionShape(['archive', 'delete'], { id: uuid(), before: object({ values: record(any()) }) }),
      ],
    }),
    unchanged: integer(),
    skipped: integer(),
  },
  {
    required: [
      ...(['list', 'source', 'mode', 'key', 'state', 'headers', 'cells'] as const),
      ...(['attributes', 'actions', 'unchanged', 'skipped'] as const),
    ],
  },
);
