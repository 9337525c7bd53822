/** The order in which test files run. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { longest, longestFirst } from './helpers/longest-first.ts';

test('the longest files are files', () => {
  expect(longest.filter((file) => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([]);
});

test('the longest come first, the others keep their order, and projects stay together', () => {
  const [first = '', second = ''] = longest;
  const files = [
    'fast /x/b',
    'fast /x/a',
    `fast /x/${second}`,
    'program /x/c',
    `fast /x/${first}`,
    `program /x/${first}`,
  ];
  const of = (file: string) => {
    const [project = '', path = ''] = file.split(' ');
    return { project, path };
  };
  expect(longestFirst(files, of)).toEqual([
    `fast /x/${first}`,
    `fast /x/${second}`,
    'fast /x/b',
    'fast /x/a',
    `program /x/${first}`,
    'program /x/c',
  ]);
});
