import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ids, listsWorld, sent, type World } from '../../helpers/lists-world.ts';

let world: World;
beforeEach(async () => {
  world = await listsWorld();
});
afterEach(() => world.close());

const update = (...argv: string[]) => world.run(['entries', 'update', 'deals', ...argv]);
const patches = ({ requests }: { requests: { method: string; body: unknown }[] }) =>
  requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body);

describe('+= and -=', () => {
  it('change single options of one entry, named by title or id', async () => {
    const removed = await update('Acme, "Rockets"', '--set', 'tags-=climate');
    expect(patches(removed)).toEqual([{ id: ids.acme, values: { tags: ['t-space'] } }]);
    const added = await update(ids.acme, '--set', 'tags+=climate', '--set', 'size=5', '--fields', 'tags,size');
    expect(patches(added)).toEqual([{ id: ids.acme, values: { size: 5, tags: ['t-space', 't-climate'] } }]);
    expect(added.stdout).toBe('tags\tsize\nspace; deep tech; climate\t5\n');
    const both = await update(ids.acme, '--set', 'tags-=climate', '--set', 'tags-=t-space');
    expect(patches(both)).toEqual([{ id: ids.acme, values: { tags: null } }]);
    const swapped = await update(ids.acme, '--set', 'tags+=climate', '--set', 'tags-=space; deep tech');
    expect(patches(swapped)).toEqual([{ id: ids.acme, values: { tags: ['t-climate'] } }]);
  });

  it('change what differs in many entries', async () => {
    const result = await update('--all', '--set', 'tags+=climate', '-y', '-o', 'csv');
    expect(patches(result)).toHaveLength(3);
    expect(patches(result)[0]).toEqual({ id: ids.borealis, values: { tags: ['t-climate'] } });
    expect(result.stderr).toContain('Børealis: tags (empty) → climate');
    expect(result.stderr).toContain('3 updated, 1 unchanged');
    expect(result.stderr).not.toContain('--set replaces');
    const removed = await update('--all', '--set', 'tags-=climate', '-y');
    expect(removed.stderr).toContain('Acme, "Rockets": tags climate, space; deep tech → space; deep tech');
    expect(removed.stderr).toContain('4 updated');
  });

  it('of many, --set says that it replaces options, where it does', async () => {
    const result = await update('--all', '--set', 'tags=climate', '--dry-run');
    expect(result.stderr).toContain(
      '--set replaces all options of tags; SLUG+=OPTION and SLUG-=OPTION change single ones.',
    );
    const kept = await update('--all', '--set', 'tags=climate;space; deep tech', '--dry-run');
    expect(kept.stderr).not.toContain('--set replaces');
  });

  it.each([
    [['--set', 'stage+=Won'], '+= is for attributes of type multi_select, and stage is of type status'],
    [['--set', 'tags-=nosuch'], '-='],
    [['--set', 'nosuch+=x'], 'the list has no attribute "nosuch"'],
    [['--set', 'tags+=climate', '--set', 'tags-=climate'], '+= and -= both name an option of tags'],
    [['--set', 'tags+=climate', '--set', 'tags=climate'], 'tags is set or cleared, and edited'],
    [['--set', 'tags+=climate', '--unset', 'tags'], 'tags is set or cleared, and edited'],
  ])('refuses %j', async (flags, says) => {
    const result = await update(ids.acme, ...flags);
    expect(result.stderr).toContain(says);
    expect([result.code, sent(result).filter((line) => !line.startsWith('GET'))]).toEqual([2, []]);
  });
});
