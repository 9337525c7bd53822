import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentials, ids, listsWorld, sent, type World } from '../../helpers/lists-world.ts';

let world: World;
beforeAll(async () => {
  world = await listsWorld();
});
afterAll(() => world.close());

interface Option {
  id: string;
  label: string;
  tone?: string;
}

describe('attrs list', () => {
  it('is the attributes of the list in their order', async () => {
    const result = await world.run(['attrs', 'list', 'deals', '-o', 'json']);
    expect(sent(result)).toEqual(['GET /api/lists', `GET /api/lists/${ids.deals}`]);
    expect(
      JSON.parse(result.stdout)
        .map(({ slug }: { slug: string }) => slug)
        .slice(0, 3),
    ).toEqual(['stage', 'tags', 'amount']);
    const csv = await world.run(['attrs', 'list', 'deals', '--fields', 'slug,attribute_type,options', '-o', 'csv']);
    expect(csv.stdout.split('\n').slice(0, 3)).toEqual([
      'slug,attribute_type,options',
      'stage,status,Open; Won',
      'tags,multi_select,climate; space; deep tech',
    ]);
    const table = await world.run(['attrs', 'list', 'deals'], { tty: true, columns: 140 });
    expect(table.stdout).toMatch(/Name.*Slug.*Type.*Options.*Required/);
  });

  it('says so when there are none', async () => {
    const { code, stderr } = await world.run(['attrs', 'list', 'empty'], { tty: true });
    expect([code, stderr]).toEqual([0, expect.stringContaining('The list has no attributes.')]);
    expect((await world.run(['attrs', 'list', 'empty', '-o', 'json'])).stdout).toBe('[]\n');
  });

  it('--raw is the list as received', async () => {
    expect(JSON.parse((await world.run(['attrs', 'list', ids.deals, '--raw'])).stdout)).toMatchObject({
      id: ids.deals,
    });
  });
});

describe('attrs create', () => {
  it('sends options with tones, position and required', async () => {
    const result = await world.run([
      ...['attrs', 'create', 'empty', 'Phase', '--type', 'select', '--option', 'One:sage', '--option', 'Step 2: build'],
      ...['--required', '--position', '3', '-o', 'json'],
    ]);
    expect(result.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: `/api/lists/${ids.empty}/attributes`,
      body: {
        name: 'Phase',
        attribute_type: 'select',
        config: { options: [{ label: 'One', tone: 'sage' }, { label: 'Step 2: build' }] },
        is_required: true,
        position: 3,
      },
    });
    expect(result.requests.at(-1)?.headers.cookie).toBe(credentials.COMEM_SESSION_COOKIE);
    const { config } = JSON.parse(result.stdout) as { config: { options: Option[] } };
    expect(config.options.map(({ label }) => label)).toEqual(['One', 'Step 2: build']);
  });

  it('refuses several options in one, with the right form', async () => {
    const argv = ['attrs', 'create', 'empty', 'Phase', '--type', 'select', '--option', 'Trial,Live,Ended'];
    const result = await world.run(argv);
    expect([result.code, result.stdout, sent(result)]).toEqual([2, '', []]);
    expect(result.stderr).toContain('write --option Trial --option Live --option Ended');
  });

  it('sends currency, min and max, and --body on top', async () => {
    const argv = [
      'attrs',
      'create',
      ids.empty,
      'Fee',
      '--type',
      'currency',
      '--currency',
      'EUR',
      '--min',
      '0.5',
      '--max',
      '9',
    ];
    const { requests } = await world.run([...argv, '--body', 'config.max:=10']);
    expect(requests.at(-1)?.body).toMatchObject({ config: { currency: 'EUR', min: 0.5, max: 10 } });
  });

  it.each([
    [['--type', 'colour'], /--type.*text, number, currency/s],
    [[], /--type/],
    [['--type', 'text', '--currency', 'EUR'], /--currency is for attributes of type currency, and this one is text/],
    [['--type', 'date', '--min', '1'], /--min is for attributes of type number, currency, rating/],
    [['--type', 'number', '--option', 'A'], /--option is for attributes of type select, multi_select, status/],
    [['--type', 'number', '--min', '3', '--max', '2'], /--min 3 is above --max 2/],
    [['--type', 'select', '--option', 'A:sgae'], /"sgae" is not a tone/],
    [['--type', 'select', '--option', 'A', '--option', 'A'], /the option "A" exists already/],
  ])('refuses %j', async (flags, says) => {
    const { code, requests, stderr } = await world.run(['attrs', 'create', ids.empty, 'Bad', ...flags]);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toMatch(says);
  });
});

describe('attrs create of a name that exists', () => {
  it('says so, and with --if-not-exists creates nothing', async () => {
    const create = ['attrs', 'create', 'deals', 'Stage', '--type'];
    const again = await world.run([...create, 'status', '--if-not-exists', '-o', 'json']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('exists already; nothing was created')]);
    expect(JSON.parse(again.stdout)).toMatchObject({ slug: 'stage', attribute_type: 'status' });
    const other = await world.run([...create, 'date', '--if-not-exists']);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('its type is status, not date')]);
    expect([...again.requests, ...other.requests].every(({ method }) => method === 'GET')).toBe(true);
    const second = await world.run([...create, 'text', '--dry-run']);
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('has an attribute "Stage" already')]);
    const fresh = await world.run([
      'attrs',
      'create',
      'deals',
      'Stadium',
      '--type',
      'text',
      '--if-not-exists',
      '--dry-run',
    ]);
    expect(JSON.parse(fresh.stdout)).toMatchObject([{ method: 'POST' }]);
  });
});

describe('attrs update', () => {
  it('merges options and sends them whole, ids kept, the rest of the config too', async () => {
    // The id of a slug that was read before is known.
    await world.run(['lists', 'list']);
    const result = await world.run([
      ...['attrs', 'update', 'deals', 'stage', '--add-option', 'Lost:charcoal', '--rename-option', 'won=Closed'],
      ...['--remove-option', 'Open', '-o', 'json', '--yes'],
    ]);
    expect(sent(result)).toEqual([
      `GET /api/lists/${ids.deals}`,
      `GET /api/lists/${ids.deals}/entries`,
      `PATCH /api/lists/${ids.deals}/attributes`,
    ]);
    expect(result.requests.at(-1)?.body).toMatchObject({
      config: {
        options: [
          { id: 'o-won', label: 'Closed' },
          { label: 'Lost', tone: 'charcoal' },
        ],
      },
    });
    const entries = (await world.json(['entries', 'list', 'deals', '--filter', 'stage=Closed'])) as { id: string }[];
    expect(entries.map(({ id }) => id)).toEqual([ids.acme]);
  });

  it('asks before it removes an option that entries have, which then are found by its id', async () => {
    const fresh = await listsWorld();
    try {
      const remove = ['attrs', 'update', 'deals', 'stage', '--remove-option', 'Won'];
      const says = '1 entry has the option "Won" of stage, and keeps its id.';
      const refused = await fresh.run(remove);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(says)]);
      expect(refused.requests.every(({ method }) => method === 'GET')).toBe(true);
      const dry = await fresh.run([...remove, '--dry-run']);
      expect([dry.code, dry.stderr]).toEqual([0, expect.stringContaining(says)]);
      const body = await fresh.run(['attrs', 'update', 'deals', 'stage', '--body', 'config.options:=[]']);
      expect([body.code, body.stderr]).toEqual([2, expect.stringContaining('one of the options "Open", "Won"')]);
      const no = await fresh.run(remove, { tty: true, answers: [['Remove', 'n\r']] });
      expect(no.requests.every(({ method }) => method === 'GET')).toBe(true);
      expect((await fresh.run([...remove, '--yes'])).code).toBe(0);
      for (const choice of [
        ['--filter', 'stage=o-won'],
        ['--where', 'stage = "o-won"'],
      ]) {
        const { stdout } = await fresh.run(['entries', 'list', 'deals', ...choice, '-o', 'json']);
        expect((JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)).toEqual([ids.acme]);
        const label = choice.map((word) => word.replace('o-won', 'Won'));
        const { code, stderr } = await fresh.run(['entries', 'list', 'deals', ...label]);
        expect([code, stderr]).toEqual([2, expect.stringMatching(/unknown option "Won".*\n.*by their ids: o-won/)]);
      }
      const unused = await fresh.run(['attrs', 'update', 'deals', 'stage', '--add-option', 'X', '-o', 'json']);
      const again = await fresh.run(['attrs', 'update', 'deals', 'stage', '--remove-option', 'X', '-o', 'json']);
      expect([unused.code, again.code]).toEqual([0, 0]);
    } finally {
      await fresh.close();
    }
  });

  it('keeps what a flag does not name', async () => {
    const { requests, stdout } = await world.run([
      'attrs',
      'update',
      'deals',
      'amount',
      '--max',
      '99',
      '--required',
      '-o',
      'json',
    ]);
    expect(requests.at(-1)?.body).toMatchObject({ is_required: true, config: { currency: 'EUR', min: 0, max: 99 } });
    expect(JSON.parse(stdout)).toMatchObject({ slug: 'amount', is_required: true });
    const optional = await world.run([
      'attrs',
      'update',
      'deals',
      'amount',
      '--optional',
      '--name',
      'Sum',
      '-o',
      'json',
    ]);
    expect(JSON.parse(optional.stdout)).toMatchObject({ slug: 'amount', name: 'Sum', is_required: false });
    expect(optional.requests.at(-1)?.body).not.toHaveProperty('config');
  });

  it.each([
    [['stage'], /nothing to change/],
    [['notes', '--add-option', 'A'], /notes is of type text/],
    [['sector', '--remove-option', 'Draw'], /--option: unknown option "Draw" of sector; it takes one of: Energy/],
    [['sector', '--required', '--optional'], /cannot be used together/],
  ])('refuses %j', async (flags, says) => {
    const { code, stderr, requests } = await world.run(['attrs', 'update', 'deals', ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
    expect(requests.some(({ method }) => method === 'PATCH')).toBe(false);
  });

  it('of an unknown attribute is not found', async () => {
    expect((await world.run(['attrs', 'update', 'deals', 'stagee', '--name', 'x'])).code).toBe(3);
    expect((await world.run(['attrs', 'update', 'deals', ids.nothing, '--name', 'x'])).code).toBe(3);
  });
});

describe('attrs delete', () => {
  it('says how many entries hold a value, asks, and deletes', async () => {
    const asked = await world.run(['attrs', 'delete', 'deals', 'notes']);
    expect([asked.code, asked.requests.some(({ method }) => method === 'DELETE')]).toEqual([2, false]);
    const { code, stdout, stderr, requests } = await world.run(['attrs', 'delete', 'deals', 'notes', '-y']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('Deleted the attribute "Notes" of "Deals" and its values in 2 entries.');
    expect(requests.at(-1)).toMatchObject({ method: 'DELETE', query: { attributeId: expect.any(String) } });
    expect((await world.run(['attrs', 'delete', 'deals', 'notes', '-y'])).code).toBe(3);
    expect((await world.run(['attrs', 'delete', 'deals', ids.nothing, '-y'])).code).toBe(3);
  });
});
