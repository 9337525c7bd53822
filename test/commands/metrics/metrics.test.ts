import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, instead, metricsWorld, sent, session, type World } from '../../helpers/metrics-world.ts';

let world: World;
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(() => world.close());

describe('metrics live', () => {
  it('is the object in JSON', async () => {
    const { stdout } = await world.run(['metrics', 'live', '-o', 'json']);
    expect(stdout).toContain('"big": 12345678901234567890');
    expect(JSON.parse(stdout)).toEqual({
      metrics: { mrr: 76, big: expect.any(Number) },
      source: 'company_metrics_actual',
      mode: 'live_actual',
      currency: 'USD',
      periodKey: '2024-05',
      period: '2024-05',
      asOf: expect.any(String),
    });
  });

  it('is rows of metric, value, unit and period elsewhere', async () => {
    const lines = await world.csv(['metrics', 'live']);
    expect(lines[0]).toBe('metric,value,unit,periodKey');
    expect(lines.slice(1).sort()).toEqual(['big,12345678901234567890,,2024-05', 'mrr,76,USD,2024-05']);
    const table = await world.run(['metrics', 'live'], { tty: true });
    expect(table.stdout).toMatch(/MRR\s.*76\s.*USD/);
    expect(table.stderr).toContain('The same in all rows: Period: 2024-05.');
  });

  it('gives values without units when the catalog cannot be read', async () => {
    const transport = instead(world.transport, (_, { pathname }) =>
      pathname.endsWith('/catalog') ? { status: 403, body: { error: 'not yours', status: 403 } } : undefined,
    );
    const result = await world.run(['metrics', 'live', '-o', 'csv'], { transport });
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('mrr,76,,2024-05\n');
  });

  it('has nothing to say without actuals', async () => {
    const transport = instead(world.transport, () => ({
      status: 200,
      body: { metrics: {}, source: 'none', periodKey: null },
    }));
    const result = await world.run(['metrics', 'live'], { transport, tty: true });
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain('No actuals yet.');
  });

  it('prints an answer that has no metrics', async () => {
    const body = { source: 'spreadsheet', mode: 'live_actual', periodKey: '2026-02' };
    const transport = instead(world.transport, (_, { pathname }) =>
      pathname === '/api/company/metrics' ? { status: 200, body } : undefined,
    );
    const json = await world.run(['metrics', 'live', '-o', 'json'], { transport });
    expect([json.code, JSON.parse(json.stdout)]).toEqual([0, body]);
    expect((await world.run(['metrics', 'live', '-o', 'csv'], { transport })).code).toBe(0);
  });

  it('needs a company and a key', async () => {
    const none = await world.run(['metrics', 'live'], {
      env: { COMEM_COMPANY_ID: undefined, COMEM_API_KEY: undefined },
    });
    expect([none.code, sent(none)]).toEqual([2, []]);
    expect(none.stderr).toContain('-c COMPANY');
    const wrong = await world.run(['metrics', 'live'], { env: { COMEM_API_KEY: 'cmk_wrong-wrong-wrong' } });
    expect(wrong.code).toBe(4);
    expect(wrong.stderr).not.toContain('cmk_wrong');
  });
});

describe('metrics catalog', () => {
  it('lists definitions, archived ones when asked', async () => {
    const all = (await world.json(['metrics', 'catalog', '--archived'])) as { metricId: string; archived: boolean }[];
    const some = (await world.json(['metrics', 'catalog'])) as { metricId: string; archived: boolean }[];
    expect(all).toHaveLength(14);
    expect(some).toEqual(all.filter(({ archived }) => !archived));
    const { stderr } = await world.run(['metrics', 'catalog', '-o', 'csv']);
    expect(stderr).toContain('1 archived metric hidden');
  });

  it('filters', async () => {
    const custom = await world.run(['metrics', 'catalog', '--custom', '--archived', '-o', 'id']);
    expect(custom.stdout.trim().split('\n').sort()).toEqual(['big', 'old']);
    const found = await world.run(['metrics', 'catalog', '--search', 'CHURN', '-o', 'id']);
    expect(found.stdout.trim()).toBe('churn_rate');
    const named = await world.run(['metrics', 'catalog', '-m', 'churn_rate,old', '-o', 'id']);
    expect([named.stdout.trim().split('\n').sort(), named.stderr]).toEqual([['churn_rate', 'old'], '']);
    const unknown = await world.run(['metrics', 'catalog', '-m', 'churn_rat']);
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('did you mean churn_rate?')]);
    const nothing = await world.run(['metrics', 'catalog', '--search', 'zzz'], { tty: true });
    expect([nothing.stdout, nothing.code]).toEqual(['', 0]);
  });

  it('works without a company, and prints the body raw', async () => {
    const result = await world.run(['metrics', 'catalog', '--raw'], { env: { COMEM_COMPANY_ID: undefined } });
    expect(JSON.parse(result.stdout)).toMatchObject({ companyId: ids.company, currency: 'USD' });
    expect(result.requests[0]?.query).toEqual({});
    expect((await world.run(['metrics', 'catalog', '--raw', '--custom'])).code).toBe(2);
  });
});

describe('metrics prefs', () => {
  const set = (...flags: string[]) => ['metrics', 'prefs', 'set', '--investor', ids.investor, ...flags];

  it('reads with the session', async () => {
    const result = await world.run(['metrics', 'prefs', 'get', '--investor', ids.investor, '-o', 'json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ vcCompanyId: ids.investor, requestedMetrics: ['mrr'] });
    expect(result.requests[0]?.headers.cookie).toContain(session);
    expect(result.requests[0]?.headers.authorization).toBeUndefined();
    expect(result.requests[0]?.query).toEqual({ vcCompanyId: ids.investor });
  });

  it('writes the first preferences of an investor without any', async () => {
    const preferences = { id: ids.investor, vcCompanyId: ids.investor, requestedMetrics: ['mrr', 'arr'] };
    const transport = instead(world.transport, ({ method }) =>
      method === 'GET' ? { status: 404, body: { error: 'none', status: 404 } } : { status: 201, body: { preferences } },
    );
    const result = await world.run(set('--requested', 'mrr,arr', '-o', 'json'), { transport });
    expect([result.code, JSON.parse(result.stdout)]).toEqual([0, preferences]);
    // What the server did not show is not overwritten.
    expect(result.requests.at(-1)?.body).toEqual({ vcCompanyId: ids.investor, requestedMetrics: ['mrr', 'arr'] });
  });

  it('shows the difference and the request, and sends none', async () => {
    const result = await world.run(set('--requested', 'mrr,arr', '--dry-run'));
    expect(sent(result)).toEqual(['GET /api/metrics/preferences', 'GET /api/metrics/catalog']);
    expect(result.stderr).toContain('requestedMetrics: ["mrr"] → ["mrr","arr"]');
    const [request] = JSON.parse(result.stdout);
    expect(request).toMatchObject({
      method: 'POST',
      body: {
        vcCompanyId: ids.investor,
        requestedMetrics: ['mrr', 'arr'],
        tableColumns: ['mrr', 'arr'],
        cardPages: [],
      },
    });
    expect(result.stdout).not.toContain('session-of');
  });

  it('writes the whole, keeping what no flag names, and nothing the second time', async () => {
    const pages = '[{"id":"p","title":"P","metricIds":["mrr"]}]';
    const argv = set('--columns', 'arr', '--columns', 'mrr', '--card-pages', pages, '-o', 'json');
    const first = await world.run(argv);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({
      requestedMetrics: ['mrr'],
      tableColumns: ['arr', 'mrr'],
      cardPages: JSON.parse(pages),
    });
    const again = await world.run(argv);
    expect(sent(again)).toEqual(['GET /api/metrics/preferences']);
    expect(again.stderr).toContain('nothing was sent');
    expect(JSON.parse(again.stdout)).toMatchObject({ tableColumns: ['arr', 'mrr'] });
  });

  it('clears a list, and takes further fields', async () => {
    const result = await world.run(set('--columns', '', '--dry-run', '--body', 'theme=dark'));
    expect(JSON.parse(result.stdout)[0].body).toMatchObject({ tableColumns: [], theme: 'dark' });
  });

  it.each([
    [set(), 'nothing to change'],
    [set('--requested', 'a,,b'), '--set requested must not hold an empty id'],
    [set('--card-pages', '{'), '--set card-pages: not JSON'],
    [set('--card-pages', '[{"id":1}]'), 'cardPages.0.id must be a string'],
    [['metrics', 'prefs', 'set', '--requested', 'mrr'], 'INVESTOR is missing'],
    [['metrics', 'prefs', 'get', '--investor', ''], 'has no company ""'],
  ])('refuses %j', async (argv, says) => {
    const result = await world.run(argv);
    expect(result.stderr).toContain(says);
    expect(result.stdout).toBe('');
    expect([2, 3]).toContain(result.code);
    expect(result.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('needs a session, and an investor that is the caller’s', async () => {
    const none = await world.run(set('--requested', 'mrr'), { env: { COMEM_SESSION_COOKIE: undefined } });
    expect([none.code, sent(none)]).toEqual([4, []]);
    const foreign = await world.run(['metrics', 'prefs', 'get', '--investor', ids.silent]);
    expect(foreign.code).toBe(4);
  });
});
