/** The metrics of a server, as Prometheus reads them. */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { within } from '../core/concurrency.ts';
import { listenWithPage, type TextPage, unready } from './app.ts';
import type { Store } from './store/store.ts';

/** From a millisecond, as a read of SQLite takes, to half a minute, after which a statement is cut. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A scrape waits no longer for the database. */
const patienceMs = 2_000;

export function createMetrics(store: Store) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'comem_http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer',
    labelNames: ['operation', 'status'] as const,
    buckets,
    registers: [registry],
  });
  gauge(registry, 'comem_database_up', 'Whether the database can be used, as /readyz says', async () =>
    (await unready(store, patienceMs)) === undefined ? 1 : 0,
  );
  gauge(registry, 'comem_writes_waiting', 'Writes without an answer: in a queue, or waiting for a lock', async () =>
    store.waitingWrites(),
  );
  const { replica, db } = store;
  const { pool, replicationLag } = store.engine;
  const lag = replica?.lag ?? (replicationLag && (() => replicationLag(db)));
  if (pool) {
    const connections = new Gauge({
      name: 'comem_database_connections',
      help: 'Connections of the pool by state; waiting: requests for one',
      labelNames: ['state'] as const,
      registers: [registry],
      collect() {
        for (const [state, count] of Object.entries(pool())) connections.set({ state }, count);
      },
    });
  }
  if (lag) {
    const help = 'Time by which --read-database is behind, or else the latest standby';
    gauge(registry, 'comem_replication_lag_seconds', help, lag);
  }
  let page: TextPage | undefined;
  return {
    /** Counts a request that was answered. @param operation `unknown` for a path of none */
    observe: (operation: string, status: number, seconds: number) => requests.observe({ operation, status }, seconds),
    /** @returns `http://127.0.0.1:9464/metrics` */
    async listen(address: { host: string; port: number; allowHosts?: readonly string[] | undefined }) {
      page = await listenWithPage('/metrics', { flag: '--metrics-port', ...address }, async () => ({
        type: registry.contentType,
        text: await registry.metrics(),
      }));
      return page.url;
    },
    close: async () => page?.close(),
  };
}

/** A number that is read at each scrape; a failure, `undefined` or no answer leaves it out. */
function gauge(registry: Registry, name: string, help: string, read: () => Promise<number | undefined>): void {
  const metric: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await within(patienceMs + 500, read()).catch(() => undefined);
      if (value === undefined) metric.remove();
      else metric.set(value);
    },
  });
}
