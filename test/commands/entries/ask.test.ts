/** Reading commands ask: --where, --filter, --sort, --one, --changed-since, --by (docs/query.md, "Reading commands"). */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../../helpers/run.ts';

interface Deal {
  id: string;
  title: string;
  archived: boolean;
  values: Record<string, unknown>;
  updated_at: string;
}

let deals: Deal[];
let active: Deal[];
beforeAll(async () => {
  const { stdout } = await run(['entries', 'list', 'deal-pipeline', '--archived', '-o', 'json']);
  deals = JSON.parse(stdout);
  active = deals.filter(({ archived }) => !archived);
});

const list = (...flags: string[]) => run(['entries', 'list', 'deal-pipeline', '-o', 'json', ...flags]);
const count = async (...flags: string[]) => {
  const { code, stdout, stderr } = await run(['entries', 'count', 'deal-pipeline', ...flags]);
  return code === 0 ? Number(stdout) : stderr;
};
const titles = (stdout: string) => (JSON.parse(stdout) as Deal[]).map(({ title }) => title);
const value = ({ values }: Deal, slug: string) => values[slug] ?? null;
const held = (test: (deal: Deal) => boolean, from = active) => from.filter(test).length;
const number = (deal: Deal, slug: string) => (typeof deal.values[slug] === 'number' ? deal.values[slug] : Number.NaN);

describe('--filter', () => {
  it.each<[string[], (deal: Deal) => boolean]>([
    [['notes='], (deal) => value(deal, 'notes') === null],
    [['notes!='], (deal) => value(deal, 'notes') !== null],
    [['stage!=Passed'], (deal) => value(deal, 'stage') !== null && value(deal, 'stage') !== 'passed'],
    [['stage=Passed', 'notes='], (deal) => value(deal, 'stage') === 'passed' && value(deal, 'notes') === null],
    [['stage=Passed', 'stage='], (deal) => ['passed', null].includes(value(deal, 'stage') as string | null)],
    [['valuation=20M'], (deal) => number(deal, 'valuation') === 20e6],
    [['warm-intro!=true'], (deal) => value(deal, 'warm-intro') === false],
    [['first-contact=2024-01'], (deal) => String(value(deal, 'first-contact')).startsWith('2024-01')],
    [['title!=Kite Logistics'], (deal) => deal.title !== 'Kite Logistics'],
    [['tags='], (deal) => ((value(deal, 'tags') ?? []) as unknown[]).length === 0],
    [['tags=AI;B2B'], (deal) => ['ai', 'b2b'].some((tag) => ((value(deal, 'tags') ?? []) as string[]).includes(tag))],
  ])('%j selects the rows that a loop selects', async (filters, test) => {
    const expected = held(test);
    expect(expected).toBeGreaterThan(0);
    expect(await count(...filters.flatMap((one) => ['--filter', one]))).toBe(expected);
  });

  it.each([
    ['valuation>20M', 'hint: use --where "valuation>20M"'],
    ['stage!=Wonn', 'unknown option "Wonn" of stage'],
    ['stge!=Won', 'did you mean stage?'],
    ['valuation', '--filter takes SLUG=VALUE'],
    ['title=Kite Logistics', 1],
  ])('%s: %s', async (filter, says) => {
    const found = await count('--filter', filter);
    if (typeof says === 'number') expect(found).toBe(says);
    else expect(found).toContain(says);
  });
});

describe('--where', () => {
  it('sends to the API what it can filter by, tests the rest here, and says which is which', async () => {
    const where = 'stage = Invested and title contains "a" and valuation > 20M';
    const { stdout, stderr, requests } = await list('--where', where, '-v');
    expect(requests.at(-1)?.query).toMatchObject({ 'filter[stage]': 'invested', search: 'a' });
    expect(stderr).toContain('The API filters by stage, title; entries are tested here by valuation.');
    const expected = active.filter(
      (deal) => value(deal, 'stage') === 'invested' && /a/i.test(deal.title) && number(deal, 'valuation') > 20e6,
    );
    expect(titles(stdout)).toEqual(expected.map(({ title }) => title));
  });

  it('does not send what the API may read in another way', async () => {
    const { requests } = await list('--where', 'stage = Invested or valuation > 20M', '--where', 'title contains "ß"');
    expect(requests.at(-1)?.query).not.toHaveProperty('search');
    expect(JSON.stringify(requests.at(-1)?.query)).not.toContain('filter');
  });

  it('reads archived entries for a condition about them', async () => {
    expect(await count('--where', 'archived')).toBe(held(({ archived }) => archived, deals));
    expect(await count('--where', 'archived = false')).toBe(active.length);
  });

  it.each([
    [['--where', 'valution > 3'], 'did you mean valuation?'],
    [['--where', 'valuation > "3"'], 'write 3 without quotes'],
    [['--where', 'stage = Sourced order by title'], 'an operator is expected before'],
    [['--sort', 'stge'], 'did you mean stage?'],
    [['--sort', 'stage:down'], 'write stage:desc or stage:asc'],
    [['--sort', 'stage,'], 'a name is missing'],
    [['--changed-since', 'yesterdy'], 'yesterdy'],
    [['--changed-since', '30'], '--changed-since'],
    [['--one', '--limit', '3'], '--one prints one row'],
    [['--raw', '--where', 'valuation > 1'], '--raw prints the body as it was received'],
  ])('refuses %j before an entry is read', async (flags, says) => {
    const { code, stdout, stderr, requests } = await list(...flags);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    expect(requests.filter(({ path }) => path.endsWith('/entries'))).toEqual([]);
  });
});

describe('a narrow terminal', () => {
  it('shows the columns that were asked about beside the title', async () => {
    const asked = ['--where', 'conviction > 2', '--sort', 'valuation:desc', '--limit', '3'];
    const narrow = { tty: true, columns: 60 };
    const { stdout } = await run(['entries', 'list', 'deal-pipeline', ...asked], narrow);
    expect(stdout.split('\n')[0]).toMatch(/^Title +Valuation USD M +Conviction /);
    const { stdout: plain } = await run(['entries', 'list', 'deal-pipeline', '--limit', '3'], narrow);
    expect(plain.split('\n')[0]).not.toContain('Valuation');
  });
});

describe('--sort', () => {
  it('puts the largest first, what is empty last, and ties as they came', async () => {
    const sorted = [...active].sort((a, b) => {
      const [x, y] = [number(a, 'valuation'), number(b, 'valuation')];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
      return y - x;
    });
    const expected = sorted.map(({ title }) => title);
    expect(titles((await list('--sort', 'valuation:desc')).stdout)).toEqual(expected);
    expect(titles((await list('--sort', 'valuation:desc', '--limit', '7')).stdout)).toEqual(expected.slice(0, 7));
    const page = await list('--sort', 'valuation:desc', '--limit', '5', '--offset', '4');
    expect(titles(page.stdout)).toEqual(expected.slice(4, 9));
  });

  it('puts options in the order of their list, then by the next key', async () => {
    const order = ['sourced', 'screening', 'first-meeting', 'diligence', 'term-sheet', 'invested', 'passed'];
    const collator = new Intl.Collator('en', { numeric: true });
    const place = (deal: Deal) => order.indexOf(String(value(deal, 'stage')));
    const expected = [...active].sort((a, b) => place(a) - place(b) || collator.compare(b.title, a.title));
    expect(titles((await list('--sort', 'stage,title:desc')).stdout)).toEqual(expected.map(({ title }) => title));
  });
});

describe('--one', () => {
  it('prints one row as an object', async () => {
    const { code, stdout } = await list('--where', 'title = "Kite Logistics"', '--one');
    expect([code, JSON.parse(stdout).title]).toEqual([0, 'Kite Logistics']);
  });
  it('is exit 3 without a row, and exit 2 with the candidates for several', async () => {
    const none = await list('--where', 'title = "No such deal"', '--one');
    expect([none.code, none.stdout]).toEqual([3, '']);
    const several = await list('--where', 'title contains "kite"', '--one');
    expect([several.code, several.stdout]).toEqual([2, '']);
    expect(several.stderr).toContain('Kite Logistics');
    const deleted = await run(['entries', 'delete', 'deal-pipeline', '--search', 'kite', '--one', '--yes']);
    expect([deleted.code, deleted.requests.some(({ method }) => method === 'DELETE')]).toEqual([2, false]);
  });
});

describe('--fields', () => {
  const fields = async (format: string) => {
    const argv = ['--where', 'title = "Kite Logistics"', '--fields', 'title,stage,values.stage', '-o', format];
    return (await list(...argv)).stdout;
  };
  it('has the label under the slug and the own value under values.SLUG, in every format', async () => {
    const json = { title: 'Kite Logistics', stage: 'Passed', values: { stage: 'passed' } };
    expect(JSON.parse(await fields('json'))).toEqual([json]);
    expect(JSON.parse(await fields('ndjson'))).toEqual(json);
    expect(await fields('csv')).toBe('title,stage,values.stage\nKite Logistics,Passed,passed\n');
  });
});

describe('the names that headings show', () => {
  it('find columns in conditions, fields, orders and groups', async () => {
    const argv = ['--where', 'Stage = Invested and `Team size` > 5', '--sort', 'First contact:desc', '--limit', '3'];
    const byName = await list(...argv, '--fields', 'Title,First contact', '-o', 'csv');
    const bySlug = await list(
      ...['--where', 'stage = Invested and team-size > 5', '--sort', 'first-contact:desc', '--limit', '3'],
      ...['--fields', 'title,first-contact', '-o', 'csv'],
    );
    expect(byName.stdout).toBe(bySlug.stdout);
    expect(bySlug.stdout.split('\n').length).toBeGreaterThan(3);
    const groups = await run(['-p', 'demo', 'entries', 'count', 'deal-pipeline', '--by', 'First contact:year']);
    expect(groups.stdout).toMatch(/^First contact:year\tcount\n20/);
  });
});

describe('entries get --by', () => {
  it.each(['website=kitelogistics.example', 'website=HTTPS://KiteLogistics.example/', 'founder=Sofia Rahman'])(
    '%s',
    async (by) => {
      const { stdout } = await run(['entries', 'get', 'deal-pipeline', '--by', by, '-o', 'json']);
      expect(JSON.parse(stdout).title).toBe('Kite Logistics');
    },
  );
  it.each([
    [['--by', 'website=nowhere.example'], 3],
    [['--by', 'stage=Passed'], 2],
    [['--by', 'stge=Passed'], 2],
    [[], 2],
    [['Kite Logistics', '--by', 'stage=Passed'], 2],
  ])('%j is exit %i', async (flags, code) => {
    expect((await run(['entries', 'get', 'deal-pipeline', ...flags])).code).toBe(code);
  });
});

describe('--changed-since last', () => {
  const home = mkdtempSync(join(tmpdir(), 'comem-ask-'));
  afterAll(() => rmSync(home, { recursive: true }));
  const changed = async (options: RunOptions = {}, ...flags: string[]) => {
    const argv = ['entries', 'list', 'hiring', '--changed-since', 'last', '--fields', 'title', '-o', 'csv', ...flags];
    const { stdout, stderr, code } = await run(argv, { home, ...options });
    return { code, stderr, rows: stdout.trim().split('\n').slice(1) };
  };

  it('gives all, then what changed, once, and says what it cannot see', async () => {
    const first = await changed();
    expect(first.rows.length).toBeGreaterThan(5);
    expect(first.stderr).toContain('All rows: there was no complete run of this command before.');
    const again = await changed();
    expect([again.code, again.rows]).toEqual([0, []]);
    expect(again.stderr).toMatch(/^Changes since \d{4}-\d\d-\d\d \d\d:\d\d\. What was deleted cannot be seen\.$/m);
    const [title = ''] = first.rows;
    for (const position of ['7', '8']) {
      await run(['entries', 'update', 'hiring', title, '--position', position], { home });
      expect((await changed()).rows).toEqual([title]);
      expect((await changed()).rows).toEqual([]);
    }
  });

  it('does not move the mark when the output is cut', async () => {
    await changed({}, '--where', 'title contains "a"', '--limit', '1');
    const all = await changed({}, '--where', 'title contains "a"');
    expect(all.rows.length).toBeGreaterThan(1);
  });

  it('keeps a mark for each command in private files of the user', async () => {
    const find = (folder: string): string[] =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /marks\/.*\.json$/.test(name))
        .map((name) => join(folder, name));
    const files = find(home);
    expect(files).toHaveLength(2);
    for (const file of files) {
      expect(statSync(file).mode & 0o077).toBe(0);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ data: { at: expect.any(String) } });
    }
  });
});

it.each([
  [['--by', 'today - first-contact'], 'is a duration, which makes no groups'],
  [['--by', 'stage', '--agg', 'distinct(now - first-contact)'], 'is a duration, which has no distinct'],
  [['--by', 'first-contact + 9000y:month'], 'a computed time is not in the years 0000 to 9999'],
  [['--by', 'first-contact - 3000y:week'], 'a computed time is not in the years 0000 to 9999'],
  [['--by', 'first-contact + 300000y'], 'a computed time is not in the years 0000 to 9999'],
])('entries summarize %j is exit 2', async (flags, says) => {
  const { code, stdout, stderr } = await run(['entries', 'summarize', 'deal-pipeline', ...flags]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(says);
});

it('keeps the totals of all groups beside --limit and --one', async () => {
  const summarize = ['entries', 'summarize', 'deal-pipeline', '--totals', '-o', 'csv', '--by'];
  const { stdout } = await run([...summarize, 'stage', '--limit', '2']);
  const rows = stdout.trim().split('\n');
  expect([rows.length, rows[0], rows.at(-1)]).toEqual([4, 'stage,count', `Total,${active.length}`]);
  const one = await run([...summarize, 'archived', '--one']);
  expect([one.code, one.stdout]).toEqual([0, `archived,count\nfalse,${active.length}\n`]);
});
