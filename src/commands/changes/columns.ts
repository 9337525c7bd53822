/** The columns and flags of changes. */

import { flag } from '../../cli/define.ts';
import { changeTones } from '../../cli/outcomes.ts';
import { pastFlags } from '../../cli/past.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { isNumeric } from '../../core/json.ts';
import { groupBy } from '../../core/same.ts';
import type { Change } from '../../domain/history/changes.ts';
import { isShare, measureOf } from '../../domain/series/units.ts';
import type { Cell, Column } from '../../output/column.ts';
import { commonDecimals, formatNumber, minorUnit, plainTime } from '../../output/values.ts';

export interface ChangeRow extends Omit<Change, 'point' | 'company' | 'seen'> {
  /** Its name, and its id. */
  company: string;
  companyId: string;
  unit?: string | undefined;
  /** Null: no sync has seen it. */
  seen: string | null;
  /** The syncs that are compared, where these are not at the times of the question. */
  note: string | null;
}

type Look = Pick<
  Column,
  'heading' | 'aliases' | 'rank' | 'type' | 'dates' | 'wraps' | 'tones' | 'hidden' | 'hasIds' | 'required'
>;

function column<Row extends object>(key: keyof Row & string, look: Look & Partial<Column<Row>>): Column<Row> {
  return { key, ...look, get: (row) => row[key] as Cell };
}

/** A number with its unit and the decimals of those beside it, and a time as tables write it. */
function textOf(side: 'before' | 'after', decimalsOf: DecimalsOf): (row: ChangeRow) => string | undefined {
  return (row) => {
    const value = row[side];
    if (row.field === 'expires_at' && value === null) return 'never';
    if (isNumeric(value)) {
      const number = formatNumber(value, { power: 0, decimals: decimalsOf(row) });
      return row.unit ? `${number}${row.unit === '%' ? '' : ' '}${row.unit}` : number;
    }
    return typeof value === 'string' && value.includes('T') ? plainTime(value, 'datetime') : undefined;
  };
}

type DecimalsOf = (row: ChangeRow) => number | undefined;

/** The columns with the same decimals for all numbers of one field or metric. */
export function columnsOfChanges(rows: readonly ChangeRow[]): Column<ChangeRow>[] {
  const quantity = ({ kind, what, field, unit }: ChangeRow) =>
    JSON.stringify([kind, kind === 'value' ? what : field, unit]);
  const decimals = new Map(
    Array.from(groupBy(rows, quantity), ([key, peers]) => [
      key,
      commonDecimals(
        peers.flatMap(({ before, after }) => [before, after] as Cell[]),
        minorUnit(peers[0]?.unit),
      ),
    ]),
  );
  const decimalsOf: DecimalsOf = (row) => decimals.get(quantity(row));
  return changeColumns.map((each) =>
    each.key === 'before' || each.key === 'after' ? { ...each, shown: textOf(each.key, decimalsOf) } : each,
  );
}

const sidesOf = ({ before, after }: ChangeRow) => [after as Cell, before as Cell] as const;
const isPercentage = ({ unit }: ChangeRow): boolean => unit === '%';

const time: Look = { type: 'datetime', dates: 'minute' };
const text: Look = { wraps: true, hasIds: true, required: true };

export const changeColumns: readonly Column<ChangeRow>[] = [
  column('change', { heading: 'Change', rank: 3, required: true, tones: changeTones }),
  column('kind', { heading: 'Kind', rank: 9 }),
  column('what', { heading: 'What', rank: 1, aliases: ['name'], hasIds: true }),
  column('where', { heading: 'Where', rank: 2, aliases: ['list'], wraps: true }),
  column('field', { heading: 'Field', rank: 4, required: true }),
  column('before', { heading: 'Before', rank: 5, ...text, aliases: ['from'] }),
  column('after', { heading: 'After', rank: 6, ...text, aliases: ['to', 'value'] }),
  column('difference', {
    heading: 'Difference',
    type: 'number',
    hidden: true,
    unit: (row) => row.unit,
    points: isPercentage,
    operands: sidesOf,
  }),
  column('percent', {
    heading: '%',
    type: 'percent',
    digits: 1,
    change: true,
    hidden: true,
    points: ({ unit }) => isShare(measureOf({ unit })),
    operands: (row) => (isPercentage(row) ? sidesOf(row) : undefined),
  }),
  column('when', { heading: 'When', ...time, rank: 7, required: true }),
  column('notBefore', { heading: 'Not before', ...time, hidden: true }),
  column('seen', { heading: 'Seen', ...time, rank: 8 }),
  column('company', { heading: 'Company', rank: 0, hidden: true }),
  column('companyId', { heading: 'Company ID', type: 'id', hidden: true }),
  column('id', { heading: 'ID', type: 'id', hidden: true }),
  column('unit', { heading: 'Unit', hidden: true }),
  column('note', { heading: 'Note', hidden: true }),
];

/** The types of the columns of changes in expressions. */
export const changeRules = { change: ['added', 'removed', 'changed'] } as const;

/** `stage` for `values.stage`. */
export const shortField = (field: string | null): string | null => field?.replace(/^values\./, '') ?? null;

export const changeFlags = {
  since: flag.text('WHEN', 'changes since a date, or an age; default 30d'),
  between: flag.list('A B', 'compare two times, or two saved exports'),
  live: flag.boolean('compare the newest sync with the API now'),
  seenBy: flag.text('RECIPIENT', 'values that this company or user could read'),
  metrics: flag.list('ID[,ID]', 'only these metrics', { short: 'm' }),
  last: flag.text('N', 'values of the newest N periods; also 18m, 8q, 3y'),
  key: flag.text('COLUMN', 'match the rows of two exports by it; default id, else title'),
  exitCode: flag.boolean('exit 1 when something changed'),
  ...shortRowFlags,
  ...pastFlags,
};
