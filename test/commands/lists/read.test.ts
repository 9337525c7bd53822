import { describe, expect, it } from 'vitest';
import { readEntry, readList, resolveAttribute, resolveEntry, resolveList } from '../../../src/commands/lists/read.ts';
import { companyId, scriptedContext } from '../../helpers/scripted-context.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const lists = [
  { id: id(1), name: 'Deal pipeline', slug: 'deal-pipeline' },
  { id: id(2), name: 'Hiring', slug: 'hiring' },
  { id: id(3), name: 'Hiring', slug: 'hiring-2' },
  { id: id(4), name: 'hiring-2', slug: 'odd' },
];

function withLists() {
  return scriptedContext(({ path }) => {
    if (path === '/api/lists') return { body: lists };
    const list = lists.find((one) => path === `/api/lists/${one.id}`);
    const attributes = [{ slug: 'b', position: 2 }, { slug: 'c' }, { slug: 'a', position: 1 }];
    const common = { id: id(8), name: 'An attribute', attribute_type: 'text' };
    return { body: { ...list, list_attributes: attributes.map((one) => ({ ...common, ...one })) } };
  });
}

describe('LIST', () => {
  it.each([
    ['deal-pipeline', 1],
    ['Deal pipeline', 1],
    ['hiring', 2],
    ['odd', 4],
  ])('%s', async (target, expected) => {
    const { ctx, requests } = withLists();
    expect((await resolveList(ctx, target)).id).toBe(id(expected));
    expect(requests).toEqual([`GET /api/lists?companyId=${companyId}`]);
  });

  it('is never looked up when it is a uuid', async () => {
    const { ctx, requests } = withLists();
    expect(await resolveList(ctx, id(9))).toEqual({ id: id(9) });
    expect(requests).toEqual([]);
  });

  it('is looked up once for all targets of a command', async () => {
    const { ctx, requests } = withLists();
    await resolveList(ctx, 'odd');
    await resolveList(ctx, 'Deal pipeline');
    expect(requests).toHaveLength(1);
  });

  it.each(['Hiring', 'hiring-2'])('%s is ambiguous, and the candidates are listed with their ids', async (target) => {
    const { ctx } = withLists();
    await expect(resolveList(ctx, target)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(new RegExp(`"${target}" matches 2 lists: .*${id(3)} "Hiring" \\(hiring-2\\)`)),
    });
  });

  it('that matches nothing is not found, with the nearest', async () => {
    const { ctx } = withLists();
    await expect(resolveList(ctx, 'deal-pipelin')).rejects.toMatchObject({
      kind: 'notFound',
      message: 'list "deal-pipelin" not found',
      hint: expect.stringContaining('did you mean "deal-pipeline"?'),
    });
  });

  it('must not be empty', async () => {
    await expect(resolveList(withLists().ctx, '')).rejects.toMatchObject({ kind: 'usage' });
  });

  it('is read with its attributes by position', async () => {
    const { ctx } = withLists();
    const list = await readList(ctx, 'odd');
    expect(list.list_attributes?.map(({ slug }) => slug)).toEqual(['a', 'b', 'c']);
  });
});

describe('ATTR', () => {
  const list = {
    name: 'Deals',
    list_attributes: [
      { id: id(1), slug: 'stage', name: 'Stage' },
      { id: id(2), slug: 'stage-2', name: 'Stage' },
      { id: id(3), slug: 'amount', name: 'Deal size' },
    ],
  };
  it.each([
    ['stage', id(1)],
    ['Deal size', id(3)],
    [id(2), id(2)],
    [id(7), id(7)],
  ])('%s', (target, expected) => {
    expect(resolveAttribute(list, target).id).toBe(expected);
  });
  it('by an ambiguous name lists the candidates', () => {
    expect(() => resolveAttribute(list, 'Stage')).toThrow(`"Stage" matches 2 attributes: ${id(1)} "Stage" (stage)`);
  });
  it('that matches nothing is not found', () => {
    expect(() => resolveAttribute(list, 'stag')).toThrow('the list "Deals" has no attribute "stag"');
  });
});

describe('ENTRY', () => {
  const all = Array.from({ length: 1200 }, (_, n) => ({ id: id(n), title: n === 1100 ? 'Acme' : `Acme ${n}` }));
  const twins = [
    { id: id(1), title: 'Twin', created_at: '2026-01-01T00:00:00Z' },
    { id: id(2), title: 'Twin', archived: true, created_at: '2026-01-02T00:00:00Z' },
  ];
  function withEntries(entries: readonly { id: string; title: string }[] = all) {
    return scriptedContext(({ query }) => {
      const search = query.get('search')?.toLowerCase() ?? '';
      const found = entries
        .filter(({ title }) => title.toLowerCase().includes(search))
        .map((entry) => ({ ...entry, values: {} }));
      const offset = Number(query.get('offset') ?? 0);
      return { body: found.slice(offset, offset + Number(query.get('limit') ?? 100)) };
    });
  }

  it('by title is searched, archived ones too, page after page', async () => {
    const { ctx, requests } = withEntries();
    expect(await resolveEntry(ctx, id(0), 'Acme')).toEqual({ id: id(1100), name: 'Acme' });
    expect(requests[0]).toContain('archived=true');
    expect(requests[0]).toContain('search=Acme');
    expect(requests.length).toBeGreaterThan(2);
  });

  it('by uuid is not looked up to resolve it, and looked for to be read', async () => {
    const { ctx, requests } = withEntries();
    expect(await resolveEntry(ctx, id(0), id(1199))).toEqual({ id: id(1199) });
    expect(requests).toEqual([]);
    expect(await readEntry(ctx, id(0), id(1199))).toEqual({ id: id(1199), title: 'Acme 1199', values: {} });
    await expect(readEntry(ctx, id(0), id(5000))).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('by an ambiguous title lists the candidates with their ids', async () => {
    const { ctx } = withEntries(twins);
    await expect(resolveEntry(ctx, id(0), 'Twin')).rejects.toMatchObject({
      kind: 'usage',
      message: `"Twin" matches 2 entries: ${id(1)} (created 2026-01-01T00:00:00Z), ${id(2)} (archived, created 2026-01-02T00:00:00Z)`,
    });
  });

  it('in another letter case is not found, with the one that is there', async () => {
    const { ctx } = withEntries(twins);
    await expect(resolveEntry(ctx, id(0), 'twin')).rejects.toMatchObject({
      kind: 'notFound',
      hint: expect.stringContaining('did you mean "Twin"?'),
    });
  });
});
