/** The three restatements of the demo: what was changed, when, and what it had been. */
import type { demo } from '../../core/demo.ts';
import { round } from './random.ts';

interface Restated {
  company: keyof typeof demo.companies;
  period: string;
  /** When the first values were written, and the ones of now. */
  first: string;
  at: string;
  /** The source of the first values. */
  source: string;
  /** By metric, the first value by the one of now. */
  was: Readonly<Record<string, (value: number) => number>>;
}

/** Monthly revenue with the churned one in it. */
const churned = (value: number) => round(value * 1.034, 2);

export const restatedPoints: readonly Restated[] = [
  // Churned revenue was still in it.
  {
    ...{ company: 'lumen', period: '2024-11', source: 'accounting' },
    ...{ first: '2024-12-09T10:30:00.000Z', at: '2025-02-18T14:05:00.000Z' },
    was: {
      mrr: churned,
      arr: (value) => round(churned(round(value / 12, 2)) * 12, 2),
      mrr_growth: (value) => round(value + 3.5, 2),
    },
  },
  // The auditor valued two holdings lower.
  {
    ...{ company: 'northgate', period: '2025-12', source: 'portfolio roll-up' },
    ...{ first: '2026-01-15T09:00:00.000Z', at: '2026-03-12T09:00:00.000Z' },
    was: { fund_nav: (value) => round(value * 1.021, 2), tvpi: (value) => round(value + 0.03, 2) },
  },
  // Costs of a fair were booked as marketing later.
  {
    ...{ company: 'fieldwork', period: '2025-09', source: 'accounting' },
    ...{ first: '2025-10-08T09:30:00.000Z', at: '2025-11-20T11:40:00.000Z' },
    was: { cac: (value) => round(value * 0.86, 2), ltv_cac_ratio: (value) => round(value / 0.86, 2) },
  },
];

/** When the values of a month were restated; undefined: never. */
export function restatedAt(company: string, period: string): string | undefined {
  return restatedPoints.find((each) => each.company === company && each.period === period)?.at;
}
