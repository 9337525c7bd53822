// A plain HTTP server with ready-made pages, as fast as Node goes, so that clients are measured and not a database.
// `/slow` before a path adds 20 ms. A series between two periods has values of any metric. The second list has no
// entries; entries are created and changed in any list, and nothing of it is kept.
// Prints its port.
import { createServer } from 'node:http';

const rows = Number(process.argv[2] ?? 100_000);
const metrics = ['mrr', 'arr', 'headcount'];
const named = [...metrics, ...Array.from({ length: 100 }, (_, n) => `metric_${n}`)];
const companyId = '11111111-1111-4111-8111-111111111111';

function month(index) {
  return `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`;
}

function seriesPage(from, limit, order) {
  const items = [];
  const observations = [];
  for (let i = from; i < Math.min(rows, from + limit); i++) {
    // A hundred thousand months have years of four digits.
    const period = order === 'asc' ? i + 1 : rows - i;
    const row = { periodKey: month(12_000 + period), periodType: 'month', version: 'actual' };
    const about = { source: 'ledger', updatedAt: '2026-01-15T12:00:00.000Z' };
    const values = Object.fromEntries(metrics.map((id, n) => [id, Math.round((1000 + i * 1.37 + n * 11) * 100) / 100]));
    items.push({ ...row, metrics: values, ...about });
    for (const metricId of metrics) {
      const value = values[metricId];
      observations.push({
        metricId,
        value,
        unit: 'currency',
        currency: 'USD',
        ...row,
        sourceBoundary: 'company_internal',
        ...about,
      });
    }
  }
  const next = from + limit;
  const query = { metricIds: metrics, periodType: 'month', versions: ['actual'], order, limit };
  const more = next < rows ? { nextCursor: `page-${next}`, truncated: true } : { truncated: false };
  const company = {
    companyId,
    currency: 'USD',
    sourceBoundary: 'company_internal',
  };
  return Buffer.from(JSON.stringify({ ...company, query, items, observations, ...more }));
}

const uuid = (n) => `22222222-2222-4222-8222-${String(n).padStart(12, '0')}`;

function entriesPage(from, limit) {
  const page = [];
  for (let i = from; i < Math.min(rows, from + limit); i++) {
    const values = {
      stage: 'opt_won',
      amount: i * 1.25,
      closed: '2026-01-15',
      notes: `Note number ${i}, with a comma`,
    };
    const about = { created_by: null, created_at: '2026-01-15T12:00:00.000Z', updated_at: '2026-01-15T12:00:00.000Z' };
    page.push({
      id: uuid(i),
      list_id: uuid(1),
      title: `Entry ${i}`,
      values,
      position: i,
      archived: false,
      linked_entity_type: null,
      linked_entity_id: null,
      ...about,
    });
  }
  return Buffer.from(JSON.stringify(page));
}

const attribute = (slug, attribute_type, n) => ({
  id: uuid(900 + n),
  list_id: uuid(1),
  name: slug,
  slug,
  attribute_type,
  config: slug === 'stage' ? { options: [{ id: 'opt_won', label: 'Won' }] } : {},
  is_required: false,
  position: n,
});
const list = {
  id: uuid(1),
  name: 'Pipeline',
  slug: 'pipeline',
  description: 'Every deal',
  entity_type: 'deal',
  is_system: false,
  position: 0,
  created_at: '2026-01-15T12:00:00.000Z',
  updated_at: '2026-01-15T12:00:00.000Z',
};
const attributes = [
  ['stage', 'select'],
  ['amount', 'currency'],
  ['closed', 'date'],
  ['notes', 'text'],
];
const lists = Buffer.from(
  JSON.stringify(
    Array.from({ length: 20 }, (_, n) => ({ ...list, id: uuid(n + 1), name: `List ${n}`, list_attributes_count: 4 })),
  ),
);
const oneList = (id) => {
  const list_attributes = attributes.map(([slug, type], n) => ({ ...attribute(slug, type, n), list_id: id }));
  return Buffer.from(JSON.stringify({ ...list, id, list_attributes }));
};

const catalog = Buffer.from(
  JSON.stringify({
    companyId,
    currency: 'USD',
    definitions: named.map((metricId) => ({
      ...{ metricId, label: metricId, unit: 'currency', cadence: 'monthly', aggregation: 'sum' },
      ...{ valueSemantics: 'flow', direction: 'higher_is_better', description: null, custom: false, archived: false },
    })),
  }),
);

/** What tells the name of a company. */
const published = Buffer.from(
  JSON.stringify({
    ...{ mode: 'published_grant', source: 'report_metric_snapshots', sourceBoundary: 'published_snapshot' },
    ...{ company: { id: companyId, name: 'Bench' }, missingPublication: false },
    ...{ metrics: { periods: [] }, truncated: false },
  }),
);

const pages = new Map();
function cached(key, make) {
  if (!pages.has(key)) pages.set(key, make());
  return pages.get(key);
}

function bodyOf(path, query) {
  const limit = Number(query.get('limit') ?? 100);
  if (path === '/api/metrics/series') {
    const from = Number((query.get('cursor') ?? 'page-0').slice(5));
    const order = query.get('order') ?? 'desc';
    return cached(`series ${from} ${limit} ${order}`, () => seriesPage(from, limit, order));
  }
  if (path.endsWith('/entries')) {
    if (path.includes(uuid(2))) return Buffer.from('[]');
    const from = Number(query.get('offset') ?? 0);
    return cached(`entries ${from} ${limit}`, () => entriesPage(from, limit));
  }
  return path === '/api/lists' ? lists : oneList(path.slice('/api/lists/'.length));
}

let written = 0;

/** An entry as it was sent, with the fields that a server adds. */
function writtenEntry(path, body) {
  written += 1;
  const entry = { id: uuid(10_000_000 + written), list_id: path.split('/')[3], position: written, archived: false };
  const about = { created_by: null, created_at: '2026-01-15T12:00:00.000Z', updated_at: '2026-01-15T12:00:00.000Z' };
  return Buffer.from(JSON.stringify({ ...entry, ...about, ...JSON.parse(body) }));
}

/** A page of the periods between two bounds. */
function boundedPage(query) {
  const index = (name) => Number(query.get(name).slice(0, 4)) * 12 + Number(query.get(name).slice(5)) - 1;
  const metricIds = query.get('metricIds')?.split(',') ?? named;
  const versions = query.get('versions')?.split(',') ?? ['actual'];
  const order = query.get('order') ?? 'desc';
  const [from, to] = [index('fromPeriod'), index('toPeriod')];
  const start = Number((query.get('cursor') ?? 'page-0').slice(5));
  const limit = Number(query.get('limit') ?? 100);
  const all = (to - from + 1) * versions.length;
  const end = Math.min(all, start + limit);
  const about = { source: 'ledger', updatedAt: '2026-01-15T12:00:00.000Z' };
  const items = Array.from({ length: end - start }, (_, at) => {
    const place = Math.floor((start + at) / versions.length);
    const period = order === 'asc' ? from + place : to - place;
    const values = metricIds.map((id, n) => [id, (period * 137 + n * 11) / 100]);
    const row = { periodKey: month(period), periodType: 'month', version: versions[(start + at) % versions.length] };
    return { ...row, metrics: Object.fromEntries(values), ...about };
  });
  const observations = items.flatMap(({ metrics: values, ...row }) =>
    metricIds.map((metricId) => {
      const measured = { metricId, value: values[metricId], unit: 'currency', currency: 'USD' };
      return { ...measured, ...row, sourceBoundary: 'company_internal' };
    }),
  );
  const company = { companyId: query.get('companyId') ?? companyId, currency: 'USD' };
  const asked = { metricIds, periodType: 'month', versions, order, limit };
  const more = end < all ? { nextCursor: `page-${end}`, truncated: true } : { truncated: false };
  const whole = { sourceBoundary: 'company_internal', query: asked, items, observations, ...more };
  return Buffer.from(JSON.stringify({ ...company, ...whole }));
}

// All pages are made before anyone is measured.
for (let from = 0; from < rows; from += 100)
  bodyOf('/api/metrics/series', new URLSearchParams({ limit: 100, order: 'asc', cursor: `page-${from}` }));
for (let from = 0; from < rows; from += 500) bodyOf('/entries', new URLSearchParams({ limit: 500, offset: from }));

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const url = new URL(request.url, 'http://bench');
  const [, slow, path] = /^\/(slow)(\/.*)$/.exec(url.pathname) ?? [undefined, undefined, url.pathname];
  if (request.method !== 'GET') {
    let sent = '';
    request.setEncoding('utf8').on('data', (text) => {
      sent += text;
    });
    request.on('end', () => {
      const answer = writtenEntry(path, sent);
      const type = { 'content-type': 'application/json', 'content-length': answer.length };
      response.writeHead(request.method === 'POST' ? 201 : 200, type).end(answer);
    });
    return;
  }
  const bounded = path === '/api/metrics/series' && url.searchParams.has('toPeriod');
  const made =
    path === '/api/metrics/catalog'
      ? catalog
      : path.startsWith('/api/metrics/published/')
        ? published
        : bounded
          ? boundedPage(url.searchParams)
          : bodyOf(path, url.searchParams);
  const company = url.searchParams.get('companyId') ?? /published\/([^/]+)/.exec(path)?.[1] ?? companyId;
  const body = company === companyId ? made : Buffer.from(made.toString().replaceAll(companyId, company));
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  if (/\/entries\b/.test(request.url)) headers['x-list-total-count'] = path.includes(uuid(2)) ? 0 : rows;
  const answer = () => response.writeHead(200, headers).end(body);
  if (slow) setTimeout(answer, 20);
  else answer();
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
