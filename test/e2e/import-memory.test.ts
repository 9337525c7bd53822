/** A long file is imported over a long list in memory that could hold neither. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBinary, temporaryFolder } from '../helpers/cli.ts';

const listId = '00000000-0000-4000-8000-000000000011';
const count = 25_000;
const changed = 250;
const at = '2026-03-01T00:00:00Z';
let server: Server;
let patched = 0;

const note = (row: number) => `row ${row} `.repeat(100).trim();

function entry(row: number) {
  const id = `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`;
  const values = { amount: row, note: note(row) };
  const rest = { position: row, archived: false, created_at: at, updated_at: at };
  return { id, list_id: listId, title: `Row ${row}`, values, ...rest };
}

function answerTo(url: URL): unknown {
  if (!url.pathname.endsWith('/entries')) {
    const attribute = (slug: string, attribute_type: string) => ({ id: listId, slug, name: slug, attribute_type });
    const list_attributes = [attribute('amount', 'number'), attribute('note', 'text')];
    return { id: listId, name: 'Long', slug: 'long', list_attributes };
  }
  const offset = Number(url.searchParams.get('offset') ?? 0);
  const rows = Math.max(0, Math.min(Number(url.searchParams.get('limit') ?? 100), count - offset));
  return Array.from({ length: rows }, (_, index) => entry(offset + index));
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let sent = '';
    for await (const text of request.setEncoding('utf8')) sent += text;
    const json = { 'content-type': 'application/json', 'x-list-total-count': String(count) };
    response.writeHead(200, json);
    if (request.method === 'GET') {
      response.end(JSON.stringify(answerTo(new URL(request.url ?? '/', 'http://x'))));
      return;
    }
    patched += 1;
    const { id, values } = JSON.parse(sent);
    const before = entry(Number(id.slice(-12)));
    response.end(JSON.stringify({ ...before, values: { ...before.values, ...values } }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('reads a file row by row, and keeps of the list what finds its entries', async () => {
  const folder = temporaryFolder();
  const rows = Array.from({ length: count }, (_, row) => ({
    title: `Row ${row}`,
    amount: row % (count / changed) === 0 ? row + 0.5 : row,
    note: note(row),
  }));
  const lines = rows.map((row) => `${row.title},${row.amount},${row.note}`);
  writeFileSync(join(folder, 'rows.csv'), ['title,amount,note', ...lines].join('\n'));
  const { code, stdout, stderr } = await runBinary(
    ['entries', 'import', listId, 'rows.csv', '--yes', '-o', 'json', '--plan-out', 'plan.json'],
    { cwd: folder, home: folder, env: environment() },
  );
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain(`update ${changed} entries: amount (${changed})`);
  const done = await runBinary(['entries', 'import', listId, '--plan', 'plan.json', '--yes', '-o', 'json'], {
    ...{ cwd: folder, home: folder, env: environment() },
  });
  expect([done.code, JSON.parse(done.stdout), patched]).toMatchObject([
    0,
    { updated: changed, unchanged: count - changed, failed: 0 },
    changed,
  ]);
}, 240_000);

/** The file and the list are 25 MB each, and more than twice that once they are parsed. */
function environment() {
  const { port } = server.address() as AddressInfo;
  return {
    COMEM_BASE_URL: `http://127.0.0.1:${port}`,
    COMEM_SESSION_COOKIE: 'session=abc',
    NODE_OPTIONS: '--max-old-space-size=64',
  };
}
