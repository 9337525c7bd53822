/** Reasons not to add up the values of a table of metrics: different currencies, and roll-ups. */
import type { SqlValue } from './wire.ts';

const names = ['company', 'metric_id', 'currency', 'source'] as const;

interface MetricRows {
  currencies: Set<string>;
  companies: Set<string>;
  /** Companies with values that are the sum of other companies. */
  rollups: Set<string>;
}

/** Takes note of the rows of a table while it is filled. */
export class AmountRows {
  private readonly metrics = new Map<string, MetricRows>();
  private readonly places: readonly number[];

  constructor(columns: readonly string[]) {
    this.places = names.map((name) => columns.indexOf(name));
  }

  /** Whether the table has values with a company and a currency. */
  static isIn(columns: readonly string[]): boolean {
    return ['company', 'metric_id', 'value', 'currency'].every((name) => columns.includes(name));
  }

  add(row: readonly SqlValue[]): void {
    const [company, metric, currency, source] = this.places.map((at) => (at < 0 ? null : (row[at] ?? null)));
    if (typeof metric !== 'string') return;
    let rows = this.metrics.get(metric);
    if (!rows) {
      rows = { currencies: new Set(), companies: new Set(), rollups: new Set() };
      this.metrics.set(metric, rows);
    }
    if (typeof currency === 'string') rows.currencies.add(currency);
    if (typeof company !== 'string') return;
    rows.companies.add(company);
    if (typeof source === 'string' && /roll-?\s?up/i.test(source)) rows.rollups.add(company);
  }

  /** @param texts of the statement: where it names metrics, only these count */
  currencies(texts: ReadonlySet<string>): string[] {
    return [...new Set(this.chosen(texts).flatMap(({ currencies }) => [...currencies]))].sort();
  }

  rollups(texts: ReadonlySet<string>): string[] {
    const summed = this.chosen(texts).filter(({ companies, rollups }) => companies.size > rollups.size);
    return [...new Set(summed.flatMap(({ rollups }) => [...rollups]))].sort();
  }

  private chosen(texts: ReadonlySet<string>): MetricRows[] {
    const named = [...this.metrics].filter(([metric]) => texts.has(metric));
    return (named.length > 0 ? named : [...this.metrics]).map(([, rows]) => rows);
  }
}
