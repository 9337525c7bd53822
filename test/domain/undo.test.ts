import { describe, expect, it } from 'vitest';
import { numeric } from '../../src/core/json.ts';
import {
  applyPatch,
  attributeToRecreate,
  currentIds,
  entryToRecreate,
  isOpen,
  listToRecreate,
  nameOf,
  partialText,
  renameIds,
  restoring,
  revertedBy,
  summaryOf,
  type Written,
  whyNot,
} from '../../src/domain/undo.ts';

const change = (fields: Partial<Written> = {}): Written => ({
  op: 'updateEntry',
  method: 'PATCH',
  path: '/api/lists/l/entries',
  body: { id: 'e', title: 'New', values: { a: 1, b: ['x', 'y'] } },
  before: { id: 'e', title: 'Old', values: { a: numeric('1.50'), b: null } },
  outcome: 'done',
  ...fields,
});

describe('revertedBy', () => {
  it('pairs what was with what was written, the server’s word before ours', () => {
    expect(revertedBy(change({ after: { values: { a: 2 } } }))).toEqual([
      { name: 'title', was: 'Old', wrote: 'New' },
      { name: 'values', slug: 'a', was: numeric('1.50'), wrote: 2 },
      { name: 'values', slug: 'b', was: null, wrote: ['x', 'y'] },
    ]);
  });

  it('leaves out what was not kept', () => {
    expect(revertedBy(change({ before: { title: 'Old' } })).map(({ name }) => name)).toEqual(['title']);
    expect(revertedBy(change({ before: {}, body: { id: 'e', title: 'x' } }))).toEqual([]);
  });
});

describe('restoring', () => {
  const fields = revertedBy(change());
  const current = { id: 'e', title: 'New', values: { a: numeric('1.0'), b: ['y', 'x'], c: 5 } };

  it('sends what differs from how it was, where nobody changed it since', () => {
    expect(restoring(fields, current, false)).toEqual({
      body: { title: 'Old', values: { a: numeric('1.50'), b: null } },
      changed: [],
    });
    expect(restoring(fields, { title: 'Old', values: { a: 1.5 } }, false)).toEqual({ changed: [] });
  });

  it('names what was changed since, and reverts it only by force', () => {
    const moved = { ...current, title: 'Third' };
    expect(restoring(fields, moved, false).changed).toEqual(['title']);
    expect(restoring(fields, moved, true)).toMatchObject({ body: { title: 'Old' }, changed: [] });
  });

  it('clears no field that takes no null', () => {
    const position = revertedBy(change({ body: { id: 'e', position: 3 }, before: { id: 'e', position: null } }));
    expect(restoring(position, { position: 3 }, false)).toEqual({ changed: [] });
    const value = revertedBy(change({ body: { values: { title: 3 } }, before: { values: {} } }));
    expect(restoring(value, { values: { title: 3 } }, false).body).toEqual({ values: { title: null } });
    const icon = revertedBy({ ...change({ body: { icon: 'x' }, before: { icon: null } }), op: 'updateList' });
    expect(restoring(icon, { icon: 'x' }, false).body).toEqual({ icon: null });
  });
});

describe('words', () => {
  it('count what was done', () => {
    const writes = [change(), change(), change({ op: 'deleteList' }), change({ op: undefined, method: 'PUT' })];
    expect(summaryOf(writes)).toBe('2 entries changed, 1 list deleted, 1 PUT request');
    const others = [{ op: 'toString' }, { op: 'unheardOf' }, { op: undefined }].map((one) => change(one));
    expect(summaryOf(others)).toBe('3 PATCH requests');
    expect(partialText({ id: 'n', missing: '3 entries' })).toBe(
      're-created as n, but without 3 entries; the next undo continues it',
    );
  });

  it('name what was written to', () => {
    expect(nameOf(change({ before: { title: 'Acme' } }))).toBe('entry "Acme"');
    expect(nameOf(change({ before: undefined }))).toBe('entry e');
    expect(nameOf(change({ op: 'deleteList', before: { list: { name: 'Deals' } } }))).toBe('list "Deals"');
    expect(nameOf(change({ op: undefined, path: '/api/other' }))).toBe('/api/other');
    expect(nameOf(change({ before: { id: 'e', title: '' } }))).toBe('entry e');
    const unread = { before: undefined, body: undefined };
    expect(nameOf(change({ ...unread, op: 'deleteEntry', query: { entryId: 'f' } }))).toBe('entry f');
    expect(nameOf(change({ ...unread, op: 'deleteAttribute', query: { attributeId: 'a' } }))).toBe('attribute a');
    expect(nameOf(change({ ...unread, op: 'deleteList', params: { listId: 'l' } }))).toBe('list l');
  });

  it('say why not: what was not read, and a revocation', () => {
    expect(whyNot(change())).toBeUndefined();
    expect(whyNot(change({ before: undefined, why: 'too long' }))).toBe('too long');
    expect(whyNot(change({ op: 'revokeGrant', before: {} }))).toBe('a revocation cannot be reverted');
  });

  it('open is what happened, or may have, and was not reverted', () => {
    expect(
      [{}, { outcome: undefined }, { outcome: 'failed' as const }, { undone: true as const }].map((f) =>
        isOpen(change(f)),
      ),
    ).toEqual([true, true, false, false]);
  });
});

describe('ids of what was created again', () => {
  it('are the newest, in any letter case, and a circle ends', () => {
    const ids = currentIds([
      ['A', 'b'],
      ['B', 'c'],
      ['x', 'y'],
      ['y', 'x'],
    ]);
    expect([ids.get('a'), ids.get('b'), ids.get('c')]).toEqual(['c', 'c', undefined]);
    expect(['x', 'y']).toContain(ids.get('x'));
  });

  it('replace those of a write, but for the list that it deleted', () => {
    const ids = new Map([
      ['l', 'l2'],
      ['e', 'e2'],
    ]);
    const write = change({ params: { listId: 'L', other: 'l' }, body: { id: 'E', title: 'e' } });
    expect(renameIds(write, ids)).toMatchObject({
      params: { listId: 'l2', other: 'l' },
      body: { id: 'e2', title: 'e' },
    });
    const gone = change({ op: 'deleteList', params: { listId: 'l' }, body: undefined });
    expect(renameIds(gone, ids)).toEqual(gone);
    const untouched = change({ params: { listId: 'm' } });
    expect(renameIds(untouched, new Map())).toEqual(untouched);
  });
});

describe('what is created again', () => {
  it('of attributes and lists has no null and no id', () => {
    expect(
      attributeToRecreate({ id: 'a', slug: 's', name: 'N', attribute_type: 'text', config: null, position: 0 }),
    ).toEqual({
      name: 'N',
      attribute_type: 'text',
      position: 0,
    });
    expect(listToRecreate({ id: 'l', slug: 's', name: 'N', icon: null, color: 'sage', position: 0 })).toEqual({
      name: 'N',
      color: 'sage',
      position: 0,
    });
  });

  it('has the values that there were, and nothing of the server’s own', () => {
    const entry = {
      id: 'e',
      list_id: 'l',
      title: 'T',
      values: { a: 1, b: null },
      position: 3,
      archived: true,
      created_at: 'x',
    };
    expect(entryToRecreate({ ...entry, linked_entity_id: null })).toEqual({
      title: 'T',
      values: { a: 1 },
      position: 3,
      archived: true,
    });
  });

  it('a body lies over what is there, value by value', () => {
    expect(applyPatch({ title: 'a', values: { x: 1, y: 2 } }, { values: { y: 3 } })).toEqual({
      title: 'a',
      values: { x: 1, y: 3 },
    });
    expect(applyPatch({ title: 'a' }, { title: 'b' })).toEqual({ title: 'b' });
  });
});
