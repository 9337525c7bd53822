/** The metrics that only one company of the demo has. */
import type { SeedDefinition } from '../seed/seed.ts';
import type { Aggregation } from './series.ts';

type Own = [company: string, metricId: string, label: string, unit: string, aggregation: Aggregation, says: string];

const own: readonly Own[] = [
  ['northgate', 'fund_nav', 'Fund NAV', 'currency', 'last', 'Net asset value of the fund'],
  ['northgate', 'tvpi', 'TVPI', 'ratio', 'last', 'Total value over paid-in capital'],
  ['northgate', 'dpi', 'DPI', 'ratio', 'last', 'Distributions over paid-in capital'],
  ['lumen', 'gross_margin', 'Gross margin', 'percent', 'average', 'Revenue less the cost of serving it'],
  ['harbor', 'active_patients', 'Active patients', 'count', 'last', 'Patients seen in the last 90 days'],
  ['tessera', 'payment_volume', 'Payment volume', 'currency', 'sum', 'Payments settled in the period'],
  ['fieldwork', 'robots_deployed', 'Robots deployed', 'count', 'last', 'Robots at work with customers'],
  ['quill', 'monthly_learners', 'Monthly learners', 'count', 'last', 'People who learned in the month'],
];

const unitLabels: Readonly<Record<string, string | undefined>> = { percent: '%', ratio: 'x' };
const semantics = { sum: 'flow', average: 'rate', last: 'point_in_time' } as const;

export const demoCatalog: SeedDefinition[] = [
  ...own.map(
    ([company, metricId, label, unit, aggregation, description]): SeedDefinition => ({
      company,
      metricId,
      label,
      unit,
      unitLabel: unitLabels[unit] ?? null,
      cadence: 'monthly',
      aggregation,
      valueSemantics: semantics[aggregation],
      direction: 'up',
      description,
    }),
  ),
  {
    company: 'quill',
    metricId: 'weekly_signups',
    label: 'Weekly sign-ups',
    unit: 'count',
    cadence: 'weekly',
    aggregation: 'sum',
    valueSemantics: 'flow',
    direction: 'up',
    description: 'Replaced by monthly learners in 2023',
    archived: true,
  },
];
