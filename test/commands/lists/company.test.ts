/** The company of a request is that of the list that is addressed. */
import { beforeAll, expect, it } from 'vitest';
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

it('is that of a list which another company owns, once that is known', async () => {
  for (const target of [uuid(12), `https://app.example/lists/${uuid(12)}?tab=1`]) {
    const result = await comem('entries', 'list', target, '-o', 'csv');
    expect([result.code, companies(result).at(-1)]).toEqual([0, other]);
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
  expect(requests.map(({ path, query }) => query.companyId ?? path.slice(-2))).toEqual([other, '12', own, '11']);
});
