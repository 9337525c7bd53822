import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, type ServedWorld, servedWorld } from '../helpers/metrics-world.ts';

let world: ServedWorld;
beforeAll(async () => {
  world = await servedWorld();
});
afterAll(() => world.close());

const wrongKey = { COMEM_API_KEY: 'cmk_wrong-wrong-wrong' };
const noSession = { COMEM_SESSION_COOKIE: undefined };

describe('metrics', () => {
  it('live', async () => {
    const { stdout, stderr, code } = await world.comem(['metrics', 'live', '-o', 'csv']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe('metric,value,unit,periodKey\nmrr,76,USD,2024-05\nbig,12345678901234567890,,2024-05\n');
    expect(await world.comem(['metrics', 'live'], wrongKey)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(['metrics', 'live', '-c', ids.nothing])).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(['metrics', 'live', '--period', 'last'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('catalog', async () => {
    const { stdout, code } = await world.comem(['metrics', 'catalog', '--jq', 'map(.metricId) | length']);
    expect([code, stdout]).toEqual([0, '13\n']);
    expect(await world.comem(['metrics', 'catalog'], wrongKey)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(['metrics', 'catalog', '--serch', 'x'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('series', async () => {
    const argv = ['metrics', 'series', '-m', 'mrr,big', '--last', '2', '-o', 'csv'];
    const { stdout, stderr, code } = await world.comem(argv);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').map((line) => line.split(',').slice(0, 5).join(','))).toEqual([
      'periodKey,periodType,version,mrr,big',
      '2024-04,month,actual,0,',
      '2024-05,month,actual,76,12345678901234567890',
      '',
    ]);
    expect(await world.comem(argv, wrongKey)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem([...argv, '-c', ids.silent])).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem([...argv, '--versions', 'guess'])).toMatchObject({ code: 2, stdout: '' });
    expect(await world.comem([...argv, '--cursor', 'made-up'])).toMatchObject({ code: 6, stdout: '' });
    expect(await world.comem(['metrics', 'series', '--from', '1999', '--to', '1999', '--fail-empty'])).toMatchObject({
      code: 1,
    });
  });

  it('prefs get and set', async () => {
    const get = ['metrics', 'prefs', 'get', '--investor', ids.investor, '-o', 'json'];
    expect(JSON.parse((await world.comem(get)).stdout)).toMatchObject({ requestedMetrics: ['mrr'] });
    const set = ['metrics', 'prefs', 'set', '--investor', ids.investor, '--requested', 'arr,nrr', '-o', 'json'];
    const changed = await world.comem(set);
    expect(changed.code).toBe(0);
    expect(changed.stderr).toContain('requestedMetrics: ["mrr"] → ["arr","nrr"]');
    expect(JSON.parse(changed.stdout)).toMatchObject({
      requestedMetrics: ['arr', 'nrr'],
      tableColumns: ['mrr', 'arr'],
    });
    expect(await world.comem(get, noSession)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(set, noSession)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(['metrics', 'prefs', 'get'])).toMatchObject({ code: 2, stdout: '' });
    expect(await world.comem([...set, '--card-pages', '{}'])).toMatchObject({ code: 2, stdout: '' });
    expect(await world.comem(['metrics', 'prefs', 'get', '--investor', ids.silent])).toMatchObject({ code: 4 });
  });
});
