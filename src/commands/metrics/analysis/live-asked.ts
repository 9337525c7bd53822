/** Which live values are printed, and in which order. */

import { askRows, chosenRows, showChosen } from '../../../cli/asking.ts';
import type { Context } from '../../../cli/context.ts';
import { type AskFlags, asks, type Question } from '../../../cli/query.ts';
import { shortPeriod } from '../../../core/periods.ts';
import type { Column } from '../../../output/column.ts';
import { companyColumns, type LiveValue, liveColumns, type OfCompany } from '../columns.ts';

/** A value, and whose it is where there are several companies. */
export type LiveRow = LiveValue & OfCompany & { periodKey?: string | null | undefined };

const liveColumnsOfCompanies: readonly Column<LiveRow>[] = [
  ...companyColumns,
  {
    key: 'periodKey',
    heading: 'Period',
    get: (row) => row.periodKey,
    onScreen: ({ periodKey }) => (periodKey ? shortPeriod(periodKey) : undefined),
  },
  ...liveColumns,
];

function columnsOf(ctx: Context): readonly Column<LiveRow>[] {
  return ctx.settings.companies.value.length > 1 ? liveColumnsOfCompanies : liveColumns;
}

/** Before anything is read. */
export function askLive(ctx: Context, flags: AskFlags): Promise<Question<LiveRow>> {
  return askRows(ctx, columnsOf(ctx), { flags, command: ['metrics live'] });
}

/** What the API answers for a company. */
interface LiveObject {
  company?: string;
  metrics?: object | null;
  periodKey?: string | null;
  period?: string | null;
}

interface Shown {
  question: Question<LiveRow>;
  flags: AskFlags;
  rows: readonly LiveRow[];
  /** What JSON shows: with the metrics that are chosen, in their order. */
  objects: readonly LiveObject[];
}

export async function showLive(ctx: Context, { question, flags, rows, objects }: Shown): Promise<void> {
  const chosen = await chosenRows(question, rows);
  const shown = question.isLocal ? objects.map((object) => narrowed(object, chosen)) : objects;
  const several = ctx.settings.companies.value.length > 1;
  const id = ({ metric }: LiveRow) => metric;
  await showChosen(ctx, { question, flags, pages: [chosen] }, columnsOf(ctx), {
    ...{ whole: () => (several ? shown : (shown[0] ?? {})), id },
    name: ({ company, metric }) => (company === undefined ? metric : `${company} ${metric}`),
    empty: asks(flags) ? 'No such values.' : 'No actuals yet.',
  });
}

function narrowed(object: LiveObject, chosen: readonly LiveRow[]): LiveObject {
  const period = object.periodKey ?? object.period;
  const own = chosen.filter(({ company, periodKey = period }) => company === object.company && periodKey === period);
  return { ...object, metrics: Object.fromEntries(own.map(({ metric, value }) => [metric, value])) };
}
