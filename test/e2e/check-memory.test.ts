/** A long list is checked in memory that holds no more of its rows than their ids. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBinary } from '../helpers/cli.ts';

const listId = '00000000-0000-4000-8000-000000000011';
let server: Server;
let total = 0;

function entry(index: number) {
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const values = { amount: index % 1000, stage: index % 2 ? 'won' : 'lost', note: `row ${index} `.repeat(100) };
  const at = '2026-03-01T00:00:00Z';
  return {
    id,
    list_id: listId,
    title: `Row ${index}`,
    values,
    position: index,
    archived: false,
    created_at: at,
    updated_at: at,
  };
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const json = (body: unknown, headers = {}) =>
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    if (!url.pathname.endsWith('/entries')) {
      const attribute = (slug: string, attribute_type: string) => ({
        id: listId,
        slug,
        name: slug,
        attribute_type,
        config: {},
      });
      json({
        id: listId,
        name: 'Long',
        slug: 'long',
        list_attributes: [attribute('amount', 'number'), attribute('stage', 'text')],
      });
      return;
    }
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const count = Math.max(0, Math.min(Number(url.searchParams.get('limit') ?? 100), total - offset));
    const page = Array.from({ length: count }, (_, index) => entry(offset + index));
    json(page, { 'x-list-total-count': String(total) });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('fits into a heap that could not hold the rows', async () => {
  total = 200_000;
  const { port } = server.address() as AddressInfo;
  const expectations = [
    `count = ${total}`,
    'range(amount, 0, 999)',
    'if stage = "won" then amount >= 0',
    'sum(amount) by stage > 0',
  ];
  const argv = ['check', 'entries', listId, ...expectations.flatMap((text) => ['--expect', text])];
  // The rows are more than 300 MB once they are parsed; their ids, which the pager remembers, are some 20.
  const { code, stdout, stderr } = await runBinary(argv, {
    env: {
      COMEM_BASE_URL: `http://127.0.0.1:${port}`,
      COMEM_SESSION_COOKIE: 'session=abc',
      NODE_OPTIONS: '--max-old-space-size=96',
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('4 held');
});
