/** Changes of metric preferences. */

import { jsonOf } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { flag } from '../../cli/define.ts';
import type { MetricPreferences } from '../../contract/metrics.ts';
import { Failure } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { metricIds } from './read.ts';

interface PreferenceFlags {
  requested?: string[];
  columns?: string[];
  cardPages?: string;
}

type Fields = Pick<MetricPreferences, 'requestedMetrics' | 'tableColumns' | 'cardPages'>;

/** The fields that the flags set; an empty text clears a list. */
export async function preferencesOf(ctx: Context, flags: PreferenceFlags): Promise<Fields> {
  return {
    ...(flags.requested ? { requestedMetrics: ids(flags.requested, '--requested') } : {}),
    ...(flags.columns ? { tableColumns: ids(flags.columns, '--columns') } : {}),
    ...(flags.cardPages === undefined
      ? {}
      : {
          cardPages: jsonOf('--card-pages', await ctx.readArgument(flags.cardPages)) as NonNullable<
            Fields['cardPages']
          >,
        }),
  };
}

/** An investor without preferences has none to change: the first ones are written. */
export async function preferencesBefore(reading: Promise<MetricPreferences>): Promise<MetricPreferences> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Failure && error.status === 404) return {};
    throw error;
  }
}

/** The fields that a write repeats, so that the server keeps them. */
export function shownFields({ requestedMetrics, tableColumns, cardPages }: MetricPreferences): Fields {
  const fields = Object.entries({ requestedMetrics, tableColumns, cardPages });
  return Object.fromEntries(fields.filter(([, value]) => Array.isArray(value)));
}

/** One line for each field that would change: what it was and what it becomes. */
export function differences(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  return Object.keys(after).flatMap((field) => {
    const [was, is] = [before[field], after[field]].map((value) => stringifyJson(value ?? null));
    return was === is || (before[field] === undefined && is === '[]') ? [] : [`${field}: ${was} → ${is}`];
  });
}

function ids(words: readonly string[], name: string): string[] {
  return words.every((part) => part.trim() === '') ? [] : (metricIds(words, name) ?? []);
}

export const investorFlag = flag.text('COMPANY', 'the investor company, a uuid or an alias', {
  required: true,
  asks: 'company',
  field: 'vcCompanyId',
});

export function investorOf(ctx: Context, word: string | undefined): string {
  // The parser requires the flag.
  return ctx.companyOf(word ?? '', '--investor');
}
