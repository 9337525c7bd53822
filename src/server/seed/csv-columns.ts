/** What the columns of a CSV file of points hold, by its first line. */
import type { Failure } from '../../core/errors.ts';
import { pointPeriod } from './point-period.ts';

/** What a column holds: a fact of the row, the values of one metric, or nothing that is stored. */
export type Column = { is: Fact } | { is: 'values'; metric: string } | { is: 'nothing' };

const facts = ['period', 'metric', 'value', 'version', 'period_type', 'company', 'source', 'updated_at'] as const;
export type Fact = (typeof facts)[number];

/** The names that `metrics series` gives the same columns. */
const exported: Readonly<Record<string, Fact>> = {
  periodKey: 'period',
  periodType: 'period_type',
  metricId: 'metric',
  updatedAt: 'updated_at',
};
/** In the long form of `metrics series`; the catalog knows them. */
const known = new Set(['unit', 'currency']);

export const formsHint =
  'a wide file has the dates in its first column and one column for each metric; a long one has the columns period, ' +
  'metric and value; rename columns with --rename OLD=NEW';

export function understandHeader(names: readonly string[], wrong: (message: string) => Failure): Column[] {
  const factOf = (name: string): Fact | undefined =>
    Object.hasOwn(exported, name) ? exported[name] : facts.find((fact) => fact === name.toLowerCase());
  const long = ['period', 'metric', 'value'].every((need) => names.some((name) => factOf(name) === need));
  // A wide file of ours starts with periodKey, and then its version and source are not metrics.
  const ours = names[0] === 'periodKey';
  const columns = names.map((name, index): Column => {
    if (name === '') throw wrong(`column ${index + 1} has no name`);
    const fact = factOf(name);
    if (long) {
      if (fact) return { is: fact };
      if (known.has(name)) return { is: 'nothing' };
      throw wrong(`unknown column ${name}; a long file has ${facts.join(', ')}`);
    }
    if (index === 0) return { is: 'period' };
    if (fact && (ours || ['version', 'period_type', 'company'].includes(fact))) return { is: fact };
    if (name.includes(',')) throw wrong(`"${name}" is not a metric id: it contains a comma`);
    return { is: 'values', metric: name };
  });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrong(`the column ${twice} appears twice`);
  const [first] = names;
  if (first && pointPeriod(first)) throw wrong(`the first line must name the columns, but starts with ${first}`);
  if (!long && !columns.some((column) => column.is === 'values')) throw wrong('no column has values');
  return columns;
}
