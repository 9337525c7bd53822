/** A small API that answers as docs/api.md says and keeps no state: what a faulty server departs from. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const ids = {
  company: uuid(1),
  foreign: uuid(9),
  investor: uuid(2),
  list: uuid(3),
  grant: uuid(40),
  user: uuid(5),
};

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

const at = '2024-05-01T00:00:00.000Z';
const about = { entity_type: 'custom', company_id: ids.company, created_at: at, updated_at: at };
const list = { id: ids.list, name: 'Deals', slug: 'deals', ...about };
const attribute = (n: number, slug: string, attribute_type: string, config = {}) => {
  const fixed = { is_required: false, created_at: at, updated_at: at };
  return { id: uuid(n), list_id: ids.list, name: slug, slug, attribute_type, config, position: n, ...fixed };
};
const options = ['New', 'Won'].map((label) => ({ id: label.toLowerCase(), label }));
const attributes = [attribute(10, 'amount', 'number'), attribute(11, 'stage', 'select', { options })];
const entry = (n: number) => {
  const values = { amount: n * 10, stage: n % 2 ? 'new' : 'won' };
  const fixed = { archived: false, created_at: at, updated_at: at };
  return { id: uuid(100 + n), list_id: ids.list, title: `Deal ${n}`, values, position: n, ...fixed };
};
const entries = Array.from({ length: 12 }, (_, n) => entry(n));
const months = Array.from({ length: 10 }, (_, n) => `2024-${String(n + 1).padStart(2, '0')}`);
const item = (periodKey: string, n: number) => {
  return { periodKey, periodType: 'month', version: 'actual', metrics: { mrr: 100 + n, arr: 1200 + 12 * n } };
};
const grant = (n: number) => {
  const to = { company_id: ids.company, recipient_company_id: ids.investor, scope: ['metrics'], metric_ids: ['mrr'] };
  return { id: uuid(40 + n), ...to, include_historical: true, status: 'active', created_at: at, updated_at: at };
};
const grants = [0, 1, 2].map(grant);
const period = (periodKey: string, n: number) => {
  const sent = { periodType: 'month', reportId: uuid(200 + n), versionNumber: 1, sentAt: at };
  return { periodKey, ...sent, data: { mrr: n }, units: {}, unitLabels: {}, currency: 'USD' };
};

/** Pages of at most four rows, so that every paged read takes several. */
const maxRows = 4;

function page<Row>(rows: readonly Row[], query: URLSearchParams) {
  const start = Number(query.get('cursor') ?? query.get('offset') ?? 0);
  const size = Math.min(Number(query.get('limit') ?? maxRows), maxRows);
  const end = start + size;
  return { rows: rows.slice(start, end), next: end < rows.length ? String(end) : null };
}

export function honest({ method, path, query, body }: Asked): Answer {
  const json = (value: unknown, status = 200, headers = {}): Answer => ({
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  });
  const own = `/api/lists/${ids.list}`;
  switch (`${method} ${path}`) {
    case 'GET /api/lists':
      return json([{ ...list, list_attributes_count: 2 }]);
    case `GET ${own}`:
      return json({ ...list, list_attributes: attributes });
    case 'POST /api/lists':
      return json({ ...list, id: uuid(901), slug: 'new', ...body }, 201);
    case 'POST /api/lists/templates/instantiate':
      return json(
        { list: { ...list, id: uuid(902), name: 'OKRs', slug: 'okrs' }, template: { id: 'okrs', name: 'OKRs' } },
        201,
      );
    case `PATCH ${own}`:
      return json({ ...list, ...body });
    case `POST ${own}/attributes`:
      return json({ ...attribute(12, 'size', 'number'), ...body }, 201);
    case `PATCH ${own}/attributes`:
      return json({ ...attributes[0], ...body });
    case `DELETE ${own}`:
    case `DELETE ${own}/attributes`:
      return { status: 204, headers: {}, body: '' };
    case `POST ${own}/entries/${uuid(103)}/loop-step`:
      return json({ queued: true, canStep: true, state: 'ready' }, 202);
    case 'POST /api/metrics/preferences': {
      const before = { requestedMetrics: ['mrr'], tableColumns: [], cardPages: [], createdAt: at, updatedAt: at };
      return json({ preferences: { id: uuid(60), vcCompanyId: ids.investor, ...before, ...body } });
    }
    case `GET ${own}/entries`: {
      const found = entries.filter(({ title }) => title.includes(query.get('search') ?? ''));
      const total = query.get('withTotal') === 'true' ? { 'X-List-Total-Count': String(found.length) } : {};
      return json(page(found, query).rows, 200, total);
    }
    case `POST ${own}/entries`:
      return json({ ...entry(0), id: uuid(900), ...body }, 201);
    case `PATCH ${own}/entries`: {
      const before = entries.find(({ id }) => id === body.id) ?? entry(0);
      return json({ ...before, ...body, values: { ...before.values, ...(body.values as object) } });
    }
    case `DELETE ${own}/entries`:
      return { status: 204, headers: {}, body: '' };
    case 'GET /api/company/metrics': {
      const live = { source: 'company_metrics_actual', mode: 'live_actual', currency: 'USD' };
      return json({ metrics: { mrr: 109, arr: 1308 }, ...live, periodKey: '2024-10', period: '2024-10', asOf: at });
    }
    case 'GET /api/metrics/catalog': {
      const fixed = { unit: 'currency', aggregation: 'last', direction: 'up', custom: false, archived: false };
      const definitions = ['mrr', 'arr'].map((metricId) => ({ metricId, label: metricId.toUpperCase(), ...fixed }));
      const companyId = query.get('companyId') ?? ids.company;
      return json({ companyId, currency: 'USD', sourceBoundary: 'company_internal', definitions });
    }
    case 'GET /api/metrics/series':
      return json(series(query));
    case 'GET /api/metrics/grants':
      return json({ grants });
    case 'POST /api/metrics/grants':
      return json({ grant: { ...grant(9), ...body } }, 201);
    case 'GET /api/metrics/preferences': {
      const wanted = { requestedMetrics: ['mrr'], tableColumns: [], cardPages: [], createdAt: at, updatedAt: at };
      return json({ preferences: { id: uuid(60), vcCompanyId: ids.investor, ...wanted } });
    }
    case `GET /api/metrics/published/${ids.company}`: {
      const { rows, next } = page(months.map(period), query);
      const company = { id: ids.company, name: 'Northgate', currency: 'USD' };
      const about = {
        grantId: ids.grant,
        company,
        scope: ['metrics'],
        mode: 'published_grant',
        missingPublication: false,
      };
      const cursor = next === null ? {} : { nextCursor: next };
      return json({ ...about, metrics: { summary: {}, periods: rows }, truncated: next !== null, ...cursor });
    }
    default: {
      const revoked = /^PATCH \/api\/metrics\/grants\/([^/]+)\/revoke$/.exec(`${method} ${path}`);
      if (!revoked) return json({ error: 'not found', status: 404 }, 404);
      return json({ grant: { ...grant(0), id: revoked[1], status: 'revoked', revoked_at: at } });
    }
  }
}

function series(query: URLSearchParams) {
  const [from, to] = [query.get('fromPeriod') ?? '0', query.get('toPeriod') ?? '9'];
  const wanted = query.get('metricIds')?.split(',') ?? ['mrr', 'arr'];
  const versions = (query.get('versions') ?? 'actual').split(',');
  const inRange = months.flatMap((key, n) => {
    const { metrics, ...rest } = item(key, n);
    const some = Object.fromEntries(Object.entries(metrics).filter(([id]) => wanted.includes(id)));
    return key >= from && key <= to ? versions.map((version) => ({ ...rest, version, metrics: some })) : [];
  });
  const { rows, next } = page(query.get('order') === 'asc' ? inRange : inRange.reverse(), query);
  const observations = rows.flatMap(({ metrics, ...rest }) =>
    Object.entries(metrics).map(([metricId, value]) => {
      return { metricId, value, unit: 'currency', currency: 'USD', ...rest, sourceBoundary: 'company_internal' };
    }),
  );
  const echo = {
    ...{ metricIds: query.get('metricIds')?.split(',') ?? [], periodType: query.get('periodType'), versions },
    ...{ fromPeriod: query.get('fromPeriod'), toPeriod: query.get('toPeriod') },
    ...{ order: query.get('order') ?? 'desc', limit: Number(query.get('limit') ?? 24) },
  };
  const about = { companyId: ids.company, currency: 'USD', sourceBoundary: 'company_internal', query: echo };
  return { ...about, items: rows, observations, nextCursor: next, truncated: next !== null };
}

/** What a request becomes on a faulty server. `index` counts the requests of a run from 0. */
export type Respond = (
  answer: Answer,
  to: { response: ServerResponse; socket: Socket; asked: Asked; index: number },
) => void;

export interface FaultServer {
  url: string;
  /** From now on it answers so. */
  behave(respond: Respond): void;
  requests(): number;
  close(): Promise<void>;
}

export async function faultServer(): Promise<FaultServer> {
  let respond: Respond = send;
  let count = 0;
  const server: Server = createServer(async (request, response) => {
    const index = count;
    count += 1;
    response.on('error', () => {});
    const asked = await askedOf(request);
    respond(honest(asked), { response, socket: request.socket, asked, index });
  });
  server.on('connection', (socket) => socket.on('error', () => {}));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave(next) {
      respond = next;
      count = 0;
    },
    requests: () => count,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function askedOf(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request.on('error', () => {})) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const body = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
  return { method: request.method ?? 'GET', path: pathname, query: searchParams, body };
}

/** The answer as it is. */
export const send: Respond = ({ status, headers, body }, { response }) => {
  response.writeHead(status, headers).end(status === 204 ? undefined : body);
};
