/** With an API key and no company, a command that needs one acts on the company that the key is bound to. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TransportError } from '../../src/core/errors.ts';
import { ids, instead, metricsWorld, sent, type World } from '../helpers/metrics-world.ts';

let world: World;
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(() => world.close());

const env = { COMEM_COMPANY_ID: undefined };
const catalog = 'GET /api/metrics/catalog';

it.each([
  [['metrics', 'live'], 'GET /api/company/metrics'],
  [['grants', 'list'], 'GET /api/metrics/grants'],
  [['lists', 'list'], 'GET /api/lists'],
])('%j asks the API, then reads that company', async (argv, request) => {
  const result = await world.run(argv, { env });
  expect([result.code, result.stderr]).toEqual([0, '']);
  expect(sent(result)[0]).toBe(catalog);
  expect(sent(result)).toContain(request);
  expect(result.requests[1]?.query.companyId).toBe(ids.company);
});

it('asks for nothing where the endpoint finds the company itself, or one is named', async () => {
  const series = ['metrics', 'series', '-m', 'mrr', '--from', '2024-05', '--shape', 'long', '--quiet'];
  const result = await world.run(series, { env });
  expect([result.code, sent(result).filter((request) => request === catalog).length]).toEqual([0, 1]);
  const named = await world.run(['grants', 'list', '-c', ids.company], { env });
  expect(sent(named)).toEqual(['GET /api/metrics/grants']);
});

it('says that a company is needed where the key may not tell', async () => {
  const transport = instead(world.transport, (_, url) =>
    url.pathname.endsWith('catalog') ? { status: 403, body: { error: 'no' } } : undefined,
  );
  const { code, stderr } = await world.run(['grants', 'list'], { env, transport });
  expect([code, stderr]).toEqual([2, expect.stringContaining('needs a company, and none is set')]);
});

it('asks for nothing without a key', async () => {
  const { code, requests } = await world.run(['lists', 'list'], { env: { ...env, COMEM_API_KEY: undefined } });
  expect([code, requests]).toEqual([2, []]);
});

it.each([
  [['lists', 'list'], 'an API key or a session, and neither is set (COMEM_API_KEY is empty)'],
  [
    ['grants', 'revoke', '--expired', '--dry-run'],
    'an API key or a session, and neither is set (COMEM_API_KEY is empty)',
  ],
  [['metrics', 'live'], 'needs an API key'],
])('%j says that the credential is missing where there is none of either kind', async (argv, says) => {
  const none = { ...env, COMEM_API_KEY: '', COMEM_SESSION_COOKIE: undefined };
  const { code, stderr, requests } = await world.run(argv, { env: none });
  expect([code, stderr, requests]).toEqual([4, expect.stringContaining(says), []]);
  expect(stderr).toContain('give COMEM_API_KEY');
});

const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
const transport = async () => {
  throw new TransportError('http://127.0.0.1:1: the connection was refused', false, 'network', { cause: refused });
};

it.each([
  [['metrics', 'get', 'mrr'], 'GET /api/company/metrics'],
  [['metrics', 'live'], 'GET /api/company/metrics'],
  ...['series -m mrr -o table', 'table', 'growth', 'variance', 'board', 'gaps'].map((verb) => [
    ['metrics', ...verb.split(' ')],
    'GET /api/metrics/series',
  ]),
  [['grants', 'list'], 'GET /api/metrics/grants'],
] as [string[], string][])('%j names the request of its rows where nothing answers', async (argv, request) => {
  const { code, stderr } = await world.run([...argv, '--retries', '0'], { transport });
  expect(code).toBe(5);
  expect(stderr).toMatch(new RegExp(`^comem: ${request} .*got no answer`));
});

it('names the request that was meant where the API does not answer', async () => {
  const { code, stderr } = await world.run(['lists', 'list', '--retries', '0'], { env, transport });
  expect(code).toBe(5);
  expect(stderr).toMatch(/^comem: cannot send GET \/api\/lists: GET \/api\/metrics\/catalog .*got no answer/m);
  expect(stderr).toMatch(/^ +hint: check the address, and HTTPS_PROXY .*`comem doctor`/m);
});
