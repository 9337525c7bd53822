import { describe, expect, test } from 'vitest';
import { readYaml } from '../../src/core/yaml.ts';

/** Long maps were compared key by key: a second for a thousand keys, minutes for twenty thousand. */
test('a map of 20,000 keys is read, and each place in it found, without comparing every key with every other', async () => {
  const count = 20_000;
  const text = Array.from({ length: count }, (_, index) => `key-${index}: ${index}\n`).join('');
  const { value, place } = await readYaml(`map:\n${text.replace(/^/gm, '  ')}`.trimEnd(), 'long.yaml');
  expect(Object.keys((value as { map: object }).map)).toHaveLength(count);
  for (let index = 0; index < count; index += 1) {
    expect(place(`map.key-${index}`).line).toBe(index + 2);
  }
}, 20_000);

test('a key that comes twice is refused at its place', async () => {
  await expect(readYaml('a:\n  - b: 1\n    c: 2\n    b: 3\n', 'twice.yaml')).rejects.toMatchObject({
    says: 'Map keys must be unique',
    place: { line: 4, column: 5 },
  });
});

/** Each of these took gigabytes, minutes or the stack before it was refused. */
describe('readYaml refuses what costs more than its length', () => {
  const aliases = (count: number) => `a: &a {x: 1}\nb:\n${'  - *a\n'.repeat(count)}`;
  const doubled = ['a0: &a0 [1, 2]'];
  for (let level = 1; level <= 30; level += 1) doubled.push(`a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`);
  const chained = [`a0: &a0 ${'['.repeat(300)}${']'.repeat(300)}`, `b: ${'['.repeat(300)}*a0${']'.repeat(300)}`];

  test.each([
    ['200,000 brackets', '['.repeat(200_000), /^f\.yaml, line 1, column \d+: nested deeper than 500 levels$/],
    ['20,000 dashes', '- '.repeat(20_000), /nested deeper than 500 levels/],
    ['maps by indentation', Array.from({ length: 600 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'), /500 levels/],
    ['a million commas', `[${'1,'.repeat(600_000)}]`, /more than 400000 tokens of YAML/],
    ['a long text', `a: ${'x'.repeat(2_200_000)}`, /2200003 characters of YAML, and the limit is 2097152/],
    ['3,000 aliases', aliases(3000), /more than 1000 aliases/],
    ['values that double', doubled.join('\n'), /aliases that stand for more than 400000 values/],
    ['depth by aliases', chained.join('\n'), /aliases that make it deeper than 500 levels/],
    ['an alias without an anchor', 'a: 1\nb: [*c]\n', /^f\.yaml, line 2, column 5: the alias \*c has no anchor/],
    ['an anchor after its alias', 'a: *c\nb: &c 1\n', /has no anchor &c before it/],
    ['a map as a key', '? {a: 1}\n: 2\n', /^f\.yaml, line 1, column 3: a key must be text/],
  ])(
    '%s',
    async (_, text, message) => {
      await expect(readYaml(text, 'f.yaml')).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringMatching(message),
      });
    },
    30_000,
  );

  test('and reads what is within the limits', async () => {
    const { value, place } = await readYaml(aliases(1000), 'f.yaml');
    expect((value as { b: unknown[] }).b).toHaveLength(1000);
    expect(place('b.999.x')).toEqual({ line: 1, column: 11 });
    const deep = await readYaml(`${'['.repeat(500)}1${']'.repeat(500)}`, 'f.yaml');
    expect(Array.isArray(deep.value)).toBe(true);
  });

  test('and merges no maps, whatever a directive says', async () => {
    const { value } = await readYaml('%YAML 1.1\n---\na: &a {x: 1}\nb: {<<: *a}\nc: no\n', 'f.yaml');
    expect(value).toEqual({ a: { x: 1 }, b: { '<<': { x: 1 } }, c: 'no' });
  });
});
