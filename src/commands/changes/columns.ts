/** The columns of changes, and what `mirror diff` and `mirror log` call them. */
import { changeTones } from '../../cli/outcomes.ts';
import { usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import type { Change } from '../../domain/history/changes.ts';
import type { Cell, Column } from '../../output/column.ts';

export interface ChangeRow extends Omit<Change, 'point' | 'company' | 'seen'> {
  /** Its name, and its id. */
  company: string;
  companyId: string;
  /** Null: no sync has seen it. */
  seen: string | null;
}

type Look = Pick<Column, 'heading' | 'aliases' | 'rank' | 'type' | 'dates' | 'wraps' | 'tones' | 'hidden'>;

function column<Row extends object>(key: keyof Row & string, look: Look): Column<Row> {
  return { key, ...look, get: (row) => row[key] as Cell };
}

const time: Look = { type: 'datetime', dates: 'minute' };
const change: Look = { heading: 'Change', rank: 7, tones: changeTones };
const kind: Look = { heading: 'Kind', rank: 8 };
const what: Look = { heading: 'What', rank: 1 };
const where: Look = { heading: 'Where', rank: 5 };
const field: Look = { heading: 'Field', rank: 4 };
const before: Look = { heading: 'Before', rank: 2, wraps: true };
const after: Look = { heading: 'After', rank: 3, wraps: true };
const seenColumn: Look = { heading: 'Seen', ...time, rank: 6 };
const notBefore: Look = { heading: 'Not before', ...time, hidden: true };
const id: Look = { heading: 'ID', type: 'id', hidden: true };

export const changeColumns: readonly Column<ChangeRow>[] = [
  column('change', change),
  column('kind', kind),
  column('what', { ...what, aliases: ['name'] }),
  column('where', { ...where, aliases: ['list'] }),
  column('field', field),
  column('before', { ...before, aliases: ['from'] }),
  column('after', { ...after, aliases: ['to', 'value'] }),
  column('difference', { heading: 'Difference', type: 'number', hidden: true }),
  column('percent', { heading: '%', type: 'number', hidden: true }),
  column('when', { heading: 'When', ...time, rank: 9 }),
  column('notBefore', notBefore),
  column('seen', seenColumn),
  column('company', { heading: 'Company', hidden: true }),
  column('companyId', { heading: 'Company id', type: 'id', hidden: true }),
  column('id', id),
];

/** For expressions over changes. */
export const changeRules = { change: ['added', 'removed', 'changed'] } as const;

/** The row and columns of an older command. */
interface View<Row> {
  row(change: Change): Row;
  columns: readonly Column<Row>[];
}

interface DiffRow {
  kind: string;
  change: string;
  list: string | null;
  name: string;
  field: string | null;
  before: unknown;
  after: unknown;
  id: string;
}

/** `mirror diff`. */
export const diffView: View<DiffRow> = {
  row: ({ what, where, point, ...row }) => ({
    ...{ kind: row.kind, change: row.change, id: row.id, field: row.field, before: row.before, after: row.after },
    name: point ? `${what} ${where}` : what,
    list: point ? null : where,
  }),
  columns: [
    column('kind', kind),
    column('change', change),
    column('list', { ...where, heading: 'List' }),
    column('name', { ...what, heading: 'Name' }),
    column('field', field),
    column('before', before),
    column('after', { ...after, aliases: ['value'] }),
    column('id', id),
  ],
};

const diffKinds = ['list', 'attribute', 'entry', 'metric', 'value', 'grant'] as const;
type DiffKind = (typeof diffKinds)[number];

/** The kinds that `--kinds` names; of one list those that it has. @throws usage */
export function diffKindsOf(words: readonly string[] | undefined, list: string | undefined): DiffKind[] {
  const named = words?.flatMap((text) => text.split(',')).map((word) => word.trim());
  const isKind = (word: string): word is DiffKind => (diffKinds as readonly string[]).includes(word);
  const unknown = named?.find((word) => !isKind(word));
  if (unknown !== undefined) {
    const near = nearest(unknown, [...diffKinds]);
    throw usage(`--kinds takes ${diffKinds.join(', ')}, got "${unknown}"`, near && `did you mean ${near}?`);
  }
  return named?.filter(isKind) ?? (list === undefined ? [...diffKinds] : ['list', 'attribute', 'entry']);
}

interface LogRow {
  seen: string | null;
  notBefore: string | null;
  kind: string;
  of: string;
  id: string;
  name: string;
  change: string;
  field: string | null;
  from: unknown;
  to: unknown;
}

/** `mirror log` and `mirror verify`. */
export const logView: View<LogRow> = {
  row: ({ what, where, point, ...row }) => ({
    ...{ seen: row.seen, notBefore: row.notBefore, kind: row.kind },
    of: point ? what : (where ?? row.company),
    id: point ? (where ?? '') : row.id,
    name: point ? `${point.periodType} ${point.periodKey}` : what,
    change: row.change === 'removed' ? 'deleted' : row.change,
    ...{ field: shortField(row.field), from: row.before, to: row.after },
  }),
  columns: [
    column('seen', seenColumn),
    column('notBefore', notBefore),
    column('kind', kind),
    column('of', { ...where, heading: 'Of' }),
    column('name', { ...what, heading: 'Name' }),
    column('change', change),
    column('field', field),
    column('from', { ...before, heading: 'From' }),
    column('to', { ...after, heading: 'To' }),
    column('id', { ...id, hidden: false }),
  ],
};

/** `stage` for `values.stage`. */
export function shortField(field: string | null): string | null {
  return field?.replace(/^values\./, '') ?? null;
}
