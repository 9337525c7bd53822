import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/core/errors.ts';
import type { Transport } from '../../../src/core/wire.ts';
import { ids, instead, key, metricsWorld, now, sent, type World } from '../../helpers/metrics-world.ts';
import { run } from '../../helpers/run.ts';

let world: World;
beforeEach(async () => {
  world = await metricsWorld();
});
afterEach(() => world.close());

const list = async (...flags: string[]) => {
  const { stdout } = await world.run(['grants', 'list', ...flags, '-o', 'id']);
  return stdout.split('\n').filter((line) => line !== '');
};

describe('grants list', () => {
  it('offers one line each, with names and dates as tables have them', async () => {
    const argv = ['-p', 'demo', 'grants', 'get'];
    const answers = [
      ['Grant:', 'harbor'],
      ['❯ harbor', '\r'],
    ] as const;
    const options = { tty: true, columns: 60, answers };
    const { stderr, code } = await run(argv, options);
    expect(code).toBe(0);
    expect(stderr).toContain('\n  harbor · mrr, burn · until 2026-08-31 · latest…\n');
    expect(stderr).toContain('\n  user b537dd0d… · fund_nav, tvpi, dpi · until…\n');
  });

  it('lists the company’s grants, unwrapped', async () => {
    const rows = (await world.json(['grants', 'list'])) as { id: string; scope: string[] }[];
    expect(rows.map(({ id }) => id).sort()).toEqual([ids.active, ids.expired, ids.revoked, ids.toGuest]);
    expect(rows[0]?.scope).toEqual(['metrics']);
    const raw = await world.run(['grants', 'list', '--raw']);
    expect(Object.keys(JSON.parse(raw.stdout))).toEqual(['grants']);
    expect(raw.requests[0]?.query).toEqual({ companyId: ids.company });
    expect(raw.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  });

  it.each([
    [
      ['--status', 'active'],
      [ids.active, ids.toGuest],
    ],
    [['--status', 'revoked'], [ids.revoked]],
    [['--expired'], [ids.expired]],
    [
      ['--metric', 'arr'],
      [ids.active, ids.revoked, ids.toGuest],
    ],
    [
      ['--metric', 'mrr'],
      [ids.active, ids.expired],
    ],
    [['--recipient', ids.guest], [ids.toGuest]],
    [['--recipient', ids.investor, '--status', 'active'], [ids.active]],
    [['--recipient', ids.nothing], []],
  ])('%j', async (flags, found) => expect((await list(...flags)).sort()).toEqual(found));

  it('shows a table, and says when there are none', async () => {
    const table = await world.run(['grants', 'list', '--status', 'revoked'], { tty: true, columns: 200 });
    expect(table.stdout).toContain(ids.revoked);
    expect(table.stdout).toContain('Expires');
    const none = await world.run(['grants', 'list', '--status', 'odd'], { tty: true });
    expect([none.stdout, none.code]).toEqual(['', 0]);
    expect(none.stderr).toContain('No such grants.');
  });

  it('refuses an alias that is not valid, and filters under --raw', async () => {
    const alias = await world.run(['grants', 'list', '--recipient', 'nobody']);
    expect([alias.code, alias.stdout]).toEqual([3, '']);
    expect((await world.run(['grants', 'list', '--raw', '--expired'])).code).toBe(2);
  });
});

describe('grants get', () => {
  it('finds one in the list', async () => {
    expect(await world.json(['grants', 'get', ids.active.toUpperCase()])).toMatchObject({ id: ids.active });
    const { stdout } = await world.run(['grants', 'show', ids.active], { tty: true });
    expect(stdout).toMatch(/Status\s+active/);
  });

  it('fails on an unknown id and on what is not an id', async () => {
    const unknown = await world.run(['grants', 'get', ids.nothing]);
    expect([unknown.code, unknown.stdout]).toEqual([3, '']);
    const wrong = await world.run(['grants', 'get', 'acme']);
    expect([wrong.code, sent(wrong)]).toEqual([2, ['GET /api/metrics/grants']]);
    expect(wrong.stderr).toContain('"acme"');
  });
});

describe('grants create', () => {
  const create = (...flags: string[]) => ['grants', 'create', ...flags];

  it('sends the resource’s own fields', async () => {
    const argv = create('--recipient-company', ids.investor, '-m', 'mrr,arr', '--historical', '--expires', '90d');
    const result = await world.run([...argv, '--note', 'For the round', '-o', 'json']);
    expect(result.code).toBe(0);
    expect(sent(result)).toEqual(['GET /api/metrics/catalog', 'POST /api/metrics/grants']);
    expect(result.requests[1]?.body).toEqual({
      companyId: ids.company,
      scope: ['metrics'],
      recipient_company_id: ids.investor,
      metric_ids: ['mrr', 'arr'],
      include_historical: true,
      note: 'For the round',
      expires_at: '2024-09-13T12:00:00.000Z',
    });
    expect(JSON.parse(result.stdout)).toMatchObject({ status: 'active', recipient_company_id: ids.investor });
    const id = await world.run(create('--recipient-user', ids.guest, '--all-metrics', '-o', 'id'));
    expect(id.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    expect(await list('--status', 'active')).toContain(id.stdout.trim());
  });

  it('ends at the end of a day, and takes further fields', async () => {
    const argv = create(
      '--recipient-user',
      ids.guest,
      '--all-metrics',
      '--expires',
      '2026-12-31',
      '--body',
      'reason=audit',
    );
    const result = await world.run([...argv, '--scope', 'metrics,reports', '--dry-run']);
    expect(sent(result)).toEqual([]);
    expect(JSON.parse(result.stdout)[0].body).toMatchObject({
      expires_at: '2026-12-31T23:59:59Z',
      reason: 'audit',
      scope: ['metrics', 'reports'],
    });
  });

  it('warns of one that is over', async () => {
    const argv = create('--recipient-user', ids.guest, '--all-metrics', '--expires', '2020-01-01', '--dry-run');
    const result = await world.run(argv);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('the grant has already expired');
  });

  it.each([
    [[], 'a grant needs a recipient and metrics'],
    [['-m', 'mrr'], 'a grant needs a recipient'],
    [['--recipient-company', ids.investor], 'a grant needs metrics'],
    [['--recipient-user', ids.guest, '--data', '{"metric_ids":[]}'], 'a grant needs metrics'],
    [['--recipient-user', ids.guest, '-m', 'mrr', '--all-metrics'], '--metrics and --all'],
    [['--recipient-user', ids.guest, '--all-metrics', '--data', '{"metric_ids":["mrr"]}'], '--all cannot'],
  ])('refuses one without recipient or metrics: %j', async (flags, says) => {
    for (const options of [{}, { tty: true, env: { COMEM_NO_INPUT: '1' } }]) {
      const result = await world.run(create(...flags, '--yes'), options);
      expect(result.stderr).toContain(says);
      expect([result.code, result.stdout, sent(result)]).toEqual([2, '', []]);
    }
  });

  it('takes recipient and metrics from the body', async () => {
    const data = JSON.stringify({ recipient_company_id: ids.investor, metric_ids: ['mrr'] });
    expect((await world.run(create('--data', data, '-o', 'id'))).code).toBe(0);
  });

  it('is revoked by undo', async () => {
    const id = (await world.run(create('--recipient-user', ids.guest, '-m', 'mrr', '-o', 'id'))).stdout.trim();
    const undone = await world.run(['undo', '--yes', '-o', 'csv']);
    expect([undone.code, undone.stdout.split('\n')[1]]).toEqual([0, `1,grant ${id},revoked,,`]);
    expect(await list('--status', 'active')).not.toContain(id);
  });

  it('is found and revoked by undo when its answer was lost; a revocation without an answer is looked up', async () => {
    const before = await list('--status', 'active');
    const lost: Transport = async (request) => {
      const answer = await world.transport(request);
      if (request.method === 'GET') return answer;
      throw new TransportError('the connection was reset', true, 'network');
    };
    let isDown = false;
    const dying: Transport = async (request) => {
      if (isDown) throw new TransportError('the connection was refused', false, 'network');
      isDown = request.method !== 'GET';
      return lost(request);
    };
    const argv = create('--recipient-user', ids.guest, '-m', 'mrr', '--expires', '90d', '--retries', '0');
    expect((await world.run(argv, { transport: dying })).code).toBe(5);
    expect(await list('--status', 'active')).toHaveLength(before.length + 1);
    const undone = await world.run(['undo', '--yes', '-o', 'csv']);
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining(',revoked,')]);
    expect((await list('--status', 'active')).sort()).toEqual(before.sort());
    const revoked = await world.run(['grants', 'revoke', ids.active, '--yes', '--retries', '0', '-o', 'json'], {
      transport: lost,
    });
    expect([revoked.code, JSON.parse(revoked.stdout)]).toMatchObject([0, [{ outcome: 'revoked' }]]);
    const again = await world.run(['grants', 'revoke', ids.active, '--yes', '-o', 'json']);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, [{ outcome: 'unchanged' }]]);
  });

  it('is counted as revoked when a repeated request finds it so, and is open when nothing answers', async () => {
    let isDown = false;
    const dying: Transport = async (request) => {
      if (!isDown) await world.transport(request);
      isDown = true;
      throw new TransportError('the connection was reset', true, 'network');
    };
    const argv = ['grants', 'revoke', ids.active, '--yes', '-o', 'json'];
    const open = await world.run([...argv, '--retries', '0'], { transport: dying });
    expect([open.code, JSON.parse(open.stdout)]).toMatchObject([5, [{ outcome: 'failed' }]]);
    expect(open.stderr).toContain('got no answer and may have been carried out');
    const other = (await list('--status', 'active'))[0] as string;
    let isLost = false;
    const repeated = await world.run(['grants', 'revoke', other, '--yes', '-o', 'json'], {
      async transport(request) {
        const answer = await world.transport(request);
        if (request.method === 'GET' || isLost) return answer;
        isLost = true;
        throw new TransportError('the connection was reset', true, 'network');
      },
    });
    expect([repeated.code, JSON.parse(repeated.stdout)]).toMatchObject([0, [{ outcome: 'revoked' }]]);
  });

  it('asks on a terminal, and confirms in words', async () => {
    const questions: [string, string][] = [
      ['a user, by uuid', '\x1b[B\r'],
      ['The user that may read', 'ann\r'],
      ['A user is given by uuid', `\x15${ids.guest}\r`],
      ['some metrics', '\x1b[B\r'],
      ['arr', ' \x1b[B \r'],
      ['Include history', 'y\r'],
      ['Expires', '90d\r'],
    ];
    const no = await world.run(create(), { tty: true, columns: 200, answers: [...questions, ['Grant user', 'n\r']] });
    expect(no.stderr).toContain(
      `Grant user ${ids.guest} mrr, arr of ${ids.company}, with history, until 2024-09-13 12:00?`,
    );
    expect([no.code, sent(no)]).toEqual([1, ['GET /api/metrics/catalog']]);
    const yes = await world.run(create(), { tty: true, columns: 200, answers: [...questions, ['Grant user', 'y\r']] });
    expect(yes.code).toBe(0);
    expect(yes.requests.at(-1)?.body).toMatchObject({
      recipient_user_id: ids.guest,
      metric_ids: ['mrr', 'arr'],
      include_historical: true,
    });
    const all = await world.run(create('--recipient-company', ids.investor), {
      tty: true,
      columns: 200,
      answers: [
        ['some metrics', '\r'],
        ['Include history', '\r'],
        ['Expires', '\r'],
        ['all metrics', 'y\r'],
      ],
    });
    expect(all.stderr).toContain('all metrics of');
    expect(all.stderr).toContain('latest publication only, without end?');
    expect(all.requests.at(-1)?.body).toMatchObject({ recipient_company_id: ids.investor });
    expect(all.requests.at(-1)?.body).not.toHaveProperty('metric_ids');
  });

  it.each([
    [create('--expires', 'soon'), '--expires must be a date'],
    [create('--recipient-user', 'ann', '--all-metrics'), '--recipient-user'],
    [create('--scope', 'reports', '--recipient-user', ids.guest, '--all-metrics'), '--scope must contain "metrics"'],
    [create('-m', ','), '--metrics must not hold an empty id'],
  ])('refuses %j', async (argv, says) => {
    const result = await world.run(argv);
    expect(result.stderr).toContain(says);
    expect([result.code, result.stdout, sent(result)]).toEqual([2, '', []]);
  });

  it('needs a company', async () => {
    const result = await world.run(create('--recipient-user', ids.guest, '--all-metrics'), {
      env: { COMEM_COMPANY_ID: undefined, COMEM_API_KEY: undefined },
    });
    expect([result.code, sent(result)]).toEqual([2, []]);
  });
});

describe('grants revoke', () => {
  const revoke = (...args: string[]) => ['grants', 'revoke', ...args, '--yes', '-o', 'csv'];
  const rows = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').slice(0, 3).join(','));

  it('revokes, and says so', async () => {
    const result = await world.run(revoke(ids.active));
    expect(result.code).toBe(0);
    expect(result.stdout).toBe(`id,outcome,revoked_at,error\n${ids.active},revoked,${new Date(now).toISOString()},\n`);
    expect(sent(result)).toEqual([`PATCH /api/metrics/grants/${ids.active}/revoke`]);
    expect(result.requests[0]?.query).toEqual({ companyId: ids.company });
    expect(await list('--status', 'active')).toEqual([ids.toGuest]);
  });

  it('leaves what has ended as it is', async () => {
    const result = await world.run(revoke(ids.revoked));
    expect(result.code).toBe(0);
    expect(rows(result.stdout)).toEqual([`${ids.revoked},unchanged,2024-02-01T00:00:00.000Z`]);
    expect(sent(result)).toEqual([`PATCH /api/metrics/grants/${ids.revoked}/revoke`, 'GET /api/metrics/grants']);
  });

  it.each([400, 404, 409, 410, 422])('reads a %i by what the list says', async (status) => {
    const transport = instead(world.transport, ({ method }) =>
      method === 'PATCH' ? { status, body: { error: 'no', status } } : undefined,
    );
    const ended = await world.run(revoke(ids.revoked), { transport });
    expect([ended.code, rows(ended.stdout)]).toEqual([0, [`${ids.revoked},unchanged,2024-02-01T00:00:00.000Z`]]);
    const absent = await world.run(revoke(ids.nothing), { transport });
    expect([absent.code, rows(absent.stdout)]).toEqual([3, [`${ids.nothing},failed,`]]);
    const still = await world.run(revoke(ids.active), { transport });
    expect([still.code, rows(still.stdout)]).toEqual([status === 404 ? 3 : 6, [`${ids.active},failed,`]]);
  });

  it.each([401, 403])('does not look after a %i', async (status) => {
    const transport = instead(world.transport, () => ({ status, body: { error: 'no', status } }));
    const result = await world.run(revoke(ids.revoked), { transport });
    expect([result.code, sent(result)]).toEqual([4, [`PATCH /api/metrics/grants/${ids.revoked}/revoke`]]);
  });

  it('reads ids from stdin, each once, and keeps their order', async () => {
    const stdin = `${ids.toGuest}\n\n  ${ids.revoked}\r\n${ids.toGuest.toUpperCase()}\n${ids.nothing}\n`;
    const result = await world.run(revoke('-', ids.active), { stdin });
    expect(rows(result.stdout).map((row) => row.split(',').slice(0, 2))).toEqual([
      [ids.toGuest.toUpperCase(), 'revoked'],
      [ids.revoked, 'unchanged'],
      [ids.nothing, 'failed'],
      [ids.active, 'revoked'],
    ]);
    expect(result.code).toBe(7);
    expect(result.stderr).toContain('1 of 4 grants could not be revoked');
  });

  it('has the class that all failures share, else 6', async () => {
    const absent = await world.run(revoke(ids.nothing, ids.guest));
    expect(absent.code).toBe(3);
    const transport = instead(world.transport, ({ method }, { pathname }) =>
      method === 'PATCH' && pathname.includes(ids.active)
        ? { status: 400, body: { error: 'no', status: 400 } }
        : undefined,
    );
    const mixed = await world.run(revoke(ids.nothing, ids.active), { transport });
    expect(mixed.code).toBe(6);
  });

  it('takes no --limit, which would cut what is printed and not what is revoked', async () => {
    const before = await list('--status', 'active');
    const result = await world.run(revoke(ids.active, ids.toGuest, '--limit', '1'));
    expect([result.code, result.stdout, sent(result)]).toEqual([2, '', []]);
    expect(await list('--status', 'active')).toEqual(before);
  });

  it('does nothing with no ids', async () => {
    const result = await world.run(['grants', 'revoke', '-', '-o', 'json'], { stdin: '\n' });
    expect([result.stdout.trim(), result.code, sent(result)]).toEqual(['[]', 0, []]);
  });

  it('asks, and shows under --dry-run', async () => {
    const unasked = await world.run(['grants', 'revoke', ids.active]);
    expect([unasked.code, unasked.stdout, sent(unasked)]).toEqual([2, '', []]);
    expect(unasked.stderr).toContain('--yes');
    const dry = await world.run(['grants', 'revoke', ids.active, ids.toGuest, '--dry-run']);
    expect([dry.code, sent(dry)]).toEqual([0, []]);
    const requests = JSON.parse(dry.stdout) as { method: string; url: string; headers: Record<string, string> }[];
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(
      [ids.active, ids.toGuest].map(
        (id) => `PATCH https://world.example/api/metrics/grants/${id}/revoke?companyId=${ids.company}`,
      ),
    );
    expect(dry.stdout).not.toContain(key);
  });

  it('refuses what is not an id before anything is written', async () => {
    const wrong = await world.run(revoke(ids.active, 'acme'));
    expect([wrong.code, wrong.stdout, sent(wrong)]).toEqual([2, '', ['GET /api/metrics/grants']]);
    const none = await world.run(revoke(ids.active, ids.toGuest), { env: { COMEM_API_KEY: undefined } });
    expect([none.code, none.stdout, sent(none)]).toEqual([4, '', []]);
  });

  it('names recipient and metrics in tables, also of ids that were not looked up', async () => {
    const line = ['-p', 'demo', 'grants', 'list', '--status', 'active', '--recipient', 'lumen', '-o', 'id'];
    const id = (await run(line)).stdout.trim();
    const asked = await run(['-p', 'demo', 'grants', 'revoke', id], {
      ...{ tty: true, columns: 100 },
      answers: [['Revoke', 'y\r']],
    });
    expect(asked.stderr).toMatch(/^ {2}[0-9a-f]{8}…: mrr, arr to lumen, never expires$/m);
    expect(asked.stdout).toMatch(/^Recipient +Outcome +Revoked +Metrics +ID\nlumen +revoked +2026-03-31 +mrr, arr /);
    const again = ['-p', 'demo', 'grants', 'revoke', id, '--yes'];
    expect((await run(again, { tty: true, columns: 60 })).stdout).toMatch(/^lumen +unchanged/m);
    expect((await run([...again, '-o', 'tsv'])).stdout).toMatch(/^id\toutcome\trevoked_at\terror\n/);
    const columns = ['--fields', 'recipient,metrics', '-o'];
    const listed = ['-p', 'demo', 'grants', 'list', '--where', `id = "${id}"`];
    for (const format of ['json', 'csv']) {
      const { stdout } = await run([...again, ...columns, format]);
      expect(stdout).toBe((await run([...listed, ...columns, format])).stdout);
    }
  });
});

describe('several companies', () => {
  const demo = (...argv: string[]) => run(['-p', 'demo', '-c', 'lumen', '-c', 'harbor', ...argv, '-o', 'csv']);

  it.each([
    ['grants list', ['company', 'companyId', 'id']],
    ['grants expiring --within 1y', ['company', 'companyId', 'id']],
    ['grants audit', ['company', 'companyId', 'id', 'rule']],
    ['grants matrix -m mrr', ['company', 'companyId', 'metric']],
    ['metrics catalog', ['company', 'companyId', 'metricId']],
  ])('%s names the company of each row', async (line, columns) => {
    const { code, stdout } = await demo(...line.split(' '));
    expect(code).toBe(0);
    const [header = '', ...rows] = stdout.trimEnd().split('\n');
    expect(header.split(',').slice(0, columns.length)).toEqual(columns);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toMatch(/^(lumen|harbor),c0ffee00-/);
    // The rows are those of each company alone.
    const alone = await Promise.all(
      ['lumen', 'harbor'].map((company) => run(['-p', 'demo', '-c', company, ...line.split(' '), '-o', 'json'])),
    );
    expect(rows).toHaveLength(alone.flatMap((each) => JSON.parse(each.stdout)).length);
  });

  it('--fields company does the same for one company', async () => {
    const { stdout } = await run(['-p', 'demo', 'metrics', 'catalog', '--fields', 'company,metricId', '-o', 'csv']);
    expect(stdout).toMatch(/^company,metricId\nnorthgate,/);
  });
});

describe('people with an alias', () => {
  it('appear by it, where a grant or list names who did something', async () => {
    const user = '3696e1c3-cc34-5247-8511-6ff0158558c8';
    await run(['-p', 'demo', 'companies', 'add', 'maya', user]);
    const [grant = ''] = (await run(['-p', 'demo', 'grants', 'list', '-o', 'id'])).stdout.split('\n');
    const shown = (argv: string[]) => run(['-p', 'demo', ...argv], { tty: true, columns: 80 });
    expect((await shown(['grants', 'get', grant])).stdout).toMatch(/^Granted by +maya$/m);
    expect((await shown(['lists', 'get', 'hiring'])).stdout).toMatch(/^Created by +maya$/m);
    expect((await shown(['-c', 'tessera', 'grants', 'matrix', '-m', 'mrr'])).stdout).toMatch(/^Metric +maya/m);
  });
});
