/** Pages and pictures as a browser sees them. */
import { Buffer } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishedPanels } from '../../../src/commands/published/page.ts';
import { figureSection, pageOf, tableSection } from '../../../src/output/chart/page.ts';
import type { Panel } from '../../../src/output/chart/panel.ts';
import { lettersWithoutFont, pngOf } from '../../../src/output/chart/png.ts';
import { svgOf } from '../../../src/output/chart/svg.ts';
import { openBrowser, openFile, tableValues } from '../../helpers/browser.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { ids, metricsWorld, type World } from '../../helpers/metrics-world.ts';
import { run } from '../../helpers/run.ts';
import { has, testWith } from '../../helpers/tools.ts';

const hostile = `</title><script>alert("1")</script> & 'x' <img src=x onerror=alert(1)> "`;
const panel: Panel = {
  title: hostile,
  unit: '"<b>',
  periods: ['2024-01', '2024-02', '2024-03'],
  series: [
    { label: hostile, metricId: 'a', values: [1, null, 3] },
    { label: `${hostile} budget`, metricId: 'a', dash: 1, values: [2, 2, undefined] },
  ],
  notes: [hostile],
};
const size = { width: 600, height: 300, titles: true };
const cells = (csv: string) =>
  csv
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));

let world: World;
let browser: Browser | undefined;
const folder = temporaryFolder();
beforeAll(async () => {
  world = await metricsWorld();
  if (has('chromium')) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await world.close();
});

async function open(file: string, width: number) {
  if (!browser) throw new Error('there is no browser');
  return openFile(browser, file, width);
}

describe('a table', () => {
  test('leaves out empty columns, and says which numbers nobody reported', () => {
    interface Row {
      name: string;
      mrr: number | null;
      nrr: number | null;
      note: string;
    }
    const columns = [
      { key: 'name', heading: 'Name', get: ({ name }: Row) => name },
      { key: 'mrr', heading: 'MRR', type: 'number' as const, get: ({ mrr }: Row) => mrr },
      { key: 'note', heading: 'Note', get: ({ note }: Row) => note },
      { key: 'nrr', heading: 'NRR <b>', type: 'number' as const, get: ({ nrr }: Row) => nrr },
    ];
    const keys = (rows: Row[]) => {
      const text = tableSection({ heading: 'Data', columns, rows });
      return [...text.matchAll(/data-key="(\w+)"|<p class="note">(.*?)<\/p>/g)].map(([, key, note]) => key ?? note);
    };
    const row = { name: 'a', mrr: 0, nrr: null, note: '' };
    expect(keys([row, row])).toEqual(['Not shown, because empty: NRR &lt;b&gt;.', 'name', 'mrr']);
    expect(keys([row, { ...row, nrr: 1, note: 'x' }])).toEqual(['name', 'mrr', 'note', 'nrr']);
    expect(keys([])).toEqual(['name', 'mrr', 'note', 'nrr']);
  });
});

describe('SVG', () => {
  test('breaks the line at a gap, and dashes a plan', () => {
    const of = (values: Panel['series'][number]['values'], dash = 0) => {
      const series = [{ label: 'MRR', metricId: 'mrr', dash, values }];
      const svg = svgOf([{ title: 'MRR', periods: ['2024-01', '2024-02', '2024-03'], series }], {
        ...size,
        type: 'line',
      });
      // The line of the series is the one path that is two units wide.
      return /<path d="([^"]*)"[^>]*stroke-width="2"[^>]*>/.exec(svg)?.[0] ?? '';
    };
    expect(of([1, 2, 3]).match(/M/g)).toHaveLength(1);
    expect(of([1, 2, 3]).match(/L/g)?.length ?? 0).toBeGreaterThan(0);
    expect(of([1, null, 3])).not.toMatch(/L/);
    expect(of([1, 2, 3])).not.toContain('stroke-dasharray');
    expect(of([1, 2, 3], 1)).toContain('stroke-dasharray');
  });

  test('holds no script and nothing to load', () => {
    const svg = svgOf([panel], { ...size, type: 'line' });
    expect(svg).not.toMatch(/<script|<img|href=|url\(|@import/i);
  });

  testWith('chromium')('is well formed whatever the labels say', async () => {
    const pictures = [svgOf([panel, panel], { ...size, type: 'line' }), svgOf([panel], { ...size, type: 'bar' })];
    for (const [index, text] of pictures.entries()) {
      const file = join(folder, `${index}.svg`);
      writeFileSync(file, text);
      const { page, complaints } = await open(file, 700);
      expect(await page.evaluate('document.documentElement.nodeName')).toBe('svg');
      expect(await page.evaluate('document.querySelectorAll("parsererror, script, img").length')).toBe(0);
      expect(await page.evaluate('document.querySelectorAll("path").length')).toBeGreaterThan(3);
      expect(complaints).toEqual([]);
      await page.close();
    }
  });
});

test('the unit of a panel is named once', () => {
  const titled = (title: string) => svgOf([{ ...panel, title, unit: 'EUR' }], { ...size, type: 'line' });
  expect(titled('MRR')).toContain('>MRR (EUR)<');
  expect(titled('MRR (€)')).toContain('>MRR (€)<');
});

describe('PNG', () => {
  /** The header of a PNG: width and height (W3C, PNG, 11.2.2). */
  const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

  test('is the picture twice as large, with its lines and letters', async () => {
    const svg = svgOf([{ ...panel, title: 'MRR' }], { ...size, type: 'line', head: { title: 'Lumen', facts: '2024' } });
    const [width, height] = [600, 356];
    expect(svg).toContain(`viewBox="0 0 ${width} ${height}"`);
    const png = Buffer.from(await pngOf(svg));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(sizeOf(png)).toEqual([width * 2, height * 2]);
    // The same picture without its letters has far fewer edges to store.
    const bare = Buffer.from(await pngOf(svg.replace(/<text.*?<\/text>/g, '')));
    const blank = Buffer.from(await pngOf(svg.replace(/<(text|path|circle).*?(<\/text>|\/>)/g, '')));
    expect(png.length).toBeGreaterThan(bare.length + 3000);
    expect(bare.length).toBeGreaterThan(blank.length + 1000);
  });

  test('names the letters that its font does not have', () => {
    expect(lettersWithoutFont('Größe · Ελλάς · Привет ▲ 5 %')).toEqual([]);
    expect(lettersWithoutFont('株 A 株 式')).toEqual(['株', '式']);
  });
});

describe('the page of metrics chart', () => {
  const flags = ['-m', 'mrr,headcount,big', '--from', '2023-06', '--to', '2024-05', '--versions', 'actual,budget'];

  testWith('chromium')('holds the data of the CSV, complains of nothing, and fits a phone', async () => {
    const file = join(folder, 'metrics.html');
    const { code, stdout, stderr } = await world.run(['metrics', 'chart', ...flags, '--out', file]);
    expect([code, stdout, stderr]).toEqual([0, '', '']);
    const csv = await world.run(['metrics', 'series', ...flags, '--order', 'asc', '-o', 'csv']);
    for (const width of [1000, 360]) {
      const { page, complaints } = await open(file, width);
      expect(await tableValues(page, '#data table')).toEqual(cells(csv.stdout));
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect(wide).toBeLessThanOrEqual(width);
      const visible = await page.$$eval(
        'figure svg',
        (all) => all.filter((svg) => svg.getClientRects().length > 0).length,
      );
      // A chart for each unit (the two counts share one), of which one size is shown.
      expect(visible).toBe(2);
      expect(complaints).toEqual([]);
      await page.close();
    }
  });

  testWith('chromium')('has its variances as the command says them', async () => {
    const file = join(folder, 'variance.html');
    await world.run(['metrics', 'chart', ...flags, '--out', file]);
    const { page } = await open(file, 1000);
    const said = await world.run(['metrics', 'variance', '-m', 'mrr', '--period', '2024-05', '-o', 'csv']);
    // Nothing is noted.
    const shown = cells(said.stdout).map((row, _, [head = []]) => {
      const { note, unit, ...others } = Object.fromEntries(row.map((cell, at) => [head[at], cell]));
      const [metric, period, ...numbers] = Object.values(others);
      // The unit is beside the metric.
      return [metric, period, unit, ...numbers];
    });
    expect(await tableValues(page, '#actual-against-budget table')).toEqual(shown);
    await page.close();
  });

  testWith('chromium')('prints with its tables whole', async () => {
    const { page } = await open(join(folder, 'metrics.html'), 1000);
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.scroll')).overflowX`)).toBe('visible');
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.narrow')).display`)).toBe('none');
    await page.close();
  });

  testWith('chromium')('takes text from the API for text', async () => {
    const file = join(folder, 'hostile.html');
    const svg = svgOf([panel], { ...size, type: 'line' });
    const figures = [{ heading: hostile, wide: svg, narrow: svg, caption: hostile }];
    const columns = [{ key: hostile, heading: hostile, get: () => hostile }];
    const sections = [figureSection(hostile, figures), tableSection({ heading: hostile, columns, rows: [{}] })];
    writeFileSync(file, pageOf({ title: hostile, facts: [hostile], sections }));
    const { page, complaints } = await open(file, 800);
    expect(await page.title()).toBe(hostile);
    expect(await page.evaluate('document.querySelectorAll("script, img").length')).toBe(0);
    expect(await page.$eval('td, tbody th', (cell) => cell.getAttribute('data-value'))).toBe(hostile);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('is one file that forbids itself to load anything', async () => {
    const file = join(folder, 'alone.html');
    await world.run(['metrics', 'chart', '-m', 'mrr', '--last', '6', '--out', file]);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/Content-Security-Policy" content="default-src 'none'/);
    expect(text).not.toMatch(/<script|<link rel="stylesheet"|src=/);
  });
});

describe('the page of published report', () => {
  testWith('chromium')('holds what was published, as the CSV does', async () => {
    const file = join(folder, 'report.html');
    const env = { COMEM_COMPANY_ID: ids.investor };
    const { code } = await world.run(['published', 'report', ids.company, '--out', file], { env });
    expect(code).toBe(0);
    const csv = await world.run(
      ['published', 'get', ids.company, '-o', 'csv', '--fields', 'periodKey,versionNumber,sentAt,mrr'],
      { env },
    );
    const { page, complaints } = await open(file, 360);
    const [head = [], ...rows] = await tableValues(page, '#data table');
    const picked = ['periodKey', 'versionNumber', 'sentAt', 'mrr'].map((key) => head.indexOf(key));
    expect([head, ...rows].map((row) => picked.map((at) => row[at]))).toEqual(cells(csv.stdout));
    expect(await page.title()).toBe('World: published metrics');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('has the names of metrics in its table, as in its charts', async () => {
    const { stdout } = await run(['-p', 'demo', 'published', 'report', 'lumen', '--from', '2026-01']);
    expect(stdout).toMatch(/<th scope="col" data-key="churn_rate"[^>]*>Churn rate %</);
    expect(stdout).toContain('<h3>Churn rate (%)</h3>');
  });

  test('shows a period that was not published as a gap, and of one sent twice the newest version', () => {
    const sent = (periodKey: string, versionNumber: number, mrr: number) => ({
      ...{ periodKey, periodType: 'month', versionNumber, data: { mrr } },
    });
    const [drawn] = publishedPanels([sent('2024-04', 1, 4), sent('2024-01', 2, 11), sent('2024-01', 1, 1)]);
    expect(drawn?.periods).toEqual(['2024-01', '2024-02', '2024-03', '2024-04']);
    expect(drawn?.series[0]?.values).toEqual([11, undefined, undefined, 4]);
  });

  test('has no rows, and says what has them', async () => {
    for (const words of [
      ['-o', 'csv'],
      ['--out', 'report.csv'],
      ['--fields', 'mrr'],
    ]) {
      const result = await world.run(['published', 'report', ids.company, ...words]);
      expect(result).toMatchObject({ code: 2, stdout: '', requests: [] });
      expect(result.stderr).toContain('published get');
    }
  });

  test('is not thrown at a terminal', async () => {
    const result = await world.run(['published', 'report', ids.company], { tty: true });
    expect(result).toMatchObject({ code: 2, stdout: '', requests: [] });
    expect(result.stderr).toContain('--out');
  });
});

describe('metrics chart elsewhere', () => {
  const chart = (...words: string[]) => ['metrics', 'chart', '-m', 'mrr', '--from', '2024-02', ...words];

  test('is text in a pipe, rows in a format of rows, and by the extension in a file', async () => {
    const drawn = await world.run(chart(), { columns: 60 });
    expect(drawn.stdout.split('\n')[0]).toMatch(/\(USD\) · \d{4}-\d\d to \d{4}-\d\d$/);
    expect(Math.max(...drawn.stdout.split('\n').map((line) => line.length))).toBeLessThan(60);
    const rows = await world.csv(chart());
    expect(rows[0]).toBe('periodKey,periodType,version,mrr,source,updatedAt');
    const file = join(folder, 'chart.svg');
    const result = await world.run(chart('--out', file), { env: { COMEM_OUTPUT: 'json' } });
    expect(result).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg /);
  });

  test('does with ASCII where there is no more', async () => {
    for (const env of [{ TERM: 'dumb' }, { LANG: 'C' }]) {
      const { stdout } = await world.run(chart(), { env });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
      expect(stdout).toMatch(/^[\x00-\x7f]+$/);
    }
  });

  test('draws nothing of nothing', async () => {
    const nothing = ['metrics', 'chart', '-m', 'arr', '--last', '3'];
    expect(await world.run(nothing)).toMatchObject({ code: 0, stdout: '' });
    expect(await world.run([...nothing, '--fail-empty'])).toMatchObject({ code: 1, stdout: '' });
    expect(await world.run(chart('--out', 'chart.pdf'))).toMatchObject({ code: 2, stdout: '', requests: [] });
    expect(await world.run(chart('--fields', 'mrr'))).toMatchObject({ code: 2, stdout: '', requests: [] });
  });
});
