import { expect, test } from 'vitest';
import { readYaml } from '../../src/core/yaml.ts';

/** Long maps were compared key by key: a second for a thousand keys, minutes for twenty thousand. */
test('a map of 20,000 keys is read, and each place in it found, without comparing every key with every other', async () => {
  const count = 20_000;
  const text = Array.from({ length: count }, (_, index) => `key.${index}: ${index}\n`).join('');
  const { value, place } = await readYaml(`map:\n${text.replace(/^/gm, '  ')}`.trimEnd(), 'long.yaml');
  expect(Object.keys((value as { map: object }).map)).toHaveLength(count);
  for (let index = 0; index < count; index += 1) {
    expect(place(`map.key.${index}`).line).toBe(index + 2);
  }
}, 20_000);

test('a key that comes twice is refused at its place', async () => {
  await expect(readYaml('a:\n  - b: 1\n    c: 2\n    b: 3\n', 'twice.yaml')).rejects.toMatchObject({
    says: 'Map keys must be unique',
    place: { line: 4, column: 5 },
  });
});
