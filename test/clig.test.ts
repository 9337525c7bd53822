/** docs/clig.md says where each point is kept: the places exist, and have the names that it gives. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const lines = readFileSync(join(root, 'docs/clig.md'), 'utf8').split('\n');
const kept = lines.filter((line) => /^\| (?!Point|---)/.test(line)).map((line) => line.split(' | ').at(-1) ?? '');

it('names places for each point', () => {
  expect(kept.length).toBeGreaterThan(60);
  const places = kept.flatMap((text) =>
    [...text.matchAll(/`((?:src|test|docs|scripts|man)\/[^`]*)`/g)].map(([, path]) => path),
  );
  expect(places.length).toBeGreaterThan(50);
  expect(places.filter((path) => !existsSync(join(root, path ?? '')))).toEqual([]);
});

it('names what is in these places', () => {
  const named = kept.flatMap((text) => [...text.matchAll(/((?:`\w+`(?:, | and )?)+) in `([^`]+\.ts)`/g)]);
  expect(named.length).toBeGreaterThan(8);
  const missing = named.flatMap(([, names = '', file = '']) => {
    const source = readFileSync(join(root, file), 'utf8');
    return [...names.matchAll(/\w+/g)]
      .filter(([name]) => !new RegExp(`\\b${name}\\b`).test(source))
      .map(([name]) => `${name} in ${file}`);
  });
  expect(missing).toEqual([]);
});
