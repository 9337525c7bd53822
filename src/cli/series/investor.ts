/** `--investor COMPANY`, the company whose display preferences are meant. */

import { flag } from '../command/define.ts';
import { companyOf } from '../company.ts';
import type { Context } from '../context.ts';

export const investorFlag = flag.text('COMPANY', 'the investor company, a uuid or an alias', {
  required: true,
  field: 'vcCompanyId',
});

export function investorOf(ctx: Context, given: string | undefined): string {
  return companyOf(ctx, given ?? '', '--investor');
}
