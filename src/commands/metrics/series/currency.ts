/** The currency of the company of each row, where they differ. */

import type { OfCompany } from '../series-columns.ts';
import type { Currencies } from './catalog.ts';

export async function* withCurrency<Row extends object>(
  rows: AsyncIterable<OfCompany<Row>>,
  currencies: Currencies | undefined,
): AsyncGenerator<OfCompany<Row> & { currency?: string }> {
  for await (const row of rows) {
    const currency = row.companyId === undefined ? undefined : currencies?.get(row.companyId);
    yield currency === undefined ? row : { ...row, currency };
  }
}
