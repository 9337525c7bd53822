/** The names in `Host` to which a server answers. */
import { request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { demo } from '../../src/core/demo.ts';
import { type Listening, type ListenOptions, listen } from '../../src/server/app.ts';
import { ensureDemo } from '../../src/server/demo.ts';
import { openStore, type Store } from '../../src/server/store/store.ts';

let store: Store;
let server: Listening;
afterEach(async () => {
  await server?.close();
  await store.close();
});

async function serving(options: Partial<ListenOptions> = {}): Promise<void> {
  store = await openStore({ memory: true });
  await ensureDemo(store);
  server = await listen(store, { port: 0, now: () => new Date(demo.now), ...options });
}

function asked(path: string, headers: Record<string, string>, host = '127.0.0.1'): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    request({ host, port: server.port, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve([response.statusCode ?? 0, text]));
    })
      .on('error', reject)
      .end();
  });
}

const lists = `/api/lists?companyId=${demo.companyId}`;
const own = [
  'localhost',
  'LOCALHOST:80',
  'localhost.',
  'api.localhost',
  '127.0.0.1',
  '127.1.2.3:4010',
  '[::1]',
  '[::1]:80',
];
const strange = [
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example:4010',
  '[::2]',
  '0.0.0.0',
  'a:b:c',
];

it('answers on loopback only under names of loopback', async () => {
  await serving();
  for (const host of own) expect([host, (await asked(lists, { host, cookie: demo.session }))[0]]).toEqual([host, 200]);
  for (const host of strange) {
    for (const path of [lists, '/healthz', '/api/nothing']) {
      const [status, text] = await asked(path, { host, cookie: demo.session });
      expect([host, path, status]).toEqual([host, path, 421]);
      expect(JSON.parse(text)).toMatchObject({ status: 421, error: expect.stringContaining('--allow-host') });
    }
  }
});

it('answers under names that were allowed, and under any where other machines reach it', async () => {
  await serving({ allowHosts: ['API.example', 'other.example:80'] });
  for (const host of ['api.example', 'api.example:443', 'other.example', 'localhost']) {
    expect([host, (await asked('/healthz', { host }))[0]]).toEqual([host, 200]);
  }
  expect((await asked('/healthz', { host: 'evil.example' }))[0]).toBe(421);
  await server.close();
  server = await listen(store, { port: 0, host: '0.0.0.0' });
  expect((await asked('/healthz', { host: 'api.example' }))[0]).toBe(200);
});
