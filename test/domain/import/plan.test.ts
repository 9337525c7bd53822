/** Rows against entries: what each mode writes, and that a plan carried out leaves nothing to plan. */

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { flagNames as flags } from '../../../src/commands/entries/import/flags.ts';
import type { CustomListEntry } from '../../../src/contract/lists.ts';
import { numeric } from '../../../src/core/json.ts';
import { canonicalText, sameValue } from '../../../src/core/same.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import { typeCells } from '../../../src/domain/import/cells.ts';
import { matchColumns } from '../../../src/domain/import/columns.ts';
import type { NewAttribute } from '../../../src/domain/import/infer.ts';
import {
  type ImportMode,
  type ImportPlan,
  matchCreated,
  planImport,
  resolveValues,
} from '../../../src/domain/import/plan.ts';
import { importModes, type SourceTable } from '../../../src/domain/import/table.ts';

type Entry = Partial<CustomListEntry> & { id: string };

const attributes: Attribute[] = [
  { slug: 'ref', name: 'Ref', attribute_type: 'text' },
  { slug: 'amount', name: 'Amount', attribute_type: 'number', config: { min: 0 } },
  {
    slug: 'tags',
    attribute_type: 'multi_select',
    config: {
      options: [
        { id: 'o1', label: 'A' },
        { id: 'o2', label: 'B' },
      ],
    },
  },
  { slug: 'owner', attribute_type: 'text', is_required: true },
];
const now = new Date('2026-03-05T12:00:00Z');
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function tableOf(text: string): SourceTable {
  const [head = '', ...lines] = text.split('\n');
  const rows = lines.map((line, index) => ({ line: index + 2, cells: line.split('|') }));
  return { headers: head.split('|'), rows, json: false, lineUnit: 'line', issues: [] };
}

function plan(
  table: SourceTable,
  existing: readonly Entry[],
  {
    mode = 'upsert',
    key = 'ref',
    empty = 'clear',
    prune = false,
  }: { mode?: ImportMode; key?: string; empty?: 'clear' | 'keep'; prune?: boolean } = {},
) {
  const { columns } = matchColumns(table, attributes, { mappings: new Map(), flags });
  const keyColumn = columns.find(({ header }) => header === key);
  if (!keyColumn) throw new Error('no key');
  const typed = typeCells(table, { columns, key: keyColumn }, { isExport: true, now, empty, flags });
  const { headers } = table;
  const options = { mode, prune, key: keyColumn, columns, attributes, created: [], headers, flags };
  const made = planImport(typed.rows, existing, options);
  return { ...made.plan, actions: [...made.plan.actions], issues: [...typed.issues, ...made.issues] };
}

const acme: Entry = {
  id: uuid(1),
  title: 'Acme',
  position: 4,
  archived: false,
  values: { ref: 'a', amount: 5, tags: ['o1'], owner: 'ann' },
};
const gone: Entry = { id: uuid(2), title: 'Gone', position: 7, archived: true, values: { ref: 'g', owner: 'bob' } };
const unkeyed: Entry = { id: uuid(3), title: 'No key', position: 1, archived: false, values: { owner: 'cy' } };

describe('planImport', () => {
  const file = tableOf('ref|title|amount|owner\na|Acme|6|ann\nn|New|1|dan\nm|More||eve');

  test('upsert creates what is new, behind what is there, in the order of the file', () => {
    const made = plan(file, [acme, gone]);
    expect(made).toMatchObject({ unchanged: 0, skipped: 0, issues: [] });
    expect(made.actions).toMatchObject([
      { do: 'update', line: 2, id: acme.id, body: { values: { amount: 6 } }, before: { values: { amount: 5 } } },
      {
        do: 'create',
        line: 3,
        key: 'n',
        body: { title: 'New', position: 8, values: { ref: 'n', amount: 1, owner: 'dan' } },
      },
      { do: 'create', line: 4, key: 'm', body: { title: 'More', position: 9, values: { ref: 'm', owner: 'eve' } } },
    ]);
    expect(made.actions[0]).toHaveProperty('body', { values: { amount: 6 } });
  });

  test('insert skips what is there, update over what is not', () => {
    expect(plan(file, [acme], { mode: 'insert' })).toMatchObject({
      skipped: 1,
      actions: [{ do: 'create' }, { do: 'create' }],
    });
    expect(plan(file, [acme], { mode: 'update' })).toMatchObject({ skipped: 2, actions: [{ do: 'update' }] });
  });

  test('sync archives what the file lacks, restores what it has, and deletes with prune', () => {
    const both = tableOf('ref|title|owner\ng|Gone|bob');
    expect(plan(both, [acme, gone, unkeyed], { mode: 'sync' }).actions).toMatchObject([
      { do: 'update', id: gone.id, body: { archived: false }, before: { archived: true } },
      { do: 'archive', id: acme.id },
      { do: 'archive', id: unkeyed.id },
    ]);
    const pruned = plan(both, [acme, gone], { mode: 'sync', prune: true }).actions;
    expect(pruned.map((action) => action.do)).toEqual(['update', 'delete']);
    expect(plan(both, [gone]).actions).toEqual([]);
  });

  test('an empty cell clears, or keeps', () => {
    const cleared = tableOf('ref|title|amount\na|Acme|');
    expect(plan(cleared, [acme]).actions).toMatchObject([{ body: { values: { amount: null } } }]);
    expect(plan(cleared, [acme], { empty: 'keep' })).toMatchObject({ actions: [], unchanged: 1 });
  });

  test('names what cannot be written, with line and column', () => {
    const wrong = (text: string, existing: Entry[] = [acme], options = {}) =>
      plan(tableOf(text), existing, options).issues;
    expect(wrong('ref|title|owner\na|Acme|')).toEqual([
      { line: 2, column: 'owner', message: 'owner is required, so it cannot be cleared' },
    ]);
    expect(wrong('ref|title\nz|New')).toEqual([
      { line: 2, column: undefined, message: 'a new entry needs a value for owner, which is required' },
    ]);
    expect(wrong('ref|owner\nz|x')[0]).toMatchObject({
      message: "a new entry needs a title; name its column with --map 'COLUMN=title'",
    });
    expect(wrong('ref|title\na|')).toEqual([
      { line: 2, column: 'title', message: 'the title of an entry cannot be cleared' },
    ]);
    expect(wrong('ref|title|owner\na|Acme|x', [acme, { ...acme, id: uuid(9) }])[0]?.message).toContain(
      `2 entries have this key: ${acme.id}, ${uuid(9)}`,
    );
    expect(
      wrong('id|title|owner\n00000000-0000-4000-8000-000000000077|x|y', [acme], { key: 'id' })[0]?.message,
    ).toContain('has no entry');
  });

  test('keys must be there and stand once, numbers by their size', () => {
    const { issues } = plan(tableOf('ref|title|amount|owner\n1|A|1.50|x\n2|B|1.5|x\n3|C||x\n4|D|x|x'), [], {
      key: 'amount',
    });
    expect(issues).toEqual([
      { line: 3, column: 'amount', message: 'the key "1.5" is on line 2 already; keys must be unique in the file' },
      { line: 4, column: 'amount', message: 'the key is empty; every row needs one' },
      { line: 5, column: 'amount', message: '"x" is not a number such as 1,234.5', placeholder: 'x' },
    ]);
  });

  test('keeps every digit, and says nothing of a number that is written otherwise', () => {
    const long = '12345678901234567890.5';
    const [create] = plan(tableOf(`ref|title|amount|owner\nn|N|${long}|x`), []).actions;
    expect(String(create?.do === 'create' && create.body.values?.amount)).toBe(long);
    const stored = { ...acme, values: { ...acme.values, amount: numeric('5.00'), tags: ['o2', 'o1'] } };
    expect(plan(tableOf('ref|title|amount|tags\na|Acme|5|A;B'), [stored])).toMatchObject({ actions: [], unchanged: 1 });
  });
});

test('sameValue', () => {
  expect(sameValue('', null)).toBe(true);
  expect(sameValue([], undefined)).toBe(true);
  expect(sameValue(0, null)).toBe(false);
  expect(sameValue(false, null)).toBe(false);
  expect(sameValue('1', 1)).toBe(false);
  expect(sameValue(['a', 'a'], ['a', 'b'])).toBe(false);
  expect(canonicalText(numeric('1e3'))).toBe('1000');
  expect(canonicalText(numeric('-0.0'))).toBe('0');
});

/** What the API does with the actions of a plan. */
function carriedOut({ actions }: Pick<ImportPlan, 'actions'>, existing: readonly Entry[]): Entry[] {
  const entries = new Map(existing.map((entry) => [entry.id, entry]));
  for (const [index, action] of [...actions].entries()) {
    if (action.do === 'create')
      entries.set(uuid(1000 + index), { archived: false, ...action.body, id: uuid(1000 + index) });
    else if (action.do === 'delete') entries.delete(action.id);
    else {
      const before = entries.get(action.id);
      const body: Partial<Entry> = action.do === 'update' ? action.body : { archived: true };
      const values = Object.entries({ ...before?.values, ...body.values }).filter(([, value]) => value !== null);
      entries.set(action.id, { ...before, ...body, id: action.id, values: Object.fromEntries(values) });
    }
  }
  return [...entries.values()];
}

test('carried out, every plan leaves nothing to do, and sync leaves what the file holds', () => {
  const cell = fc.record({
    title: fc.constantFrom('x', 'y'),
    amount: fc.constantFrom('', '1', '1.0', '2'),
    tags: fc.constantFrom('', 'A', 'B;A', 'o2'),
    owner: fc.constantFrom('p', 'q'),
  });
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  const rows = fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), cell), { selector: ([key]) => key, minLength: 1 });
  const existing = fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), cell, fc.boolean()), { selector: ([key]) => key });
  fc.assert(
    fc.property(rows, existing, fc.constantFrom(...importModes), fc.boolean(), (given, stored, mode, prune) => {
      const text = given.map(([key, { title, amount, tags, owner }]) => [key, title, amount, tags, owner].join('|'));
      const table = tableOf(['ref|title|amount|tags|owner', ...text].join('\n'));
      const entries = stored.map(([ref, { title, amount, tags, owner }, archived], index): Entry => {
        const ids = tags === '' ? {} : { tags: tags.split(';').map((tag) => (tag === 'A' ? 'o1' : 'o2')) };
        const values = { ref, owner, ...ids, ...(amount === '' ? {} : { amount: Number(amount) }) };
        return { id: uuid(index), title, position: index, archived, values };
      });
      const first = plan(table, entries, { mode, prune: prune && mode === 'sync' });
      expect(first.issues).toEqual([]);
      const after = carriedOut(first, entries);
      expect(plan(table, after, { mode, prune: prune && mode === 'sync' }).actions).toEqual([]);
      if (mode !== 'sync') return;
      const live = after.filter(({ archived }) => !archived).map(({ values }) => values?.ref);
      expect(live.sort()).toEqual(given.map(([key]) => key).sort());
    }),
  );
});

const wanted = (slug: string, name: string) => ({ slug, name }) as NewAttribute;
const options = [{ id: 'o1', label: 'Energy' }];

describe('matchCreated', () => {
  it('takes the attribute of the name, the one with the planned slug first', () => {
    const attributes: Attribute[] = [
      { slug: 'stage-2', name: 'Stage' },
      { slug: 'stage', name: 'Stage' },
      { slug: 'sector-2', name: 'Sector' },
      { slug: 'size', name: 'Other' },
    ];
    const created = matchCreated([wanted('stage', 'Stage'), wanted('sector', 'Sector')], attributes);
    expect([...created].map(([planned, { slug }]) => [planned, slug])).toEqual([
      ['stage', 'stage'],
      ['sector', 'sector-2'],
    ]);
  });

  it.each([[[]], [[{ name: 'Size' }]], [[{ slug: 'size', name: 'Other' }]]])(
    'refuses %j',
    (attributes: Attribute[]) => {
      expect(() => matchCreated([wanted('size', 'Size')], attributes)).toThrow('the attribute "Size" was created');
    },
  );
});

describe('resolveValues', () => {
  const created = new Map<string, Attribute>([
    ['sector', { slug: 'sector-2', attribute_type: 'select', config: { options } }],
    ['state', { slug: 'state', attribute_type: 'status', config: { options } }],
    ['tags', { slug: 'tags', attribute_type: 'multi_select', config: { options } }],
    ['note', { slug: 'note-2', attribute_type: 'text', config: { options } }],
  ]);

  it('has the slugs and option ids of the server', () => {
    const planned = {
      sector: 'Energy',
      state: 'Energy',
      tags: ['Energy', 'o1', 'gone'],
      note: 'Energy',
      other: 'Energy',
    };
    expect(resolveValues(planned, created)).toEqual({
      'sector-2': 'o1',
      state: 'o1',
      tags: ['o1', 'o1', 'gone'],
      'note-2': 'Energy',
      other: 'Energy',
    });
  });

  it('leaves null and what is not text', () => {
    expect(resolveValues({ sector: null, tags: [3] }, created)).toEqual({ 'sector-2': null, tags: [3] });
  });
});
