/** The scope of a sync. */

import type { Context } from '../../../cli/context.ts';
import { usage } from '../../../core/errors.ts';
import { monthsIn, type PeriodType, parsePeriod, startMonth } from '../../../core/periods.ts';
import { metricIds } from '../../metrics/read.ts';

export interface SyncFlags {
  lists?: string[];
  metrics?: string[];
  from?: string;
  published?: string[];
}

export interface SyncScope {
  /** UUIDs. */
  companies: readonly string[];
  /** As people name them; undefined: all; empty: none. */
  lists: readonly string[] | undefined;
  metrics: readonly string[] | undefined;
  from: string | undefined;
  /** Companies whose publications are tried. */
  published: readonly string[];
}

const none = 'none';

/** @throws usage */
export function scopeOf(ctx: Context, flags: SyncFlags): SyncScope {
  ctx.requireCompany();
  if (flags.from !== undefined && parsePeriod(flags.from) === undefined) {
    throw usage(`--from must be a period such as 2006-01, 2006-Q1 or 2006, got "${flags.from}"`);
  }
  const { aliases, groups, companies } = ctx.settings;
  const named = (flags.published ?? []).map((word) => ctx.companyOf(word, '--published'));
  const known = [...named, ...Object.values(aliases), ...Object.values(groups).flat(), ...companies.value];
  return {
    companies: [...new Set(companies.value)],
    lists: words(flags.lists, '--lists'),
    metrics: words(flags.metrics, '--metrics'),
    from: flags.from,
    published: [...new Set(known)],
  };
}

function words(flags: readonly string[] | undefined, name: string): string[] | undefined {
  const ids = metricIds(flags, name);
  if (ids === undefined || !ids.includes(none)) return ids;
  if (ids.length > 1) throw usage(`${name} names something and says none`, 'give one or the other');
  return [];
}

/** The first period of a grain that begins at or after the start of `from`. */
export function firstOf(from: string | undefined, type: PeriodType): number | undefined {
  const period = from === undefined ? undefined : parsePeriod(from);
  return period && Math.ceil(startMonth(period) / monthsIn[type]);
}

/** The scope of the sync, stored for later readers of the mirror. */
export function narrowing({ companies, lists, metrics, from }: SyncScope): Record<string, unknown> {
  return { companies, lists, metrics, from };
}
