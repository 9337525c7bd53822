import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { knownMetrics } from '../../src/contract/metrics.ts';
import { firstMonth, lastMonth } from '../../src/core/periods.ts';
import type { PointRow } from '../../src/server/store/metrics.ts';
import { insertRows } from '../../src/server/store/tables.ts';
import { companies, type Got, sessions, tokens, unknown, users, type World, world } from './world.ts';

let w: World;
beforeEach(async () => {
  w = await world();
});
afterEach(() => w.close());

const { startup, fund, rival, side } = companies;
const at = '2026-01-05T00:00:00.000Z';

const point = (
  period_key: string,
  metric_id: string,
  value: string | null,
  more: Partial<PointRow> = {},
): PointRow => ({
  company_id: startup,
  metric_id,
  period_type: 'month',
  period_key,
  version: 'actual',
  value,
  source: 'books',
  updated_at: at,
  ...more,
});
const put = (...rows: PointRow[]) =>
  insertRows(
    w.store.db,
    'metric_points',
    rows.map((row) => ({ ...row })),
  );
const months = (count: number) =>
  Array.from({ length: count }, (_, n) => `${2020 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`);

const series = (query: Record<string, unknown> | string, as: string = tokens.annStartup) =>
  w.call('getMetricSeries', { query: typeof query === 'string' ? query : { periodType: 'month', ...query }, as });
const keys = ({ body }: Got): string[] =>
  body.items.map((row: { periodKey: string; version: string }) => `${row.periodKey} ${row.version}`);
const issuePaths = ({ body }: Got) => body.details.issues.map((issue: { path: string }) => issue.path);

describe('live metrics', () => {
  const live = (companyId: string, query = {}) => w.call('getLiveMetrics', { query: { companyId, ...query } });

  it('are the newest month that has actuals', async () => {
    await put(point('2025-11', 'mrr', '1.10'), point('2025-12', 'mrr', '12345678901234567890'));
    await put(
      point('2025-12', 'mine', '0.5', { updated_at: '2026-01-09T00:00:00.000Z' }),
      point('2026-01', 'mrr', null),
    );
    await put(point('2026-03', 'mrr', '9', { version: 'budget' }), point('2025-12', 'arr', null));
    const got = await live(startup);
    expect(got.text).toContain('"mrr":12345678901234567890');
    expect(got.body).toMatchObject({
      source: 'company_metrics_actual',
      mode: 'live_actual',
      currency: 'EUR',
      periodKey: '2025-12',
      asOf: '2026-01-09T00:00:00.000Z',
    });
    expect(Object.keys(got.body.metrics)).toEqual(['mine', 'mrr']);
  });

  it('are empty without actuals', async () => {
    expect((await live(side)).body).toEqual({
      metrics: {},
      source: 'none',
      mode: 'live_actual',
      currency: 'USD',
      periodKey: null,
      period: null,
      asOf: null,
    });
  });

  it('take a company of the caller, and only `current`', async () => {
    expect((await w.call('getLiveMetrics')).status).toBe(400);
    expect((await w.call('getLiveMetrics', { headers: { 'x-company-id': startup } })).status).toBe(200);
    expect((await live(startup, { period: 'current' })).status).toBe(200);
    expect((await live(startup, { period: '2025-12' })).status).toBe(400);
    expect((await live(rival)).status).toBe(403);
  });

  it('are actuals, which a key for plans does not read', async () => {
    const as = (token: string) => w.call('getLiveMetrics', { query: { companyId: startup }, as: token });
    expect((await as(tokens.actuals)).status).toBe(200);
    const got = await as(tokens.plans);
    expect([got.status, got.body.error]).toEqual([403, expect.stringContaining('metrics.actuals:read')]);
  });
});

describe('catalog', () => {
  it('has the twelve known metrics, then the own ones', async () => {
    const own = {
      company_id: startup,
      unit: null,
      unit_label: null,
      cadence: null,
      value_semantics: null,
      description: null,
    };
    await w.store.db
      .insertInto('metric_definitions')
      .values([
        {
          ...own,
          metric_id: 'zeta',
          label: 'Zeta',
          aggregation: 'sum',
          direction: 'up',
          custom: 1,
          archived: 1,
          position: 0,
        },
        {
          ...own,
          metric_id: 'arr',
          label: 'Our ARR',
          aggregation: 'last',
          direction: 'up',
          custom: 0,
          archived: 0,
          position: 1,
        },
      ])
      .execute();
    const got = await w.call('getMetricCatalog', { as: tokens.annStartup });
    expect(got.body).toMatchObject({ companyId: startup, currency: 'EUR', sourceBoundary: 'company_internal' });
    const { definitions } = got.body;
    expect(definitions.map((d: { metricId: string }) => d.metricId)).toEqual([...knownMetrics, 'zeta']);
    expect(definitions[1]).toMatchObject({ metricId: 'arr', label: 'Our ARR' });
    expect(definitions[12]).toMatchObject({ custom: true, archived: true, aggregation: 'sum' });
    for (const definition of definitions) {
      expect(['sum', 'average', 'last']).toContain(definition.aggregation);
      expect(['up', 'down']).toContain(definition.direction);
    }
  });

  it('is of the company that the credential is bound to, or of one that is named', async () => {
    const of = async (sent: object) => (await w.call('getMetricCatalog', sent)).body.companyId;
    expect(await of({})).toBe(fund);
    expect(await of({ as: tokens.oauth })).toBe(startup);
    expect(await of({ as: tokens.oauth, query: { companyId: side } })).toBe(side);
    expect(await of({ headers: { 'x-company-id': side } })).toBe(side);
    expect((await w.call('getMetricCatalog', { query: { companyId: rival } })).status).toBe(403);
    expect((await w.call('getMetricCatalog', { query: { companyId: 'x' } })).status).toBe(400);
  });
});

describe('series', () => {
  it('give rows by period and version, with observations and the effective query', async () => {
    await put(
      point('2025-01', 'mrr', '1.50'),
      point('2025-01', 'arr', null, { source: 'later', updated_at: '2026-01-06T00:00:00.000Z' }),
      point('2025-01', 'mrr', '2', { version: 'forecast' }),
      point('2025-01', 'mrr', '3', { version: 'budget' }),
      point('2025-02', 'mrr', '4'),
    );
    const got = await series({ versions: 'forecast, budget,actual,actual' });
    expect(keys(got)).toEqual(['2025-02 actual', '2025-01 actual', '2025-01 budget', '2025-01 forecast']);
    expect(got.text).toContain('"metrics":{"arr":null,"mrr":1.50}');
    expect(got.body).toMatchObject({
      companyId: startup,
      currency: 'EUR',
      sourceBoundary: 'company_internal',
      truncated: false,
      query: {
        metricIds: [],
        fromPeriod: null,
        toPeriod: null,
        periodType: 'month',
        versions: ['actual', 'budget', 'forecast'],
        order: 'desc',
        limit: 24,
      },
    });
    expect(got.body).not.toHaveProperty('nextCursor');
    expect(got.body.items[1]).toMatchObject({ source: 'later', updatedAt: '2026-01-06T00:00:00.000Z' });
    expect(got.body.observations).toHaveLength(5);
    expect(got.body.observations[0]).toEqual({
      metricId: 'mrr',
      value: 4,
      unit: 'currency',
      currency: 'EUR',
      periodKey: '2025-02',
      periodType: 'month',
      version: 'actual',
      sourceBoundary: 'company_internal',
      source: 'books',
      updatedAt: at,
    });
    expect(keys(await series({ order: 'asc' }))).toEqual(['2025-01 actual', '2025-02 actual']);
    expect(keys(await series({ metricIds: 'arr' }))).toEqual(['2025-01 actual']);
    expect(keys(await series({ metricIds: 'nope' }))).toEqual([]);
    expect((await series({ metricIds: 'mrr,arr,mrr' })).body.query.metricIds).toEqual(['mrr', 'arr']);
  });

  it('page through every row once, either way, whatever the limit', async () => {
    const rows = months(70).flatMap((month) => [
      point(month, 'mrr', '1'),
      point(month, 'mrr', '1', { version: 'budget' }),
      ...(month.endsWith('1') ? [point(month, 'mrr', '1', { version: 'forecast' })] : []),
    ]);
    await put(...rows);
    for (const order of ['asc', 'desc']) {
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let limit = 1; ; limit += 7) {
        const got = await series({ versions: 'actual,budget,forecast', order, limit, ...(cursor && { cursor }) });
        seen.push(...keys(got));
        expect(got.body.truncated).toBe(got.body.nextCursor !== undefined);
        cursor = got.body.nextCursor;
        if (cursor === undefined) break;
        expect(cursor.length).toBeLessThanOrEqual(500);
      }
      const expected = rows.map(({ period_key, version }) => `${period_key} ${version}`);
      const period = (key: string) => key.slice(0, 7);
      expected.sort((a, b) => (order === 'asc' ? 1 : -1) * period(a).localeCompare(period(b)) || a.localeCompare(b));
      expect(seen).toEqual(expected);
    }
  });

  it('stay within their bounds, and keep the grains apart', async () => {
    await put(...months(24).map((month) => point(month, 'mrr', '1')));
    const budget = { version: 'budget' } as const;
    await put(point('2020-Q1', 'mrr', '1', { ...budget, period_type: 'quarter' }));
    await put(point('2020', 'mrr', '1', { ...budget, period_type: 'year' }));
    const bounded = await series({ fromPeriod: '2020-11', toPeriod: '2021-02', order: 'asc' });
    expect(keys(bounded).map((key) => key.slice(0, 7))).toEqual(['2020-11', '2020-12', '2021-01', '2021-02']);
    expect(keys(await series('periodType=quarter&versions=budget&fromPeriod=2020-Q1'))).toEqual(['2020-Q1 budget']);
    expect(keys(await series('periodType=year&versions=budget,forecast'))).toEqual(['2020 budget']);
  });

  it('refuse a cursor of any other query, company or text', async () => {
    await put(...months(5).map((month) => point(month, 'mrr', '1')));
    const cursor = (await series({ limit: 2 })).body.nextCursor as string;
    expect(keys(await series({ limit: 3, cursor }))).toHaveLength(3);
    const others = [{ order: 'asc' }, { versions: 'actual,budget' }, { metricIds: 'mrr' }, { fromPeriod: '2020-01' }];
    for (const other of [...others, { companyId: side }]) {
      const got = await series({ ...other, cursor });
      expect([other, got.status, issuePaths(got)]).toEqual([other, 400, ['cursor']]);
    }
    const flipped = cursor.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    for (const text of [flipped, `${cursor}A`, `${cursor}.x`, `${cursor}=`, 'x', '.', '', 'x'.repeat(501)]) {
      expect([text, (await series({ cursor: text })).status]).toEqual([text, 400]);
    }
  });

  it('hold the rules of the specification', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, n) => `m${n}`).join(',');
    const bad: [string, string][] = [
      ['versions=actual', 'periodType'],
      ['periodType=week', 'periodType'],
      ['periodType=quarter', 'periodType'],
      ['periodType=year&versions=budget,actual', 'periodType'],
      ['periodType=month&versions=plan', 'versions'],
      ['periodType=month&versions=', 'versions'],
      [`periodType=month&metricIds=${ids(51)}`, 'metricIds'],
      ['periodType=month&metricIds=a,,b', 'metricIds'],
      ['periodType=month&fromPeriod=2020', 'fromPeriod'],
      ['periodType=month&fromPeriod=2020-13', 'fromPeriod'],
      ['periodType=quarter&versions=budget&toPeriod=2020-q1', 'toPeriod'],
      ['periodType=month&fromPeriod=2020-01&toPeriod=2025-01', 'toPeriod'],
      ['periodType=month&fromPeriod=2020-02&toPeriod=2020-01', 'toPeriod'],
      ['periodType=month&order=up', 'order'],
      ['periodType=month&limit=101', 'limit'],
      ['periodType=month&limit=0', 'limit'],
    ];
    for (const [query, path] of bad) {
      const got = await series(query);
      expect([query, got.status, issuePaths(got)[0]]).toEqual([query, 400, path]);
    }
    expect((await series(`periodType=month&metricIds=${ids(50)}`)).status).toBe(200);
    expect((await series('periodType=month&fromPeriod=2020-01&toPeriod=2024-12')).status).toBe(200);
    expect((await series('periodType=month&limit=100')).status).toBe(200);
  });

  it('need the scope of each version', async () => {
    const status = async (as: string, versions: string) => (await series({ versions }, as)).status;
    expect(await status(tokens.actuals, 'actual')).toBe(200);
    expect(await status(tokens.actuals, 'budget')).toBe(403);
    expect(await status(tokens.actuals, 'actual,forecast')).toBe(403);
    expect(await status(tokens.plans, 'budget,forecast')).toBe(200);
    expect((await series({}, tokens.plans)).body.error).toContain('metrics.actuals:read');
    expect(await status(tokens.oauth, 'actual,budget,forecast')).toBe(200);
    expect((await series({ companyId: rival })).status).toBe(403);
  });

  it('end a page at the largest that the server gives', async () => {
    await w.close();
    w = await world({ maxPage: 2 });
    await put(...months(5).map((month) => point(month, 'mrr', '1')));
    const got = await series({ limit: 100 });
    expect(got.body.items).toHaveLength(2);
    expect(got.body.query.limit).toBe(2);
    expect(got.body.truncated).toBe(true);
  });
});

describe('grants', () => {
  const create = async (body: object, as: string = tokens.ann) =>
    w.call('createGrant', { body: { companyId: startup, scope: ['metrics'], ...body }, as });
  const list = async (as: string = tokens.ann) =>
    (await w.call('listGrants', { query: { companyId: startup }, as })).body.grants;
  const revoke = (id: string, companyId = startup, as: string = tokens.ann) =>
    w.call('revokeGrant', { params: { id }, query: { companyId }, as });

  it('are created, listed in order, and revoked once', async () => {
    const first = await create({ recipient_company_id: fund.toUpperCase(), metric_ids: ['mrr', 'mrr'], note: 'n' });
    expect(first.status).toBe(201);
    expect(first.body.grant).toEqual({
      id: first.body.grant.id,
      company_id: startup,
      granted_by: users.ann,
      recipient_company_id: fund,
      scope: ['metrics'],
      metric_ids: ['mrr'],
      include_historical: false,
      status: 'active',
      note: 'n',
      created_at: '2026-02-15T12:00:00.000Z',
      updated_at: '2026-02-15T12:00:00.000Z',
    });
    const id = first.body.grant.id as string;
    const revoked = await revoke(id);
    expect(revoked.body.grant).toMatchObject({
      status: 'revoked',
      revoked_at: '2026-02-15T12:00:00.000Z',
      revoked_by: users.ann,
    });
    expect((await revoke(id)).status).toBe(409);
    expect(await list()).toEqual([revoked.body.grant]);
    expect(await list(tokens.cat)).toHaveLength(1);
  });

  it('expire by themselves and can be revoked all the same', async () => {
    const past = (await create({ expires_at: '2026-02-15T13:00:00+01:00' })).body.grant;
    expect(past).toMatchObject({ status: 'expired', expires_at: '2026-02-15T12:00:00.000Z' });
    const future = (await create({ expires_at: '2026-02-15T12:00:00.001Z' })).body.grant;
    expect(future.status).toBe('active');
    expect((await revoke(past.id)).body.grant.status).toBe('revoked');
  });

  it('are refused without scope or for companies of others', async () => {
    expect(issuePaths(await create({ scope: ['reports'] }))).toEqual(['scope']);
    expect(issuePaths(await w.call('createGrant', { body: { companyId: startup } }))).toEqual(['scope']);
    expect(issuePaths(await w.call('createGrant', { body: { scope: ['metrics'] } }))).toEqual(['companyId']);
    expect((await create({ recipient_user_id: 'me' })).status).toBe(400);
    expect((await create({ expires_at: '2026-13-01T00:00:00Z' })).status).toBe(400);
    expect((await create({ metric_ids: [''] })).status).toBe(400);
    expect((await create({}, tokens.ben)).status).toBe(403);
    expect((await create({ companyId: rival })).status).toBe(403);
    const byHeader = { body: { scope: ['metrics'] }, headers: { 'x-company-id': startup } };
    expect((await w.call('createGrant', byHeader)).body.grant.company_id).toBe(startup);
    const both = { body: { scope: ['metrics'], companyId: startup }, headers: { 'x-company-id': fund } };
    expect((await w.call('createGrant', both)).status).toBe(400);
    const { id } = (await create({})).body.grant;
    expect((await revoke(id, fund)).status).toBe(404);
    expect((await revoke(unknown)).status).toBe(404);
    expect((await revoke(id, startup, tokens.ben)).status).toBe(403);
    expect((await revoke('x')).status).toBe(400);
    expect((await w.call('revokeGrant', { params: { id } })).status).toBe(400);
    expect((await w.call('listGrants')).status).toBe(400);
  });
});

describe('preferences', () => {
  const get = (vcCompanyId: string, as?: string) => w.call('getMetricPreferences', { query: { vcCompanyId }, as });

  it('are empty until they are saved, and keep what a write leaves out', async () => {
    expect((await get(fund)).body).toEqual({
      preferences: { vcCompanyId: fund, requestedMetrics: [], tableColumns: [], cardPages: [] },
    });
    const cardPages = [{ id: 'p', title: 'Page', metricIds: ['mrr'] }];
    const first = await w.call('setMetricPreferences', {
      body: { vcCompanyId: fund, requestedMetrics: ['mrr'], cardPages },
    });
    expect(first.status).toBe(200);
    const second = await w.call('setMetricPreferences', { body: { vcCompanyId: fund, tableColumns: ['arr'] } });
    expect(second.body.preferences).toMatchObject({
      id: first.body.preferences.id,
      vcCompanyId: fund,
      requestedMetrics: ['mrr'],
      tableColumns: ['arr'],
      cardPages,
    });
    expect((await get(fund)).body).toEqual(second.body);
    const cleared = await w.call('setMetricPreferences', { body: { vcCompanyId: fund, cardPages: [] } });
    expect(cleared.body.preferences.cardPages).toEqual([]);
  });

  it('are only of the companies of the caller', async () => {
    expect((await get(fund, sessions.ben)).status).toBe(403);
    expect((await get(unknown)).status).toBe(403);
    expect((await get('x')).status).toBe(400);
    expect((await w.call('getMetricPreferences')).status).toBe(400);
    expect((await w.call('setMetricPreferences', { body: { vcCompanyId: rival } })).status).toBe(403);
    expect((await w.call('setMetricPreferences', { body: { vcCompanyId: fund, cardPages: [{ id: 1 }] } })).status).toBe(
      400,
    );
  });
});

describe('published', () => {
  const grantId = (n: number) => `000000ab-0000-4000-8000-${String(n).padStart(12, '0')}`;
  let grants = 0;
  const grant = async (more: object) => {
    grants += 1;
    const row = {
      id: grantId(grants),
      company_id: startup,
      granted_by: users.cat,
      recipient_company_id: rival as string | null,
      recipient_user_id: null as string | null,
      scope: '["metrics"]',
      metric_ids: '[]',
      include_historical: 0,
      status: 'active' as const,
      note: null,
      expires_at: null,
      revoked_at: null,
      revoked_by: null,
      created_at: at,
      updated_at: at,
      ...more,
    };
    await w.store.db.insertInto('grants').values(row).execute();
    return row.id;
  };
  let reports = 0;
  const publish = (period_key: string, version_number = 1, data = '{"mrr":1.50,"arr":18}') => {
    reports += 1;
    return w.store.db
      .insertInto('publications')
      .values({
        report_id: `000000cd-0000-4000-8000-${String(reports).padStart(12, '0')}`,
        company_id: startup,
        period_key,
        period_type: period_key.includes('Q') ? 'quarter' : 'month',
        first_month: firstMonth(period_key) ?? 0,
        last_month: lastMonth(period_key) ?? 0,
        version_number,
        sent_at: at,
        data,
        units: '{"mrr":"currency","arr":"currency"}',
        unit_labels: '{"mrr":"EUR"}',
        currency: 'EUR',
        share_token: 'share',
        viewer_policy: '{"download":true}',
      })
      .execute();
  };
  const read = (query: Record<string, unknown> = {}, as: string = tokens.ben) =>
    w.call('getPublishedMetrics', { params: { companyId: startup }, query, as });
  const periods = ({ body }: Got) => body.metrics.periods.map((p: { periodKey: string }) => p.periodKey);

  it('need an active grant to the user or the company of the caller', async () => {
    await publish('2025-12');
    expect((await read()).status).toBe(403);
    await grant({ status: 'revoked' });
    await grant({ expires_at: '2026-02-15T12:00:00.000Z' });
    await grant({ recipient_company_id: fund });
    await grant({ company_id: side });
    expect((await read()).status).toBe(403);
    const id = await grant({
      recipient_company_id: null,
      recipient_user_id: users.ben,
      expires_at: '2026-03-01T00:00:00.000Z',
    });
    expect((await read()).body).toMatchObject({
      grantId: id,
      scope: ['metrics'],
      expiresAt: '2026-03-01T00:00:00.000Z',
    });
    // Ann's key is bound to the fund, and so is her grant; as the startup she has none.
    expect((await read({}, tokens.ann)).status).toBe(200);
    expect((await read({}, tokens.annStartup)).status).toBe(403);
    const named = { params: { companyId: startup }, as: tokens.annStartup, headers: { 'x-company-id': fund } };
    expect((await w.call('getPublishedMetrics', named)).status).toBe(200);
    // Whether a company exists is not revealed.
    const stranger = async (companyId: string) =>
      JSON.stringify((await w.call('getPublishedMetrics', { params: { companyId } })).body).replace(companyId, '…');
    expect(await stranger(unknown)).toBe(await stranger(rival));
    expect(await stranger(unknown)).toContain('No active grant');
  });

  it('give only the latest publication without history', async () => {
    await grant({});
    await publish('2025-11');
    await publish('2025-12');
    await publish('2025-12', 2, '{"mrr":2}');
    const got = await read();
    expect(got.body).toMatchObject({
      mode: 'published_grant',
      source: 'report_metric_snapshots',
      sourceBoundary: 'published_snapshot',
      missingPublication: false,
      company: { id: startup, name: 'Startup', stage: 'seed', currency: 'EUR' },
      truncated: false,
      publication: { periodKey: '2025-12', versionNumber: 2, shareToken: 'share', viewerPolicy: { download: true } },
      metrics: { summary: { mrr: 2 } },
    });
    expect(got.body.company).not.toHaveProperty('vertical');
    expect(got.body).not.toHaveProperty('nextCursor');
    expect(got.body).not.toHaveProperty('expiresAt');
    expect(periods(got)).toEqual(['2025-12']);
    for (const query of [{ period: '2025-12' }, { from: '2025' }, { to: '2025-Q4' }]) {
      expect((await read(query)).status).toBe(403);
    }
  });

  it('give history newest first under a grant that has it, within bounds of any grain', async () => {
    await grant({});
    await grant({ include_historical: 1 });
    for (const key of ['2025-12', '2025-10', '2025-Q4', '2025-11', '2025-Q3', '2025-09']) await publish(key);
    expect(periods(await read())).toEqual(['2025-12', '2025-Q4', '2025-11', '2025-10', '2025-09', '2025-Q3']);
    expect(periods(await read({ period: '2025-q4' }))).toEqual(['2025-Q4']);
    expect(periods(await read({ from: '2025-11' }))).toEqual(['2025-12', '2025-11']);
    expect(periods(await read({ from: '2025-Q4' }))).toEqual(['2025-12', '2025-Q4', '2025-11', '2025-10']);
    expect(periods(await read({ to: '2025-Q3' }))).toEqual(['2025-09', '2025-Q3']);
    expect(periods(await read({ from: '2025', to: '2025-10' }))).toEqual(['2025-10', '2025-09', '2025-Q3']);
    const none = await read({ period: '2024-01' });
    expect(none.body).toMatchObject({ missingPublication: true, metrics: { periods: [] } });
    expect(none.body).not.toHaveProperty('publication');
    for (const query of [{ period: '2025' }, { period: '2025-13' }, { from: '2026', to: '2025' }, { limit: 101 }]) {
      expect([query, (await read(query)).status]).toEqual([query, 400]);
    }
  });

  it('page with cursors that hold for this grant and these bounds', async () => {
    const id = await grant({ include_historical: 1 });
    const all = months(60);
    for (const month of all) await publish(month);
    const first = await read();
    expect([periods(first).length, first.body.truncated]).toEqual([24, true]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const got = await read({ limit: 7, ...(cursor && { cursor }) });
      seen.push(...periods(got));
      cursor = got.body.nextCursor;
      expect(got.body.publication.periodKey).toBe('2024-12');
    } while (cursor !== undefined);
    expect(seen).toEqual([...all].reverse());
    cursor = first.body.nextCursor as string;
    expect(periods(await read({ cursor, limit: 2 }))).toEqual(['2022-12', '2022-11']);
    expect((await read({ cursor, from: '2020' })).status).toBe(400);
    await w.store.db.updateTable('grants').set({ status: 'revoked' }).where('id', '=', id).execute();
    expect((await read({ cursor })).status).toBe(403);
    await grant({ include_historical: 1 });
    expect((await read({ cursor })).status).toBe(400);
  });

  it('show the metrics that the widest grant names', async () => {
    await publish('2025-12');
    await grant({ metric_ids: '["mrr"]' });
    const got = await read();
    expect(got.text).toContain('"data":{"mrr":1.50},"units":{"mrr":"currency"},"unitLabels":{"mrr":"EUR"}');
    expect(got.text).toContain('"summary":{"mrr":1.50}');
    const wide = await grant({});
    expect((await read()).body.grantId).toBe(wide);
    const historical = await grant({ metric_ids: '["arr"]', include_historical: 1 });
    expect((await read()).body.grantId).toBe(historical);
  });

  it('say so when nothing was published', async () => {
    await grant({});
    const { body } = await read();
    expect(body).toMatchObject({ missingPublication: true, metrics: { summary: {}, periods: [] }, truncated: false });
    expect(body).not.toHaveProperty('publication');
  });
});
