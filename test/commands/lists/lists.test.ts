import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, listsWorld, sent, type World } from '../../helpers/lists-world.ts';

let world: World;
beforeAll(async () => {
  world = await listsWorld();
});
afterAll(() => world.close());

describe('lists list', () => {
  it('asks once, with the session and the company, and prints every list as JSON', async () => {
    const result = await world.run(['lists', 'list', '-o', 'json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout).map(({ slug }: { slug: string }) => slug)).toEqual([
      'deals',
      'empty',
      'same-a',
      'same-b',
    ]);
    const [request] = result.requests;
    expect(request).toMatchObject({ method: 'GET', path: '/api/lists', query: { companyId: ids.company } });
    expect(request?.headers.cookie).toContain('comem-auth-token=');
    expect(request?.headers.authorization).toBeUndefined();
  });

  it.each([
    [[], '2 of 4 lists ·'],
    [['--sort', 'name'], '2 of 4 lists ·'],
    [['--where', 'name != ""'], 'first 2 lists ·'],
    [['--search', 'same'], '2 lists ·'],
  ])('says of how many --limit shows some, with %j', async (flags, says) => {
    const { stderr } = await world.run(['lists', 'list', '--limit', '2', ...flags], { tty: true });
    expect(stderr.split('\n')).toContainEqual(expect.stringMatching(new RegExp(`^${says}`)));
  });

  it('is a table on a terminal and TSV in a pipe', async () => {
    const table = await world.run(['lists', 'ls'], { tty: true, columns: 120 });
    expect(table.stdout).toMatch(/Name\b.*Slug\b.*Attributes/);
    expect(table.stdout).toContain('Companies we look at');
    const piped = await world.run(['lists', 'list']);
    const [header = '', first = ''] = piped.stdout.split('\n');
    expect(header.split('\t')).toContain('list_attributes_count');
    expect(first.split('\t')[header.split('\t').indexOf('list_attributes_count')]).toBe('12');
  });

  it.each([
    ['DEAL', 'deals'],
    ['look at', 'deals'],
    ['same-b', 'same-b'],
  ])('--search %s', async (text, slug) => {
    expect((await world.run(['lists', 'list', '--search', text, '--fields', 'slug', '--no-header'])).stdout).toBe(
      `${slug}\n`,
    );
  });

  it('says so when there is none, and is exit 1 under --fail-empty', async () => {
    const none = await world.run(['lists', 'list', '--search', 'zebra'], { tty: true });
    expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('No list with "zebra"')]);
    expect((await world.run(['lists', 'list', '--search', 'zebra', '--fail-empty', '-o', 'json'])).code).toBe(1);
  });

  it('--raw is the body as received; with --search it is refused', async () => {
    const raw = await world.run(['lists', 'list', '--raw']);
    expect(JSON.parse(raw.stdout)).toHaveLength(4);
    expect((await world.run(['lists', 'list', '--raw', '--search', 'a'])).code).toBe(2);
  });

  it('needs a company and a session', async () => {
    const company = await world.run(['lists', 'list'], {
      env: { COMEM_COMPANY_ID: undefined, COMEM_API_KEY: undefined },
    });
    expect([company.code, company.requests, company.stderr]).toEqual([2, [], expect.stringContaining('-c')]);
    const session = await world.run(['lists', 'list'], { env: { COMEM_SESSION_COOKIE: undefined } });
    expect([session.code, session.requests, session.stdout]).toEqual([4, [], '']);
    expect(session.stderr).toContain('session');
    const wrong = await world.run(['lists', 'list'], { env: { COMEM_SESSION_COOKIE: 'comem-auth-token=wrong' } });
    expect([wrong.code, wrong.stdout]).toEqual([4, '']);
  });
});

describe('lists get', () => {
  it('by name looks the lists up, by uuid does not', async () => {
    const byName = await world.run(['lists', 'get', 'Deals', '-o', 'json']);
    expect(sent(byName)).toEqual(['GET /api/lists', `GET /api/lists/${ids.deals}`]);
    const byId = await world.run(['lists', 'show', ids.deals, '-o', 'json']);
    expect(sent(byId)).toEqual([`GET /api/lists/${ids.deals}`]);
    expect(byId.stdout).toBe(byName.stdout);
    expect(JSON.parse(byId.stdout)).toMatchObject({ id: ids.deals, list_attributes: { length: 12 } });
  });

  it('shows its fields on a terminal', async () => {
    const { stdout } = await world.run(['lists', 'get', 'deals'], { tty: true, columns: 100 });
    expect(stdout).toMatch(/Name\s.*Deals/);
    expect(stdout).toMatch(/Attributes\s.*12/);
  });

  it('of an ambiguous name lists the candidates, of an unknown one the nearest, of an unknown id the answer', async () => {
    const same = await world.run(['lists', 'get', 'Same']);
    expect([same.code, same.stdout]).toEqual([2, '']);
    expect(same.stderr).toMatch(/"Same" matches 2 lists: .*\(same-a\).*\(same-b\)/);
    const unknown = await world.run(['lists', 'get', 'dealz']);
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('did you mean "deals"?')]);
    expect((await world.run(['lists', 'get', ids.nothing])).code).toBe(3);
  });

  it('as a JSON error on stderr', async () => {
    const { stderr, stdout } = await world.run(['lists', 'get', 'dealz', '-o', 'json']);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not_found', exitCode: 3 } });
  });
});

describe('lists create, update and delete', () => {
  it('creates with the API key, all fields, further fields and numbers', async () => {
    const result = await world.run([
      ...['lists', 'create', 'Funds', '--description', 'd', '--icon', 'i', '--color', 'c', '--entity-type', 'fund'],
      ...['--context-type', 'x', '--position', '7', '--body', 'extra.deep:=[1]', '-o', 'json'],
    ]);
    expect(result.code).toBe(0);
    expect(result.requests).toHaveLength(1);
    expect(result.requests[0]).toMatchObject({
      method: 'POST',
      path: '/api/lists',
      query: { companyId: ids.company },
      body: {
        ...{
          name: 'Funds',
          description: 'd',
          icon: 'i',
          color: 'c',
          entity_type: 'fund',
          context_type: 'x',
          position: 7,
        },
        extra: { deep: [1] },
      },
    });
    expect(result.requests[0]?.headers.authorization).toMatch(/^Bearer cmk_/);
    expect(result.requests[0]?.headers.cookie).toBeUndefined();
    expect(JSON.parse(result.stdout)).toMatchObject({ slug: 'funds', entity_type: 'fund', position: 7 });
  });

  it('--if-not-exists prints the one that is there and writes nothing', async () => {
    const existing = await world.run(['lists', 'create', 'Deals', '--if-not-exists', '-o', 'id']);
    expect([existing.stdout, sent(existing)]).toEqual([`${ids.deals}\n`, ['GET /api/lists']]);
    const made = await world.run(['lists', 'create', 'Once', '--if-not-exists', '-o', 'id']);
    expect(sent(made)).toEqual(['GET /api/lists', 'POST /api/lists']);
    expect((await world.run(['lists', 'create', 'Once', '--if-not-exists', '-o', 'id'])).stdout).toBe(made.stdout);
    expect((await world.run(['lists', 'create', 'Same', '--if-not-exists'])).code).toBe(2);
  });

  it('--dry-run prints the request without credentials and sends nothing', async () => {
    const { code, stdout, requests } = await world.run(['lists', 'create', 'Ghost', '--dry-run']);
    expect([code, requests]).toEqual([0, []]);
    expect(JSON.parse(stdout)).toMatchObject([{ method: 'POST', body: { name: 'Ghost' } }]);
    expect(stdout).not.toContain('cmk_');
  });

  it('refuses a name that is empty, a field of the wrong type, and a body that is not valid', async () => {
    for (const argv of [
      ['lists', 'create', ''],
      ['lists', 'create', 'A', '--position', 'x'],
      ['lists', 'create', 'A', '--body', 'position=x'],
      ['lists', 'create', 'A', '--data', '[]'],
    ]) {
      const { code, requests, stdout } = await world.run(argv);
      expect([argv, code, requests, stdout]).toEqual([argv, 2, [], '']);
    }
  });

  it('updates only what is given, null clears, and nothing is refused', async () => {
    const result = await world.run([
      'lists',
      'update',
      'empty',
      '--name',
      'Still empty',
      '--body',
      'description:=null',
      '-o',
      'json',
    ]);
    expect(result.requests.at(-1)).toMatchObject({
      method: 'PATCH',
      path: `/api/lists/${ids.empty}`,
      body: { name: 'Still empty', description: null },
    });
    expect(JSON.parse(result.stdout)).toMatchObject({ name: 'Still empty', slug: 'empty' });
    const nothing = await world.run(['lists', 'update', 'empty']);
    expect([nothing.code, nothing.requests]).toEqual([2, []]);
  });

  it('deletes only with --yes or a terminal, and says how many entries go', async () => {
    await world.run(['lists', 'create', 'Doomed']);
    await world.run(['entries', 'create', 'doomed', '--title', 'a']);
    await world.run(['entries', 'create', 'doomed', '--title', 'b', '--archived']);
    const asked = await world.run(['lists', 'delete', 'doomed']);
    expect([asked.code, sent(asked).some((line) => line.startsWith('DELETE'))]).toEqual([2, false]);
    expect(asked.stderr).toContain('--yes');
    const dry = await world.run(['lists', 'rm', 'doomed', '--dry-run']);
    expect(JSON.parse(dry.stdout)).toMatchObject([{ method: 'DELETE' }]);
    const gone = await world.run(['lists', 'rm', 'doomed', '--yes']);
    expect([gone.code, gone.stdout]).toEqual([0, '']);
    expect(gone.stderr).toContain('Deleted the list "Doomed" and its 2 entries.');
    expect((await world.run(['lists', 'get', 'doomed'])).code).toBe(3);
  });
});

describe('lists from-template', () => {
  it('creates a list, needs no company, and prints its id', async () => {
    const result = await world.run(['lists', 'from-template', 'okrs', '--name', 'Goals', '-o', 'json']);
    expect(result.requests[0]).toMatchObject({
      path: '/api/lists/templates/instantiate',
      body: { templateId: 'okrs', name: 'Goals' },
    });
    const made = JSON.parse(result.stdout);
    expect(made).toMatchObject({ list: { name: 'Goals' }, template: { id: 'okrs' } });
    const row = await world.run(['lists', 'from-template', 'okrs', '-o', 'csv', '--fields', 'slug,template']);
    expect(row.stdout).toMatch(/^slug,template\n[a-z0-9-]+,okrs\n$/);
    expect((await world.run(['lists', 'from-template', 'okrs', '-o', 'id'])).stdout).toMatch(/^[0-9a-f-]{36}\n$/);
  });

  it('of an unknown template is not found', async () => {
    expect((await world.run(['lists', 'from-template', 'nope'])).code).toBe(3);
  });
});
