/** A first check file: what holds of a list now, as far as it is likely to be meant. */

import type { Context } from '../../cli/context.ts';
import { operations } from '../../contract/index.ts';
import { compare } from '../../core/decimal.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { writeYaml } from '../../core/yaml.ts';
import { shown } from '../../domain/checks/list-test.ts';
import { entryLookup } from '../../domain/entries/lookup.ts';
import { type Attribute, optionsOf } from '../../domain/entries/options.ts';
import { storedIssue } from '../../domain/entries/stored-value.ts';
import { readList } from '../lists/read.ts';

/** What was seen of one attribute. */
interface Seen {
  attribute: Attribute;
  slug: string;
  filled: number;
  valid: boolean;
  /** Texts seen; given up (undefined) at the first repeated one. */
  distinct: Set<string> | undefined;
  low?: Numeric;
  high?: Numeric;
}

export async function describeList(ctx: Context, target: string, archived: boolean): Promise<string> {
  const list = await readList(ctx, target);
  const attributes = list.list_attributes ?? [];
  const seen = attributes.flatMap((attribute): Seen[] =>
    attribute.slug === undefined
      ? []
      : [{ attribute, slug: attribute.slug, filled: 0, valid: true, distinct: new Set() }],
  );
  const titles = { distinct: new Set<string>() as Set<string> | undefined };
  const lookupOf = entryLookup(attributes, '');
  const client = await ctx.client();
  let count = 0;
  const query = archived ? { archived: true } : {};
  for await (const page of client.pages(operations.listEntries, { params: { listId: list.id }, query })) {
    for (const entry of page) {
      count += 1;
      titles.distinct = remember(titles.distinct, entry.title ?? '');
      for (const one of seen) look(one, entry.values?.[one.slug], lookupOf(entry)(one.slug));
    }
  }
  const expect = [
    'exists',
    `count >= ${Math.floor(count * 0.9)}`,
    `count <= ${Math.max(Math.ceil(count * 1.5), 10)}`,
    ...(attributes.length > 0 ? [`attributes(${seen.map(({ slug }) => slug).join(', ')})`] : []),
    ...(count > 0 && titles.distinct ? ['unique(title)'] : []),
    ...seen.flatMap((one) => statements(one, count)),
  ];
  const section = { list: list.slug ?? target, ...(archived ? { archived: 'include' } : {}), expect };
  const head =
    '# yaml-language-server: $schema=node_modules/comem/dist/checks.schema.json\n' +
    '# What held when this file was written. Keep what ought to hold, and give each check a name.\n';
  return head + (await writeYaml({ version: 1, checks: [section] }));
}

function look(one: Seen, stored: unknown, value: unknown): void {
  if (storedIssue(one.attribute, stored) !== undefined) one.valid = false;
  if (stored === null || stored === undefined || stored === '' || (Array.isArray(stored) && stored.length === 0))
    return;
  one.filled += 1;
  one.distinct = remember(one.distinct, shown(value));
  if (!isNumeric(stored)) return;
  if (one.low === undefined || compare(stored, one.low) < 0) one.low = stored;
  if (one.high === undefined || compare(stored, one.high) > 0) one.high = stored;
}

function remember(distinct: Set<string> | undefined, text: string): Set<string> | undefined {
  if (!distinct || distinct.has(text)) return undefined;
  return distinct.add(text);
}

/** Types whose values are names of things, where a repeated one is likely a mistake. */
const keys = ['text', 'email', 'url'];

function statements(one: Seen, count: number): string[] {
  const { attribute, slug, filled, valid, distinct, low, high } = one;
  const options = (optionsOf(attribute) ?? []).map(({ label, id }) => JSON.stringify(label ?? id ?? ''));
  return [
    `attribute(${[slug, attribute.attribute_type, ...options].join(', ')})`,
    ...(filled > 0 && filled === count ? [`required(${slug})`] : []),
    ...(valid && filled > 0 ? [`valid(${slug})`] : []),
    ...(distinct && filled > 1 && keys.includes(attribute.attribute_type ?? '') ? [`unique(${slug})`] : []),
    ...(low === undefined || high === undefined ? [] : [`range(${slug}, ${low}, ${high})`]),
  ];
}
