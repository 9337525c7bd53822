import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/cli.ts';
import { ids, instead, key, metricsWorld, sent, session, type World } from '../../helpers/metrics-world.ts';

let world: World;
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(() => world.close());

const answering = (status: number, body?: unknown) => instead(world.transport, () => ({ status, body }));
const series = ['api', 'GET', '/api/metrics/series', '-q', 'periodType=month', '-q', 'metricIds=mrr'];

describe('the request', () => {
  it('takes the credential from the API description, and no company by itself', async () => {
    const catalog = await world.run(['api', 'get', '/api/metrics/catalog', '-o', 'json']);
    expect(catalog.requests[0]).toMatchObject({ method: 'GET', query: {} });
    expect(catalog.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(catalog.requests[0]?.headers['x-company-id']).toBeUndefined();
    const lists = await world.run(['api', 'GET', `api/lists?companyId=${ids.company}`]);
    expect(lists.requests[0]?.headers.cookie).toContain(session);
    expect(lists.requests[0]?.query).toEqual({ companyId: ids.company });
  });

  it('puts the company of -c where the endpoint names it', async () => {
    const query = await world.run(['api', 'GET', '/api/metrics/grants', '-c', ids.other]);
    expect(query.requests[0]?.query).toEqual({ companyId: ids.other });
    const header = await world.run(['api', 'GET', '/api/rooms', '--as', 'key', '-c', ids.other]);
    expect(header.requests[0]?.headers['x-company-id']).toBe(ids.other);
    const body = await world.run([
      'api',
      'POST',
      '/api/metrics/grants',
      '-f',
      'scope:=["metrics"]',
      '-c',
      ids.other,
      '--dry-run',
    ]);
    expect(JSON.parse(body.stdout)[0].body).toEqual({ companyId: ids.other, scope: ['metrics'] });
  });

  it('needs --as for a path that it does not know', async () => {
    const unknown = await world.run(['api', 'GET', '/api/rooms']);
    expect([unknown.code, sent(unknown)]).toEqual([2, []]);
    expect(unknown.stderr).toContain('--as key or --as session');
    const known = await world.run(['api', 'GET', '/api/rooms', '--as', 'session']);
    expect([known.code, known.stdout]).toEqual([3, '']);
    expect(known.requests[0]?.headers.cookie).toContain(session);
  });

  it('makes a body of fields, or takes one from a file or stdin', async () => {
    const fields = ['-f', 'name=Deals', '-f', 'position:=2', '-f', 'note=a=b'];
    const argv = ['api', 'POST', '/api/lists', '-q', `companyId=${ids.company}`];
    const made = await world.run([...argv, ...fields], { transport: answering(201, { id: 'x' }) });
    expect(made.requests[0]?.body).toEqual({ name: 'Deals', position: 2, note: 'a=b' });
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'body.json'), '{"name": "From a file"}');
    const file = await world.run([...argv, '--input', 'body.json'], { cwd: folder, transport: answering(201, {}) });
    expect(file.requests[0]?.body).toEqual({ name: 'From a file' });
    const stdin = await world.run([...argv, '--input', '-'], { stdin: '{"name":"x"}', transport: answering(201, {}) });
    expect(stdin.requests[0]?.body).toEqual({ name: 'x' });
  });

  it('stays below the base URL', async () => {
    const own = await world.run(['api', 'GET', 'https://world.example/api/metrics/catalog?x=1']);
    expect(own.requests[0]).toMatchObject({ path: '/api/metrics/catalog', query: { x: '1' } });
    for (const url of [
      'https://evil.example/api/lists',
      'http://world.example/api/lists',
      'https://a@world.example/api/lists',
    ]) {
      const foreign = await world.run(['api', 'GET', url]);
      expect([foreign.code, sent(foreign)]).toEqual([2, []]);
    }
  });

  it.each([
    [['api', 'FETCH', '/api/lists'], 'METHOD'],
    [['api', 'GET', '/'], 'PATH'],
    [['api', 'GET', '//evil.example/api'], 'PATH'],
    [['api', 'GET', '/api/lists', '-f', 'a=b'], '--body sets a body'],
    [['api', 'GET', '/api/lists', '-q', 'a'], '--query takes KEY=VALUE'],
    [['api', 'POST', '/api/lists', '-f', 'a=b', '--input', '-'], '--body and --data'],
    [['api', 'POST', '/api/lists', '-f', 'a:=b'], '--body a'],
    [['api', 'GET', '/api/lists', '--resource', 'Reprot'], 'did you mean Report'],
    [['api', 'GET', '/api/lists', '-i', '--paginate'], '--include'],
    [['api', 'GET', '/api/lists', '-i', '-o', 'json'], '--include'],
    [['api', 'POST', '/api/lists', '--paginate'], '--paginate reads'],
    [['api', 'GET'], 'PATH'],
  ])('refuses %j', async (argv, says) => {
    const result = await world.run(argv, { stdin: '{}' });
    expect(result.stderr).toContain(says);
    expect([result.code, result.stdout, sent(result)]).toEqual([2, '', []]);
  });
});

describe('guards', () => {
  it('shows a write under --dry-run without the credential', async () => {
    const result = await world.run(['api', 'PATCH', `/api/lists/${ids.nothing}`, '-f', 'name=x', '--dry-run']);
    expect([result.code, sent(result)]).toEqual([0, []]);
    expect(JSON.parse(result.stdout)).toMatchObject([
      { method: 'PATCH', url: `https://world.example/api/lists/${ids.nothing}`, body: { name: 'x' } },
    ]);
    expect(result.stdout).not.toContain('session-of');
  });

  it.each([
    ['DELETE', `/api/lists/${ids.nothing}`],
    ['PATCH', `/api/metrics/grants/${ids.active}/revoke`],
  ])('asks before %s %s', async (method, path) => {
    const result = await world.run(['api', method, path]);
    expect([result.code, sent(result)]).toEqual([2, []]);
    expect(result.stderr).toContain('--yes');
  });

  it('does not ask before creating', async () => {
    const result = await world.run(['api', 'POST', '/api/lists', '-f', 'name=x'], {
      transport: answering(201, { id: 'n' }),
    });
    expect([result.code, sent(result)]).toEqual([0, ['POST /api/lists']]);
  });
});

describe('the answer', () => {
  it('is the body as it is in JSON, and rows elsewhere', async () => {
    const argv = ['api', 'GET', `/api/metrics/grants?companyId=${ids.company}`];
    expect(Object.keys((await world.json(argv)) as object)).toEqual(['grants']);
    const [header, ...lines] = await world.csv(argv);
    expect(header).toContain('id,company_id');
    expect(lines).toHaveLength(4);
    expect(await world.json(['api', 'GET', '/api/metrics/catalog'])).toMatchObject({ currency: 'USD' });
  });

  it('keeps every digit', async () => {
    const result = await world.run([...series.slice(0, -1), 'metricIds=big', '-o', 'json']);
    expect(result.stdout).toContain('12345678901234567890');
  });

  it('has a resource’s columns when asked', async () => {
    const body = { rooms: [{ name: 'Board', id: ids.nothing, extra: 1 }] };
    const argv = ['api', 'GET', '/api/rooms', '--as', 'session', '--resource', 'room', '-o', 'csv'];
    const { stdout } = await world.run(argv, { transport: answering(200, body) });
    expect(stdout.split('\n')[0]).toMatch(/^id,label,name,description,icon,visibility,created_at,/);
    expect(stdout.split('\n')[1]).toMatch(new RegExp(`^${ids.nothing},,Board,`));
    const found = await world.run(
      argv.filter((word) => word !== '--resource' && word !== 'room'),
      {
        transport: answering(200, body),
      },
    );
    expect(found.stdout).toBe(`name,id,extra\nBoard,${ids.nothing},1\n`);
  });

  it('may be a list of words, a number or nothing', async () => {
    const argv = ['api', 'GET', '/api/any', '--as', 'key'];
    const words = { transport: answering(200, ['a', 'b']) };
    expect((await world.run([...argv, '-o', 'csv'], words)).stdout).toBe('value\na\nb\n');
    expect(JSON.parse((await world.run([...argv, '-o', 'json'], words)).stdout)).toEqual(['a', 'b']);
    expect((await world.run(argv, { transport: answering(200, '7') })).stdout.trim()).toBe('7');
    const nothing = await world.run(argv, { transport: answering(204) });
    expect([nothing.stdout, nothing.code]).toEqual(['', 0]);
  });

  it('comes whole with -i, and as it came with --raw', async () => {
    const whole = await world.run([...series, '-i']);
    expect(whole.stdout).toMatch(/^HTTP 200\r\n(?:[a-z-]+: .*\r\n)+\r\n\{/);
    const raw = await world.run([...series, '--raw']);
    expect(whole.stdout.endsWith(raw.stdout)).toBe(true);
  });

  it('is a failure in the server’s words unless it is 2xx', async () => {
    const result = await world.run(['api', 'GET', '/api/metrics/series', '-q', 'periodType=day', '-o', 'json']);
    expect([result.code, result.stdout]).toEqual([6, '']);
    const { error } = JSON.parse(result.stderr);
    expect(error).toMatchObject({ status: 400, exitCode: 6, details: { issues: [{ path: 'periodType' }] } });
    expect(error.message).toContain('(GET /api/metrics/series of profile "default" answered 400)');
    const shown = await world.run(['api', 'GET', '/api/metrics/series', '-i']);
    expect(shown.code).toBe(6);
    expect(shown.stdout).toMatch(/^HTTP 400/);
    const page = answering(200, '<html>sign in</html>');
    expect((await world.run(['api', 'GET', '/api/lists'], { transport: page })).code).toBe(4);
    expect((await world.run(['api', 'GET', '/api/metrics/catalog'], { transport: page })).code).toBe(6);
  });

  it('is a failure where it is an Error under 200, which -i shows', async () => {
    const transport = answering(200, '{"error":"nope","status":500}');
    for (const words of ['GET /api/lists', 'POST /api/lists -f name=x', 'DELETE /api/lists/1 --as session --yes']) {
      const { code, stdout, stderr } = await world.run(['api', ...words.split(' ')], { transport });
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      expect(stderr).toContain('answered 200, but it says "nope"');
    }
    const shown = await world.run(['api', 'GET', '/api/lists', '-i'], { transport });
    expect([shown.code, shown.stdout]).toEqual([6, expect.stringContaining('{"error":"nope","status":500}')]);
  });
});

describe('--paginate', () => {
  it('follows cursors', async () => {
    const result = await world.run([...series, '-q', 'limit=30', '--paginate', '-o', 'json']);
    expect(sent(result)).toHaveLength(3);
    expect(JSON.parse(result.stdout)).toHaveLength(76);
    const csv = await world.csv([...series, '--paginate', '--limit', '2']);
    expect(csv[0]).toBe('periodKey,periodType,version,metrics,source,updatedAt');
    expect(csv).toHaveLength(3);
  });

  it('counts offsets', async () => {
    const all = Array.from({ length: 5 }, (_, index) => ({ id: String(index), title: `t${index}` }));
    const transport = instead(world.transport, (_, { searchParams }) => {
      const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name) ?? 0));
      return { status: 200, body: all.slice(offset, (offset ?? 0) + (limit ?? 0)) };
    });
    const argv = ['api', 'GET', `/api/lists/${ids.nothing}/entries`, '-q', 'limit=2', '--paginate', '-o', 'json'];
    const result = await world.run(argv, { transport });
    // Without a total the end is an empty page.
    expect(result.requests.map(({ query }) => query.offset)).toContain('5');
    expect(result.requests[0]?.query).toEqual({ limit: '2', withTotal: 'true' });
    expect(JSON.parse(result.stdout)).toEqual(all);
  });

  it('continues where an unknown path names a cursor, and ends when it repeats', async () => {
    const argv = ['api', 'GET', '/api/stream', '--as', 'key', '--paginate', '-o', 'csv'];
    const pages = instead(world.transport, (_, { searchParams }) => ({
      status: 200,
      body: searchParams.has('cursor') ? { entries: [{ b: 2 }] } : { entries: [{ a: 1 }], nextCursor: 'c' },
    }));
    expect((await world.run(argv, { transport: pages })).stdout).toBe('a,b\n1,\n,2\n');
    let sent = 0;
    const repeating = instead(world.transport, () => {
      sent += 1;
      return { status: 200, body: { entries: [{ a: sent }], nextCursor: 'c' } };
    });
    const endless = await world.run(argv, { transport: repeating });
    expect(endless.code).toBe(6);
    expect(endless.stderr).toContain('repeated a cursor');
  });

  it('refuses fewer rows than the total', async () => {
    const transport: typeof world.transport = async ({ url }) => ({
      status: 200,
      headers: { 'x-list-total-count': '230' },
      body: Buffer.from(url.includes('offset') ? '[]' : JSON.stringify([{ id: '1' }])),
    });
    const argv = ['api', 'GET', `/api/lists/${ids.nothing}/entries`, '--paginate', '-o', 'json'];
    const result = await world.run(argv, { transport });
    expect(result.code).toBe(6);
    expect(JSON.parse(result.stderr).error).toMatchObject({ code: 'broken_paging' });
    expect(result.stderr).toContain('announced 230 rows, but 1 came');
  });
});
