/** What a supervisor or a load balancer asks: whether the process lives, and whether it can answer. No credential. */
import type { FastifyInstance, RouteShorthandOptions } from 'fastify';
import type { ApiOptions } from './api.ts';
import { migrations } from './store/migrations.ts';
import { readMeta, type Store } from './store/store.ts';

/** A database that does not answer for so long is not reachable, whatever a request would wait for. */
const patienceMs = 5_000;

export function addProbes(app: FastifyInstance, store: Store, onAnswer: ApiOptions['onAnswer']): void {
  const told: RouteShorthandOptions = {
    logLevel: 'silent',
    onResponse: async ({ method, routeOptions: { url: route } }, { statusCode: status, elapsedTime: ms }) =>
      onAnswer?.({ method, ...(route !== undefined && { route }), status, ms, isProbe: true }),
  };
  app.get('/healthz', told, () => ({ status: 'ok' }));
  app.get('/readyz', told, async (_request, reply) => {
    const reason = await unready(store);
    if (reason === undefined) return { status: 'ok' };
    return reply.code(503).header('retry-after', '1').send({ error: reason, status: 503 });
  });
}

async function unready(store: Store): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, patienceMs, 'late');
  });
  try {
    const version = await Promise.race([readMeta(store.db, 'schema_version'), late]);
    if (version === 'late') return 'The database does not answer';
    if (Number(version) === migrations.length) return undefined;
    return Number(version) > migrations.length
      ? 'The database was migrated by a newer comem; update this one'
      : 'The migrations of the database are not complete';
  } catch (error) {
    return store.engine.trouble(error) ?? 'The database cannot be read';
  } finally {
    clearTimeout(timer);
  }
}
