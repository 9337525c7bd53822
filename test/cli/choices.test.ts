/** Questions and completion where there is more than anybody looks through. */
import { expect, it } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import { run } from '../helpers/run.ts';

const company = 'c0ffee00-0000-4000-8000-000000000001';
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const lists = Buffer.from(
  JSON.stringify(
    Array.from({ length: 100_000 }, (_, n) => ({
      id: id(n),
      company_id: company,
      name: `List ${n}`,
      slug: `list-${n}`,
    })),
  ),
);
const empty: Record<string, unknown> = {
  '/api/metrics/catalog': { companyId: company, currency: 'USD', sourceBoundary: 'company_internal', definitions: [] },
  '/api/metrics/grants': { grants: [] },
};
const transport: Transport = async ({ url }) => {
  const { pathname } = new URL(url);
  const [, listId] = /^\/api\/lists\/(.+)/.exec(pathname) ?? [];
  const one = { id: listId, company_id: company, name: 'List', slug: 'list', list_attributes: [] };
  const body = pathname === '/api/lists' ? lists : Buffer.from(JSON.stringify(empty[pathname] ?? one));
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
};
const env = { COMEM_COMPANY_ID: company };

it('chooses one of 100,000 lists by typing', async () => {
  const answers = [
    ['List:', '99999'],
    ['list-99999', '\r'],
  ] as const;
  const { code, stdout } = await run(['lists', 'get', '-o', 'id'], { transport, env, tty: true, answers });
  expect([code, stdout.trim()]).toEqual([0, id(99_999)]);
});
