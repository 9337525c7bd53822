import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/cli.ts';
import { ids, instead, metricsWorld, sent, type World } from '../../helpers/metrics-world.ts';
import { freshApi, run as runProgram } from '../../helpers/run.ts';

let world: World;
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(() => world.close());

const env = { COMEM_COMPANY_ID: ids.investor };
const run = (argv: string[], options = {}) => world.run(argv, { env, ...options });
const get = (...flags: string[]) => ['published', 'get', ids.company, ...flags];

describe('published get', () => {
  it('merges pages into one object', async () => {
    const result = await run(get('--page-size', '2', '-o', 'json'));
    expect(result.requests.map(({ query }) => query.limit)).toEqual(['2', '2', '2']);
    const body = JSON.parse(result.stdout);
    expect(body.metrics.periods).toHaveLength(5);
    expect(new Set(body.metrics.periods.map(({ periodKey }: { periodKey: string }) => periodKey)).size).toBe(5);
    expect(body.truncated).toBe(false);
    expect(body).not.toHaveProperty('nextCursor');
    expect(body).toMatchObject({ mode: 'published_grant', company: { id: ids.company } });
  });

  it('has rows of periods, a column for each metric that turns up on any page', async () => {
    const { stdout } = await run(get('--page-size', '2', '-o', 'csv'));
    const [header, ...lines] = stdout.trimEnd().split('\n');
    expect(header?.split(',').sort()).toEqual(
      [
        'periodKey',
        'periodType',
        'versionNumber',
        'sentAt',
        'reportId',
        'mrr',
        'headcount',
        'currency',
        'units',
      ].sort(),
    );
    const column = header?.split(',').indexOf('mrr') ?? -1;
    expect(lines.map((line) => [line.slice(0, 7), line.split(',')[column]]).sort()).toEqual([
      ['2024-01', '100'],
      ['2024-02', '101'],
      ['2024-03', '102'],
      ['2024-04', '103'],
      ['2024-05', '104'],
    ]);
  });

  it('is a table with units on a terminal', async () => {
    const { stdout } = await run(get('--period', '2024-05'), { tty: true });
    expect(stdout).toMatch(/MRR USD[\s\S]*2024-05.*104 /);
  });

  it('stays true to itself under --limit', async () => {
    const body = JSON.parse((await run(get('--limit', '2', '-o', 'json'))).stdout);
    expect(body.metrics.periods).toHaveLength(2);
    expect(body.truncated).toBe(true);
    const rest = JSON.parse((await run(get('--cursor', body.nextCursor, '-o', 'json'))).stdout);
    expect(rest.metrics.periods).toHaveLength(3);
    expect(rest.truncated).toBe(false);
  });

  it('takes one period or a range', async () => {
    const one = await run(get('--period', '2024-02', '-o', 'json'));
    expect(one.requests[0]?.query).toMatchObject({ period: '2024-02' });
    expect(JSON.parse(one.stdout).metrics.periods).toHaveLength(1);
    const range = await run(get('--from', '2024-q1', '--to', '2024-Q1', '-o', 'ndjson'));
    expect(range.requests[0]?.query).toMatchObject({ from: '2024-q1', to: '2024-Q1' });
  });

  it('says where to continue when a later page fails', async () => {
    const transport = instead(world.transport, (_, { searchParams }) =>
      searchParams.has('cursor') ? { status: 400, body: { error: 'gone', status: 400 } } : undefined,
    );
    const result = await run(get('--page-size', '2', '-o', 'json'), { transport });
    expect([result.code, result.stdout]).toEqual([6, '']);
    expect(result.stderr).toMatch(/--cursor \S+/);
  });

  it('says that nothing was published', async () => {
    const body = { missingPublication: true, metrics: { summary: {}, periods: [] }, truncated: false };
    const transport = instead(world.transport, () => ({ status: 200, body }));
    const result = await run(get(), { transport, tty: true });
    expect([result.stdout, result.code]).toEqual(['', 0]);
    expect(result.stderr).toContain('Nothing has been published');
    expect((await run(get('--fail-empty', '-o', 'json'), { transport })).code).toBe(1);
  });

  it('prints one body raw', async () => {
    const result = await run(get('--raw', '--limit', '1'));
    expect(sent(result)).toEqual([`GET /api/metrics/published/${ids.company}`]);
    expect(JSON.parse(result.stdout)).toMatchObject({ truncated: true });
  });

  it.each([
    [get('--period', '2024'), '--period'],
    [get('--from', '2024-13'), '--from'],
    [get('--to', '2024-01', '--from', '2024-02'), '--to must not be before'],
    [get('--period', '2024-01', '--from', '2024'), '--period is one publication'],
    [get('--page-size', '101'), '--page-size'],
  ])('refuses %j', async (argv, says) => {
    const result = await run(argv);
    expect(result.stderr).toContain(says);
    expect([result.code, result.stdout, sent(result)]).toEqual([2, '', []]);
  });

  it('is not allowed without a grant', async () => {
    const result = await run(['published', 'get', ids.closed]);
    expect([result.code, result.stdout]).toEqual([4, '']);
    const alias = await run(['published', 'get', 'nobody']);
    expect([alias.code, alias.stdout]).toEqual([3, '']);
  });
});

describe('published periods', () => {
  it('lists what was sent', async () => {
    const { stdout } = await run(['published', 'periods', ids.company, '--page-size', '2', '-o', 'csv']);
    const [header, ...lines] = stdout.trimEnd().split('\n');
    expect(header).toBe('periodKey,periodType,versionNumber,sentAt,reportId');
    expect(lines).toHaveLength(5);
    expect(lines).toContainEqual(expect.stringMatching(/^2024-05,month,1,2024-06-10T08:00:00.000Z,[0-9a-f-]{36}$/));
    const rows = JSON.parse((await run(['published', 'periods', ids.company, '-o', 'json'])).stdout);
    expect(Object.keys(rows[0]).sort()).toEqual(['periodKey', 'periodType', 'reportId', 'sentAt', 'versionNumber']);
  });

  it('lists those of several companies, also where only -c names them', async () => {
    const api = await freshApi();
    const demoRun = (argv: string[]) => runProgram(['-p', 'demo', ...argv], { transport: api.transport });
    const again = ['--where', 'version > 1', '-o', 'csv'];
    const group = await demoRun(['published', 'periods', 'lumen', 'tessera', ...again]);
    expect(group).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^company,.*\nlumen,[^,]*,2024-11,month,2,/),
    });
    const flag = await demoRun(['-c', 'lumen', 'published', 'periods', ...again]);
    expect(flag).toMatchObject({ code: 0, stdout: expect.stringMatching(/^periodKey,.*\n2024-11,month,2,/) });
  });

  it('names the flag that a grant without history does not allow', async () => {
    const api = await freshApi();
    const argv = ['-p', 'demo', 'published', 'periods', 'harbor', '--last', '3'];
    const { code, stderr } = await runProgram(argv, { transport: api.transport });
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('hint: ask the company for a grant; --last needs history;'),
    ]);
  });
});

describe('published diff', () => {
  it('names a report that was sent again, and the command that shows what changed', async () => {
    const api = await freshApi();
    const { code, stderr } = await runProgram(['-p', 'demo', 'published', 'diff', 'lumen'], {
      transport: api.transport,
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Sent again: 2024-11 (version 2, 2025-02-19).')]);
    const out = join(temporaryFolder(), 'x.csv');
    const file = await runProgram(['-p', 'demo', 'published', 'diff', 'lumen', '--out', out], {
      transport: api.transport,
    });
    expect(file.stderr).toMatch(/^All \d+ newest published values equal today's\.$/m);
    const [, line = ''] = /`comem ([^`]*)`/.exec(stderr) ?? [];
    const words = [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const { stdout } = await runProgram(['-p', 'demo', ...words, '-o', 'csv'], { transport: api.transport });
    expect(stdout).toContain('changed,published,lumen,2024-11,mrr,546300.02,528336.58,');
  });
});

describe('published get of several companies', () => {
  it('warns of the company that lacks a metric, and of the currencies of amounts only', async () => {
    const api = await freshApi();
    const argv = ['-p', 'demo', 'published', 'get', 'lumen', 'tessera', '-m', 'burn', '--period', '2025-Q4'];
    const { stderr } = await runProgram(argv, { transport: api.transport });
    expect(stderr).toBe('comem: warning: burn is in no published period of tessera\n');
    const single = await runProgram(['-p', 'demo', 'published', 'get', 'tessera', '-m', 'burn'], {
      transport: api.transport,
    });
    expect(single.stderr).toContain('warning: burn is in no published period of Tessera');
  });

  it.each(['get', 'periods', 'diff'])('%s asks for no company on a terminal where -c names some', async (verb) => {
    const api = await freshApi();
    const argv = ['-p', 'demo', '-c', 'lumen', '-c', 'tessera', 'published', verb, '--period', '2025-12', '-m', 'mrr'];
    const { code, stderr, requests } = await runProgram(argv, { transport: api.transport, tty: true });
    expect([code, stderr.includes('Company:')]).toEqual([0, false]);
    expect(requests.length).toBeGreaterThan(1);
  });

  const fields = ['--fields', 'company,companyId,periodKey,mrr,currency'];

  it('names each in its rows, by arguments, by a group and by -c', async () => {
    const api = await freshApi();
    const demoRun = (argv: string[]) => runProgram(['-p', 'demo', ...argv], { transport: api.transport });
    const words = await demoRun(['published', 'get', 'lumen', 'tessera', ...fields, '-o', 'csv']);
    const lines = words.stdout.trimEnd().split('\n');
    expect([words.code, lines[0]]).toEqual([0, 'company,companyId,periodKey,mrr,currency']);
    expect(new Set(lines.slice(1).map((line) => line.split(',')[0]))).toEqual(new Set(['lumen', 'tessera']));
    expect(words.stderr).toContain('several currencies (USD, EUR)');
    const flags = await demoRun(['-c', 'lumen', '-c', 'tessera', 'published', 'get', ...fields, '-o', 'csv']);
    expect(flags.stdout).toBe(words.stdout);
    const group = await demoRun(['published', 'get', '@portfolio', ...fields, '-o', 'csv']);
    expect([group.code, group.stdout.startsWith(lines[0] ?? '')]).toEqual([7, true]);
    expect(group.stderr).toContain('company quill could not be read');
    const all = await demoRun(['published', 'get', '@all', ...fields, '-o', 'csv']);
    expect([all.code, all.stdout]).toEqual([0, group.stdout]);
    expect(all.stderr).toContain('Left out, since the credential may not read them: ');
    for (const argv of [
      ['published', 'get'],
      ['-c', 'lumen', '-c', 'harbor', 'published', 'get', 'tessera'],
    ]) {
      const wrong = await demoRun(argv);
      expect([wrong.code, wrong.stdout, wrong.requests]).toEqual([2, '', []]);
    }
  });
});
