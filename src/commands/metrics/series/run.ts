/** `metrics series` from its flags to its rows. */

import type { Context } from '../../../cli/context.ts';
import type { FlagValues } from '../../../cli/define.ts';
import { rawLimit } from '../../../cli/paging.ts';
import { showRaw } from '../../../cli/show.ts';
import { operations } from '../../../contract/index.ts';
import { usage } from '../../../core/errors.ts';
import { listedCompanies } from './companies.ts';
import type { seriesFlags, wishFlags } from './flags.ts';
import { seriesRequest } from './request.ts';
import { showSeries } from './show.ts';
import { seriesWish } from './wish.ts';

const op = operations.getMetricSeries;

export async function readSeries(ctx: Context, flags: FlagValues<typeof seriesFlags & typeof wishFlags>) {
  const { companies, ...rest } = flags;
  const wish = seriesWish(flags, ctx.settings.raw);
  const listed = await listedCompanies(ctx, companies);
  const plan = seriesRequest(ctx, rest, { listed, monthly: wish.monthly });
  const [window] = plan.windows;
  const first = plan.input(window ?? { chunks: [] }, window?.chunks[0]);
  if (ctx.settings.raw && plan.several) throw usage('--raw sends one request, and so takes one --company');
  const raw = { query: { ...first.query, cursor: flags.cursor, limit: rawLimit(ctx, op) } };
  if (await showRaw(ctx, op, raw)) return;
  // What the API would refuse is refused before the catalog is asked for.
  await (await ctx.client()).describe(op, { query: { ...first.query, cursor: flags.cursor } });
  await showSeries(ctx, plan, wish);
}
