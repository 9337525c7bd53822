/** `--investor COMPANY`: whose display preferences are read or changed. */

import type { Context } from '../../cli/context.ts';
import { flag } from '../../cli/define.ts';

export const investorFlag = flag.text('COMPANY', 'the investor company, a uuid or an alias', {
  required: true,
  asks: 'company',
  field: 'vcCompanyId',
});

export function investorOf(ctx: Context, given: string | undefined): string {
  // The parser requires the flag.
  return ctx.companyOf(given ?? '', '--investor');
}
