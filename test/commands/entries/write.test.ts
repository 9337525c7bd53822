import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, listsWorld, sent, type World } from '../../helpers/lists-world.ts';

let world: World;
beforeAll(async () => {
  world = await listsWorld();
});
afterAll(() => world.close());

const created = async (title: string, ...flags: string[]) =>
  (await world.run(['entries', 'create', ids.deals, '--title', title, ...flags, '-o', 'id'])).stdout.trim();

describe('entries create', () => {
  it('with --if-not-exists creates no second entry of a title', async () => {
    const create = ['entries', 'create', 'deals', '--if-not-exists', '-o', 'json', '--title'];
    const again = await world.run([...create, 'Børealis', '--set', 'size=9']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('"Børealis" exists already')]);
    expect(JSON.parse(again.stdout)).toMatchObject({ id: ids.borealis });
    expect(again.requests.every(({ method }) => method === 'GET')).toBe(true);
    const fresh = await world.run([...create, 'Bør', '--set', 'stage=Open', '--dry-run']);
    expect(JSON.parse(fresh.stdout)).toMatchObject([{ method: 'POST', body: { title: 'Bør' } }]);
  });

  it('types every value by its attribute', async () => {
    const sets = [
      ...['stage=won', 'tags=climate', 'tags=t-space', 'amount=12345678901234567890.10', 'since=today'],
      ...[
        'site=https://n.example',
        'contact=a@n.example',
        'hot=yes',
        'score=5',
        'size:=2.5',
        'notes=a=b',
        'sector=s-1',
      ],
    ];
    const result = await world.run([
      'entries',
      'create',
      'deals',
      '--title',
      'New',
      ...sets.flatMap((s) => ['--set', s]),
      '-o',
      'json',
    ]);
    expect(sent(result).filter((request) => request !== 'GET /api/lists')).toEqual([
      `GET /api/lists/${ids.deals}`,
      `POST /api/lists/${ids.deals}/entries`,
    ]);
    const values = {
      ...{ stage: 'o-won', tags: ['t-climate', 't-space'], since: '2026-03-05', site: 'https://n.example' },
      ...{ contact: 'a@n.example', hot: true, score: 5, size: 2.5, notes: 'a=b', sector: 's-1' },
    };
    expect(result.requests.at(-1)?.body).toMatchObject({ title: 'New', values });
    expect(JSON.parse(result.stdout)).toMatchObject({ title: 'New', values });
    expect(result.stdout).toContain('12345678901234567890.10');
    const csv = await world.run([
      'entries',
      'list',
      'deals',
      '--search',
      'New',
      '--fields',
      'amount,stage',
      '-o',
      'csv',
    ]);
    expect(csv.stdout).toBe('amount,stage\n12345678901234567890.10,Won\n');
  });

  it('prints only the id with -o id, and takes further fields', async () => {
    const result = await world.run([
      'entries',
      'create',
      'deals',
      '--title',
      'B',
      '--body',
      'x.y:=1',
      '--data',
      '{"z":2}',
      '-o',
      'id',
    ]);
    expect(result.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    expect(result.requests.at(-1)?.body).toEqual({ title: 'B', x: { y: 1 }, z: 2 });
  });

  it.each([
    [[], /--title/],
    [['--title', ''], /title must not be empty/],
    [['--title', 'x', '--set', 'stagee=Won'], /no attribute "stagee"/],
    [['--title', 'x', '--set', 'stage=Draw'], /unknown option "Draw" of stage; it takes one of: Open, Won/],
    [['--title', 'x', '--set', 'amount=-1'], /amount must be at least 0, got -1/],
    [['--title', 'x', '--set', 'since=2025-02-29'], /since must be a date/],
    [['--title', 'x', '--set', 'hot:="yes"'], /hot must be true or false/],
    [['--title', 'x', '--set', 'size:=1,5'], /--set size: not JSON/],
    [['--title', 'x', '--linked-entity-id', 'me'], /--linked-entity-id/],
  ])('refuses %j and writes nothing', async (flags, says) => {
    const { code, stdout, stderr, requests } = await world.run(['entries', 'create', 'deals', ...flags]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(says);
    expect(requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('asks for required values before it sends', async () => {
    await world.run(['lists', 'create', 'Strict']);
    await world.run(['attrs', 'create', 'strict', 'Code', '--type', 'text', '--required']);
    const missing = await world.run(['entries', 'create', 'strict', '--title', 'x']);
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringMatching(/requires a value for code.*--set code=VALUE/s),
    ]);
    expect(missing.requests.every(({ method }) => method === 'GET')).toBe(true);
    expect((await world.run(['entries', 'create', 'strict', '--title', 'x', '--set', 'code=1'])).code).toBe(0);
    expect((await world.run(['entries', 'create', 'strict', '--title', 'x', '--body', 'values.code=1'])).code).toBe(0);
    expect((await world.run(['entries', 'update', 'strict', ids.nothing, '--unset', 'code'])).code).toBe(2);
  });
});

describe('entries update', () => {
  it('sends only what changes, and null for --unset', async () => {
    const id = await created('To change', '--set', 'size=1', '--set', 'notes=n', '--set', 'hot=true');
    const result = await world.run([
      ...['entries', 'update', 'deals', 'To change', '--title', 'Changed', '--set', 'size=2', '--unset', 'notes'],
      ...['--position', '50', '-o', 'json'],
    ]);
    expect(result.requests.at(-1)).toMatchObject({
      method: 'PATCH',
      path: `/api/lists/${ids.deals}/entries`,
      body: { id, title: 'Changed', position: 50, values: { size: 2, notes: null } },
    });
    const changed = JSON.parse(result.stdout);
    expect(changed).toMatchObject({ id, title: 'Changed', position: 50, values: { size: 2, hot: true } });
    expect(changed.values.notes ?? null).toBeNull();
  });

  it('takes the names of conditions: values.SLUG', async () => {
    const argv = ['entries', 'update', ids.deals, await created('Named')];
    const edits = [
      '--set',
      'values.stage=Won',
      '--unset',
      'values.notes',
      '--set',
      'values.tags+=climate',
      '--dry-run',
    ];
    const { stdout, stderr } = await world.run([...argv, ...edits, '--jq', '.[].body.values']);
    expect([JSON.parse(stdout), stderr]).toEqual([{ stage: 'o-won', notes: null, tags: ['t-climate'] }, '']);
  });

  it('of nothing is refused, of an unknown entry not found', async () => {
    expect((await world.run(['entries', 'update', 'deals', ids.acme])).code).toBe(2);
    expect((await world.run(['entries', 'update', 'deals', ids.nothing, '--title', 'x'])).code).toBe(3);
    expect((await world.run(['entries', 'update', 'deals', 'Nobody', '--title', 'x'])).code).toBe(3);
    expect((await world.run(['entries', 'update', 'deals', ids.acme, '--set', 'size=1', '--unset', 'size'])).code).toBe(
      2,
    );
  });
});

describe('entries archive, unarchive and delete', () => {
  it('archives several, a row each, and brings them back', async () => {
    const one = await created('One');
    const two = await created('Two');
    const archived = await world.run([
      'entries',
      'archive',
      'deals',
      one,
      'Two',
      one,
      '--fields',
      'id,archived',
      '-o',
      'csv',
    ]);
    expect(archived.stdout).toBe(`id,archived\n${one},true\n${two},true\n`);
    expect(archived.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([
      { id: one, archived: true },
      { id: two, archived: true },
    ]);
    expect((await world.run(['entries', 'count', 'deals', '--search', 'Two'])).stdout).toBe('0\n');
    const back = await world.run(['entries', 'unarchive', 'deals', 'Two', '-o', 'json']);
    expect(JSON.parse(back.stdout)).toMatchObject([{ id: two, archived: false }]);
  });

  it('writes nothing when one of the targets matches nothing', async () => {
    const { code, requests } = await world.run(['entries', 'archive', 'deals', ids.acme, 'Nobody']);
    expect([code, requests.some(({ method }) => method === 'PATCH')]).toEqual([3, false]);
  });

  it('is partly done when some fail, and of their class when all do', async () => {
    const id = await created('Partly');
    const partly = await world.run(['entries', 'archive', 'deals', ids.nothing, id, '-o', 'id']);
    expect([partly.code, partly.stdout]).toEqual([7, `${id}\n`]);
    expect(partly.stderr).toMatch(
      /1 archived, 0 unchanged, 0 skipped, 1 failed[\s\S]*1 of 2 entries could not be archived\n {2}[\da-f-]{36}: /,
    );
    const none = await world.run(['entries', 'delete', 'deals', ids.nothing, ids.view, '--yes']);
    expect([none.code, none.stdout]).toEqual([3, '']);
  });

  it('deletes only with --yes or a terminal', async () => {
    const id = await created('Gone');
    const asked = await world.run(['entries', 'delete', 'deals', 'Gone']);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const dry = await world.run(['entries', 'rm', 'deals', id, '--dry-run']);
    expect(JSON.parse(dry.stdout)).toMatchObject([{ method: 'DELETE', url: expect.stringContaining(`entryId=${id}`) }]);
    expect((await world.run(['entries', 'get', 'deals', id])).code).toBe(0);
    const gone = await world.run(['entries', 'rm', 'deals', 'Gone', '-y']);
    expect([gone.code, gone.stdout, gone.stderr]).toEqual([
      0,
      '',
      expect.stringContaining('1 deleted, 0 unchanged, 0 skipped, 0 failed.'),
    ]);
    expect(gone.requests.at(-1)).toMatchObject({ method: 'DELETE', query: { entryId: id } });
    expect((await world.run(['entries', 'rm', 'deals', id, '-y'])).code).toBe(3);
  });
});

describe('entries step', () => {
  it('queues with the API key, and a second step is refused with exit 1 and the result on stdout', async () => {
    const id = await created('Stepper');
    const queued = await world.run(['entries', 'step', ids.deals, id, '-o', 'json']);
    expect(queued.code).toBe(0);
    expect(JSON.parse(queued.stdout)).toMatchObject({ queued: true, canStep: true });
    expect(queued.requests).toMatchObject([
      { method: 'POST', path: `/api/lists/${ids.deals}/entries/${id}/loop-step`, body: {} },
    ]);
    expect(queued.requests[0]?.headers.authorization).toMatch(/^Bearer /);
    const refused = await world.run(['entries', 'step', ids.deals, id, '-o', 'json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ queued: false, canStep: false });
    expect(JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'step_refused', exitCode: 1, message: expect.stringContaining('already queued') },
    });
  });

  it('sends a body, and canStep without queued is success', async () => {
    const id = await created('Dry stepper');
    const { code, stdout, requests } = await world.run([
      'entries',
      'step',
      'deals',
      'Dry stepper',
      '--data',
      '{"dryRun":true}',
      '-o',
      'json',
    ]);
    expect([code, requests.at(-1)?.body]).toEqual([0, { dryRun: true }]);
    expect(JSON.parse(stdout)).toMatchObject({ queued: false, canStep: true });
    expect(requests.at(-1)?.path).toContain(id);
  });

  it('--fields help lists the columns and sends nothing; an unknown column is refused before the write', async () => {
    const id = await created('Unwritten');
    for (const argv of [
      ['step', ids.deals, id],
      ['create', ids.deals, '--title', 'Unwritten 2'],
      ['update', ids.deals, id, '--title', 'Unwritten 2'],
      ['archive', ids.deals, id],
    ]) {
      const help = await world.run(['entries', ...argv, '--fields', 'help']);
      const wrong = await world.run(['entries', ...argv, '--fields', 'nope']);
      expect([argv[0], help.code, wrong.code, wrong.stdout]).toEqual([argv[0], 0, 2, '']);
      expect([...help.requests, ...wrong.requests].every(({ method }) => method === 'GET')).toBe(true);
    }
  });

  it('of an unknown entry is an error by class, without a key a credential error', async () => {
    expect(await world.run(['entries', 'step', ids.deals, ids.nothing])).toMatchObject({ code: 3, stdout: '' });
    const keyless = await world.run(['entries', 'step', ids.deals, ids.acme], { env: { COMEM_API_KEY: undefined } });
    expect([keyless.code, keyless.requests]).toEqual([4, []]);
  });
});
