import { expect, it } from 'vitest';
import { readYaml, rewriteYaml } from '../../src/core/yaml.ts';

const text = `# head

# ours
name: X # the name
items:
  # first
  - {name: A, size: 0.10}
  # second
  - name: B
    tags: [x, y] # two
extra: 1
`;

it('keeps comments, order and the way of writing of what stays', async () => {
  const value = {
    id: 'i',
    name: 'X',
    items: [
      { id: 2, name: 'B', tags: ['x', 'z'] },
      { id: 1, name: 'A', size: 0.1 },
    ],
  };
  const after = await rewriteYaml(text, value);
  expect((await readYaml(after, 'after')).value).toEqual(value);
  expect(after).toBe(`# head

# ours
id: "i"
name: X # the name
items:
  # second
  - id: 2
    name: B
    tags: [x, "z"] # two
  # first
  - {id: 1, name: A, size: 0.1}
`);
});

it('is the same text for the same value', async () => {
  expect(await rewriteYaml(text, (await readYaml(text, 'text')).value)).toBe(text);
});

it('writes an alias out where its value is another than its anchor’s', async () => {
  const aliased = 'a: &one {id: 1}\nb: *one\n';
  const after = await rewriteYaml(aliased, { a: { id: 1 }, b: { id: 2 } });
  expect((await readYaml(after, 'after')).value).toEqual({ a: { id: 1 }, b: { id: 2 } });
});
