/** Changes of lists as rows, and as lines for a person. */

import { amount } from '../../../cli/words.ts';
import { stringifyJson } from '../../../core/json.ts';
import type { Cell, Column } from '../../../output/column.ts';
import type { Change, FilePlan } from './make-plan.ts';

/** One change as `lists plan` and `lists diff` show it. */
interface ChangeRow {
  list: string;
  action: Change['action'];
  kind: Change['kind'];
  target: string;
  /** The change in words, with its impact. */
  change: string;
  field: string | null;
  from: unknown;
  to: unknown;
  entries: number | null;
  impact: string | null;
  file?: string;
}

const marks = { create: '+', update: '~', delete: '-' } as const;
const markColors = { create: 'green', update: 'yellow', delete: 'red' } as const;

/** A table shows the change in words: it has no room for the parts. */
const parts = { hidden: true } as const;

export const diffColumns: readonly Column<ChangeRow>[] = [
  {
    ...{ key: 'action', title: '', rank: 1 },
    get: ({ action }) => action,
    onScreen: ({ action }) => marks[action],
    tone: ({ action }) => markColors[action],
  },
  { key: 'kind', title: 'Kind', get: ({ kind }) => kind },
  { key: 'target', title: 'Target', get: ({ target }) => target },
  { key: 'change', title: 'Change', wraps: true, get: ({ change }) => change },
  { key: 'field', ...parts, get: ({ field }) => field },
  { key: 'from', ...parts, get: ({ from }) => from as Cell },
  { key: 'to', ...parts, get: ({ to }) => to as Cell },
];

export const planColumns: readonly Column<ChangeRow>[] = [
  { key: 'list', title: 'List', get: ({ list }) => list },
  ...diffColumns.map((column) => (column.key === 'kind' ? { ...column, ...parts } : column)),
  { key: 'impact', ...parts, get: ({ impact }) => impact },
  { key: 'entries', type: 'integer', ...parts, get: ({ entries }) => entries },
  { key: 'file', ...parts, get: ({ file }) => file },
];

export function rowOf(change: Change, list: string, file?: string): ChangeRow {
  const { action, kind, target, field, from, to, entries, impact } = change;
  return {
    list,
    action,
    kind,
    target,
    change: changeText(change),
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

function listName({ existing, file }: FilePlan): string {
  return existing?.slug ?? file.spec.slug ?? file.spec.name;
}

interface PlanLine {
  text: string;
  color?: 'green' | 'yellow' | 'red';
}

/** The plan for stderr, before it is executed. */
export function planLines(plans: readonly FilePlan[], prune: boolean): PlanLine[] {
  return plans.flatMap((plan): PlanLine[] =>
    plan.changes.length === 0
      ? []
      : [
          { text: `Plan for the list "${plan.existing?.name ?? plan.file.spec.name}" from ${plan.file.name}:` },
          ...plan.changes.map(
            (change): PlanLine => ({
              text: `  ${changeLine(change)}${change.action === 'delete' && !prune ? ' (kept without --prune)' : ''}`,
              color: markColors[change.action],
            }),
          ),
        ],
  );
}

function changeLine(change: Change): string {
  const { action, kind, target } = change;
  const text = changeText(change);
  return `${marks[action]} ${kind} ${target}${text === '' ? '' : `: ${text}`}`;
}

function changeText({ action, field, from, to, impact }: Change): string {
  const created = action === 'create' && to !== undefined ? word(to) : '';
  const text = field === undefined ? created : `${field} ${word(from)} -> ${word(to)}`;
  if (impact === undefined) return text;
  return text === '' ? impact : `${text} (${impact})`;
}

function word(value: unknown): string {
  if (value === null || value === undefined) return '(none)';
  return typeof value === 'string' && value !== '' ? value : stringifyJson(value);
}

/** The note on deletions that `plan` and `apply` leave out. */
export function deletionsNote(left: number): string {
  return `${amount(left, 'deletion needs', 'deletions need')} \`lists apply --prune\`.`;
}
