/** Syncs that read only some parts: what they did not read, they say nothing of. */
import { expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { pastWorld } from '../../helpers/past-world.ts';

it('a sync that did not read a list or metric is not the one before a change', async () => {
  const world = await pastWorld();
  const company = ['-c', 'northgate', '--mirror', world.mirror];
  const done = async (...argv: string[]) => {
    const found = await world.run(argv);
    expect({ argv, code: found.code, stderr: found.stderr }).toMatchObject({ code: 0 });
    return found;
  };
  const rows = async (...argv: string[]) =>
    JSON.parse((await done(...argv, ...company, '-o', 'json')).stdout) as Record<string, unknown>[];
  const write = (...argv: string[]) => done('-c', 'northgate', ...argv);
  const syncAt = async (...flags: string[]) => {
    world.wait(24);
    const { code, stderr } = await world.sync(...flags);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return world.now();
  };

  await write('lists', 'create', 'Deals');
  await write('attrs', 'create', 'deals', 'Stage', '--type', 'status', '--option', 'New', '--option', 'Won');
  await write('entries', 'create', 'deals', '--title', 'A', '--set', 'stage=New');
  await write('entries', 'create', 'deals', '--title', 'B', '--set', 'stage=New');
  const first = await syncAt('--lists', 'hiring', '--metrics', 'mrr');
  const whole = await syncAt();
  await syncAt('--lists', 'hiring', '--metrics', 'none');
  world.wait(1);
  await write('entries', 'update', 'deals', 'A', '--set', 'stage=Won');
  await write('entries', 'create', 'deals', '--title', 'C', '--set', 'stage=New');
  const written = world.now();
  await syncAt('--lists', 'hiring', '--metrics', 'none');
  const older = `last read by the sync of ${iso(whole).slice(0, 16).replace('T', ' ')}, and by no later one\n`;
  const then = ['--as-of', world.now(), ...company];
  expect((await done('entries', 'list', 'deals', ...then)).stderr).toContain(
    `warning: the entries of the list "Deals": ${older}`,
  );
  expect((await done('entries', 'list', 'hiring', ...then)).stderr).not.toContain('last read');
  expect((await done('metrics', 'series', '-m', 'mrr,arr', ...then)).stderr).toContain(`warning: mrr, arr: ${older}`);
  expect((await done('entries', 'list', 'deals', '--as-of', whole, ...company)).stderr).not.toContain('last read');
  // Here the list is asked for, and cannot be read.
  const refusing: Transport = async (request) =>
    /\/entries/.test(request.url)
      ? {
          status: 403,
          headers: { 'content-type': 'application/json' },
          body: Buffer.from('{"error":"no","status":403}'),
        }
      : world.api.transport(request);
  world.wait(24);
  const stale = await world.run(['-c', 'northgate', 'mirror', 'sync', world.mirror], { transport: refusing });
  expect(stale.code).toBe(7);
  const seen = await syncAt();

  const known = { seen: iso(whole), notBefore: null };
  const change = { seen: iso(seen), notBefore: iso(whole), at: iso(written) };
  const history = (title: string) => rows('entries', 'history', 'deals', title);
  expect(await history('A')).toMatchObject([
    { kind: 'first seen', field: null, ...known },
    { kind: 'first seen', field: 'stage', after: 'New', ...known },
    { kind: 'changed', field: 'stage', before: 'New', after: 'Won', ...change },
  ]);
  expect(await history('C')).toMatchObject([
    { kind: 'created', field: null, ...change },
    { kind: 'created', field: 'stage', after: 'New', ...change },
  ]);
  expect(await rows('entries', 'funnel', 'deals', '--by', 'stage')).toMatchObject([
    { stage: 'New', entered: 1, already: 2, now: 2 },
    { stage: 'Won', entered: 1, already: 0, now: 1 },
  ]);
  expect(byName(await rows('mirror', 'log', 'deals', '--since', first))).toMatchObject([
    { kind: 'entry', what: 'A', change: 'changed', seen: change.seen, notBefore: change.notBefore },
    { kind: 'entry', what: 'C', change: 'added', seen: change.seen, notBefore: change.notBefore },
  ]);
  const diff = await done('mirror', 'diff', first, world.now(), ...company, '-o', 'json');
  expect(JSON.parse(diff.stdout)).toEqual([]);
  expect(diff.stderr).toContain('warning: no sync until A read ');
  expect(diff.stderr).toContain('list deals, ');
  expect(byName(await rows('mirror', 'diff', whole, world.now()))).toMatchObject([
    { kind: 'entry', change: 'changed', what: 'A', field: 'stage', before: 'New', after: 'Won' },
    { kind: 'entry', change: 'added', what: 'C' },
  ]);
});

const byName = (rows: Record<string, unknown>[]) => rows.sort((a, b) => String(a.what).localeCompare(String(b.what)));

const iso = (time: string): string => new Date(time).toISOString();
