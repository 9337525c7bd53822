import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, listsWorld, sent, type World } from '../../helpers/lists-world.ts';

let world: World;
beforeAll(async () => {
  world = await listsWorld();
});
afterAll(() => world.close());

const header =
  'id,title,stage,tags,amount,since,site,contact,hot,score,size,notes,sector,values.title,position,archived,created_at,updated_at';
const acme = 'Acme, "Rockets"';
const titles = async (...flags: string[]) => {
  const { stdout, stderr, code } = await world.run([
    'entries',
    'list',
    'deals',
    '--fields',
    'title',
    '--no-header',
    ...flags,
  ]);
  if (code !== 0) throw new Error(stderr);
  return stdout.split('\n').filter((line) => line !== '');
};

describe('entries list', () => {
  it('has id, title, the attributes by slug and the rest as columns, labels for options', async () => {
    const { stdout, stderr } = await world.run(['entries', 'list', 'deals', '-o', 'csv']);
    expect(stderr).toBe('');
    expect(stdout.split('\n')[0]).toBe(header);
    expect(stdout).toContain(
      `${ids.acme},"Acme, ""Rockets""",Won,climate; space; deep tech,1250000.5,2024-02-29,https://acme.example,ann@acme.example,true,4,12,"first\nsecond",,,0,false,`,
    );
    expect(stdout).toContain(`${ids.borealis},Børealis,Open,,7,,,,false,,,=1+1,,,1,false,`);
    expect(stdout).not.toContain('Old deal');
  });

  it('keeps option ids with --option-ids, and the API’s own entries in JSON', async () => {
    const { stdout } = await world.run([
      'entries',
      'list',
      'deals',
      '--option-ids',
      '--fields',
      'stage,tags',
      '-o',
      'csv',
    ]);
    expect(stdout.split('\n')[1]).toBe('o-won,t-climate; t-space');
    const [acme] = (await world.json(['entries', 'list', 'deals'])) as Record<string, unknown>[];
    expect(acme).toMatchObject({
      id: ids.acme,
      list_id: ids.deals,
      values: { stage: 'o-won', tags: ['t-climate', 't-space'] },
    });
  });

  it('is a table with the names of attributes on a terminal', async () => {
    const { stdout } = await world.run(['entries', 'list', 'deals', '--fields', 'title,stage,amount,hot'], {
      tty: true,
    });
    expect(stdout).toBe(
      [
        'Title            Stage    Amount EUR  Hot',
        'Acme, "Rockets"  Won    1,250,000.50  yes',
        'Børealis         Open           7.00  no',
        'Twin',
        'Twin',
        '',
      ].join('\n'),
    );
  });

  it.each<[string[], string[]]>([
    [['--search', 'RØCK'], []],
    [['--search', 'rock'], [acme]],
    [['--filter', 'stage=open'], ['Børealis']],
    [
      ['--filter', 'stage=open', '--archived'],
      ['Børealis', 'Old deal'],
    ],
    [['--archived-only'], ['Old deal']],
    [['--filter', 'stage=Open', '--filter', 'stage=o-won', '--filter', 'hot=no'], ['Børealis']],
    [['--filter', 'amount=7.00'], ['Børealis']],
    [['--filter', 'tags=space; deep tech'], [acme]],
    [['--view', ids.view], [acme]],
    [
      ['--limit', '2', '--offset', '1'],
      ['Børealis', 'Twin'],
    ],
    [['--limit', '0'], []],
  ])('%j', async (flags, expected) => {
    const found = await titles(...flags);
    expect(found).toEqual(expected);
  });

  it('sends filters as the API stores them', async () => {
    const { requests } = await world.run(['entries', 'list', ids.deals, '--filter', 'stage=Won', '--page-size', '2']);
    expect(requests.map(({ path }) => path)[0]).toBe(`/api/lists/${ids.deals}`);
    expect(requests[1]).toMatchObject({ query: { 'filter[stage]': 'o-won', limit: '2' } });
  });

  it('reads page by page, and stops at --limit', async () => {
    const all = await world.run(['entries', 'list', ids.deals, '--page-size', '1', '-o', 'id']);
    expect(all.stdout.trim().split('\n')).toHaveLength(4);
    const one = await world.run(['entries', 'list', ids.deals, '--limit', '1', '-o', 'id']);
    expect(one.requests.filter(({ path }) => path.endsWith('/entries')).map(({ query }) => query.limit)).toEqual(['1']);
  });

  it('--raw sends one request for entries and prints its body', async () => {
    const { stdout, requests } = await world.run([
      'entries',
      'list',
      ids.deals,
      '--raw',
      '--limit',
      '2',
      '--offset',
      '1',
    ]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.query).toEqual({ archived: 'false', limit: '2', offset: '1' });
    expect(JSON.parse(stdout)).toHaveLength(2);
  });

  it('of an empty list is a header, an empty array, or a sentence', async () => {
    expect((await world.run(['entries', 'list', 'empty', '-o', 'csv'])).stdout).toBe(
      'id,title,position,archived,created_at,updated_at\n',
    );
    expect((await world.run(['entries', 'list', 'empty', '-o', 'json'])).stdout).toBe('[]\n');
    expect((await world.run(['entries', 'list', 'empty'], { tty: true })).stderr).toContain('No entries.');
    expect((await world.run(['entries', 'list', 'empty', '--fail-empty'])).code).toBe(1);
  });

  it.each([
    [['--filter', 'stagee=Won'], /no attribute "stagee"; it has: stage, tags/],
    [['--filter', 'stage'], /--filter takes SLUG=VALUE/],
    [['--page-size', '501'], /--page-size must be 1 to 500/],
    [['--offset', '-1'], /--offset/],
    [['--view', 'mine'], /--view/],
    [['--limit', 'ten'], /--limit/],
    [['--fields', 'titel'], /titel/],
  ])('refuses %j with nothing on stdout', async (flags, says) => {
    const { code, stdout, stderr, requests } = await world.run(['entries', 'list', 'deals', ...flags]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(says);
    expect(requests.some(({ path }) => path.endsWith('/entries'))).toBe(false);
  });

  it('refuses an option that no entry has', async () => {
    const { code, stdout, stderr } = await world.run(['entries', 'list', 'deals', '--filter', 'stage=Wom']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/unknown option "Wom" of stage .*\n.*did you mean Won/);
  });

  it('of an unknown list is not found', async () => {
    expect((await world.run(['entries', 'list', ids.nothing])).code).toBe(3);
  });
});

describe('entries count', () => {
  it.each<[string[], string]>([
    [[], '4'],
    [['--archived'], '5'],
    [['--filter', 'stage=Won'], '1'],
    [['--search', 'twin'], '2'],
    [['--view', ids.view], '1'],
    [['--filter', 'hot=true', '--filter', 'stage=Open'], '0'],
    [['--limit', '3'], '3'],
    [['--limit', '9'], '4'],
    [['--offset', '1'], '3'],
    [['--offset', '9'], '0'],
    [['--offset', '1', '--limit', '2'], '2'],
  ])('%j', async (flags, expected) => {
    const { stdout, code } = await world.run(['entries', 'count', 'deals', ...flags]);
    expect([code, stdout]).toEqual([0, `${expected}\n`]);
  });

  it('is one request for entries, and an object in JSON', async () => {
    const { stdout, requests } = await world.run(['entries', 'count', ids.deals, '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual({ count: 4 });
    expect(requests.map(({ query }) => query)).toEqual([{ archived: 'false', limit: '1', withTotal: 'true' }]);
  });

  it('of none is exit 1 under --fail-empty, 0 without', async () => {
    const none = ['entries', 'count', 'deals', '--search', 'zebra'];
    expect(await world.run(none)).toMatchObject({ code: 0, stdout: '0\n' });
    expect(await world.run([...none, '--fail-empty'])).toMatchObject({ code: 1, stdout: '0\n' });
  });

  it('refuses --raw', async () => {
    expect((await world.run(['entries', 'count', 'deals', '--raw'])).code).toBe(2);
  });
});

describe('entries get', () => {
  it('names --by in what is wrong with it', async () => {
    for (const by of ['stge=x', 'amount=many', 'amount>many']) {
      const { code, stderr } = await world.run(['entries', 'get', 'deals', '--by', by]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^comem: --by\b/) });
      expect(stderr).not.toContain('--filter');
    }
  });

  it('by title searches, by uuid reads', async () => {
    const byTitle = await world.run(['entries', 'get', ids.deals, 'Børealis', '-o', 'json']);
    expect(byTitle.requests.at(-1)?.query).toMatchObject({ search: 'Børealis', archived: 'true' });
    expect(JSON.parse(byTitle.stdout)).toMatchObject({ id: ids.borealis, values: { amount: 7 } });
    const byId = await world.run(['entries', 'get', ids.deals, ids.old, '-o', 'json']);
    expect(JSON.parse(byId.stdout)).toMatchObject({ title: 'Old deal', archived: true });
  });

  it('shows labels on a terminal', async () => {
    const { stdout } = await world.run(['entries', 'get', 'deals', ids.acme], { tty: true });
    expect(stdout).toMatch(/Stage\s.*Won/);
    expect(stdout).toMatch(/Tags\s.*climate, space; deep tech/);
  });

  it('of an ambiguous title lists the candidates, of an unknown one is not found', async () => {
    const twin = await world.run(['entries', 'get', 'deals', 'Twin']);
    expect([twin.code, twin.stdout]).toEqual([2, '']);
    expect(twin.stderr).toContain('"Twin" matches 2 entries');
    const unknown = await world.run(['entries', 'get', 'deals', 'børealis']);
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('did you mean "Børealis"?')]);
    expect((await world.run(['entries', 'get', 'deals', ids.nothing])).code).toBe(3);
    expect(sent(twin)[0]).toMatch(/^GET \/api\/lists/);
  });
});
