/** The company of a request is that of the list that is addressed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { run } from '../../helpers/run.ts';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [own, other] = [uuid(1), uuid(2)];
const lists: Record<string, { id: string; slug: string; name: string; company_id: string }> = {
  [own]: { id: uuid(11), slug: 'deals', name: 'Deals', company_id: own },
  [other]: { id: uuid(12), slug: 'deals', name: 'Deals', company_id: other },
};

/** Lists of two companies; every list by id, whatever the header says. */
const transport: Transport = async ({ url }) => {
  const { pathname, searchParams } = new URL(url);
  const found = Object.values(lists).find(({ id }) => pathname.includes(id));
  const body = pathname.endsWith('/entries')
    ? []
    : found
      ? { ...found, list_attributes: [] }
      : [lists[searchParams.get('companyId') ?? '']];
  const headers = { 'content-type': 'application/json', 'x-list-total-count': '0' };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(body)) };
};
const env = {
  COMEM_COMPANY_ID: own,
  COMEM_SESSION_COOKIE: 'comem-auth-token=0123456789',
  COMEM_API_KEY: 'cmk_0123456789',
  COMEM_BASE_URL: 'https://a.example',
};
const comem = (...argv: string[]) => run(argv, { env, transport });
const cwd = mkdtempSync(join(tmpdir(), 'comem-company-'));
afterAll(() => rmSync(cwd, { recursive: true }));

beforeAll(async () => {
  await comem('companies', 'add', 'acme', other);
});

/** The company that each request names, in the query or the header. */
const companies = ({ requests }: Awaited<ReturnType<typeof run>>) =>
  requests.map(({ query, headers }) => query.companyId ?? headers['x-company-id']);

it('is that of COMPANY:LIST', async () => {
  const result = await comem('entries', 'list', 'acme:deals', '-o', 'json');
  expect([result.code, new Set(companies(result))]).toEqual([0, new Set([other])]);
  expect(result.requests.at(-1)?.path).toContain(uuid(12));
});

it('is not the one of a list of another company', async () => {
  for (const target of [uuid(12), `https://app.example/lists/${uuid(12)}?tab=1`]) {
    const refused = await comem('entries', 'list', target, '-o', 'csv');
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([6, '', expect.stringContaining(`-c ${other}`)]);
    const result = await comem('entries', 'list', target, '-o', 'csv', '-c', 'acme');
    expect([result.code, new Set(companies(result))]).toEqual([0, new Set([other])]);
  }
});

it('is the own one for other lists, and for a name with a colon', async () => {
  expect(new Set(companies(await comem('entries', 'list', 'deals', '-o', 'csv')))).toEqual(new Set([own]));
  const colon = await comem('entries', 'list', 'x:deals', '-o', 'csv');
  expect([colon.code, companies(colon)]).toEqual([3, [own]]);
});

it('is of each side of a comparison', async () => {
  const { code, requests } = await comem('lists', 'diff', 'acme:deals', 'deals');
  expect(code).toBe(0);
  const lists = requests.filter(({ path }) => path !== '/api/lists');
  expect(lists.map(({ path, headers }) => [path.slice(-2), headers['x-company-id']])).toEqual([
    ['12', other],
    ['11', own],
  ]);
});

describe('a list that another company shares', () => {
  const shared = { id: uuid(13), slug: 'shared', name: 'Shared', company_id: other, network_id: uuid(30) };
  const network: Transport = async ({ url, method, body }) => {
    const { pathname } = new URL(url);
    const sent = body === undefined ? {} : JSON.parse(String(body));
    const id = pathname.includes(uuid(13)) ? shared.id : uuid(14);
    const answers: Record<string, unknown> = {
      '/api/lists': method === 'GET' ? [shared] : { ...sent, id, slug: 'new' },
      [`/api/lists/${uuid(13)}`]: { ...shared, ...sent, list_attributes: [] },
      [`/api/lists/${uuid(14)}`]: { id, slug: 'new', name: 'New', company_id: own, list_attributes: [] },
    };
    const answer = answers[pathname] ?? (method === 'GET' ? [] : { ...sent, id: sent.id ?? uuid(15) });
    const headers = { 'content-type': 'application/json', 'x-list-total-count': '0' };
    return { status: 200, headers, body: Buffer.from(JSON.stringify(answer)) };
  };
  const shares = (...argv: string[]) => run(argv, { env, transport: network, cwd });
  const writes = (result: Awaited<ReturnType<typeof run>>) =>
    companies({ ...result, requests: result.requests.filter(({ method }) => method !== 'GET') });

  it.each([
    ['attrs', 'create', 'shared', 'Size', '--type', 'text'],
    ['lists', 'update', 'shared', '--name', 'Other'],
    ['entries', 'create', 'shared', '--title', 'one'],
    ['entries', 'delete', 'shared', uuid(16), '--yes'],
  ])('%s %s names its owner', async (...argv) => {
    const result = await shares(...argv);
    expect([result.code, writes(result)], result.stderr).toEqual([0, [other]]);
  });

  it('does not take the lists after it to its owner', async () => {
    mkdirSync(join(cwd, 'lists'));
    writeFileSync(join(cwd, 'lists', 'a.yaml'), 'name: Renamed\nslug: shared\n');
    writeFileSync(
      join(cwd, 'lists', 'b.yaml'),
      'name: New\nattributes:\n  - name: Size\n    slug: size\n    type: text\n',
    );
    const result = await shares('lists', 'apply', '-d', 'lists', '--yes');
    expect(writes(result), result.stderr).toEqual([other, own, own]);
  });
});
