/** Bulk writes, revocations, history and undo, and the guard rails, through the binary. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { binary, builtProgram, cli, runBinary, temporaryFolder } from '../helpers/cli.ts';
import { type ServedWorld as ListsWorld, ids as lists, servedWorld as servedLists } from '../helpers/lists-world.ts';
import {
  credentials,
  type ServedWorld as MetricsWorld,
  ids as metrics,
  servedWorld as servedMetrics,
} from '../helpers/metrics-world.ts';
import { run } from '../helpers/run.ts';

const parsed = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>[];

describe('entries in bulk', () => {
  let world: ListsWorld;
  let state: Record<string, string>;
  beforeEach(async () => {
    world = await servedLists();
    state = { XDG_STATE_HOME: temporaryFolder() };
  });
  afterEach(() => world.close());

  it('are updated by an expression, only in what differs, and reverted', async () => {
    const argv = ['entries', 'update', 'deals', '--where', 'amount > 5', '--set', 'stage=Won', '-o', 'json'];
    const unasked = await world.comem(argv, state);
    expect(unasked).toMatchObject({ code: 2, stdout: '' });
    expect(unasked.stderr).toContain('Plan: update 1 entry of the list "Deals" (1 unchanged).');
    const dry = await world.comem([...argv, '--dry-run'], state);
    expect([dry.code, parsed(dry.stdout)]).toMatchObject([
      0,
      [{ method: 'PATCH', body: { id: lists.borealis, values: { stage: 'o-won' } } }],
    ]);
    const done = await world.comem([...argv, '--yes'], state);
    expect([done.code, parsed(done.stdout)]).toMatchObject([
      0,
      [
        { id: lists.acme, outcome: 'unchanged' },
        { id: lists.borealis, outcome: 'updated' },
      ],
    ]);
    expect(done.stderr).toContain('1 updated, 1 unchanged, 0 skipped, 0 failed.');
    expect(done.stderr).toMatch(/Writing to http:\/\/127\.0\.0\.1:\d+ with profile "default", company 0{8}-/);
    const history = await world.comem(['history', '-o', 'json'], state);
    expect(parsed(history.stdout)).toMatchObject([{ number: 1, command: 'entries update', undo: 'yes' }]);
    const undone = await world.comem(['undo', '--yes', '-o', 'json'], state);
    expect([undone.code, parsed(undone.stdout)]).toMatchObject([0, [{ outcome: 'restored', id: lists.borealis }]]);
    const stage = await world.comem(['entries', 'get', 'deals', 'Børealis', '--jq', '.values.stage'], state);
    expect(stage.stdout).toBe('o-open\n');
    expect((await world.comem(['undo', '-y'], state)).code).toBe(3);
  });

  it('are archived, restored and deleted by flags, and deleted ones come back with new ids', async () => {
    const archive = await world.comem(['entries', 'archive', 'deals', '--search', 'twin', '-y', '-o', 'json'], state);
    expect(parsed(archive.stdout).map(({ outcome }) => outcome)).toEqual(['archived', 'archived']);
    const back = await world.comem(['entries', 'unarchive', 'deals', '--all', '-y', '--fields', 'outcome'], state);
    expect(back.stdout).toBe('outcome\nunarchived\nunarchived\nunarchived\n');
    const gone = await world.comem(['entries', 'delete', 'deals', '--all', '-y', '-o', 'id'], state);
    expect([gone.code, gone.stdout.trim().split('\n').length]).toEqual([0, 5]);
    const undo = await world.comem(['undo', '-y', '-o', 'json'], state);
    expect([undo.code, parsed(undo.stdout).map(({ outcome }) => outcome)]).toEqual([0, Array(5).fill('recreated')]);
    expect(undo.stderr).toContain('What was deleted gets a new id');
    expect((await world.comem(['entries', 'count', 'deals'], state)).stdout).toBe('5\n');
    const never = await world.comem(['entries', 'delete', 'deals', lists.nothing, '-y'], state);
    expect(never.code).toBe(3);
  });
});

it('on a bad day each entry is still written, and undo takes every one back', async () => {
  const comem = `"${process.execPath}" "${binary}"`;
  const count = `${comem} entries list deal-pipeline --jq '[.[] | select(.values.notes == "bad day")] | length'`;
  const script = [
    `${comem} entries update deal-pipeline --all --set 'notes=bad day' --yes --concurrency 8 -o csv --fields outcome | sort | uniq -c`,
    count,
    `${comem} undo --yes -o csv --fields outcome | sort | uniq -c`,
    count,
  ].join('; ');
  const faults = ['--fail', 'PATCH *=503@1/20', '--fail', 'PATCH *=drop-after@1/50', '--fail', 'GET *=503@1/9'];
  const { stdout } = await runBinary(['serve', '--seed', 'demo', ...faults, '--', 'sh', '-c', script]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const all = Number(lines[1]?.split(' ')[0]);
  expect(all).toBeGreaterThan(50);
  expect(lines).toEqual(['1 outcome', `${all} updated`, String(all), '1 outcome', `${all} restored`, '0']);
});

describe('grants', () => {
  let world: MetricsWorld;
  beforeAll(async () => {
    world = await servedMetrics();
  });
  afterAll(() => world.close());

  /** Grants of the world's company, all of them active, as the API made them. */
  async function made(count: number): Promise<string[]> {
    const headers = { authorization: `Bearer ${credentials.COMEM_API_KEY}`, 'content-type': 'application/json' };
    const ask = { companyId: metrics.company, scope: ['metrics'], recipient_user_id: metrics.guest };
    const one = async (_: unknown, n: number) => {
      const body = JSON.stringify({ ...ask, metric_ids: [n % 2 ? 'mrr' : 'arr'] });
      const answer = await fetch(`${world.url}/api/metrics/grants`, { method: 'POST', headers, body });
      const { grant } = (await answer.json()) as { grant: { id: string; status: string } };
      expect(grant.status).toBe('active');
      return grant.id;
    };
    const found: string[] = [];
    // A server takes 511 waiting connections; a busy machine resets those beyond.
    while (found.length < count) {
      const few = Array.from({ length: Math.min(100, count - found.length) }, (_, n) => one(_, found.length + n));
      found.push(...(await Promise.all(few)));
    }
    return found;
  }
  const argv = ['grants', 'revoke', '-', '--yes', '-o', 'json'];
  interface Row {
    id: string;
    outcome: string;
    revoked_at: string | null;
  }
  const rowsOf = (stdout: string) => JSON.parse(stdout) as Row[];
  const stored = async () =>
    new Map(
      rowsOf((await world.comem(['grants', 'list', '-o', 'json'])).stdout).map((grant) => [
        grant.id,
        (grant as unknown as { status: string }).status + grant.revoked_at,
      ]),
    );

  it('of three hundred on stdin are revoked, with a row each in their order, and a second time unchanged', async () => {
    const ids = await made(300);
    const { stdout, stderr, code } = await world.comem(argv, {}, ids.join('\n'));
    const rows = rowsOf(stdout);
    expect([code, rows.length]).toEqual([0, 300]);
    expect(rows.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(ids.map((id) => `${id} revoked`));
    expect(stderr).toContain('300 revoked, 0 unchanged, 0 skipped, 0 failed.');
    const after = await stored();
    for (const { id, revoked_at } of rows) {
      expect(revoked_at).toMatch(/^\d{4}-\d\d-\d\dT/);
      expect(after.get(id)).toBe(`revoked${revoked_at}`);
    }
    const more = await made(3);
    const mixed = ids.flatMap((id, n) => (n % 120 === 0 ? [id, more[n / 120] ?? ''] : [id]));
    const again = await world.comem(argv, {}, mixed.join('\r\n'));
    expect([again.code, rowsOf(again.stdout).length]).toEqual([0, 303]);
    expect(rowsOf(again.stdout).map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(
      mixed.map((id) => `${id} ${more.includes(id) ? 'revoked' : 'unchanged'}`),
    );
    expect(again.stderr).toContain('3 revoked, 300 unchanged, 0 skipped, 0 failed.');
    // What had been revoked keeps the moment at which it was.
    const then = await stored();
    for (const id of ids) expect(then.get(id)).toBe(after.get(id));
    expect(new Map(rowsOf(again.stdout).map(({ id, revoked_at }) => [id, revoked_at])).get(ids[7] ?? '')).toBe(
      rows[7]?.revoked_at,
    );
  });

  it('that never were fail with a row each, the others are revoked all the same', async () => {
    const ids = await made(3);
    const unknown = Array.from({ length: 97 }, (_, n) => `00000000-0000-4000-9000-${String(n).padStart(12, '0')}`);
    const { stdout, stderr, code } = await world.comem(argv, {}, [...ids, ...unknown].join('\n'));
    expect([code, rowsOf(stdout).length]).toEqual([7, 100]);
    expect(rowsOf(stdout).slice(0, 4)).toMatchObject([
      ...ids.map((id) => ({ id, outcome: 'revoked' })),
      { id: unknown[0], outcome: 'failed' },
    ]);
    expect(stderr).toContain('3 revoked, 0 unchanged, 0 skipped, 97 failed.');
  });

  it('are chosen by flags, planned, audited and shown by recipient', async () => {
    const home = temporaryFolder();
    const plan = `${home}/plan.json`;
    expect((await world.comem(['grants', 'revoke', '--recipient', metrics.investor, '--plan-out', plan])).code).toBe(0);
    const audit = await world.comem(['grants', 'audit', '--exit-code', '-o', 'csv', '--fields', 'id,rule']);
    expect([audit.code, audit.stdout]).toEqual([1, expect.stringContaining(`${metrics.active},no_expiry`)]);
    const matrix = await world.comem(['grants', 'matrix', '-m', 'mrr', '-o', 'csv']);
    expect(matrix.stdout).toBe(`metric,${metrics.investor}\nmrr,history\n`);
    expect((await world.comem(['grants', 'expiring', '--within', '1y', '--fail-empty'])).code).toBe(1);
    const done = await world.comem(['grants', 'revoke', '--plan', plan, '-y', '--jq', '.[].outcome']);
    expect([done.code, done.stdout]).toEqual([0, 'revoked\n']);
    expect((await world.comem(['grants', 'revoke', '--recipient', metrics.investor, '-y'])).code).toBe(0);
    const undo = await world.comem(['undo', '-y']);
    expect([undo.code, undo.stderr]).toEqual([1, expect.stringContaining('a revocation cannot be reverted')]);
  });
});

describe('guard rails', () => {
  const company = '11111111-1111-4111-8111-111111111111';
  const id = '22222222-2222-4222-8222-222222222222';
  const requests: string[] = [];
  const list = {
    ...{ id, name: 'L', slug: 'l' },
    list_attributes: [{ id, name: 'N', slug: 'n', attribute_type: 'text' }],
  };
  const entry = { id, title: 't', values: {} };
  const read = (path: string) => {
    if (path.startsWith('/api/metrics/catalog')) return JSON.stringify({ definitions: [{ metricId: 'mrr' }] });
    if (path.startsWith('/api/metrics/preferences')) return JSON.stringify({ preferences: { vcCompanyId: id } });
    if (path.startsWith(`/api/lists/${id}/entries`)) return /offset=[1-9]/.test(path) ? '[]' : JSON.stringify([entry]);
    return JSON.stringify(path.startsWith(`/api/lists/${id}`) ? list : [list]);
  };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    response.setHeader('content-type', 'application/json');
    response.end(request.method === 'GET' ? read(request.url ?? '') : '{}');
  });
  const home = temporaryFolder();
  const program = builtProgram();
  const env = { COMEM_SESSION_COOKIE: 'comem-auth-token=x', COMEM_API_KEY: 'cmk_0123456789', COMEM_PROFILE: 'guarded' };
  const none = { COMEM_BASE_URL: undefined, COMEM_COMPANY_ID: undefined, COMEM_NOW: undefined };
  /** Without a start, which takes longer than a refusal: a hundred command lines meet the rails. */
  const comem = (...argv: string[]) => run(argv, { network: true, program, home, env: { ...none, ...env } });
  const writes: string[][] = [
    ['lists', 'create', 'X'],
    ['lists', 'update', id, '--name', 'Y'],
    ['lists', 'delete', id, '-y'],
    ['lists', 'from-template', 'okrs'],
    ['attrs', 'create', id, 'N', '--type', 'text'],
    ['attrs', 'update', id, id, '--name', 'Z'],
    ['entries', 'create', id, '--title', 't'],
    ['entries', 'update', id, id, '--title', 't'],
    ['entries', 'archive', id, id],
    ['entries', 'unarchive', id, id],
    ['entries', 'delete', id, id, '-y'],
    ['entries', 'step', id, id],
    ['grants', 'create', '--recipient-user', id, '--all-metrics'],
    ['grants', 'revoke', id, '-y'],
    ['metrics', 'prefs', 'set', '--investor', id, '--requested', 'mrr'],
    ['api', 'POST', '/api/lists', '-f', 'name=x'],
    ['api', 'PATCH', `/api/lists/${id}`, '-f', 'name=x'],
    ['api', 'PUT', '/api/other', '--as', 'key', '-f', 'a=b'],
    ['api', 'DELETE', `/api/lists/${id}`, '-y'],
  ];
  const sentWrites = () => requests.filter((line) => !line.startsWith('GET'));

  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const set = await comem('profiles', 'set', 'guarded', `base-url=http://127.0.0.1:${port}`, 'readonly=true');
    const add = await comem('companies', 'add', 'acme', company);
    const use = await comem('profiles', 'set', 'guarded', 'company=acme');
    expect([set.code, add.code, use.code]).toEqual([0, 0, 0]);
  });
  afterAll(() => void server.close());
  beforeEach(() => void requests.splice(0));

  it.each(writes)('readonly refuses %s %s %s', async (...argv) => {
    const { code, stdout, stderr } = await comem(...argv.filter((word) => word !== undefined));
    expect([code, stdout, sentWrites()]).toEqual([2, '', []]);
    expect(stderr).toContain('profile "guarded" is read-only');
    const dry = await comem(...argv.filter((word) => word !== undefined && word !== '-y'), '--dry-run');
    expect([dry.code, parsed(dry.stdout).length > 0, sentWrites()]).toEqual([0, true, []]);
  });

  it('readonly lets reading be', async () => {
    expect((await comem('entries', 'list', id)).code).toBe(0);
    expect((await comem('api', 'GET', `/api/lists/${id}`)).code).toBe(0);
  });

  it('is set on a profile', async () => {
    expect((await comem('profiles', 'set', 'guarded', 'readonly=false', 'protected=true')).code).toBe(0);
  });

  it.each(writes)('protected asks for the company before %s %s %s', async (...argv) => {
    const words = argv.filter((word) => word !== undefined);
    const unnamed = await comem(...words, '-y');
    expect([unnamed.code, unnamed.stdout, sentWrites()]).toEqual([2, '', []]);
    expect(unnamed.stderr).toContain('--confirm acme');
    const wrong = await comem(...words, '-y', '--confirm', 'other');
    expect([wrong.code, sentWrites()]).toEqual([2, []]);
    const { stderr } = await comem(...words, '-y', '--confirm', 'acme', '--retries', '0');
    expect(sentWrites()).toHaveLength(1);
    expect(stderr).toMatch(
      new RegExp(`Writing to http://127\\.0\\.0\\.1:\\d+ with profile "guarded", company acme \\(${company}\\)\\.`),
    );
  });

  it('the uuid of the company is its name too, also for a process', async () => {
    await comem('entries', 'archive', id, id, '--confirm', company);
    expect(sentWrites()).toHaveLength(1);
    const argv = ['entries', 'archive', id, id, '-y'];
    expect((await cli(argv, { home, env })).code).toBe(2);
    expect(sentWrites()).toHaveLength(1);
    await cli([...argv, '--confirm', company], { home, env });
    expect(sentWrites()).toHaveLength(2);
  });
});
