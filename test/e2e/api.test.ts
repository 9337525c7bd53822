import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, type ServedWorld, servedWorld } from '../helpers/metrics-world.ts';

let world: ServedWorld;
beforeAll(async () => {
  world = await servedWorld();
});
afterAll(() => world.close());

describe('api', () => {
  it('reads', async () => {
    const { stdout, stderr, code } = await world.comem(['api', 'GET', '/api/metrics/catalog', '--jq', '.currency']);
    expect([code, stderr, stdout]).toEqual([0, '', 'USD\n']);
    const url = await world.comem(['api', 'GET', `${world.url}/api/lists?companyId=${ids.company}`, '-o', 'json']);
    expect([url.code, url.stdout.trim()]).toEqual([0, '[]']);
    expect(await world.comem(['api', 'GET', '/api/nothing'])).toMatchObject({ code: 2, stdout: '' });
    expect(await world.comem(['api', 'GET', '/api/nothing', '--as', 'key'])).toMatchObject({ code: 3, stdout: '' });
    expect(await world.comem(['api', 'GET', '/api/metrics/catalog'], { COMEM_API_KEY: undefined })).toMatchObject({
      code: 4,
      stdout: '',
    });
  });

  it('writes', async () => {
    const create = ['api', 'POST', '/api/lists', '-c', ids.company, '-f', 'name=Made', '-f', 'position:=3'];
    const made = await world.comem([...create, '--jq', '.id']);
    expect(made.code).toBe(0);
    const path = `/api/lists/${made.stdout.trim()}`;
    const renamed = await world.comem(
      ['api', 'PATCH', path, '--input', '-', '--jq', '.name'],
      {},
      '{"name":"Renamed"}',
    );
    expect([renamed.code, renamed.stdout]).toEqual([0, 'Renamed\n']);
    expect(await world.comem(['api', 'DELETE', path])).toMatchObject({ code: 2, stdout: '' });
    expect(await world.comem(['api', 'DELETE', path, '--yes'])).toMatchObject({ code: 0, stdout: '' });
    expect(await world.comem(['api', 'GET', path])).toMatchObject({ code: 3, stdout: '' });
    expect(await world.comem(['api', 'POST', '/api/lists', '-f', 'name='])).toMatchObject({ code: 6, stdout: '' });
  });

  it('pages, and prints whole answers', async () => {
    const series = ['api', 'GET', '/api/metrics/series', '-q', 'periodType=month'];
    const { stdout } = await world.comem([...series, '--paginate', '-q', 'limit=25', '--jq', 'length']);
    expect(stdout).toBe('76\n');
    const whole = await world.comem([...series, '-i']);
    expect(whole.stdout).toMatch(/^HTTP 200\r\n[^{]*\r\n\r\n\{"companyId"/);
  });
});
