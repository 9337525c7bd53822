/** The catalog of metrics: the known ones, and those of a company. */
import { knownMetrics, type MetricDefinition } from '../../contract/metrics.ts';
import type { DefinitionRow } from './metrics.ts';

type Known = [
  label: string,
  unit: Unit,
  aggregation: 'sum' | 'average' | 'last',
  direction: 'up' | 'down',
  says: string,
];
type Unit = 'currency' | 'months' | 'count' | 'percent' | 'ratio';

const known: Record<(typeof knownMetrics)[number], Known> = {
  mrr: ['MRR', 'currency', 'last', 'up', 'Monthly recurring revenue'],
  arr: ['ARR', 'currency', 'last', 'up', 'Annual recurring revenue'],
  runway: ['Runway', 'months', 'last', 'up', 'Months until the cash is used up'],
  headcount: ['Headcount', 'count', 'last', 'up', 'People employed at the end of the period'],
  customer_count: ['Customers', 'count', 'last', 'up', 'Paying customers at the end of the period'],
  churn_rate: ['Churn rate', 'percent', 'average', 'down', 'Customers lost in the period'],
  mrr_growth: ['MRR growth', 'percent', 'average', 'up', 'Growth of MRR over the previous period'],
  burn: ['Burn', 'currency', 'sum', 'down', 'Net cash spent in the period'],
  nrr: ['NRR', 'percent', 'average', 'up', 'Net revenue retention'],
  ltv: ['LTV', 'currency', 'average', 'up', 'Lifetime value of a customer'],
  cac: ['CAC', 'currency', 'average', 'down', 'Cost of winning a customer'],
  ltv_cac_ratio: ['LTV / CAC', 'ratio', 'average', 'up', 'Lifetime value over the cost of winning a customer'],
};

const unitLabels: Record<Unit, string | null> = {
  currency: null,
  months: 'months',
  count: null,
  percent: '%',
  ratio: 'x',
};
const semantics = { sum: 'flow', average: 'rate', last: 'point_in_time' } as const;

/** The known metrics in the order of the contract, each as the company may have changed it, then the company's own. */
export function catalogOf(rows: readonly DefinitionRow[]): MetricDefinition[] {
  const stored = new Map(rows.map((row) => [row.metric_id, definition(row)]));
  const first = knownMetrics.map((id) => stored.get(id) ?? knownDefinition(id));
  const further = [...stored.values()].filter(({ metricId }) => !Object.hasOwn(known, metricId));
  return [...first, ...further];
}

function knownDefinition(metricId: (typeof knownMetrics)[number]): MetricDefinition {
  const [label, unit, aggregation, direction, description] = known[metricId];
  return {
    metricId,
    label,
    unit,
    unitLabel: unitLabels[unit],
    cadence: 'monthly',
    aggregation,
    valueSemantics: semantics[aggregation],
    direction,
    description,
    custom: false,
    archived: false,
  };
}

function definition(row: DefinitionRow): MetricDefinition {
  return {
    metricId: row.metric_id,
    label: row.label,
    unit: row.unit,
    unitLabel: row.unit_label,
    cadence: row.cadence,
    aggregation: row.aggregation,
    valueSemantics: row.value_semantics,
    direction: row.direction,
    description: row.description,
    custom: Boolean(row.custom),
    archived: Boolean(row.archived),
  };
}
