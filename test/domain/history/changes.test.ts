/** What changed, of generated histories: replayed, the changes give each state that a sync saw. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CustomListAttribute, CustomListEntry } from '../../../src/contract/lists.ts';
import { fieldChanges } from '../../../src/domain/analysis/difference.ts';
import { entryChanges } from '../../../src/domain/history/changes.ts';
import { attributesEver } from '../../../src/domain/history/find.ts';
import { changesOf, SyncTimes } from '../../../src/domain/history/steps.ts';
import type { Revision } from '../../../src/domain/history/versions.ts';
import { historyOf } from '../../helpers/history.ts';

const seenAt = (sync: number) => new Date(Date.parse('2025-01-05T06:00:00Z') + sync * 7 * 86_400_000).toISOString();

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of found) items.push(item);
  return items;
}

const slugs = ['stage', 'amount', 'tags'];
const entryState = fc.option(
  fc.record({
    title: fc.constantFrom('One', 'Two'),
    archived: fc.boolean(),
    stage: fc.constantFrom(undefined, 'o1', 'o2'),
    amount: fc.constantFrom(null, 1, 2.5),
    tags: fc.constantFrom(undefined, ['t1'], ['t1', 't2']),
  }),
  { nil: undefined, freq: 5 },
);

function entryOf(state: Exclude<Awaited<ReturnType<typeof fc.sample<unknown>>>, undefined> | undefined, sync: number) {
  if (state === undefined) return undefined;
  const { title, archived, ...values } = state as unknown as { title: string; archived: boolean };
  return { id: 'e', title, archived, position: 0, values, updated_at: seenAt(sync) } as CustomListEntry;
}

it('replays the changes of an entry to each state that was seen', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entryState, { minLength: 1, maxLength: 12 }), async (states) => {
      const entries = states.map((state, sync) => entryOf(state as never, sync));
      const history = historyOf(
        entries.map((entry, sync) => ({ seenAt: seenAt(sync), entries: { list: entry ? [entry] : [] } })),
      );
      const syncs = new SyncTimes(await history.syncs());
      const changes = entryChanges(await all(history.entries('list', { id: 'e' })), slugs, syncs);
      let now: Record<string, unknown> | undefined;
      for (const [sync, entry] of entries.entries()) {
        for (const change of changes.filter(({ seen }) => seen === seenAt(sync))) {
          expect(change.notBefore).toBe(sync === 0 ? null : seenAt(sync - 1));
          const { kind, field, after } = change;
          if (kind === 'deleted') now = undefined;
          else if (kind === 'archived' || kind === 'unarchived') now = { ...now, archived: kind === 'archived' };
          else if (field === null) now = { title: after, archived: entry?.archived };
          else now = { ...now, [field]: after };
        }
        const present = entry && { title: entry.title, archived: entry.archived, ...entry.values };
        const clean = (object: object | undefined) =>
          object &&
          Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));
        expect(clean(now)).toEqual(clean(present));
      }
    }),
    { numRuns: 300 },
  );
});

it('knows the labels of options that no longer exist, and puts deleted attributes last', () => {
  const attribute = (body: CustomListAttribute, seenFrom: number, seenTo?: number): Revision<CustomListAttribute> => ({
    seenFrom: seenAt(seenFrom),
    ...(seenTo !== undefined && { seenTo: seenAt(seenTo) }),
    value: body,
  });
  const option = (id: string, label: string) => ({ id, label });
  const found = attributesEver([
    attribute({ slug: 'old', position: 0 }, 0, 1),
    attribute({ slug: 'stage', position: 1, config: { options: [option('x', 'Lost'), option('y', 'Open')] } }, 0, 2),
    attribute({ slug: 'stage', position: 1, config: { options: [option('y', 'Running')] } }, 2),
  ]);
  expect(found.map(({ slug }) => slug)).toEqual(['stage', 'old']);
  expect(found[0]?.config?.options?.map(({ label }) => label)).toEqual(['Running', 'Lost']);
});

const entryId = ({ id }: CustomListEntry) => String(id);

it('finds what differs between two syncs, each thing once', async () => {
  const state = fc.dictionary(fc.constantFrom('e1', 'e2', 'e3'), fc.integer({ min: 0, max: 2 }));
  await fc.assert(
    fc.asyncProperty(fc.array(state, { minLength: 2, maxLength: 8 }), fc.nat(), fc.nat(), async (states, a, b) => {
      const [from, to] = [a % states.length, b % states.length].sort() as [number, number];
      const history = historyOf(
        states.map((each, sync) => ({
          seenAt: seenAt(sync),
          entries: {
            list: Object.entries(each).map(([id, amount]) => ({ id, values: { amount }, updated_at: seenAt(sync) })),
          },
        })),
      );
      const versions = history.entries('list', { changedSince: seenAt(from) });
      const times = new SyncTimes(await history.syncs());
      const reading = { keyOf: entryId, writtenAt: () => undefined, timesOf: () => times };
      const span = { from: Date.parse(seenAt(from)), to: Date.parse(seenAt(to)) };
      const found = (await all(changesOf(versions, reading, span))).flatMap((pair) => {
        const id = pair.before?.id ?? pair.after?.id;
        const fields = fieldChanges({ ...pair.before }, { ...pair.after }, ['values']);
        return fields.length === 0 ? [] : [[id, pair.before?.values?.amount, pair.after?.values?.amount]];
      });
      const ids = [...new Set([...Object.keys(states[from] ?? {}), ...Object.keys(states[to] ?? {})])].sort();
      const truth = ids.flatMap((id) =>
        states[from]?.[id] === states[to]?.[id] ? [] : [[id, states[from]?.[id], states[to]?.[id]]],
      );
      expect(found).toEqual(truth);
    }),
    { numRuns: 300 },
  );
});

it('takes the time of writing for the boundary between two syncs', async () => {
  const states = [1, 2, 3].map((amount, sync) => ({ id: 'e', values: { amount }, updated_at: written(sync) }));
  const history = historyOf(states.map((entry, sync) => ({ seenAt: seenAt(sync), entries: { list: [entry] } })));
  const times = new SyncTimes(await history.syncs());
  const reading = {
    keyOf: entryId,
    writtenAt: ({ updated_at }: CustomListEntry) => updated_at,
    timesOf: () => times,
  };
  const amounts = async (from: string, to: string) => {
    const span = { from: Date.parse(from), to: Date.parse(to) };
    const steps = await all(changesOf(history.entries('list'), reading, span));
    return steps.map(({ before, after, when }) => [before?.values?.amount, after?.values?.amount, when]);
  };
  // The second state was written three days before the sync that saw it.
  expect(await amounts(seenAt(0), written(1))).toEqual([[1, 2, written(1)]]);
  expect(await amounts(written(1), seenAt(1))).toEqual([]);
  expect(await amounts(written(1), seenAt(2))).toEqual([[2, 3, written(2)]]);
});

const written = (sync: number) => new Date(Date.parse(seenAt(sync)) - 3 * 86_400_000).toISOString();
