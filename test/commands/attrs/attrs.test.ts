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

describe('attrs update', () => {
  it('merges options and sends them whole, ids kept, the rest of the config too', async () => {
    const result = await world.run([
      ...['attrs', 'update', 'deals', 'stage', '--add-option', 'Lost:charcoal', '--rename-option', 'won=Closed'],
      ...['--remove-option', 'Open', '-o', 'json'],
    ]);
    expect(sent(result)).toEqual([
      'GET /api/lists',
      `GET /api/lists/${ids.deals}`,
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
    [
      ['sector', '--remove-option', 'Draw'],
      /--remove-option: unknown option "Draw" of sector; it takes one of: Energy/,
    ],
    [['sector', '--required', '--optional'], /do not go together/],
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
