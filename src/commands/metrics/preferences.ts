/** Changes of metric preferences. */

import { jsonOf } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { type Argument, flag } from '../../cli/define.ts';
import type { MetricPreferences } from '../../contract/metrics.ts';
import { Failure, usage } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { metricIds } from './read.ts';

type PreferenceFields = Pick<MetricPreferences, 'requestedMetrics' | 'tableColumns' | 'cardPages'>;

/** The fields that the flags set; an empty text clears a list. */
export async function preferencesOf(ctx: Context, settings: readonly string[] = []): Promise<PreferenceFields> {
  const words = new Map<string, string[]>();
  for (const text of settings) {
    const [, field = text, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (!text.includes('=') || !settable.includes(field)) {
      throw usage(`--set takes FIELD=VALUE, got "${text}"`, `the fields are ${settable.join(', ')}`);
    }
    words.set(field, [...(words.get(field) ?? []), value]);
  }
  const [requested, columns, [cardPages] = []] = settable.map((field) => words.get(field));
  return {
    ...(requested && { requestedMetrics: ids(requested, '--set requested') }),
    ...(columns && { tableColumns: ids(columns, '--set columns') }),
    ...(cardPages !== undefined && {
      cardPages: jsonOf('--set card-pages', await ctx.readArgument(cardPages)) as NonNullable<
        PreferenceFields['cardPages']
      >,
    }),
  };
}

const settable = ['requested', 'columns', 'card-pages'];

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
export function repeatedFields({ requestedMetrics, tableColumns, cardPages }: MetricPreferences): PreferenceFields {
  const fields = Object.entries({ requestedMetrics, tableColumns, cardPages });
  return Object.fromEntries(fields.filter(([, value]) => Array.isArray(value)));
}

/** A line for each field that would change, with both values. */
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
  field: 'vcCompanyId',
  hidden: true,
});

/** One flag for the three fields that the API has. */
export const preferencesFlags = {
  investor: investorFlag,
  set: flag.list('FIELD=VALUE', 'requested=mrr,arr, columns=mrr, card-pages=@FILE', {
    also: { requested: 'requested=VALUE', columns: 'columns=VALUE', 'card-pages': 'card-pages=VALUE' },
  }),
};

export const investorArgument = {
  name: 'INVESTOR',
  summary: 'the investor company, a uuid or an alias',
  optional: true,
  picker: 'company',
  instead: ['investor'],
} as const satisfies Argument;

export function investorOf(ctx: Context, word: string | undefined): string {
  if (word === undefined) throw usage('INVESTOR is missing', '`comem companies list` shows companies');
  return ctx.companyOf(word, 'INVESTOR');
}
