import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, type ServedWorld, servedWorld } from '../helpers/metrics-world.ts';

let world: ServedWorld;
beforeAll(async () => {
  world = await servedWorld();
});
afterAll(() => world.close());

const wrongKey = { COMEM_API_KEY: 'cmk_wrong-wrong-wrong' };

describe('published', () => {
  it('get', async () => {
    const get = ['published', 'get', ids.company, '-c', ids.investor, '--page-size', '2'];
    const { stdout, stderr, code } = await world.comem([...get, '--jq', '.metrics.periods | map(.data.mrr) | add']);
    expect([code, stderr, stdout]).toEqual([0, '', '510\n']);
    const csv = await world.comem([...get, '-o', 'csv', '--fields', 'periodKey,mrr', '--no-header']);
    expect(csv.stdout.trimEnd().split('\n').sort()[0]).toBe('2024-01,100');
    expect(await world.comem(get, wrongKey)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem([...get, '--period', '2024'])).toMatchObject({ code: 2, stdout: '' });
    expect(await world.comem(['published', 'get', ids.closed])).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(['published', 'get', 'nobody'])).toMatchObject({ code: 3, stdout: '' });
  });

  it('periods', async () => {
    const { stdout, code } = await world.comem(['published', 'periods', ids.company, '-c', ids.investor, '-o', 'id']);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').sort()).toEqual(['2024-01', '2024-02', '2024-03', '2024-04', '2024-05']);
    expect(await world.comem(['published', 'periods', ids.closed])).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(['published', 'periods'])).toMatchObject({ code: 2, stdout: '' });
  });
});
