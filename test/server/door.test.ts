/** Who may come in: names in `Host`, and the public keys of the demo. */
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { demo } from '../../src/core/demo.ts';
import { createApp, type Listening, type ListenOptions, listen } from '../../src/server/app.ts';
import { demoCredentials } from '../../src/server/demo/credentials.ts';
import { ensureDemo } from '../../src/server/demo/ensure.ts';
import { strangeHost } from '../../src/server/door.ts';
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
  expect(strangeHost(undefined, [])).toBeUndefined();
  expect(strangeHost('', [])).toBeDefined();
});

it('takes the public keys of the demo only from loopback', async () => {
  await serving({ host: '0.0.0.0' });
  const app = await createApp(store, { now: () => new Date(demo.now) });
  const from = async (remoteAddress: string, headers: Record<string, string>) => {
    const { statusCode, body } = await app.inject({ url: lists, remoteAddress, headers });
    return [statusCode, body] as const;
  };
  const headersOf = ({ kind, secret }: (typeof demoCredentials)[number]): Record<string, string> =>
    kind === 'session' ? { cookie: `comem-auth-token=${secret}` } : { authorization: `Bearer ${secret}` };
  for (const credential of demoCredentials) {
    const headers = headersOf(credential);
    for (const address of ['10.0.0.7', '2001:db8::1', '::ffff:10.0.0.7']) {
      expect(await from(address, headers)).toEqual([401, expect.stringContaining('are public')]);
    }
    for (const forwarded of ['10.0.0.7', '127.0.0.1, 10.0.0.7', '10.0.0.7, 127.0.0.1']) {
      expect(await from('127.0.0.1', { ...headers, 'x-forwarded-for': forwarded })).toEqual([
        401,
        expect.stringContaining('are public'),
      ]);
    }
    expect((await from('127.0.0.1', { ...headers, forwarded: 'for="[2001:db8::1]:47";proto=https' }))[1]).toContain(
      'are public',
    );
    expect((await from('127.0.0.1', { ...headers, 'x-real-ip': '10.0.0.7' }))[1]).toContain('are public');
  }
  const session = { cookie: demo.session };
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect((await from(address, session))[0]).toBe(200);
  expect(
    (await from('127.0.0.1', { ...session, 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1;proto=http' }))[0],
  ).toBe(200);
  // Other credentials come from anywhere.
  expect((await from('10.0.0.7', { cookie: 'comem-auth-token=other' }))[1]).toContain('The session is unknown');
  await app.close();
  // An address of its own that is not loopback is like that of another machine.
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  for (const { address } of addresses.filter(({ family }) => family === 'IPv4')) {
    const isHere = address.startsWith('127.');
    expect([address, (await asked(lists, session, address))[0]]).toEqual([address, isHere ? 200 : 401]);
  }
});
