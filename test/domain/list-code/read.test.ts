import { expect, it } from 'vitest';
import { readListSpec, withoutIds } from '../../../src/domain/list-code/spec.ts';

/** Mistakes of one attribute, each at a column of its own. */
function messages(attributes: unknown[], list: object = {}): string[] {
  const place = () => ({ line: 1, column: 1 });
  return readListSpec({ name: 'Deals', ...list, attributes }, place).problems.map(({ message }) => message);
}
const uuid = 'ABCDEF00-0000-4000-8000-000000000001';

it.each<[string, object[]]>([
  ['options of a select', [{ name: 'A', type: 'select', options: ['x', { label: 'y' }] }]],
  ['equal bounds of a number', [{ name: 'A', type: 'number', min: 1.5, max: 1.5 }]],
  ['one bound', [{ name: 'A', type: 'rating', max: 3 }]],
  ['a currency', [{ name: 'A', type: 'currency', currency: 'EUR', min: 0 }]],
  [
    'one name twice where a slug tells them apart',
    [
      { name: 'A', type: 'text', slug: 'a' },
      { name: 'A', type: 'text' },
    ],
  ],
])('takes %s', (_, attributes) => {
  expect(messages(attributes)).toEqual([]);
});

it.each<[string, object[], string]>([
  [
    'options of a number',
    [{ name: 'A', type: 'number', options: ['x'] }],
    'attributes.0.options: is for attributes of type select, multi_select, status, and this one is number',
  ],
  [
    'a bound of a text',
    [{ name: 'A', type: 'text', min: 1 }],
    'attributes.0.min: is for attributes of type number, currency, rating, and this one is text',
  ],
  [
    'a currency of a number',
    [{ name: 'A', type: 'number', currency: 'EUR' }],
    'attributes.0.currency: is for attributes of type currency, and this one is number',
  ],
  [
    'a largest below the smallest',
    [{ name: 'A', type: 'number', min: 2, max: 1.5 }],
    'attributes.0.max: must not be below min (2), got 1.5',
  ],
  [
    'one id twice, in any letter case',
    [
      { name: 'A', type: 'text', id: uuid },
      { name: 'B', type: 'text', id: uuid.toLowerCase() },
    ],
    `attributes.1.id: repeats "${uuid.toLowerCase()}"`,
  ],
  [
    'one slug twice',
    [
      { name: 'A', type: 'text', slug: 'a' },
      { name: 'B', type: 'text', slug: 'a' },
    ],
    'attributes.1.slug: repeats "a"',
  ],
  [
    'one label twice',
    [{ name: 'A', type: 'select', options: ['x', 'x'] }],
    'attributes.0.options.1.label: repeats "x"',
  ],
  [
    'a misspelt field',
    [{ name: 'A', type: 'text', requird: true }],
    'attributes.0.requird: is not known here; did you mean required?',
  ],
])('refuses %s', (_, attributes, message) => {
  expect(messages(attributes)).toEqual([message]);
});

it('names the fields there are where none is near, and asks for no hint elsewhere', () => {
  expect(messages([], { zzzzzzzz: 1 })[0]).toMatch(/^zzzzzzzz: is not known here; known are \$?\w+, .*attributes/);
  expect(messages([{ name: 3, type: 'text' }])).toEqual(['attributes.0.name: must be a string']);
});

it('has the mistakes in the order of the file', () => {
  const lines: Record<string, [number, number]> = {
    name: [3, 1],
    'attributes.0.min': [2, 9],
    'attributes.0.max': [2, 5],
  };
  const place = (path: string) => ({ line: lines[path]?.[0] ?? 0, column: lines[path]?.[1] ?? 0 });
  const { problems } = readListSpec({ name: 3, attributes: [{ name: 'A', type: 'text', min: 1, max: 2 }] }, place);
  expect(problems.map(({ line, column }) => [line, column])).toEqual([
    [2, 5],
    [2, 9],
    [3, 1],
  ]);
});

it('withoutIds leaves the slugs and all else', () => {
  const options = [{ id: 'o1', label: 'Won', tone: 'sage' as const }];
  expect(
    withoutIds({
      ...{ id: uuid, slug: 'deals', name: 'Deals' },
      attributes: [
        { id: uuid, slug: 'stage', name: 'Stage', type: 'status', options },
        { id: uuid, name: 'Note', type: 'text' },
      ],
    }),
  ).toEqual({
    ...{ slug: 'deals', name: 'Deals' },
    attributes: [
      { slug: 'stage', name: 'Stage', type: 'status', options: [{ label: 'Won', tone: 'sage' }] },
      { name: 'Note', type: 'text' },
    ],
  });
  expect(withoutIds({ id: uuid, name: 'Deals' })).toEqual({ name: 'Deals' });
});
