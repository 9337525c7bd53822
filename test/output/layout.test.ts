/** Rows that stream past the first screens look like those that the library lays out. */
import { expect, it } from 'vitest';
import type { Column } from '../../src/output/column.ts';
import { capture } from './capture.ts';

interface Row {
  title: string;
  note: string;
  amount: number;
}

const columns: Column<Row>[] = [
  { key: 'title', get: ({ title }) => title },
  { key: 'note', get: ({ note }) => note, wraps: true },
  { key: 'amount', type: 'number', get: ({ amount }) => amount },
];
const texts = [
  '',
  'a',
  '日本語の題',
  'é́',
  'two words',
  'a-long-word-without-a-break-in-it',
  '👩‍👩‍👧 family',
  ' lead',
  'x ',
];
const group: Row[] = texts.flatMap((title, at) => [
  { title, note: texts.slice(0, at).join(' '), amount: at * 1000.5 },
  { title: `${title}!`, note: '', amount: -at },
]);

it.each([
  { tty: false, columns: 80 },
  { tty: true, columns: 40, color: true },
  { tty: true, columns: 100 },
])('in %j', async (given) => {
  const captured = capture({ format: 'table', ...given });
  await captured.out.rows(Array.from({ length: 8 }, () => group).flat(), columns);
  const lines = captured.stdout().split('\n').slice(1);
  const height = Math.floor(lines.length / 8);
  const first = lines.slice(0, height);
  expect(new Set(first).size).toBeGreaterThan(10);
  for (let at = 1; at < 8; at += 1) expect(lines.slice(at * height, (at + 1) * height)).toEqual(first);
});
