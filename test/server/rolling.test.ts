/** Two servers on one PostgreSQL database behind HAProxy: each is restarted under load, and no request fails. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { freePort, haproxy, startProxy } from '../helpers/haproxy.ts';
import { dropCluster, makeCluster, missing, programs } from '../helpers/postgres.ts';
import { MixedLoad } from './mixed-load.ts';
import { serveProgram } from './process.ts';
import { companies, sessions, world } from './world.ts';

const isInstalled = programs !== undefined && haproxy !== undefined;
if (!isInstalled) it.skip(`a rolling change (needs ${missing} haproxy)`, () => {});

/** Reads lists through the proxy until the end, and gives the statuses. */
async function read(url: string, end: AbortSignal): Promise<Map<number | string, number>> {
  const statuses = new Map<number | string, number>();
  while (!end.aborted) {
    const status = await fetch(`${url}/api/lists?companyId=${companies.fund}`, {
      headers: { cookie: `comem-auth-token=${sessions.ann}` },
    }).then(
      async (answer) => {
        await answer.text();
        return answer.status;
      },
      (error: Error) => `${error.message}: ${error.cause}`,
    );
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  return statuses;
}

it.runIf(isInstalled)('no read and no write fails while each server is restarted', { timeout: 120_000 }, async () => {
  const cluster = makeCluster();
  cluster.sql('create database r');
  const database = cluster.address('r');
  const w = await world({}, { database });
  const ports = [await freePort(), await freePort()];
  const servers = await Promise.all(ports.map((port) => serveProgram(port, ['--database', database])));
  const proxy = await startProxy(temporaryFolder(), ports);
  try {
    const load = await MixedLoad.create(w);
    const end = new AbortController();
    const writes = load.run(proxy.url, () => {}, end.signal);
    const reads = [1, 2, 3].map(() => read(proxy.url, end.signal));
    for (const [index, port] of ports.entries()) {
      await proxy.untilAllUp();
      const server = servers[index];
      const ended = server && once(server, 'exit');
      server?.kill('SIGTERM');
      await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
      const last = await fetch(`http://127.0.0.1:${port}/healthz`);
      expect([last.status, last.headers.get('connection')]).toEqual([200, 'close']);
      expect(await ended).toEqual([143, null]);
      servers[index] = await serveProgram(port, ['--database', database]);
    }
    await proxy.untilAllUp();
    end.abort();
    await writes;
    for (const statuses of await Promise.all(reads)) expect([...statuses.keys()]).toEqual([200]);
    expect(load.unanswered).toBe(0);
    expect(load.acknowledged).toBeGreaterThan(100);
    await load.check();
  } finally {
    await proxy.stop();
    await w.close();
    dropCluster(cluster);
  }
});
