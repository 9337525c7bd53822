/** `--in USD --rates FILE`: amounts of money of every company in one currency. */

import type { Context } from '../../../cli/context.ts';
import { readCsv } from '../../../core/csv.ts';
import { usage } from '../../../core/errors.ts';
import { isNumeric, type Numeric } from '../../../core/json.ts';
import { parsePeriod } from '../../../core/periods.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import { converted, factorOf, type Kind, meaning, type Rates, readRates } from '../../../domain/analysis/rates.ts';
import { keptItems } from './items.ts';
import type { Analysis, AnalysisRequest, Metric } from './parts.ts';

export interface Exchange {
  to: string;
  rates: Rates;
}

/** Undefined where nothing is converted. @throws Failure usage */
export async function exchangeOf(
  ctx: Context,
  { in: to, rates: file }: AnalysisRequest,
): Promise<Exchange | undefined> {
  if (to === undefined && file === undefined) return undefined;
  if (to === undefined) throw usage('--rates has the rates of --in', 'add --in CURRENCY such as --in USD');
  if (file === undefined)
    throw usage('--in needs the rates', 'add --rates FILE with the columns date, currency and rate');
  if (!/^[A-Z]{3}$/.test(to)) throw usage(`--in must be a currency code such as USD, got "${to}"`);
  const text = await ctx.readArgument(file === '-' ? '-' : `@${file}`);
  const rows = await readCsv(text, { name: file });
  return { to, rates: readRates(rows, `--rates ${file}`, to) };
}

/** An amount of money before it is converted. */
interface Amount {
  from: string;
  kind: Kind;
}

/** The analysis with its amounts converted. Ratios, percentages and counts stay. */
export async function exchanged(ctx: Context, analysis: Analysis, { to, rates }: Exchange): Promise<Analysis> {
  const { metrics, items, type } = analysis;
  const amounts = new Map(
    metrics.flatMap((metric) => {
      const { id, currency: from } = metric;
      return from === undefined || from === to ? [] : [[id, { from, kind: kindOf(metric) }] as const];
    }),
  );
  if (amounts.size === 0) return { ...analysis, currency: to };
  const factors = new Map<string, ReturnType<typeof factorOf>>();
  const factor = ({ from, kind }: Amount, key: string) => {
    const name = `${from} ${kind} ${key}`;
    const known = factors.get(name);
    if (known) return known;
    const found = factorOf(rates, from, to, kind, parsePeriod(key) ?? { type, index: 0 }, key);
    factors.set(name, found);
    return found;
  };
  function* convertedItems(): Generator<AnalysisItem> {
    for (const item of items) {
      const values: Record<string, Numeric | null> = { ...item.metrics };
      for (const [id, amount] of amounts) {
        const value = values[id];
        if (isNumeric(value)) values[id] = converted(value, factor(amount, item.periodKey));
      }
      yield { ...item, metrics: values as typeof item.metrics };
    }
  }
  return {
    ...analysis,
    currency: to,
    metrics: metrics.map((metric) =>
      amounts.has(metric.id) ? { ...metric, unit: to, measure: to, currency: to } : metric,
    ),
    items: await keptItems(ctx, convertedItems()),
  };
}

/** A flow is of the whole period, a balance of its end. @throws Failure usage where the catalog does not say */
function kindOf({ id, aggregation }: Metric): Kind {
  if (aggregation === 'sum' || aggregation === 'average') return 'flow';
  if (aggregation === 'last') return 'balance';
  throw usage(
    `the catalog does not say whether ${id} is a flow or a balance, so it cannot be converted`,
    'choose other metrics with -m',
  );
}

/** What is said once: a file of rates does not name its base. */
export function sayMeaning(ctx: Context, { to, rates }: Exchange, analyses: readonly Analysis[]): void {
  if (analyses.some(({ currency }) => currency !== undefined && currency !== to)) {
    ctx.out.note(`${rates.name}: a rate is taken as ${meaning(rates)}.`);
  }
}
