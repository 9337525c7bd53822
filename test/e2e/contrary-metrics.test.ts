/** The metric commands against a server that decides otherwise whatever the API leaves open. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, cli } from '../helpers/cli.ts';
import { type Contrary, startContrary } from '../helpers/contrary-server.ts';

let server: Contrary;
beforeAll(async () => {
  server = await startContrary();
});
afterAll(() => server.close());

const comem = (argv: readonly string[], env: Record<string, string> = {}, stdin = ''): Promise<CliResult> =>
  cli(argv, {
    env: {
      COMEM_BASE_URL: server.url,
      COMEM_API_KEY: server.apiKey,
      COMEM_SESSION_COOKIE: server.sessionCookie,
      COMEM_COMPANY_ID: server.companyId,
      COMEM_NOW: '2024-06-30T00:00:00Z',
      ...env,
    },
    stdin,
  });
const lines = ({ stdout }: CliResult) => stdout.trimEnd().split('\n');

describe('series', () => {
  it('is complete though the server caps its pages', async () => {
    const result = await comem(['metrics', 'series', '--versions', 'actual,budget', '--order', 'asc', '-o', 'csv']);
    // The running month comes after the pages that decide the columns.
    expect(result).toMatchObject({ code: 0, stderr: '2024-06 has not ended: its actuals are of part of it.\n' });
    const [header, ...rows] = lines(result);
    expect(header).toBe('periodKey,periodType,version,mrr,headcount,nps_raw,source,updatedAt');
    expect(rows).toHaveLength(60);
    expect(rows[0]).toMatch(/^2022-01,month,actual,1000\.50,12,-0\.10,,/);
    expect(rows[3]).toMatch(/^2022-02,month,budget,1001\.50,,-0\.10,plan v2,/);
  });

  it('is the same joined from chunks', async () => {
    const none = Array.from({ length: 50 }, (_, index) => `none${index}`);
    const wide = await startContrary({ metrics: none });
    const there = {
      ...{ COMEM_BASE_URL: wide.url, COMEM_API_KEY: wide.apiKey, COMEM_COMPANY_ID: wide.companyId },
      COMEM_SESSION_COOKIE: wide.sessionCookie,
    };
    const fields = ['--fields', 'periodKey,version,mrr,headcount', '-o', 'csv', '--versions', 'actual,budget'];
    const one = await comem(['metrics', 'series', '-m', 'mrr,headcount', ...fields]);
    const two = await comem(['metrics', 'series', '-m', `mrr,${none.join(',')},headcount`, ...fields], there);
    await wide.close();
    expect(lines(one)).toHaveLength(61);
    expect(two.stdout).toBe(one.stdout);
  });

  it('keeps unknown fields in JSON, and has long rows without units', async () => {
    const json = await comem(['metrics', 'series', '-m', 'mrr', '--last', '1', '--include-current', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject([{ grade: 'b' }]);
    const long = await comem([
      'metrics',
      'series',
      '-m',
      'mrr',
      '--last',
      '1',
      '--include-current',
      '--shape',
      'long',
      '-o',
      'csv',
    ]);
    expect(lines(long)[1]).toBe('2024-06,month,actual,mrr,1029.50,,,0/1,,');
  });

  it('reads quarters and years of plans', async () => {
    expect(lines(await comem(['metrics', 'series', '--period-type', 'quarter', '-o', 'csv']))).toHaveLength(9);
    expect(lines(await comem(['metrics', 'series', '--period-type', 'year', '-o', 'csv']))).toHaveLength(3);
  });
});

describe('live and catalog', () => {
  it('shows what came', async () => {
    expect((await comem(['metrics', 'live', '-o', 'csv'])).stdout).toBe(
      'metric,value,unit,periodKey\nmrr,1029.50,CHF,2024-06\nnps_raw,-0.10,,2024-06\n',
    );
    expect(lines(await comem(['metrics', 'catalog', '-o', 'id']))).toEqual(['mrr', 'headcount', 'nps_raw']);
  });
});

describe('preferences', () => {
  it('are written where none were, and left alone afterwards', async () => {
    const set = ['metrics', 'prefs', 'set', '--investor', server.investorId, '--columns', 'mrr', '-o', 'json'];
    const first = await comem(set);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ tableColumns: ['mrr'], theme: 'night' });
    const before = server.requests.length;
    expect(await comem(set)).toMatchObject({ code: 0 });
    expect(server.requests.slice(before).map(({ method }) => method)).toEqual(['GET']);
  });

  it('say that the session has ended', async () => {
    const get = ['metrics', 'prefs', 'get', '--investor', server.investorId];
    expect(await comem(get, { COMEM_SESSION_COOKIE: server.endedCookie })).toMatchObject({ code: 4, stdout: '' });
  });
});

describe('grants', () => {
  it('are made, revoked, left alone when they had ended, and failed when they are not there', async () => {
    const made = await comem([
      'grants',
      'create',
      '--recipient-company',
      server.investorId,
      '--all-metrics',
      '-o',
      'id',
    ]);
    expect(made.code).toBe(0);
    const ended = lines(await comem(['grants', 'list', '--status', 'withdrawn', '-o', 'id']));
    expect(ended).toHaveLength(1);
    const lapsed = lines(await comem(['grants', 'list', '--status', 'lapsed', '-o', 'id']));
    const ids = [made.stdout.trim(), ...ended, ...lapsed];
    const revoke = (...more: string[]) => ['grants', 'revoke', ...more, '--yes', '--jq', '.[].outcome'];
    expect(await comem(revoke('-'), {}, ids.join('\n').toLowerCase())).toMatchObject({
      code: 0,
      stdout: 'revoked\nunchanged\nunchanged\n',
    });
    const absent = '00000000-0000-4000-8000-000000000999';
    expect(await comem(revoke(absent))).toMatchObject({ code: 3, stdout: 'failed\n' });
    expect(await comem(revoke(absent, ids[0] ?? ''))).toMatchObject({ code: 7, stdout: 'failed\nunchanged\n' });
  });
});

describe('published', () => {
  it('is complete though the server caps its pages', async () => {
    const get = ['published', 'get', server.companyId];
    const csv = await comem([...get, '--from', '2022', '--to', '2023-q4', '-o', 'csv', '--fields', 'periodKey,mrr']);
    expect(lines(csv)).toHaveLength(25);
    expect(lines(csv)[1]).toBe('2022-01,1000.50');
    const json = await comem([...get, '-o', 'json']);
    const body = JSON.parse(json.stdout);
    expect(body.metrics.periods).toHaveLength(30);
    expect(body.truncated).toBe(false);
    expect(await comem(['published', 'get', '00000000-0000-4000-8000-000000000999'])).toMatchObject({ code: 3 });
  });
});

describe('api', () => {
  it('prints a body as it is, unknown fields and all', async () => {
    const grants = await comem(['api', 'GET', '/api/metrics/grants', '-c', server.companyId, '-o', 'json']);
    expect(JSON.parse(grants.stdout)).toMatchObject({ page: 1 });
    const argv = ['api', 'GET', '/api/metrics/series', '-q', 'periodType=month', '--paginate', '--jq', 'length'];
    expect(await comem(argv)).toMatchObject({ code: 0, stdout: '30\n' });
  });
});
