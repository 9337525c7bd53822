/** The live values of several companies. */

import type { Context } from '../../../cli/context.ts';
import { eachCompany } from '../../../cli/each-company.ts';
import type { AskFlags } from '../../../cli/query.ts';
import { refuseRaw } from '../../../cli/show.ts';
import { warnOfUnits } from '../several.ts';
import { askLive, type LiveRow, showLive } from './live-asked.ts';
import { readLive } from './live-values.ts';

export async function writeLive(ctx: Context, flags: AskFlags): Promise<void> {
  refuseRaw(ctx, 'it reads several companies');
  const question = await askLive(ctx, flags);
  const { parts, verdict } = await eachCompany(ctx, (companyId) => readLive(ctx, companyId));
  const rows = parts.flatMap(({ who, value: { live, rows } }) =>
    rows.map((row): LiveRow => ({ ...who, periodKey: live.periodKey ?? live.period, ...row })),
  );
  warnOfUnits(ctx, rows);
  const objects = parts.map(({ who, value: { live } }) => ({ ...who, ...live }));
  await showLive(ctx, { question, flags, rows, objects });
  verdict();
}
