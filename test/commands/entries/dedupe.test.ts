/** `entries dedupe`: the plan, the writes and their order, and the way back. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { listsWorld, type World } from '../../helpers/lists-world.ts';
import type { RunResult } from '../../helpers/run.ts';

let world: World;
let home: string;
let ids: string[];
beforeEach(async () => {
  world = await listsWorld();
  home = temporaryFolder();
  ids = [];
  for (const [title, ...values] of [
    ['Nova Labs', 'site=https://www.nova.example/', 'notes=one'],
    ['Nova Labs GmbH', 'site=https://nova.example', 'size=7', 'tags=climate', 'notes=two'],
    ['Other', 'site=https://other.example'],
  ] as const) {
    const set = values.flatMap((value) => ['--set', value]);
    ids.push(
      (await world.run(['entries', 'create', 'deals', '--title', title, ...set, '-o', 'id'], { home })).stdout.trim(),
    );
  }
});
afterEach(() => world.close());

const dedupe = (...flags: string[]) => world.run(['entries', 'dedupe', 'deals', ...flags], { home });
const writes = ({ requests }: RunResult) => requests.filter(({ method }) => method !== 'GET').map(({ body }) => body);

it('merges and archives, in this order, and undo reverts it', async () => {
  const [nova, gmbh] = ids;
  const before = (
    await world.run(
      ['entries', 'list', 'deals', '--archived', '-o', 'csv', '--fields', 'id,title,site,size,tags,notes,archived'],
      { home },
    )
  ).stdout;
  const result = await dedupe('--key', 'site', '--yes', '-o', 'csv');
  expect([result.stderr, result.code]).toEqual([expect.anything(), 0]);
  expect(writes(result)).toEqual([
    { id: nova, values: { tags: ['t-climate'], size: 7 } },
    { id: gmbh, archived: true },
  ]);
  expect(result.stdout).toBe(
    `id,title,into,outcome,error\n${nova},Nova Labs,${nova},merged,\n${gmbh},Nova Labs GmbH,${nova},archived,\n`,
  );
  expect(
    result.stderr,
  ).toContain(`Plan: merge 1, keep 0 and archive 1 entry in 1 group of likely duplicates of the list "Deals"; 2 values differ.
  merge "Nova Labs" (${nova}), archive "Nova Labs GmbH" (${gmbh}): same site
      gets tags climate, size 7
      site stays https://www.nova.example/, not https://nova.example of "Nova Labs GmbH"
      notes stays one, not two of "Nova Labs GmbH"
`);
  expect(result.stderr).toContain('1 merged, 0 kept, 1 archived, 0 skipped, 0 failed.');
  const again = await dedupe('--key', 'site', '--yes');
  expect([again.code, writes(again)]).toEqual([0, []]);
  expect(again.stderr).toContain('No likely duplicates were found.');
  expect((await world.run(['undo', '--yes'], { home })).code).toBe(0);
  const after = (
    await world.run(
      ['entries', 'list', 'deals', '--archived', '-o', 'csv', '--fields', 'id,title,site,size,tags,notes,archived'],
      { home },
    )
  ).stdout;
  expect(after).toBe(before);
});

it.each([
  ['newest', 'keep', 1],
  ['fullest', 'keep', 1],
  ['oldest', 'merge', 0],
])('keeps the %s', async (keep, outcome, at) => {
  const result = await dedupe('--key', 'site', '--keep', keep, '--dry-run', '--yes');
  expect(result.stderr).toContain(`${outcome} "${['Nova Labs', 'Nova Labs GmbH'][at]}" (${ids[at]})`);
});

it('keeps an entry that lacks nothing as it is', async () => {
  const result = await dedupe('--key', 'title', '--yes', '-o', 'csv');
  expect(writes(result)).toEqual([{ id: expect.any(String), archived: true }]);
  expect(result.stderr).toContain('0 merged, 1 kept, 1 archived, 0 skipped, 0 failed.');
});

it('writes nothing without --yes, and nothing in a dry run', async () => {
  const unasked = await dedupe('--key', 'title~');
  expect([unasked.code, unasked.stdout, writes(unasked)]).toEqual([2, '', []]);
  expect(unasked.stderr).toContain('merge "Nova Labs"');
  expect(unasked.stderr).toContain('Plan: merge 1, keep 1 and archive 2 entries in 2 groups of likely duplicates');
  const dry = await dedupe('--key', 'title~', '--dry-run');
  expect([dry.code, writes(dry)]).toEqual([0, []]);
  expect((JSON.parse(dry.stdout) as { body: object }[]).map(({ body }) => Object.keys(body))).toEqual([
    ['id', 'archived'],
    ['id', 'values'],
    ['id', 'archived'],
  ]);
});

it('looks only at the entries that are chosen', async () => {
  const where = await dedupe('--key', 'title~', '--dry-run', '--where', 'title like "nova%"');
  // Of three.
  expect(JSON.parse(where.stdout)).toHaveLength(2);
  const none = await dedupe('--key', 'title~', '--dry-run', '--where', 'title = "Nova Labs" and size > 1000000');
  expect([none.code, JSON.parse(none.stdout)]).toEqual([0, []]);
  const wrong = await dedupe('--key', 'title~', '--yes', '--where', 'nothing = 1');
  expect([wrong.code, writes(wrong)]).toEqual([2, []]);
});

it('archives nothing whose values could not be merged', async () => {
  const refuse = new Failure('rejected', 'no', { status: 422 });
  const result = await world.run(['entries', 'dedupe', 'deals', '--key', 'site', '--yes', '-o', 'json'], {
    home,
    transport: async (request) => {
      if (request.method === 'PATCH') throw refuse;
      return world.transport(request);
    },
  });
  expect(result.code).not.toBe(0);
  expect((JSON.parse(result.stdout) as { outcome: string }[]).map(({ outcome }) => outcome)).toEqual([
    'failed',
    'not_tried',
  ]);
});

it.each([
  [[], /--key/],
  [['--key', 'stage'], /many entries have the same status/],
  [['--key', 'titel~'], /did you mean title\?/],
  [['--key', 'title', '--raw'], /--raw/],
])('%j is refused', async (flags, message) => {
  const result = await dedupe(...flags, '--yes');
  expect([result.code, writes(result)]).toEqual([2, []]);
  expect(result.stderr).toMatch(message);
});
