import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, listsWorld, type World } from '../../helpers/lists-world.ts';

let world: World;
beforeAll(async () => {
  world = await listsWorld();
});
afterAll(() => world.close());

describe('--position 0', () => {
  const first = async (noun: string[], field: string) => {
    const rows = (await world.json(noun)) as Record<string, string>[];
    return rows[0]?.[field];
  };

  it.each([
    ['lists', ['lists', 'list'], ['lists', 'create'], [], 'name', ['lists', 'update', 'deals']],
    [
      'attributes',
      ['attrs', 'list', 'deals'],
      ['attrs', 'create', 'deals'],
      ['--type', 'text'],
      'name',
      ['attrs', 'update', 'deals', 'amount'],
    ],
    [
      'entries',
      ['entries', 'list', 'deals'],
      ['entries', 'create', 'deals', '--title'],
      [],
      'title',
      ['entries', 'update', 'deals', ids.borealis],
    ],
  ])(
    'is the first of the %s, also where something has it, and again without a change',
    async (_, list, create, flags, field, update) => {
      for (const name of ['One', 'Two']) {
        expect((await world.run([...create, name, ...flags, '--position', '0'])).code).toBe(0);
        expect(await first(list, field)).toBe(name);
      }
      const move = [...update, '--position', '0', '--fields', 'position'];
      const moved = await world.run(move);
      expect(moved.code).toBe(0);
      expect(await first(list, field)).not.toBe('Two');
      expect((await world.run(move)).stdout).toBe(moved.stdout);
    },
  );

  it('is sent as it is where the others cannot be read, or are behind it', async () => {
    const noSession = { env: { COMEM_SESSION_COOKIE: undefined } };
    const made = await world.run(['lists', 'create', 'Keyed', '--position', '0'], noSession);
    expect([made.code, made.requests.at(-1)?.body]).toEqual([0, { name: 'Keyed', position: 0 }]);
    const entry = await world.run(['entries', 'create', 'empty', '--title', 'A', '--position', '0']);
    expect(entry.requests.at(-1)?.body).toEqual({ title: 'A', position: 0 });
    const other = await world.run(['entries', 'create', 'empty', '--title', 'B', '--position', '7']);
    expect(other.requests.at(-1)?.body).toEqual({ title: 'B', position: 7 });
  });
});
