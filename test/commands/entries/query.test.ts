import { describe, expect, it } from 'vitest';
import { countEntries, countValues, entryPages } from '../../../src/commands/entries/read.ts';
import { scriptedContext } from '../../helpers/scripted-context.ts';

const listId = '00000000-0000-4000-8000-000000000001';
const stage = {
  id: 'a1',
  name: 'Stage',
  slug: 'stage',
  attribute_type: 'select',
  config: { options: [{ id: 'o1', label: 'Won' }] },
};

/** Answers a list of `count` entries; a total header where `total` is given. */
function server(count: number, total?: string, settings = {}) {
  return scriptedContext(({ path, query }) => {
    if (!path.endsWith('/entries'))
      return { body: { id: listId, name: 'Deals', slug: 'deals', list_attributes: [stage] } };
    const offset = Number(query.get('offset') ?? 0);
    const length = Math.max(0, Math.min(Number(query.get('limit') ?? 100), count - offset));
    const body = Array.from({ length }, (_, n) => ({
      id: `e${offset + n}`,
      title: `Deal ${offset + n}`,
      values: { stage: (offset + n) % 3 ? 'o1' : null },
    }));
    const headers: Record<string, string> = total === undefined ? {} : { 'x-list-total-count': total };
    return { body, headers };
  }, settings);
}

describe('countEntries', () => {
  const params = { listId };
  it("takes the server's total with one request", async () => {
    const { ctx, requests } = server(1234, '1234');
    expect(await countEntries(ctx, { params, query: { filter: { stage: ['o1'] } } })).toBe(1234);
    expect(requests).toEqual([`GET /api/lists/${listId}/entries?filter[stage]=o1&limit=1&withTotal=true`]);
  });
  it.each([undefined, '', 'many', '-1', '1.5'])('reads the entries when the total is %j', async (total) => {
    expect(await countEntries(server(1234, total).ctx, { params, query: {} })).toBe(1234);
  });
  it('reads the entries of a saved view, and asks for no total', async () => {
    const { ctx, requests } = server(3);
    const viewId = '00000000-0000-4000-8000-000000000002';
    expect(await countEntries(ctx, { params, query: { viewId } })).toBe(3);
    expect(requests.join()).not.toContain('withTotal');
  });
});

it('counts the entries that hold a value, archived ones too', async () => {
  const { ctx, requests } = server(9);
  expect(await countValues(ctx, listId, 'stage')).toBe(6);
  expect(await countValues(ctx, listId, 'nothing')).toBe(0);
  expect(requests[0]).toContain('archived=true');
});

describe('entries', () => {
  it('reads no more than --limit, from --offset, in pages of --page-size', async () => {
    const { ctx, requests } = server(100, '100', { limit: 5, pageSize: 3 });
    const ids: (string | undefined)[] = [];
    for await (const page of entryPages(ctx, { params: { listId } }, { offset: 10, limit: 5 }))
      ids.push(...page.map(({ id }) => id));
    expect(ids).toEqual(['e10', 'e11', 'e12', 'e13', 'e14']);
    expect(requests[0]).toMatch(/limit=3/);
  });
  it('warns of values that have no column, but not where entries are printed whole', async () => {
    const read = async (settings = {}) => {
      const { ctx, warnings } = server(3, undefined, settings);
      for await (const _ of entryPages(ctx, { params: { listId } }, { attributes: [] }));
      return warnings.join();
    };
    expect(await read()).toContain('stage');
    expect(await read({ output: { value: 'ndjson' } })).toBe('');
    expect(await read({ jq: '.' })).toBe('');
  });
  it('names a few of many values that have no column', async () => {
    const values = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}${'k'.repeat(10_000)}`, 1]));
    const { ctx, warnings } = scriptedContext(({ query }) => ({
      body: query.get('offset') === '0' ? [{ id: 'e1', title: 'Deal', values }] : [],
    }));
    for await (const _ of entryPages(ctx, { params: { listId } }, { attributes: [] }));
    expect(warnings.join()).toMatch(/: 0k+…, .*9k+… and more$/);
    expect(warnings.join().length).toBeLessThan(900);
  });
});
