/** `comem/analysis` as a script meets it: resolved by name, typed, from ES modules and from CommonJS, without any I/O. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

function project(files: Record<string, string>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/comem'), 'dir');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const body = `
  const month = (periodKey, mrr, version = 'actual') => ({ periodKey, periodType: 'month', version, metrics: { mrr } });
  const lines = linesOf([month('2024-01', 90), month('2024-02', 99), month('2024-01', 100, 'budget')]);
  const [growth] = changes(lines[0].points, 1).slice(-1);
  const against = variance('mrr', '2024-01', 90, valueAt(lines[1], parsePeriod('2024-01').index), 'up');
  console.log(JSON.stringify([growth.ratio, against.ratio, against.verdict, sparkline([1, 2])]));`;
const names = 'linesOf, changes, variance, valueAt, parsePeriod, sparkline';
const expected = [0.1, -0.1, 'bad', '▁█'];

test('runs from an ES module and from CommonJS', async () => {
  const folder = project({
    'a.mjs': `import { ${names} } from 'comem/analysis';${body}`,
    'a.cjs': `const { ${names} } = require('comem/analysis');${body}`,
  });
  for (const script of ['a.mjs', 'a.cjs']) {
    const { stdout, stderr } = await run(process.execPath, [script], { cwd: folder });
    expect([JSON.parse(stdout), stderr]).toEqual([expected, '']);
  }
});

test('its types say what a function takes', async () => {
  const script = `
    import { type MetricLine, linesOf, parseFailOn, fails, variance, type Variance, ExactNumber } from 'comem/analysis';
    const lines: MetricLine[] = linesOf([{ periodKey: '2024-01', periodType: 'month', version: 'actual', metrics: {} }]);
    const row: Variance = variance('mrr', '2024-01', new ExactNumber('1.10'), null, undefined);
    const rule = parseFailOn('bad > 10%');
    export const broken: boolean = rule !== undefined && fails(row, rule) && lines.length > 0;
    // @ts-expect-error text is no number
    variance('mrr', '2024-01', '5', 4, 'up');
    // @ts-expect-error there is no such grain
    linesOf([{ periodKey: '2024-01', periodType: 'week', version: 'actual', metrics: {} }]);
  `;
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: false, target: 'es2023', lib: ['es2023'], types: [] },
    ...{ module: 'nodenext', moduleResolution: 'nodenext' },
  };
  const files = ['script.mts', 'script.cts'];
  const folder = project({
    ...Object.fromEntries(files.map((name) => [name, script])),
    'tsconfig.json': JSON.stringify({ compilerOptions, files }),
  });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const checked = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(checked.stdout).toBe('');
});
