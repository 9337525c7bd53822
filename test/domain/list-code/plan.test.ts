import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/core/json.ts';
import {
  attributeMap,
  copiedPositions,
  copiedValues,
  type EntryCopy,
  missing,
} from '../../../src/domain/list-code/copy.ts';
import { isAffected, positionsFor } from '../../../src/domain/list-code/difference.ts';
import { withIds } from '../../../src/domain/list-code/existing.ts';
import { planList } from '../../../src/domain/list-code/plan.ts';
import { type ExistingAttribute, type ExistingList, readListSpec } from '../../../src/domain/list-code/spec.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const stage: ExistingAttribute = {
  id: id(1),
  slug: 'stage',
  name: 'Stage',
  type: 'status',
  required: false,
  position: 0,
  options: [
    { id: 'o1', label: 'Open', tone: 'sand' },
    { id: 'o2', label: 'Won' },
  ],
  config: {
    options: [{ id: 'o1', label: 'Open', tone: 'sand', order: 7 } as never, { id: 'o2', label: 'Won' }],
    later: 'kept',
  } as ExistingAttribute['config'],
};
const notes: ExistingAttribute = {
  id: id(2),
  slug: 'notes',
  name: 'Notes',
  type: 'text',
  required: false,
  position: 1,
};
const list: ExistingList = { id: id(9), slug: 'deals', name: 'Deals', attributes: [stage, notes] };

describe('planList', () => {
  it('leaves what is not said', () => {
    expect(planList({ name: 'Deals' }, list)).toEqual({ differences: [], writes: [], left: 0, unchanged: 1 });
  });

  it('renames an option by its id, with all that the API has of the others', () => {
    const wanted = {
      ...stage,
      position: undefined,
      config: undefined,
      options: [
        { id: 'o2', label: 'Closed' },
        { id: 'o1', label: 'Open' },
      ],
    };
    const { writes, differences } = planList({ name: 'Deals', attributes: [wanted, notes] }, list);
    expect(differences.map(({ target, field }) => [target, field])).toEqual([
      ['stage: Won', 'label'],
      ['stage', 'option order'],
    ]);
    expect(writes).toEqual([
      {
        do: 'updateAttribute',
        name: 'stage',
        deletedOptions: 0,
        body: {
          id: id(1),
          config: {
            later: 'kept',
            options: [
              { id: 'o2', label: 'Closed' },
              { id: 'o1', label: 'Open', tone: 'sand', order: 7 },
            ],
          },
        },
      },
    ]);
  });

  it('takes a new name without an id for a new option: the old one goes only with prune', () => {
    const wanted = { name: 'Stage', type: 'status' as const, options: [{ label: 'Open' }, { label: 'Closed' }] };
    const options = (prune: boolean) => {
      const [write] = planList({ name: 'Deals', attributes: [wanted, notes] }, list, { prune }).writes;
      return write?.do === 'updateAttribute' ? write.body.config?.options?.map(({ label }) => label) : undefined;
    };
    expect(options(false)).toEqual(['Open', 'Closed', 'Won']);
    expect(options(true)).toEqual(['Open', 'Closed']);
  });

  it('clears with null, and takes numbers by their size', () => {
    const amount: ExistingAttribute = { id: id(3), slug: 'amount', name: 'Amount', type: 'number', min: 1.5 };
    const there = { ...list, description: 'old', attributes: [amount] };
    const wanted = {
      name: 'Deals',
      description: null,
      attributes: [{ ...amount, min: new ExactNumber('1.50') as never }],
    };
    expect(planList(wanted, there).writes).toEqual([{ do: 'updateList', name: 'Deals', body: { description: null } }]);
  });

  it('a swap of two names is two renames', () => {
    const swapped = [
      { ...stage, name: 'Notes' },
      { ...notes, name: 'Stage' },
    ];
    const { writes } = planList({ name: 'Deals', attributes: swapped }, list);
    expect(writes.map(({ name }) => name)).toEqual(['stage', 'notes']);
  });

  it('another type is refused', () => {
    const { differences } = planList({ name: 'Deals', attributes: [stage, { ...notes, type: 'number' }] }, list);
    expect(differences).toMatchObject([{ field: 'type', refused: { why: 'the API cannot change text to number' } }]);
  });
});

it('positionsFor: whatever was there, the order is the wanted one, and nothing is written twice', () => {
  const positions = fc
    .uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 8 })
    .map((some) => some.sort((a, b) => a - b));
  fc.assert(
    fc.property(positions, fc.nat(4), fc.array(fc.nat()), (there, fresh, shuffle) => {
      const all = [
        ...there.map((position, index) => ({ position, index })),
        ...Array.from({ length: fresh }, () => ({ position: undefined, index: undefined })),
      ];
      const wanted = all
        .map((one, index) => ({ one, key: shuffle[index] ?? index }))
        .sort((a, b) => a.key - b.key)
        .map(({ one }) => one);
      const written = positionsFor(wanted, there.at(-1));
      const after = wanted.map(({ position }, index) => written[index] ?? position);
      for (const [index, position] of after.entries()) {
        if (position === undefined) expect.unreachable('a new attribute has a position');
        else if (index > 0) expect(position).toBeGreaterThan(after[index - 1] ?? Number.NaN);
      }
      const again = wanted.map((_, index) => ({ position: after[index], index }));
      expect(positionsFor(again, undefined)).toEqual(wanted.map(() => undefined));
    }),
  );
});

it('positionsFor keeps what is in order, and numbers another order from 0', () => {
  const at = (...positions: number[]) => positions.map((position, index) => ({ position, index }));
  const [a, b] = at(10, 20);
  if (!a || !b) return expect.unreachable();
  expect(positionsFor([a, b, {}, {}], 40)).toEqual([undefined, undefined, 41, 42]);
  expect(positionsFor([{}, {}], undefined)).toEqual([0, 1]);
  expect(positionsFor([a, {}, b], 20)).toEqual([0, 1, 2]);
  const [v, x, y, z] = at(0, 1, 2, 3);
  if (!v || !x || !y || !z) return expect.unreachable();
  expect(positionsFor([x, v, y, z], 3)).toEqual([0, 1, undefined, undefined]);
  expect(positionsFor([{ index: 1 }, { index: 0 }], undefined)).toEqual([0, 1]);
});

it('withIds: what the server gave, by id, slug or name, options by label; a string is an option', () => {
  const written = {
    name: 'Deals',
    attributes: [
      { name: 'Notes', type: 'text' },
      { name: 'Stage', type: 'status', options: ['Won', 'New'] },
    ],
  };
  const { spec, problems } = readListSpec(written, () => ({ line: 1, column: 1 }));
  expect(problems).toEqual([]);
  expect(withIds(spec, list)).toEqual({
    id: id(9),
    slug: 'deals',
    name: 'Deals',
    attributes: [
      { id: id(2), slug: 'notes', name: 'Notes', type: 'text' },
      {
        id: id(1),
        slug: 'stage',
        name: 'Stage',
        type: 'status',
        options: [{ id: 'o2', label: 'Won' }, { label: 'New' }],
      },
    ],
  });
});

it('readListSpec takes nothing that is not a list', () => {
  const messages = (value: unknown) =>
    readListSpec(value, () => ({ line: 1, column: 1 })).problems.map(({ message }) => message);
  expect(messages(null)).toEqual(['a list file must be an object with a name']);
  expect(messages([])).toEqual(['a list file must be an object with a name']);
  expect(messages({ name: 'A', attributes: [3] })).toEqual(['attributes.0: must be an object']);
  expect(
    messages({
      name: 'A',
      attributes: [
        { name: 'B', type: 'text' },
        { name: 'B', type: 'date' },
      ],
    }),
  ).toEqual(['attributes.1.name: repeats "B"; two attributes of one name need their slug or id']);
});

it('isAffected', () => {
  const values = { n: new ExactNumber('1.10'), tags: ['a'], none: [], zero: 0, no: false };
  expect(isAffected({ slug: 'tags', is: 'option', id: 'a' }, values)).toBe(true);
  for (const slug of ['none', 'constructor', 'gone'])
    expect([slug, isAffected({ slug, is: 'empty' }, values)]).toEqual([slug, true]);
  for (const slug of ['zero', 'no', 'tags'])
    expect([slug, isAffected({ slug, is: 'filled' }, values)]).toEqual([slug, true]);
});

describe('copies', () => {
  const target: ExistingList = {
    name: 'Copy',
    attributes: [
      {
        slug: 'stage-2',
        name: 'Stage',
        type: 'status',
        options: [
          { id: 'x', label: 'Won' },
          { id: 'y', label: 'Open' },
        ],
      },
      { slug: 'notes-2', name: 'Notes', type: 'text' },
    ],
  };

  it('go under the slugs and option ids of the target', () => {
    const map = attributeMap(list, target);
    const entry = { title: 'A', values: { stage: 'o2', notes: 'o1', gone: 1 } };
    expect(copiedValues(entry, map)).toEqual({
      values: { 'stage-2': 'x', 'notes-2': 'o1' },
      lost: [{ title: 'A', slug: 'gone', value: 1 }],
    });
    expect(copiedValues({ title: 'B', values: { stage: 'removed', notes: null } }, map)).toEqual({
      values: {},
      lost: [{ title: 'B', slug: 'stage', value: 'removed' }],
    });
    const some = new Map([['tags', { slug: 't', type: 'multi_select', options: new Map([['o1', 'x']]) }]]);
    expect(copiedValues({ title: 'C', values: { tags: ['o1', 'o9'], gone: null } }, some)).toEqual({
      values: { t: ['x'] },
      lost: [{ title: 'C', slug: 'tags', value: 'o9' }],
    });
  });

  it('keep positions that tell entries apart, else their order', () => {
    expect(copiedPositions([{ position: 3 }, { position: 9 }])).toEqual([3, 9]);
    expect(copiedPositions([{ position: 1 }, { position: 1 }, {}])).toEqual([0, 1, 2]);
    expect(copiedPositions([{ position: 5 }, { position: 5 }])).toEqual([0, 1]);
    expect(copiedPositions([{ position: 9 }, { position: 3 }])).toEqual([0, 1]);
    expect(copiedPositions([{ position: -1 }, { position: 0 }])).toEqual([-1, 0]);
  });

  it('that are there are not missing: as many of equal ones as there are', () => {
    const copy = (title: string, values = {}): EntryCopy => ({ title, values, position: 0 });
    const there = [
      { title: 'A', values: { n: 1, x: null } },
      { title: 'B', archived: true },
    ];
    const copies = [
      copy('A', { n: new ExactNumber('1.0') }),
      copy('A', { n: 1 }),
      copy('B'),
      { ...copy('B'), archived: true },
    ];
    expect(missing(copies, there)).toEqual([copies[1], copies[2]]);
    expect(missing([copy('A', { b: 2, a: 1 })], [{ title: 'A', values: { a: 1, b: 2 }, archived: false }])).toEqual([]);
    expect(missing([copy('')], [{}])).toEqual([]);
  });
});
