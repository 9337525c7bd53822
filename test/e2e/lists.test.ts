import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, type ServedWorld, servedWorld } from '../helpers/lists-world.ts';

let world: ServedWorld;
beforeAll(async () => {
  world = await servedWorld();
});
afterAll(() => world.close());

const wrongSession = { COMEM_SESSION_COOKIE: 'comem-auth-token=wrong' };
const noKey = { COMEM_API_KEY: undefined };

describe('lists', () => {
  it('list', async () => {
    const { stdout, stderr, code } = await world.comem(['lists', 'list', '-o', 'json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toHaveLength(4);
    expect(await world.comem(['lists', 'list'], wrongSession)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(['lists', 'list', '--serch', 'x'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--search'),
    });
  });

  it('get', async () => {
    const { stdout, code } = await world.comem(['lists', 'get', 'Deals', '--jq', '.list_attributes | length']);
    expect([code, stdout]).toEqual([0, '12\n']);
    expect(await world.comem(['lists', 'get', ids.nothing])).toMatchObject({ code: 3, stdout: '' });
    expect(await world.comem(['lists', 'get', 'Same'])).toMatchObject({ code: 2, stdout: '' });
    expect(await world.comem(['lists', 'get'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('create, update, delete', async () => {
    expect(await world.comem(['lists', 'create', 'Funds'], noKey)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(['lists', 'create', 'Funds', '--position', '1.5'])).toMatchObject({ code: 2, stdout: '' });
    const made = await world.comem(['lists', 'create', 'Funds', '--description', 'Ours', '-o', 'id']);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
    const changed = await world.comem([
      'lists',
      'update',
      'funds',
      '--name',
      'Our funds',
      '-o',
      'csv',
      '--fields',
      'name,slug',
    ]);
    expect(changed).toMatchObject({ code: 0, stdout: 'name,slug\nOur funds,funds\n' });
    expect(await world.comem(['lists', 'update', ids.nothing, '--name', 'x'])).toMatchObject({ code: 3, stdout: '' });
    expect(await world.comem(['lists', 'update', 'funds'])).toMatchObject({ code: 2, stdout: '' });
    expect(await world.comem(['lists', 'delete', 'funds'])).toMatchObject({ code: 2, stdout: '' });
    expect(await world.comem(['lists', 'delete', 'funds', '--yes'], wrongSession)).toMatchObject({
      code: 4,
      stdout: '',
    });
    expect(await world.comem(['lists', 'delete', 'funds', '--yes'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('Deleted the list "Our funds" and its 0 entries.'),
    });
    expect(await world.comem(['lists', 'delete', made.stdout.trim(), '--yes'])).toMatchObject({ code: 3, stdout: '' });
  });

  it('from-template', async () => {
    const made = await world.comem(['lists', 'from-template', 'hiring', '--name', 'People', '--jq', '.list.slug']);
    expect(made).toMatchObject({ code: 0, stdout: 'people\n' });
    expect(await world.comem(['lists', 'from-template', 'none'])).toMatchObject({ code: 3, stdout: '' });
    expect(await world.comem(['lists', 'from-template', 'hiring'], noKey)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(['lists', 'from-template'])).toMatchObject({ code: 2, stdout: '' });
  });
});
