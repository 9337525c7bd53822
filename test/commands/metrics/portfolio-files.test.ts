/** Pages, pictures and workbooks of several companies: each company and the total are in them, and so are the rates. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/cli.ts';
import { run } from '../../helpers/run.ts';
import { readWorkbook } from '../../helpers/workbook.ts';

const cwd = temporaryFolder();
const companies = ['total', 'lumen', 'harbor', 'tessera', 'fieldwork', 'quill'];
const rates = '2025-09-30,USD,1.1741\n2025-12-31,USD,1.1750\n';
const converted = ['-c', '@portfolio', '--last', '2q', '--in', 'USD', '--rates', 'rates.csv', '--total'];

async function write(file: string, ...argv: string[]): Promise<string> {
  const result = await run(['-p', 'demo', 'metrics', ...argv, '--out', file, '--quiet'], { cwd });
  expect([result.stderr, result.code]).toEqual(['', 0]);
  return readFileSync(join(cwd, file)).toString();
}

const tilesOf = (page: string) => [...page.matchAll(/<dt>(.*?)<\/dt>/g)].map(([, label]) => label);

beforeAll(() => writeFileSync(join(cwd, 'rates.csv'), `date,currency,rate\n${rates}`));

it.each(['board', 'chart'])('%s has the tiles of the total and of each company', async (verb) => {
  const names = (metric: string) => companies.map((company) => `${company} ${metric}, 2025-Q4`);
  const two = await write('two.html', verb, '-m', 'mrr,burn', ...converted);
  expect(tilesOf(two)).toEqual([...names('MRR'), ...names('Burn')]);
  const four = await write('four.html', verb, '-m', 'runway,mrr,burn,headcount', ...converted);
  // The total has no runway: its first metrics are the next ones.
  expect(tilesOf(four).slice(0, 2)).toEqual(['total MRR, 2025-Q4', 'lumen Runway, 2025-Q4']);
  expect(tilesOf(four)).toHaveLength(12);
});

it.each(['board', 'chart'])(
  '%s says the rates, which companies were converted, and what a total adds',
  async (verb) => {
    const page = await write('notes.html', verb, '-m', 'mrr,burn,runway', ...converted);
    const [, notes = ''] = page.split('<h2>Notes</h2>');
    expect([...notes.matchAll(/<li>(.*?)<\/li>/g)].map(([, note]) => note)).toEqual([
      'Amounts in EUR are converted into USD: tessera.',
      'USD for 1 EUR, balances at the end: 2025-Q3 1.1741, 2025-Q4 1.175.',
      'USD for 1 EUR, flows at the average: 2025-Q3 1.1741, 2025-Q4 1.175.',
      'Rates are those of rates.csv. Ratios, percentages and counts are not converted.',
      'The total adds MRR and Burn, and not Runway.',
    ]);
    expect(await write('plain.html', verb, '-m', 'mrr', '-c', 'lumen', '--last', '2q')).not.toContain('<h2>Notes');
  },
);

it('a workbook has headings, and the rates on a second sheet', async () => {
  const fixed = [...converted, '--rate-at', '2025-Q4'];
  await write('board.xlsx', 'board', '-m', 'mrr', ...fixed);
  const bytes = readFileSync(join(cwd, 'board.xlsx'));
  const [head = []] = readWorkbook(bytes).rows;
  expect(head.map(({ text }) => text).slice(0, 6)).toEqual([
    ...['Company', 'Company ID', 'Metric', 'Period', 'Against', 'Actual'],
  ]);
  const notes = readWorkbook(bytes, 2).rows.map(([cell]) => cell?.text);
  expect(notes).toContain('USD for 1 EUR, one rate for all periods: 2025-Q4 1.175.');
  await write('series.xlsx', 'series', '-m', 'mrr', '-c', 'lumen', '--last', '2');
  const series = readFileSync(join(cwd, 'series.xlsx'));
  // The columns of the series are those of its other files.
  expect(readWorkbook(series).rows[0]?.[0]?.text).toBe('periodKey');
  expect(readWorkbook(series, 2).rows).toEqual([]);
});

it('a row of the data is a period with all companies, in a table for each metric', async () => {
  const versions = ['--versions', 'actual,budget'];
  const page = await write('data.html', 'chart', '-m', 'mrr,headcount', ...converted, ...versions);
  const tables = [...page.matchAll(/<h2>(MRR \(USD k\)|Headcount)<\/h2>.*?<\/table>/gs)].map(([table]) => table);
  expect(tables).toHaveLength(2);
  for (const table of tables) {
    const keys = [...table.matchAll(/data-key="(.*?)"/g)].map(([, key]) => key);
    const each = companies.slice(1).concat('total');
    expect(keys).toEqual(['period', ...each.flatMap((company) => [company, `${company} budget`])]);
    expect(table.match(/<tr><th scope="row"/g)).toHaveLength(2);
  }
});

it('the total is black and thick, and names no line of a plan', async () => {
  const svg = await write('total.svg', 'chart', '-m', 'mrr', ...converted, '--versions', 'actual,budget');
  expect(svg.match(/<path d="[^"]*" class="l-ink"[^>]*stroke-width="3"/g)).toHaveLength(4);
  // A label at the end of each line of actuals, from the greatest down.
  const ends = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" font-size="11" font-weight="600"[^>]*>([\d.,]+)k</g)];
  const values = ends.map(([, , , text = '']) => Number(text.replace(',', '')));
  expect(values).toHaveLength(6);
  expect(values).toEqual(values.toSorted((a, b) => b - a));
  const heights = ends.map(([, , y]) => Number(y));
  expect(heights).toEqual(heights.toSorted((a, b) => a - b));
});

it('a picture of one metric says its title once', async () => {
  const svg = await write('title.svg', 'chart', '-m', 'mrr', ...converted);
  expect(svg.match(/>MRR[^<]*</g)).toEqual(['>MRR (USD)<']);
  const named = await write('named.svg', 'chart', '-m', 'mrr', '-c', 'lumen', '--last', '2q');
  expect(named.match(/>(Lumen Analytics|MRR \(USD\)|2025-Q3 to 2025-Q4)</g)).toHaveLength(3);
});

it.each(['svg', 'png', 'html', 'txt'])(
  'without values no .%s is written, which is not a success',
  async (extension) => {
    const out = `none.${extension}`;
    const argv = ['-p', 'demo', 'metrics', 'chart', '-m', 'runway', '-c', 'quill', '--last', '2', '--out', out];
    const { code, stderr, stdout } = await run(argv, { cwd });
    expect([code, stdout, existsSync(join(cwd, out))]).toEqual([1, '', false]);
    expect(stderr).toContain(`nothing was drawn, and ${out} was not written`);
  },
);

it('board takes the title of its page, and refuses it without a page', async () => {
  const page = await write('title.html', 'board', '-c', 'lumen', '-m', 'mrr', '--title', 'Q4 <lumen>');
  expect(page).toContain('<h1>Q4 &lt;lumen&gt;</h1>');
  const { code, stderr, requests } = await run(['metrics', 'board', '--title', 'X'], { cwd });
  expect([code, requests]).toEqual([2, []]);
  expect(stderr).toContain('add --out board.html');
});

it('conditions choose the periods of the total, too', async () => {
  const where = ['--where', 'period = 2025-Q4'];
  const svg = await write('where.svg', 'chart', '-m', 'mrr', ...converted, ...where, '--type', 'bar');
  expect(svg.match(/<rect [^>]*class="f-ink"/g)).toHaveLength(2);
  expect(svg).not.toContain('1,827');
});

it('notes of a page wrap, so that none is cut', async () => {
  const page = await write('wraps.html', 'board', '-m', 'mrr', '-c', 'harbor', '--last', '8q');
  expect(page).toMatch(/<td data-value="([^"]+)" class="wraps">\1<\/td>/);
});
