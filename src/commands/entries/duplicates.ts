/** `entries dedupe`: read, group, show, ask, merge, archive. */

import { planCall, planLines, type RowStep, rowsVerdict, writeRows } from '../../cli/bulk.ts';
import type { Context } from '../../cli/context.ts';
import { blocking } from '../../cli/runtime.ts';
import { amount } from '../../cli/words.ts';
import { updateEntry } from '../../contract/entry-operations.ts';
import type { Changed } from '../../domain/entries/changes.ts';
import {
  duplicatesIn,
  type Entry,
  type Group,
  keepRules,
  likenessKeys,
  type Merge,
  mergeOf,
} from '../../domain/entries/duplicates.ts';
import type { Attribute } from '../../domain/entries/options.ts';
import { isArchived } from '../../domain/entries/scope.ts';
import type { Column } from '../../output/column.ts';
import { readList } from '../lists/read.ts';
import { type BulkRow, bulkColumns, valueWriter } from './columns.ts';
import { entryPages, queryEntries, type ReadList } from './read.ts';

/** The outcome of one entry of a group, and the entry that it was merged into. */
interface MergedRow extends BulkRow {
  into: string;
}

const columns: Column<MergedRow>[] = [
  ...bulkColumns.slice(0, 2),
  { key: 'into', heading: 'Into', type: 'id', get: ({ into }) => into },
  ...bulkColumns.slice(2),
];

type Merged = Group & Merge;

/** Flags that limit the search for duplicates. */
type Choosing = Partial<Record<'where' | 'filter', string[]>>;

type DedupeFlags = Choosing & { key?: string[]; keep?: string };

export async function mergeDuplicates(
  ctx: Context,
  target: string,
  { key: written = [], keep: keepName, ...choosing }: DedupeFlags,
): Promise<void> {
  if (!(await ctx.out.check(columns))) return;
  const list = await readList(ctx, target);
  const attributes: readonly Attribute[] = list.list_attributes ?? [];
  const keys = likenessKeys(written, attributes);
  const keep = keepRules.find((rule) => rule === keepName) ?? 'oldest';
  const entries = await readEntries(ctx, list, choosing);
  const groups = await blocking(ctx.runtime, () => duplicatesIn(entries, keys, keep));
  const merged = groups.map((group): Merged => ({ ...group, ...mergeOf(group, attributes) }));
  const client = await ctx.client();
  const send = (body: { id: string } & Record<string, unknown>) => {
    const input = { params: { listId: list.id }, body };
    return { call: planCall(updateEntry, input), send: () => client.call(updateEntry, input) };
  };
  const done = new Set<string>();
  const steps = merged.flatMap(({ keeper, others, values }): RowStep<MergedRow>[] => {
    const rowOf = ({ id, title }: Entry) => ({ id, title: title ?? null, into: keeper.id });
    const change = send({ id: keeper.id, values });
    const isFilled = isMerged({ values });
    if (!isFilled) done.add(keeper.id);
    const keeping: RowStep<MergedRow> = isFilled
      ? {
          row: rowOf(keeper),
          call: change.call,
          step: {
            chain: keeper.id,
            async send() {
              await change.send();
              done.add(keeper.id);
              return { outcome: 'merged' };
            },
          },
        }
      : { row: rowOf(keeper), outcome: 'kept' };
    const archiving = others.map((entry): RowStep<MergedRow> => {
      const archive = send({ id: entry.id, archived: true });
      const step = {
        chain: keeper.id,
        // Archive an entry only after its values are written to the kept one.
        ready: () => done.has(keeper.id),
        async send() {
          await archive.send();
          return { outcome: 'archived' };
        },
      };
      return { row: rowOf(entry), call: archive.call, step };
    });
    return [keeping, ...archiving];
  });
  const of = `of the list "${list.name ?? list.id}"`;
  await writeRows(ctx, {
    plan: merged.length === 0 ? ['No likely duplicates were found.'] : planOf(merged, attributes, of),
    question: `${writesOf(merged).replace(/^./, (letter) => letter.toUpperCase())} ${of}?`,
    steps,
    doing: 'Merging',
    columns,
    name: ({ id, title }) => title ?? id,
    counted: ['merged', 'kept', 'archived', 'skipped', 'failed'],
    verdict: (results) =>
      rowsVerdict(results, (failed, all) => `${failed} of ${amount(all, 'entry', 'entries')} could not be merged`),
  });
}

async function readEntries(ctx: Context, list: ReadList, choosing: Choosing): Promise<Entry[]> {
  const { input, question } = await queryEntries(ctx, list, choosing, 'entries dedupe');
  const entries: Entry[] = [];
  for await (const page of question.select(entryPages(ctx, input))) {
    // Some servers ignore `archived`.
    for (const entry of page)
      if (typeof entry.id === 'string' && !isArchived(entry)) entries.push({ ...entry, id: entry.id });
    ctx.out.progress(`Reading the list: ${entries.length} entries`);
  }
  ctx.out.progress(undefined);
  return entries;
}

/** Most groups that a plan lists. */
const maxShown = 20;

function planOf(merged: readonly Merged[], attributes: readonly Attribute[], of: string): string[] {
  const conflicts = merged.reduce((sum, group) => sum + group.conflicts.length, 0);
  const { valueText } = valueWriter(attributes, merged.flatMap(valuesOf));
  const differ = conflicts === 0 ? '' : `; ${amount(conflicts, 'value differs', 'values differ')}`;
  return planLines(
    `${writesOf(merged)} in ${amount(merged.length, 'group', 'groups')} of likely duplicates ${of}${differ}`,
    merged.map((group) => groupLines(group, valueText)),
    maxShown,
  );
}

const isMerged = ({ values }: Pick<Merged, 'values'>) => Object.keys(values).length > 0;

/** The outcomes in words: entries that get values are merged, others that stay are kept. */
function writesOf(merged: readonly Merged[]): string {
  const filled = merged.filter(isMerged).length;
  const archived = merged.reduce((sum, { others }) => sum + others.length, 0);
  return `merge ${filled}, keep ${merged.length - filled} and archive ${amount(archived, 'entry', 'entries')}`;
}

/** `same website and email, similar title`. */
function likeness(keys: readonly string[]): string {
  const similar = keys.flatMap((key) => (key.endsWith('~') ? [key.slice(0, -1)] : []));
  const same = keys.filter((key) => !key.endsWith('~'));
  const parts = [
    same.length > 0 && `same ${same.join(' and ')}`,
    similar.length > 0 && `similar ${similar.join(' and ')}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** The values that the lines of a group name. */
function valuesOf({ values, conflicts }: Merged): Changed[] {
  return [
    ...Object.entries(values).map(([slug, to]) => ({ name: `values.${slug}`, from: null, to })),
    ...conflicts.flatMap(({ slug, value, others }) =>
      others.map((other) => ({ name: `values.${slug}`, from: other.value, to: value })),
    ),
  ];
}

function groupLines(group: Merged, valueText: (name: string, value: unknown) => string): string[] {
  const { keeper, others, keys, values, conflicts } = group;
  const name = ({ id, title }: Entry) => `"${title ?? ''}" (${id})`;
  const text = (slug: string, value: unknown) => valueText(`values.${slug}`, value);
  const fills = Object.entries(values).map(([slug, value]) => `${slug} ${text(slug, value)}`);
  return [
    `  ${isMerged(group) ? 'merge' : 'keep'} ${name(keeper)}, archive ${others.map(name).join(', ')}: ${likeness(keys)}`,
    ...(fills.length > 0 ? [`      gets ${fills.join(', ')}`] : []),
    ...conflicts.map(({ slug, value, others: differing }) => {
      const lost = differing.map(({ entry, value: other }) => `${text(slug, other)} of "${entry.title ?? entry.id}"`);
      return `      ${slug} stays ${text(slug, value)}, not ${lost.join(', ')}`;
    }),
  ];
}
