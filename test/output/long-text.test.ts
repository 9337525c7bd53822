/** Text that once took the square of its length. The bounds tell work from a hang. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ExactNumber, withoutTrailing } from '../../src/core/json.ts';
import { svgOf } from '../../src/output/chart/svg.ts';
import type { Column } from '../../src/output/column.ts';
import { cleanLine } from '../../src/output/terminal-text.ts';
import { groupThousands } from '../../src/output/values.ts';
import { wrap } from '../../src/output/width.ts';
import { capture, type Given } from './capture.ts';

type Row = readonly string[];
const column = (at: number, more: Partial<Column<Row>> = {}): Column<Row> => ({
  key: `c${at}`,
  get: (row) => row[at],
  ...more,
});

async function table(rows: Row[], columns: Column<Row>[], given: Given = {}) {
  const captured = capture({ format: 'table', ...given });
  const began = performance.now();
  await captured.out.rows(rows, columns);
  return { lines: captured.stdout().split('\n').slice(0, -1), ms: performance.now() - began };
}

describe('table', () => {
  it('cuts cells before it lays them out, in a pipe too', async () => {
    const rows = Array.from({ length: 20 }, (_, n): Row => [n % 2 ? 'x'.repeat(20_000) : 'short', `${n}`]);
    const { lines, ms } = await table(rows, [column(0), column(1)]);
    expect(lines[2]).toBe(`${'x'.repeat(499)}…  1`);
    expect(lines[1]).toBe(`short${' '.repeat(497)}0`);
    expect(ms).toBeLessThan(5000);
    const uncut = await table(rows, [column(0), column(1)], { truncate: false });
    expect(uncut.lines[2]).toBe(`${'x'.repeat(20_000)}  1`);
    expect(uncut.ms).toBeLessThan(5000);
  });

  it('lays out blanks, wide characters and long words in a moment', async () => {
    const texts = [
      ' '.repeat(200_000),
      `${' '.repeat(200_000)}😀`,
      '日'.repeat(200_000),
      'a\u0301'.repeat(100_000),
      `a${'\u0301'.repeat(200_000)}`,
    ];
    for (const text of texts) {
      const rows = Array.from({ length: 5 }, (): Row => [text, text]);
      const columns = [column(0, { wraps: true }), column(1, { wraps: true })];
      for (const given of [{}, { tty: true, columns: 40 }]) {
        const { lines, ms } = await table(rows, columns, given);
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(10_000);
        expect(ms).toBeLessThan(10_000);
      }
    }
  }, 60_000);

  it('cuts headings, and cells that have no end of marks', async () => {
    const long = [column(0, { heading: 'h'.repeat(200_000) }), column(1)];
    const { lines } = await table([[`a${'\u0301'.repeat(200_000)}`, 'b']], long);
    expect(lines[0]).toBe(`${'h'.repeat(499)}…  c1`);
    expect(lines[1]?.length).toBeLessThan(6000);
  });

  it('takes thousands of columns', async () => {
    const columns = Array.from({ length: 5000 }, (_, at) => column(at));
    const rows = Array.from({ length: 20 }, (): Row => columns.map(({ key }) => key));
    const { lines, ms } = await table(rows, columns);
    expect(lines).toHaveLength(21);
    expect(lines[20]).toBe(columns.map(({ key }) => key).join('  '));
    expect(ms).toBeLessThan(20_000);
  }, 60_000);

  it.each(['table', 'csv', 'md', 'yaml', 'xlsx', 'id'])(
    'lets signals in while long texts are laid out: %s',
    async (format) => {
      const folder = mkdtempSync(join(tmpdir(), 'comem-long-'));
      const texts = ['\u2003', '\u{1f3f4}\u{e0020}', 'a\n', '"'];
      for (const tty of format === 'table' ? [false, true] : [false]) {
        for (const text of texts.map((unit) => unit.repeat(20_000 / unit.length))) {
          const rows = Array.from({ length: 50 }, () => ({ id: text }));
          const columns = ['a', 'b'].map((key) => ({ key, wraps: key === 'b', get: () => text }));
          const out = format === 'xlsx' ? join(folder, 'x.xlsx') : undefined;
          const captured = capture({ format, tty, columns: 80, out, cwd: folder });
          let [longest, last] = [0, performance.now()];
          const timer = setInterval(() => {
            longest = Math.max(longest, performance.now() - last);
            last = performance.now();
          }, 5);
          await captured.out.rows(rows, columns);
          await new Promise((resolve) => setTimeout(resolve, 10));
          clearInterval(timer);
          // A tenth of a second, on a machine that does much else.
          expect(longest).toBeLessThan(3000);
        }
      }
      rmSync(folder, { recursive: true });
    },
    60_000,
  );

  it('hears of signals between the rows of a wide one', async () => {
    const columns = Array.from({ length: 2000 }, (_, at) => column(at));
    const rows = Array.from({ length: 2000 }, (): Row => columns.map(() => 'x'));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const captured = capture({ format: 'table', signal: stop.signal });
    const began = performance.now();
    await expect(captured.out.rows(rows, columns)).rejects.toMatchObject({ kind: 'interrupted' });
    expect(performance.now() - began).toBeLessThan(5000);
  }, 60_000);
});

it('pictures cut titles, names and notes in time that grows with their length', () => {
  const long = 'Wm '.repeat(100_000);
  const series = { label: long, metricId: 'mrr', values: [1, 2] };
  const panel = { title: long, periods: ['2024-01', '2024-02'], series: [series, series], notes: [long, long] };
  const began = performance.now();
  const picture = svgOf([panel], { type: 'line', width: 880, height: 340, titles: true });
  expect(performance.now() - began).toBeLessThan(5000);
  const texts = [...picture.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text = '']) => text);
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(250);
  expect(texts).toContainEqual(expect.stringMatching(/^(Wm )+W?m?…$/));
});

it('texts are cleaned, wrapped and grouped in time that grows with their length', () => {
  const began = performance.now();
  expect(cleanLine(`${' '.repeat(1_000_000)}😀`)).toHaveLength(1_000_002);
  expect(cleanLine(`😀 \n\t ${'\u0090'.repeat(1_000_000)}`)).toMatch(/^😀 $/);
  expect(cleanLine(`a${'\t \n'.repeat(300_000)}b😀`)).toBe('a b😀');
  expect(wrap('日'.repeat(300_000), 10)).toHaveLength(60_000);
  expect(groupThousands(new ExactNumber('1'.repeat(300_000)))).toHaveLength(399_999);
  expect(withoutTrailing(`${'0'.repeat(1_000_000)}1`, '0')).toHaveLength(1_000_001);
  expect(performance.now() - began).toBeLessThan(10_000);
});
