/** One start-up as a small model: 48 months in which the numbers of each month follow from the months before. */
import { type Random, round } from './random.ts';

/** A month as months since year 0. */
export type Month = number;

export interface Business {
  slug: string;
  /** Of the first month reported. */
  mrr: number;
  /** Percent a month, at the start and at the end. */
  growth: readonly [number, number];
  /** Percent of customers a month, at the start and at the end. */
  churn: readonly [number, number];
  /** Revenue of one customer a month. */
  price: number;
  people: number;
  /** A month, everything included. */
  costOfOne: number;
  cash: number;
  /** Money raised, by month counted from the first. */
  raises: Readonly<Record<number, number>>;
  /** Its own metric: id and how it follows from the month. */
  own: { id: string; of(month: MonthOfBusiness, random: Random): number };
}

interface MonthOfBusiness {
  mrr: number;
  customers: number;
  people: number;
}

export type Metrics = Record<string, number | null>;

/** The twelve known metrics and its own, one record a month. */
export function simulate(business: Business, months: number, random: Random): Metrics[] {
  const { growth, churn, price, costOfOne } = business;
  const result: Metrics[] = [];
  let { mrr, people, cash } = business;
  for (let index = 0; index < months; index += 1) {
    const part = index / Math.max(1, months - 1);
    const before = mrr;
    if (index > 0) mrr *= 1 + (mix(growth, part) + random.noise() * 1.1) / 100;
    mrr = round(mrr, 2);
    const arpa = price * (1 + part * 0.35);
    const customers = Math.round(mrr / arpa);
    const lost = round(Math.max(0.2, mix(churn, part) + random.noise() * 0.35), 2);
    const wanted = business.people * (mrr / business.mrr) ** 0.62;
    people = Math.max(people - 1, Math.round(people + (wanted - people) * 0.35 + random.noise() * 0.7));
    cash += business.raises[index] ?? 0;
    const burn = round(Math.max(-mrr, people * costOfOne - mrr * 0.78 + random.noise() * costOfOne * 2));
    cash -= burn;
    const ltv = round((arpa * 0.78) / (lost / 100), 2);
    const cac = round(arpa * (7.5 + part * 3 + random.noise() * 0.6), 2);
    result.push({
      mrr,
      arr: round(mrr * 12, 2),
      // Without burn the runway is unknown.
      runway: burn <= 0 ? null : round(Math.max(0, Math.min(60, cash / burn)), 1),
      headcount: people,
      customer_count: customers,
      churn_rate: lost,
      mrr_growth: index === 0 ? null : round((mrr / before - 1) * 100, 2),
      burn,
      nrr: round(101 + mix(growth, part) * 1.6 - lost + random.noise() * 1.5, 1),
      ltv,
      cac,
      ltv_cac_ratio: round(ltv / cac, 2),
      [business.own.id]: business.own.of({ mrr, customers, people }, random),
    });
  }
  return result;
}

function mix([from, to]: readonly [number, number], part: number): number {
  return from + (to - from) * part;
}

export const businesses: readonly Business[] = [
  {
    slug: 'lumen',
    mrr: 182_400,
    growth: [4.2, 2.1],
    churn: [1.9, 1.1],
    price: 1_450,
    people: 38,
    costOfOne: 9_800,
    cash: 9_400_000,
    raises: { 20: 24_000_000 },
    own: { id: 'gross_margin', of: (_, random) => round(78.5 + random.noise() * 1.2, 1) },
  },
  {
    slug: 'harbor',
    mrr: 64_900,
    growth: [5.6, 2.6],
    churn: [2.6, 1.8],
    price: 890,
    people: 21,
    costOfOne: 8_900,
    cash: 3_100_000,
    raises: { 11: 9_500_000, 38: 6_000_000 },
    own: { id: 'active_patients', of: ({ customers }, random) => Math.round(customers * (212 + random.noise() * 9)) },
  },
  {
    slug: 'tessera',
    mrr: 91_250.5,
    growth: [4.9, 2.9],
    churn: [1.4, 0.9],
    price: 620,
    people: 27,
    costOfOne: 7_600,
    cash: 4_800_000,
    raises: { 16: 12_000_000 },
    own: { id: 'payment_volume', of: ({ mrr }, random) => round(mrr * (118 + random.noise() * 4), 2) },
  },
  {
    slug: 'fieldwork',
    mrr: 8_600,
    growth: [9.5, 6.0],
    churn: [3.1, 2.2],
    price: 1_900,
    people: 9,
    costOfOne: 10_400,
    cash: 2_600_000,
    raises: { 14: 4_200_000 },
    own: { id: 'robots_deployed', of: ({ customers }, random) => Math.round(customers * 3.4 + random.noise()) },
  },
  {
    slug: 'quill',
    mrr: 21_300,
    growth: [3.4, 0.8],
    churn: [4.2, 3.7],
    price: 240,
    people: 14,
    costOfOne: 6_700,
    cash: 1_900_000,
    raises: { 9: 2_500_000, 33: 1_200_000 },
    own: { id: 'monthly_learners', of: ({ customers }, random) => Math.round(customers * (86 + random.noise() * 5)) },
  },
];
