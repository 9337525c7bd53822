/** Stays and funnels of generated entries whose moves are known, and of cases that are easy to get wrong. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CustomListEntry } from '../../../src/contract/lists.ts';
import {
  funnel,
  type Path,
  pathOf,
  type StayEnd,
  staleStays,
  survivalSteps,
} from '../../../src/domain/history/funnel.ts';
import { SyncTimes } from '../../../src/domain/history/steps.ts';
import type { Revision } from '../../../src/domain/history/versions.ts';
import { historyOf, type Seen } from '../../helpers/history.ts';

const dayMs = 86_400_000;
const start = Date.parse('2025-01-01T00:00:00Z');
const at = (day: number) => new Date(start + day * dayMs).toISOString();
/** A sync each week, the first on day 7. */
const weeks = 20;
const syncDay = (week: number) => 7 * (week + 1);
const newestDay = syncDay(weeks - 1);

/** What happens to an entry, by the day; at most one thing between two syncs, so that each of them can be seen. */
interface Happening {
  day: number;
  to: string | 'archived' | 'deleted';
}

const stages = ['a', 'b', 'c', 'd'];

const life = fc
  .record({
    steps: fc.array(
      fc.record({
        skip: fc.integer({ min: 1, max: 4 }),
        within: fc.double({ min: 0.1, max: 6.9, noNaN: true }),
        stage: fc.constantFrom(...stages),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    first: fc.integer({ min: -1, max: weeks - 2 }),
    end: fc.constantFrom('open', 'archived', 'deleted'),
  })
  .map(({ steps, first, end }): Happening[] => {
    let week = first;
    const found = steps.flatMap(({ skip, within, stage }, index): Happening[] => {
      if (index > 0) week += skip;
      return week > weeks - 2 ? [] : [{ day: syncDay(week) + within, to: stage }];
    });
    week += 1;
    if (end !== 'open' && week <= weeks - 2) found.push({ day: syncDay(week) + 1, to: end });
    // Moving to where it is changes nothing.
    return found.filter(({ to }, index) => index === 0 || to !== found[index - 1]?.to);
  });

function entryAt(id: string, life: readonly Happening[], day: number): CustomListEntry | undefined {
  const past = life.filter((each) => each.day <= day);
  const last = past.at(-1);
  const stage = past.findLast(({ to }) => stages.includes(to))?.to;
  if (!last || last.to === 'deleted' || stage === undefined) return undefined;
  return {
    ...{ id, title: id, values: { stage }, archived: last.to === 'archived', position: 0 },
    ...{ created_at: at(past[0]?.day ?? 0), updated_at: at(last.day) },
  };
}

async function pathsOf(lives: readonly (readonly Happening[])[]): Promise<{ paths: Path[]; syncs: SyncTimes }> {
  const seen = Array.from(
    { length: weeks },
    (_, week): Seen => ({
      seenAt: at(syncDay(week)),
      entries: { list: lives.flatMap((life, index) => entryAt(`e${index}`, life, syncDay(week)) ?? []) },
    }),
  );
  const history = historyOf(seen);
  const syncs = new SyncTimes(await history.syncs());
  const paths: Path[] = [];
  for (const index of lives.keys()) {
    const versions: Revision<CustomListEntry>[] = [];
    for await (const version of history.entries('list', { id: `e${index}` })) versions.push(version);
    const path = pathOf(versions, 'stage', syncs);
    if (path) paths.push(path);
  }
  return { paths, syncs };
}

/** The stays of a life, without looking at versions: days. */
function staysOf(life: readonly Happening[]) {
  return life.flatMap(({ day, to }, index) => {
    if (!stages.includes(to)) return [];
    const next = life[index + 1];
    const end: StayEnd =
      next === undefined ? 'open' : next.to === 'archived' || next.to === 'deleted' ? next.to : 'moved';
    // Of a deletion only the sync that missed the entry is known.
    const until = next === undefined ? newestDay : end === 'deleted' ? Math.ceil(next.day / 7) * 7 : next.day;
    return [{ option: to, isStartKnown: day > syncDay(0), from: Math.max(day, syncDay(0)), to: until, end }];
  });
}

const round = (day: number) => Math.round(day * 1e4) / 1e4;
const dayOf = (time: number) => round((time - start) / dayMs);

it('finds the stays of generated lives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 6 }), async (lives) => {
      const { paths } = await pathsOf(lives);
      expect(
        paths.map(({ stays }) => stays.map((stay) => ({ ...stay, from: dayOf(stay.from), to: dayOf(stay.to) }))),
      ).toEqual(
        lives.map((each) => staysOf(each).map((stay) => ({ ...stay, from: round(stay.from), to: round(stay.to) }))),
      );
    }),
    { numRuns: 150 },
  );
});

it('counts generated lives as a plain count does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 30 }), async (lives) => {
      const { paths, syncs } = await pathsOf(lives);
      const found = funnel(paths, stages, { from: 0, to: Number.POSITIVE_INFINITY }, syncs.newest);
      const truth = lives.map(staysOf);
      for (const [place, count] of found.entries()) {
        const stage = stages[place] as string;
        const seen = truth.filter((stays) => stays.some((stay) => stay.isStartKnown && stay.option === stage));
        const first = (stays: (typeof truth)[number]) =>
          stays.findIndex((stay) => stay.isStartKnown && stay.option === stage);
        const lasts = seen.map((stays) => stays.findLast((stay) => stay.option === stage));
        const all = truth.flat().filter((stay) => stay.option === stage);
        expect(count).toMatchObject({
          entered: seen.length,
          already: all.filter((stay) => !stay.isStartKnown).length,
          left: lasts.filter((stay) => stay?.end === 'moved').length,
          staying: lasts.filter((stay) => stay?.end === 'open').length,
          now: all.filter((stay) => stay.end === 'open').length,
          gone: lasts.filter((stay) => stay?.end === 'archived' || stay?.end === 'deleted').length,
        });
        for (const later of stages.slice(place + 1)) {
          const reached = seen.filter((stays) => stays.slice(first(stays) + 1).some(({ option }) => option === later));
          expect(count.reached.get(later)).toBe(reached.length);
        }
        // Times by the definition of the estimator: the first at which at most half of all last.
        const times = all
          .filter((stay) => stay.isStartKnown)
          .map(({ from, to, end }) => ({ time: to - from, ended: end === 'moved' }));
        const half = survivalSteps(times).find(({ survival }) => survival <= 0.5 + 1e-9)?.time;
        if (half === undefined) expect(count.median.time).toBeNull();
        else expect(count.median.time).toBeCloseTo(half, 6);
        const ended = times.filter((stay) => stay.ended);
        const mean = ended.reduce((sum, { time }) => sum + time, 0) / ended.length;
        if (ended.length === 0) expect(count.mean).toBeNull();
        else expect(count.mean).toBeCloseTo(mean, 6);
      }
    }),
    { numRuns: 150 },
  );
});

const funnelOf = async (
  lives: readonly Happening[][],
  range = { from: 0, to: Number.POSITIVE_INFINITY },
  path = stages,
) => {
  const { paths, syncs } = await pathsOf(lives);
  return { paths, counts: funnel(paths, path, range, syncs.newest), newest: syncs.newest };
};
const moves = (...days: [number, string][]): Happening[] => days.map(([day, to]) => ({ day, to }));

it('counts an entry as one that reached each later stage', async () => {
  const { counts } = await funnelOf([
    moves([10, 'a'], [20, 'c']),
    moves([10, 'a'], [20, 'b'], [30, 'a'], [40, 'c']),
    moves([10, 'c'], [20, 'a'], [30, 'c']),
  ]);
  expect(counts[0]?.reached).toEqual(
    new Map([
      ['b', 1],
      ['c', 3],
      ['d', 0],
    ]),
  );
});

it('takes the stays of a range, and follows them to the end', async () => {
  const lives = [moves([10, 'a'], [40, 'b']), moves([50, 'a'], [60, 'b'])];
  const { counts } = await funnelOf(lives, { from: start, to: start + 45 * dayMs });
  expect(counts.map(({ entered, left }) => [entered, left])).toEqual([
    [1, 1],
    [1, 0],
    [0, 0],
    [0, 0],
  ]);
});

it('counts options beside the path as left to', async () => {
  const { counts } = await funnelOf([moves([10, 'a'], [20, 'd'])], undefined, ['a', 'b']);
  expect(counts.map(({ stage, entered, left }) => [stage, entered, left])).toEqual([
    ['a', 1, 1],
    ['b', 0, 0],
  ]);
});

it('finds what sits longer than nine of ten did, and what sat there before the first sync', async () => {
  const quick = Array.from({ length: 9 }, () => moves([10, 'a'], [20, 'b']));
  const { counts, paths, newest } = await funnelOf([...quick, moves([10, 'a']), moves([1, 'a'])]);
  expect(counts[0]).toMatchObject({ entered: 10, already: 1, median: { time: 10 }, p90: { time: 10 }, stale: 2 });
  expect(counts[1]).toMatchObject({
    median: { time: null, beyond: 120 },
    p90: { time: null, beyond: 120 },
    stale: null,
  });
  expect(staleStays(paths, counts, newest).map(({ path, days, usual }) => [path.entry.id, days, usual])).toEqual([
    ['e10', 133, 10],
    ['e9', 130, 10],
  ]);
});
