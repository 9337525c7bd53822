/** A long list is checked in memory that does not grow with its rows, but for their ids. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finished, start } from '../helpers/cli.ts';

const listId = '00000000-0000-4000-8000-000000000011';
let server: Server;
let total = 0;

function entry(index: number) {
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const values = { amount: index % 1000, stage: index % 2 ? 'won' : 'lost', note: `row ${index} `.repeat(10) };
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

/** The peak memory of a check of so many rows, in MiB. */
async function peak(rows: number): Promise<number> {
  total = rows;
  const { port } = server.address() as AddressInfo;
  const expectations = [
    `count = ${rows}`,
    'range(amount, 0, 999)',
    'if stage = "won" then amount >= 0',
    'sum(amount) by stage > 0',
  ];
  const argv = ['check', 'entries', listId, ...expectations.flatMap((text) => ['--expect', text])];
  const child = start(argv, {
    env: { COMEM_BASE_URL: `http://127.0.0.1:${port}`, COMEM_SESSION_COOKIE: 'session=abc' },
  });
  let highest = 0;
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      highest = Math.max(highest, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // The process is gone; the last look counts.
    }
  }, 20);
  const { code, stderr } = await finished(child);
  clearInterval(look);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return highest;
}

it.skipIf(process.platform !== 'linux')('remembers of a row its id alone (needs /proc)', async () => {
  const short = await peak(20_000);
  const long = await peak(200_000);
  console.info(`peak memory of a check: 20,000 rows ${short.toFixed(0)} MiB, 200,000 rows ${long.toFixed(0)} MiB`);
  // The pager remembers each id, so that no row counts twice; a row itself takes more than 1,500 bytes once it is parsed.
  expect(((long - short) * 1024 * 1024) / 180_000).toBeLessThan(500);
});
