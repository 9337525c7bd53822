/** `metrics bridge`: what changed between two periods, in every format. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, sum } from '../../../src/core/decimal.ts';
import { ExactNumber, plainDecimal } from '../../../src/core/json.ts';
import { bridgeOf } from '../../../src/domain/analysis/difference.ts';
import { drawWaterfall } from '../../../src/output/chart/terminal.ts';
import { width } from '../../../src/output/width.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { type RunOptions, run } from '../../helpers/run.ts';

const folder = temporaryFolder();
const bridge = (argv: readonly string[], options?: RunOptions) =>
  run(['-p', 'demo', 'metrics', 'bridge', ...argv], { cwd: folder, ...options });
const lumen = ['-c', 'lumen'];
const quarters = ['--from', '2025-Q3', '--to', '2025-Q4'];
const months = [...lumen, '-m', 'arr', '--from', '2025-09', '--to', '2025-12'];
const rowsOf = async (argv: readonly string[]) => {
  const { stdout, stderr, code } = await bridge([...argv, '-o', 'csv']);
  expect([code, stderr]).toEqual([0, '']);
  const [header = '', ...lines] = stdout.trimEnd().split('\n');
  const keys = header.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [keys[at] ?? '', cell])));
};

const screen = `
lumen · ARR, 2025-09 to 2025-12 (USD)
2025-09 █████████████                                  8,429k
2025-10              ▓▓▓▓▓▓                             +188k  +2.2%
2025-11                    ▓▓▓▓▓                        +153k  +1.8%
2025-12                         ▓▓▓▓▓▓▓▓▓               +301k  +3.6%
2025-12 █████████████████████████████████              9,071k  +7.6%
Bars begin at 8.0M, not at zero.
`.slice(1);

describe('metrics bridge', () => {
  it('draws a step for each period on a terminal', async () => {
    const { stdout, stderr, code } = await bridge(months, { tty: true, columns: 69 });
    expect([code, stderr, stdout]).toEqual([0, '', screen]);
  });

  it('sums up to the value of the last period, of every company', async () => {
    const rows = await rowsOf(['-c', 'lumen', '-c', 'fieldwork', '-m', 'arr', ...quarters]);
    expect(rows.map(({ step, kind }) => [step, kind])).toEqual([
      ['2025-Q3', 'start'],
      ['lumen', 'step'],
      ['fieldwork', 'step'],
      ['2025-Q4', 'end'],
    ]);
    const values = rows.map(({ value = '' }) => new ExactNumber(value));
    expect(plainDecimal(sum(values.slice(0, -1)))).toBe(rows.at(-1)?.value);
    expect(rows.map(({ running }) => running).at(-2)).toBe(rows.at(-1)?.running);
    const own = await run(['-p', 'demo', '-c', 'lumen', 'metrics', 'get', 'arr', '--period', '2025-Q4']);
    const other = await run(['-p', 'demo', '-c', 'fieldwork', 'metrics', 'get', 'arr', '--period', '2025-Q4']);
    const total = sum([own, other].map(({ stdout }) => new ExactNumber(stdout.trim())));
    expect(rows.at(-1)?.value).toBe(plainDecimal(total));
  });

  it('has a step of zero for a company without a change', async () => {
    const period = ['--from', '2025-11', '--to', '2025-12'];
    const rows = await rowsOf(['-c', 'lumen', '-c', 'harbor', '-m', 'headcount', ...period]);
    expect(rows.map(({ step, value }) => [step, value])).toEqual([
      ['2025-11', '156'],
      ['lumen', '0'],
      ['harbor', '2'],
      ['2025-12', '158'],
    ]);
  });

  it('has a step for each part, and for what they do not explain', async () => {
    const rows = await rowsOf([...months, '--calc', 'grown = 0.5 * (arr - prev(arr))']);
    expect(rows.map(({ step }) => step)).toEqual(['2025-09', 'grown', 'other', '2025-12']);
    expect(rows[1]?.value).toBe(rows[2]?.value);
  });

  it.each([
    [['-m', 'arr', '--from', '2025-Q4'], '--to'],
    [['-m', 'arr', '--from', '2025-Q4', '--to', '2025-Q3'], '--to must not be before --from (2025-Q4), got 2025-Q3'],
    [['-m', 'arr', '--from', '2025-12', '--to', '2025-Q4'], '--from is a month and --to is a quarter'],
    [['-m', 'arr', ...quarters, '--parts', 'nrr'], 'parts of arr must be in USD, and nrr is in %'],
    [['-m', 'arr,mrr', ...quarters], 'a bridge is of one metric'],
    [['-m', 'arr', '--from', '2025-Q4', '--to', '2026-Q1'], 'arr of 2026-Q1 is of 2/3 months'],
    [['-c', 'fieldwork', '-m', 'nrr', ...quarters], 'nrr does not add up'],
    [['-c', 'tessera', '-m', 'arr', ...quarters], 'a bridge cannot add amounts in USD and EUR'],
  ])('refuses %j', async (argv, message) => {
    const { code, stdout, stderr } = await bridge([...lumen, ...argv]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('is of complete periods', async () => {
    const { stderr, code } = await bridge([...lumen, '-m', 'arr', '--from', '2025-Q4', '--to', '2026-Q1']);
    expect(code).toBe(2);
    expect(stderr).toContain('arr of 2026-Q1 is of 2/3 months');
  });

  it('writes pictures and a page with the same numbers', async () => {
    for (const name of ['arr.svg', 'arr.html', 'arr.png']) {
      expect(await bridge([...months, '--out', name])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    }
    const [svg, page] = ['arr.svg', 'arr.html'].map((name) => readFileSync(join(folder, name), 'utf8'));
    for (const text of [svg, page]) for (const caption of ['+188k', '9,071k']) expect(text).toContain(caption);
    // The table has the same digits, and changes have their sign there, too.
    expect(page).toMatch(/<td data-value="187939.68"[^>]*>▲ \+188</);
    expect(page).toContain('data-value="187939.68"');
    const png = readFileSync(join(folder, 'arr.png'));
    expect([png.readUInt32BE(16), png.length > 15_000]).toEqual([1760, true]);
  });
});

describe('a bridge', () => {
  const decimal = fc.tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 9 }));
  const exact = decimal.map(([digits, point]) => new ExactNumber(plainDecimal(new ExactNumber(`${digits}e-${point}`))));

  it('sums up with every digit, and names a rest only if there is one', () => {
    fc.assert(
      fc.property(exact, exact, fc.array(exact, { maxLength: 6 }), fc.boolean(), (from, given, values, explained) => {
        const changes = values.map((value, at) => ({ name: `${at}`, value }));
        const to = explained ? sum([from, ...values]) : given;
        const steps = bridgeOf({ from: { name: 'a', value: from }, to: { name: 'b', value: to } }, changes);
        const parts = steps.filter(({ kind }) => kind !== 'end').map(({ value }) => value);
        expect(compare(sum(parts), to)).toBe(0);
        expect(compare(steps.at(-2)?.running ?? 0, to)).toBe(0);
        if (explained) expect(steps.some(({ kind }) => kind === 'rest')).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it.each([24, 40, 60, 80, 120])('fits %d columns on the terminal, negative totals too', (columns) => {
    const bar = (label: string, from: number, to: number, total = false) => ({
      ...{ label, total, from, to, caption: String(to - from), verdict: 'good' as const },
    });
    const bars = [
      bar('2025-Q3', 0, -50, true),
      bar('a company with a long name', -50, 20),
      bar('2025-Q4', 0, 20, true),
    ];
    for (const ascii of [true, false]) {
      const lines = drawWaterfall({ title: 'ARR', bars }, { width: columns, ascii, paint: (_, text) => text });
      expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(Math.max(columns, 32));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
      if (ascii) expect(lines.join('')).toMatch(/^[\x00-\x7f]*$/);
      const [first = '', step = '', last = ''] = lines.slice(1).map((line) => line.replace(/[^#+█▓]/g, ' '));
      // The change begins where the first total ends, and ends where the last one does.
      expect(step.search(/\S/)).toBe(first.search(/\S/));
      expect(last.trimEnd().length).toBe(step.trimEnd().length);
    }
  });
});
