/** Changes of lists as rows, and as lines for a person. */
import { stringifyJson } from '../../json.ts';
import type { Cell, Column } from '../../output/column.ts';
import { amount } from '../words.ts';
import type { Change, FilePlan } from './make-plan.ts';

/** One change as `lists plan` and `lists diff` show it. */
export interface ChangeRow {
  list: string;
  action: Change['action'];
  kind: Change['kind'];
  target: string;
  field: string | null;
  from: unknown;
  to: unknown;
  entries: number | null;
  impact: string | null;
  file?: string;
}

const shownColumns: readonly Column<ChangeRow>[] = [
  { key: 'action', get: ({ action }) => action },
  { key: 'kind', get: ({ kind }) => kind },
  { key: 'target', get: ({ target }) => target },
  { key: 'field', get: ({ field }) => field },
  { key: 'from', get: ({ from }) => from as Cell },
  { key: 'to', get: ({ to }) => to as Cell },
];

export const diffColumns: readonly Column<ChangeRow>[] = shownColumns;

export const planColumns: readonly Column<ChangeRow>[] = [
  { key: 'list', get: ({ list }) => list },
  ...shownColumns,
  { key: 'impact', get: ({ impact }) => impact },
  { key: 'entries', type: 'integer', hidden: true, get: ({ entries }) => entries },
  { key: 'file', hidden: true, get: ({ file }) => file },
];

export function rowOf(change: Change, list: string, file?: string): ChangeRow {
  const { action, kind, target, field, from, to, entries, impact } = change;
  return {
    list,
    action,
    kind,
    target,
    field: field ?? null,
    from: from ?? null,
    to: to ?? null,
    entries: entries ?? null,
    impact: impact ?? null,
    ...(file === undefined ? {} : { file }),
  };
}

export function planRows(plans: readonly FilePlan[]): ChangeRow[] {
  return plans.flatMap((plan) => plan.changes.map((change) => rowOf(change, listName(plan), plan.file.name)));
}

export function listName({ existing, file }: FilePlan): string {
  return existing?.slug ?? file.spec.slug ?? file.spec.name;
}

const marks = { create: '+', update: '~', delete: '-' } as const;

/** The plan for stderr, before it is executed. */
export function planLines(plans: readonly FilePlan[], prune: boolean): string[] {
  return plans.flatMap((plan) =>
    plan.changes.length === 0
      ? []
      : [
          `Plan for the list "${plan.existing?.name ?? plan.file.spec.name}" from ${plan.file.name}:`,
          ...plan.changes.map(
            (change) =>
              `  ${changeLine(change)}${change.action === 'delete' && !prune ? ' (kept without --prune)' : ''}`,
          ),
        ],
  );
}

function changeLine({ action, kind, target, field, from, to, impact }: Change): string {
  const what = `${marks[action]} ${kind} ${target}`;
  const how =
    field === undefined
      ? action === 'create' && to !== undefined
        ? `: ${word(to)}`
        : ''
      : `: ${field} ${word(from)} -> ${word(to)}`;
  return `${what}${how}${impact === undefined ? '' : ` (${impact})`}`;
}

function word(value: unknown): string {
  if (value === null || value === undefined) return '(none)';
  return typeof value === 'string' && value !== '' ? value : stringifyJson(value);
}

/** What `plan` and `apply` say of deletions that were not asked for. */
export function leftNote(left: number): string {
  return `${amount(left, 'deletion waits', 'deletions wait')} for \`lists apply --prune\`.`;
}
