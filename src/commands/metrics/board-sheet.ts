/** A board as people read it: metrics as rows, and a band of columns for each period. */

import { isNumeric, type Numeric } from '../../core/json.ts';
import { markedPeriod } from '../../core/periods.ts';
import { digitsOf, fixed, type Scale, scaled } from '../../domain/analysis/board.ts';
import { groupDigits } from '../../output/values.ts';
import { type BoardOptions, type BoardRow, headingOf } from './board-rows.ts';

export interface Look {
  scale: Scale;
  digits: number;
}

/** A number of a cell with everything that shows it. */
export interface BoardCell {
  kind: 'amount' | 'percent' | 'verdict';
  key: string;
  heading: string;
  value: Numeric | string | null | undefined;
  text: string;
  scale: Scale;
  digits: number;
  verdict: string | undefined;
}

export interface BoardLine {
  company?: string;
  metricId: string;
  label: string;
  unit: string;
  subtotal: boolean;
  /** By period, in their order. */
  cells: BoardCell[][];
}

export interface Sheet {
  company: string | undefined;
  periods: { key: string; heading: string }[];
  lines: BoardLine[];
  /** What was explained, and what has to be. */
  explained: { metric: string; label: string; period: string; percent: string; text: string | undefined }[];
}

const missing = 'not explained';
export const explanation = (text: string | undefined): string => text ?? missing;

export function sheetOf(
  company: string | undefined,
  rows: readonly BoardRow[],
  options: BoardOptions,
  { scale, digits }: Look,
): Sheet {
  const keys = [...new Set(rows.map(({ periodKey }) => periodKey))].sort();
  const periods = keys.map((key) => {
    // The least complete of its metrics marks the period.
    const [months] = rows.flatMap((row) => (row.periodKey === key ? (row.months ?? []) : [])).sort();
    return { key, heading: markedPeriod(key, months) };
  });
  const lines = [...new Set(rows.map(({ metricId }) => metricId))].map((id): BoardLine => {
    const own = rows.filter(({ metricId }) => metricId === id);
    const [first] = own;
    const amount = first?.currency === undefined ? 'none' : scale;
    const values = own.flatMap(({ actual, budget, forecast }) => [actual, budget, forecast].filter(isNumeric));
    const places = digitsOf(values, amount, digits);
    return {
      ...(company !== undefined && { company }),
      metricId: id,
      label: first?.label ?? id,
      unit: [amount === 'none' ? '' : amount, first?.unit ?? ''].filter((word) => word !== '').join(' '),
      subtotal: first?.subtotal ?? false,
      cells: keys.map((key) =>
        cellsOf(
          own.find(({ periodKey }) => periodKey === key),
          options,
          { scale: amount, digits: places },
          digits,
        ),
      ),
    };
  });
  const explained = rows.flatMap((row) =>
    row.material || row.comment !== undefined
      ? [
          {
            metric: row.metricId,
            label: row.label ?? row.metricId,
            period: row.periodKey,
            percent: isNumeric(row.percent) ? `${fixed(row.percent, digits)}%` : '',
            text: row.comment,
          },
        ]
      : [],
  );
  return { company, periods, lines, explained };
}

function cellsOf(
  row: BoardRow | undefined,
  { versions, against }: BoardOptions,
  look: Look,
  percentDigits: number,
): BoardCell[] {
  const verdict = row?.verdict;
  const number = (kind: 'amount' | 'percent', key: string, heading: string, value: Numeric | null | undefined) => {
    const own = kind === 'amount' ? look : { scale: 'none' as const, digits: percentDigits };
    const text = isNumeric(value) ? groupDigits(fixed(scaled(value, own.scale), own.digits)) : '';
    return { kind, key, heading, value, text: text === '' || kind === 'amount' ? text : `${text}%`, ...own, verdict };
  };
  return [
    ...versions.map((version) => number('amount', version, headingOf(version), row?.[version])),
    ...(against === undefined
      ? []
      : [
          number('amount', 'difference', 'Variance', row?.difference),
          number('percent', 'percent', '%', row?.percent),
          {
            ...{ kind: 'verdict' as const, key: 'verdict', heading: '', value: verdictOf(row) },
            ...{ text: [verdictOf(row), markOf(row)].filter(Boolean).join(' '), ...look, verdict },
          },
        ]),
  ];
}

/** `!`: has to be explained; `*`: is explained. */
function markOf(row: BoardRow | undefined): string {
  if (row?.comment !== undefined) return '*';
  return row?.material ? '!' : '';
}

function verdictOf(row: BoardRow | undefined): string {
  return row?.verdict === undefined || row.verdict === 'unknown' ? '' : row.verdict;
}
