/** What a supervisor or a load balancer asks: is the process alive, and can it answer. Needs no credential. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { migrations } from './store/migrations.ts';
import { readMeta, type Store } from './store/store.ts';

/** A database that does not answer within this time is unreachable, whatever a request would wait for. */
const timeoutMs = 5_000;

const paths: readonly (string | undefined)[] = ['/healthz', '/readyz'];

export function isProbe({ routeOptions }: FastifyRequest): boolean {
  return paths.includes(routeOptions.url);
}

export function addProbes(app: FastifyInstance, store: Store): void {
  app.get('/healthz', { exposeHeadRoute: true }, () => ({ status: 'ok' }));
  app.get('/readyz', { exposeHeadRoute: true }, async (_request, reply) => {
    const reason = await unready(store);
    if (reason === undefined) return { status: 'ok' };
    return reply.code(503).header('retry-after', '1').send({ error: reason, status: 503 });
  });
}

async function unready(store: Store): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, 'late');
  });
  try {
    const version = await Promise.race([readMeta(store.db, 'schema_version'), late]);
    if (version === 'late') return 'The database does not answer';
    if (Number(version) === migrations.length) return (await store.health.unready())?.says;
    return Number(version) > migrations.length
      ? 'The database was migrated by a newer comem; update this one'
      : 'The migrations of the database are not complete';
  } catch (error) {
    return store.health.notice(error)?.says ?? 'The database cannot be read';
  } finally {
    clearTimeout(timer);
  }
}
